#include "tools/cli/profile/compiled_kernel.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "codegen/emit/emit.h"
#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/profile/access_groups.h"
#include "tools/cli/profile/counted_parts.h"

namespace hone {
namespace {

/// Nearly all counts as all: the remaining iterations of unrolled loops count as none.
constexpr double nearly = 0.999;

using PtxAccesses = llvm::SmallVector<const PtxAccess*, 8>;

double elements_of(const PtxAccesses& accesses, const TensorNode& tensor,
                   const CompiledLoops& loops) {
  double all = 0;
  for (const PtxAccess* one : accesses) all += elements_of(*one, tensor) * loops.trips(one->block);
  return all;
}

/// Those that run: if the ones inside all loops do all the work, those outside of a loop
/// run its remaining iterations.
PtxAccesses running(const AccessGroup& group, const CompiledLoops& loops) {
  PtxAccesses all, innermost;
  for (const PtxAccess& one : group.compiled) {
    if (loops.trips(one.block) == 0) continue;
    all.push_back(&one);
    const bool is_innermost = llvm::all_of(group.loops, [&](const For* loop) {
      return !loops.has(loop) || loops.is_inside(one.block, loop);
    });
    if (is_innermost) innermost.push_back(&one);
  }
  return elements_of(innermost, *group.access.tensor, loops) >= nearly * group.access.written
             ? innermost
             : all;
}

/// The outermost loop of the nest that none of the accesses stands in any more.
std::string left_loop(const AccessGroup& group, const PtxAccesses& accesses,
                      const CompiledLoops& loops) {
  for (const For* loop : group.loops)
    if (loops.has(loop) && llvm::none_of(accesses, [&](const PtxAccess* one) {
          return loops.is_inside(one->block, loop);
        }))
      return loop->axis->name;
  return "";
}

AccessKind kind_of(AccessClass access_class) {
  switch (access_class) {
    case AccessClass::global_load:
    case AccessClass::shared_load:
      return AccessKind::load;
    case AccessClass::global_store:
    case AccessClass::shared_store:
      return AccessKind::store;
    case AccessClass::global_atomic:
    case AccessClass::shared_atomic:
      return AccessKind::atomic;
  }
  llvm_unreachable("unknown class of accesses");
}

/// The access as the text of the kernel has it; null where nothing is known, or where no thread
/// makes it.
const StatementAccess* find_written(const CompiledAccess& access, const StaticFacts& facts) {
  const auto found = llvm::find_if(facts.accesses, [&](const StatementAccess& one) {
    return one.statement == access.statement.get() && one.tensor->id == access.tensor->id &&
           one.kind == kind_of(access.access_class) && !one.at_most.is_zero();
  });
  return found == facts.accesses.end() ? nullptr : &*found;
}

/// The part of threads and trips that passes the conditions around an access.
SizeFormula passing_part(const CompiledAccess& access, const StaticFacts& facts) {
  const StatementAccess* written = find_written(access, facts);
  return written ? written->per_thread / written->at_most : 1;
}

/// The part of the iterations of unrolled loops that have the access.
double unrolled_part(const CompiledAccess& access, const StaticFacts& facts, const Sizes& sizes) {
  const StatementAccess* written = find_written(access, facts);
  return written ? value_of(written->at_most / written->unguarded, sizes) : 1;
}

Fate fate_of(const CompiledAccess& access) {
  if (box_move(Stmt(access.statement))) return Fate::by_engine;
  if (access.left == 0) return Fate::in_register;
  if (!access.loop.empty()) return Fate::moved;
  return access.left < nearly * access.written ? Fate::reused : Fate::kept;
}

/// Sets the fate of the accesses of a group.
void find_fate(AccessGroup& group, const CompiledLoops& loops, const StaticFacts& facts) {
  CompiledAccess& access = group.access;
  const PtxAccesses accesses = running(group, loops);
  access.left = elements_of(accesses, *access.tensor, loops);
  SizeFormula elements;
  for (const PtxAccess* one : accesses) {
    access.instructions += one->width * loops.trips(one->block) / one->merged_width;
    elements += loops.formula(one->block) * SizeFormula::fraction(int64_t{one->width} * one->bytes,
                                                                  size_of(access.tensor->type));
  }
  // Of several versions of a loop one runs.
  const double versions = std::max(1.0, std::round(access.left / access.written));
  access.left /= versions;
  access.instructions /= versions;
  access.per_thread = elements * passing_part(access, facts) *
                      SizeFormula::fraction(1, static_cast<int64_t>(versions));
  if (access.left > 0) access.loop = left_loop(group, accesses, loops);
  access.fate = fate_of(access);
}

std::vector<AccessWeight> weights_of(llvm::ArrayRef<AccessGroup> groups) {
  std::vector<AccessWeight> weights;
  for (const AccessGroup& group : groups) {
    weights.push_back({group.loops, group.elements, {}});
    for (const PtxAccess& access : group.compiled)
      weights.back().in_blocks.emplace_back(access.block,
                                            elements_of(access, *group.access.tensor));
  }
  return weights;
}

std::string fate_text(const CompiledAccess& access) {
  switch (access.fate) {
    case Fate::kept:
      return "kept";
    case Fate::moved:
      return fmt::format("moved out of the loop {}", access.loop);
    case Fate::reused:
      return fmt::format("one of {:.3g} is left, the others are in registers",
                         access.written / access.left);
    case Fate::in_register:
      return "kept in a register";
    case Fate::by_engine:
      return "left to the copy engine";
  }
  llvm_unreachable("unknown fate");
}

}  // namespace

const char* name(Fate fate) {
  constexpr const char* names[] = {"kept", "moved", "reused", "in_register", "by_engine"};
  return names[static_cast<int>(fate)];
}

bool CompiledAccess::is_of(const AccessReport& report) const {
  return statement.get() == report.statement.get() && tensor->id == report.tensor->id &&
         access_class == report.access_class;
}

const CompiledAccess* CompiledKernel::of(const AccessReport& report) const {
  const auto found =
      llvm::find_if(accesses, [&](const CompiledAccess& access) { return access.is_of(report); });
  return found == accesses.end() ? nullptr : &*found;
}

SizeFormula CompiledKernel::per_thread(AccessClass access_class) const {
  SizeFormula all;
  for (const CompiledAccess& access : accesses)
    if (access.access_class == access_class) all += access.per_thread;
  return all;
}

namespace {

/// Bytes that a trip of the innermost loops loads from global memory, of the loop that loads most;
/// if none does, the bytes that all of the kernel loads.
double bytes_in_flight(const PtxKernel& ptx, llvm::ArrayRef<PtxAccess> accesses) {
  std::map<int, double> bytes;  // by loop
  for (const PtxAccess& access : accesses)
    if (access.kind == PtxAccessKind::load && access.space == PtxSpace::global)
      bytes[ptx.loop_of(access.block)] += access.width * access.bytes;
  double most = 0;
  for (const auto& [loop, amount] : bytes)
    if (loop >= 0 || bytes.size() == 1) most = std::max(most, amount);
  return most;
}

SizeFormula instructions_of(const PtxKernel& ptx, const CompiledLoops& loops) {
  SizeFormula all;
  for (size_t block = 0; block < ptx.blocks.size(); ++block)
    all += loops.formula(block) *
           SizeFormula(llvm::count_if(ptx.blocks[block].instructions, becomes_instruction));
  return all;
}

}  // namespace

CompiledKernel read_compiled(const KernelFunction& kernel, const CountReport& counts,
                             const StaticFacts& facts, const PtxKernel& ptx, const Sizes& sizes) {
  const SourceLoops source(kernel.body);
  const StatementLines lines = emit_cuda_with_lines(kernel).lines;
  const std::vector<PtxAccess> accesses = accesses_of(ptx);
  std::vector<AccessGroup> groups = group_accesses(kernel, counts, source, lines, accesses);
  const CompiledLoops loops(source, lines, ptx, weights_of(groups), sizes);
  CompiledKernel result;
  result.instructions = instructions_of(ptx, loops);
  const CountedParts parts(groups, counts, source, lines, sizes);
  result.counted_instructions = parts.instructions(ptx, loops);
  result.statements = parts.statements();
  result.bytes_in_flight = bytes_in_flight(ptx, accesses);
  for (const PtxAccess& access : accesses)
    if (access.space == PtxSpace::local) result.local_accesses += loops.trips(access.block);
  for (AccessGroup& group : groups) {
    group.access.written = group.elements * value_of(source.product(group.loops), sizes) *
                           unrolled_part(group.access, facts, sizes);
    find_fate(group, loops, facts);
    result.accesses.push_back(std::move(group.access));
  }
  return result;
}

MemoryCounts as_compiled(const MemoryCounts& counts, const CompiledAccess& access) {
  const double elements = access.written == 0 ? 0 : access.left / access.written;
  const double instructions =
      access.written == 0 ? 0 : access.instructions * access.written_width / access.written;
  const auto scaled = [](int64_t count, double factor) {
    return static_cast<int64_t>(std::llround(static_cast<double>(count) * factor));
  };
  return {scaled(counts.requests, instructions),
          scaled(counts.lane_bytes(), elements) + counts.engine_bytes,
          scaled(counts.sectors, instructions),
          scaled(counts.wavefronts, instructions),
          scaled(counts.ideal_wavefronts, instructions),
          scaled(counts.lines, instructions),
          counts.engine_bytes};
}

std::string to_string(const CompiledAccess& access) {
  const std::string text = fate_text(access);
  if (!access.is_merged()) return text;
  return fmt::format("{}, merged: {:.2g} in one", text, access.width() / access.written_width);
}

}  // namespace hone
