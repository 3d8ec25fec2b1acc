#include "runtime/model/occupancy.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "runtime/error.h"
#include "runtime/model/architecture.h"

namespace hone {
namespace {

int64_t warps_of(const ArchitectureLimits& limits, const BlockResources& block) {
  return llvm::divideCeil(block.threads, limits.threads_per_warp);
}

int64_t registers_of_warp(const ArchitectureLimits& limits, int64_t registers_per_thread) {
  return llvm::alignTo(registers_per_thread * limits.threads_per_warp, limits.register_unit);
}

/// Registers to check a launch against: as if all register files took as many warps as the fullest.
int64_t registers_of_block(const ArchitectureLimits& limits, const BlockResources& block,
                           int64_t registers_per_thread) {
  return registers_of_warp(limits, registers_per_thread) *
         llvm::alignTo(warps_of(limits, block), limits.register_files);
}

int64_t shared_bytes_of(const ArchitectureLimits& limits, const BlockResources& block) {
  return llvm::alignTo(block.shared_bytes + limits.reserved_bytes_per_block, limits.shared_unit);
}

int64_t most_registers(const ArchitectureLimits& limits, const BlockResources& block) {
  int64_t registers = limits.max_registers;
  while (registers_of_block(limits, block, registers) > limits.registers_per_block) --registers;
  return registers;
}

void check_threads(const ArchitectureLimits& limits, const BlockResources& block) {
  if (block.threads < 1 || block.threads > limits.max_threads)
    throw RuntimeError("a block cannot have {} threads, only 1 to {}", block.threads,
                       limits.max_threads);
}

void check_registers(const ArchitectureLimits& limits, const BlockResources& block) {
  if (block.registers_per_thread < 0 || block.registers_per_thread > limits.max_registers)
    throw RuntimeError("a thread cannot have {} registers, only up to {}",
                       block.registers_per_thread, limits.max_registers);
  const int64_t registers = registers_of_block(limits, block, block.registers_per_thread);
  if (registers > limits.registers_per_block)
    throw RuntimeError(
        "{} threads with {} registers each take {} registers, and sm_{} gives a block at most {}; "
        "they can have {} each",
        block.threads, block.registers_per_thread, registers, limits.capability,
        limits.registers_per_block, most_registers(limits, block));
}

void check_shared(const ArchitectureLimits& limits, const BlockResources& block) {
  if (block.shared_bytes < 0)
    throw RuntimeError("a block cannot have {} bytes of shared memory", block.shared_bytes);
  if (block.shared_bytes > limits.shared_bytes_per_block)
    throw RuntimeError("a block needs {} bytes of shared memory, and sm_{} gives it at most {}",
                       block.shared_bytes, limits.capability, limits.shared_bytes_per_block);
}

/// A warp's registers lie in one of the register files.
int registers_limit(const ArchitectureLimits& limits, const BlockResources& block) {
  if (block.registers_per_thread == 0) return Occupancy::unlimited;
  const int64_t file = limits.registers_per_sm / limits.register_files;
  const int64_t warps = file / registers_of_warp(limits, block.registers_per_thread);
  return static_cast<int>(warps * limits.register_files / warps_of(limits, block));
}

int shared_limit(const ArchitectureLimits& limits, const BlockResources& block) {
  const int64_t bytes = shared_bytes_of(limits, block);
  return bytes == 0 ? Occupancy::unlimited : static_cast<int>(limits.shared_bytes_per_sm / bytes);
}

std::string rounded_up(int64_t exact, int64_t taken, int64_t unit) {
  return exact == taken ? "" : fmt::format(", {} in units of {}", taken, unit);
}

std::string warps_text(const ArchitectureLimits& limits, const BlockResources& block) {
  const int64_t warps = warps_of(limits, block);
  return fmt::format("{} threads are {} warp{}; {} / {} = {}", block.threads, warps,
                     warps == 1 ? "" : "s", limits.warps_per_sm, warps,
                     limits.warps_per_sm / warps);
}

std::string registers_text(const ArchitectureLimits& limits, const BlockResources& block) {
  const int64_t each = block.registers_per_thread;
  if (each == 0) return "not known";
  const int64_t exact = each * limits.threads_per_warp, taken = registers_of_warp(limits, each);
  const int64_t file = limits.registers_per_sm / limits.register_files;
  const int64_t warps = file / taken * limits.register_files;
  return fmt::format(
      "{} registers * {} threads = {}{} for a warp; {} files of {} hold {} warps each, {} in all; "
      "{} / {} = {}",
      each, limits.threads_per_warp, exact, rounded_up(exact, taken, limits.register_unit),
      limits.register_files, file, file / taken, warps, warps, warps_of(limits, block),
      warps / warps_of(limits, block));
}

std::string shared_text(const ArchitectureLimits& limits, const BlockResources& block) {
  const int64_t taken = shared_bytes_of(limits, block);
  if (taken == 0) return "none is taken";
  const int64_t exact = block.shared_bytes + limits.reserved_bytes_per_block;
  return fmt::format("{} bytes + {} of the system = {}{}; {} / {} = {}", block.shared_bytes,
                     limits.reserved_bytes_per_block, exact,
                     rounded_up(exact, taken, limits.shared_unit), limits.shared_bytes_per_sm,
                     taken, limits.shared_bytes_per_sm / taken);
}

std::string percent(double fraction) { return fmt::format("{:.4g} %", fraction * 100); }

std::string join(llvm::ArrayRef<OccupancyLimit> limiters) {
  std::string text;
  for (size_t n = 0; n < limiters.size(); ++n) {
    if (n > 0) text += n + 1 == limiters.size() ? " and " : ", ";
    text += name(limiters[n]);
  }
  return text;
}

}  // namespace

llvm::StringRef name(OccupancyLimit limit) {
  constexpr llvm::StringLiteral names[] = {"warps", "blocks", "registers", "shared memory"};
  return names[static_cast<int>(limit)];
}

Occupancy occupancy(llvm::StringRef arch, const BlockResources& block) {
  const ArchitectureLimits& limits = architecture_limits(arch);
  check_threads(limits, block);
  check_registers(limits, block);
  check_shared(limits, block);

  const int warps = static_cast<int>(warps_of(limits, block));
  Occupancy result;
  result.warps_limit = limits.warps_per_sm / warps;
  result.blocks_limit = limits.blocks_per_sm;
  result.registers_limit = registers_limit(limits, block);
  result.shared_limit = shared_limit(limits, block);

  const std::pair<OccupancyLimit, int> allowed[] = {
      {OccupancyLimit::warps, result.warps_limit},
      {OccupancyLimit::blocks, result.blocks_limit},
      {OccupancyLimit::registers, result.registers_limit},
      {OccupancyLimit::shared_memory, result.shared_limit}};
  result.blocks_per_sm = std::min(
      {result.warps_limit, result.blocks_limit, result.registers_limit, result.shared_limit});
  assert(result.blocks_per_sm > 0 && "the checks let through a block that does not fit");
  for (const auto& [limit, blocks] : allowed)
    if (blocks == result.blocks_per_sm) result.limiters.push_back(limit);
  result.warps_per_sm = result.blocks_per_sm * warps;
  result.fraction = static_cast<double>(result.warps_per_sm) / limits.warps_per_sm;
  return result;
}

std::vector<OccupancyTerm> occupancy_terms(llvm::StringRef arch, const BlockResources& block) {
  const ArchitectureLimits& limits = architecture_limits(arch);
  const Occupancy all = occupancy(arch, block);
  return {{OccupancyLimit::warps, all.warps_limit, warps_text(limits, block)},
          {OccupancyLimit::blocks, all.blocks_limit,
           fmt::format("a multiprocessor holds at most {}", limits.blocks_per_sm)},
          {OccupancyLimit::registers, all.registers_limit, registers_text(limits, block)},
          {OccupancyLimit::shared_memory, all.shared_limit, shared_text(limits, block)}};
}

std::string to_string(const Occupancy& occupancy, llvm::StringRef arch) {
  return fmt::format("{} block{}, {} of {} warps ({}), limited by {}", occupancy.blocks_per_sm,
                     occupancy.blocks_per_sm == 1 ? "" : "s", occupancy.warps_per_sm,
                     architecture_limits(arch).warps_per_sm, percent(occupancy.fraction),
                     join(occupancy.limiters));
}

}  // namespace hone
