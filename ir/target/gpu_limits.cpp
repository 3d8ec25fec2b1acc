#include "ir/target/gpu_limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

constexpr int kb = 1 << 10;

/// From "Technical Specifications per Compute Capability" of the CUDA programming guide. CUDA 13
/// calls sm_101 sm_110.
constexpr ArchitectureLimits architectures[] = {
    // warps and blocks of an SM; shared bytes of an SM, of a block, reserved, unit; cluster
    {75, 32, 16, 64 * kb, 64 * kb, 0, 256, 1, 48 * kb, 32 * kb},  // T4, RTX 20
    {80, 64, 32, 164 * kb, 163 * kb, kb, 128, 1},                 // A100
    {86, 48, 16, 100 * kb, 99 * kb, kb, 128, 1},                  // A10, RTX 30
    {87, 48, 16, 164 * kb, 163 * kb, kb, 128, 1},                 // Orin
    {89, 48, 24, 100 * kb, 99 * kb, kb, 128, 1},                  // L4, L40S, RTX 40
    {90, 64, 32, 228 * kb, 227 * kb, kb, 128, 8},                 // H100, H200
    {100, 64, 32, 228 * kb, 227 * kb, kb, 128, 8},                // B200
    {101, 48, 24, 228 * kb, 227 * kb, kb, 128, 8},                // Thor
    {103, 64, 32, 228 * kb, 227 * kb, kb, 128, 8},                // B300
    {110, 48, 24, 228 * kb, 227 * kb, kb, 128, 8},                // Thor
    {120, 48, 24, 100 * kb, 99 * kb, kb, 128, 8},                 // RTX 50
    {121, 48, 24, 100 * kb, 99 * kb, kb, 128, 8},                 // GB10
};

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

const ArchitectureLimits& widest_architecture() {
  static const ArchitectureLimits& widest = *find_architecture("sm_90");
  return widest;
}

}  // namespace hone
