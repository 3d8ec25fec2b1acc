#include "runtime/model/architecture.h"

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

constexpr int kb = 1 << 10;

/// From "Technical Specifications per Compute Capability" of the CUDA programming guide. CUDA 13
/// calls sm_101 sm_110.
constexpr ArchitectureLimits architectures[] = {
    // warps and blocks of an SM; shared bytes of an SM, of a block, reserved, unit
    {75, 32, 16, 64 * kb, 64 * kb, 0, 256},      // T4, RTX 20
    {80, 64, 32, 164 * kb, 163 * kb, kb, 128},   // A100
    {86, 48, 16, 100 * kb, 99 * kb, kb, 128},    // A10, RTX 30
    {87, 48, 16, 164 * kb, 163 * kb, kb, 128},   // Orin
    {89, 48, 24, 100 * kb, 99 * kb, kb, 128},    // L4, L40S, RTX 40
    {90, 64, 32, 228 * kb, 227 * kb, kb, 128},   // H100, H200
    {100, 64, 32, 228 * kb, 227 * kb, kb, 128},  // B200
    {101, 48, 24, 228 * kb, 227 * kb, kb, 128},  // Thor
    {103, 64, 32, 228 * kb, 227 * kb, kb, 128},  // B300
    {110, 48, 24, 228 * kb, 227 * kb, kb, 128},  // Thor
    {120, 48, 24, 100 * kb, 99 * kb, kb, 128},   // RTX 50
    {121, 48, 24, 100 * kb, 99 * kb, kb, 128},   // GB10
};

std::string known_names() {
  const auto names = llvm::map_range(known_architectures(), [](const ArchitectureLimits& limits) {
    return fmt::format("sm_{}", limits.capability);
  });
  return fmt::format("{}", fmt::join(names.begin(), names.end(), ", "));
}

}  // namespace

llvm::ArrayRef<ArchitectureLimits> known_architectures() { return architectures; }

const ArchitectureLimits* find_architecture(llvm::StringRef arch) {
  int capability = 0;
  if (!arch.consume_front("sm_") && !arch.consume_front("compute_")) return nullptr;
  if (arch.take_while(llvm::isDigit).getAsInteger(10, capability)) return nullptr;
  for (const ArchitectureLimits& limits : architectures)
    if (limits.capability == capability) return &limits;
  return nullptr;
}

const ArchitectureLimits& architecture_limits(llvm::StringRef arch) {
  if (const ArchitectureLimits* limits = find_architecture(arch)) return *limits;
  throw RuntimeError("what a multiprocessor of {} holds is not known; it is of {}", arch.str(),
                     known_names());
}

}  // namespace hone
