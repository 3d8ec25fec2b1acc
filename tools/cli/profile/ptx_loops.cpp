#include "tools/cli/profile/ptx_loops.h"

#include <map>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

unsigned line_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  const bool is_known = instruction.location >= 0;
  return module.line_of_caller(is_known ? &module.locations[instruction.location] : nullptr);
}

/// Bytes that a lane loads from global memory.
int bytes_of(const ptx::Instruction& instruction) {
  if (instruction.opcode == "cp" && (instruction.has("ca") || instruction.has("cg")))
    return static_cast<int>(instruction.operands[2].integer);
  if (instruction.opcode != "ld" || !instruction.has("global")) return 0;
  const int width = instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
  for (const std::string& modifier : instruction.modifiers)
    if (const auto type = ptx::type_named(modifier)) return width * ptx::bytes_of(*type);
  return 0;
}

}  // namespace

PtxLoops::PtxLoops(const ptx::Module& module, llvm::StringRef kernel) {
  const ptx::Function* const function = module.find(kernel);
  if (!function) return;
  for (size_t n = 0; n < function->instructions.size(); ++n)
    if (const int64_t first = function->first_of_loop(n); first >= 0)
      loops_.push_back({static_cast<size_t>(first), n, line_of(module, function->instructions[n])});
  bytes_in_flight_ = loaded_bytes(*function);
}

bool PtxLoops::have(llvm::ArrayRef<unsigned> lines) const {
  return llvm::any_of(loops_,
                      [&](const Loop& loop) { return llvm::is_contained(lines, loop.line); });
}

/// -1: it stands in none.
int PtxLoops::innermost(size_t instruction) const {
  int found = -1;
  for (size_t n = 0; n < loops_.size(); ++n) {
    const Loop& loop = loops_[n];
    const bool has_it = loop.first <= instruction && instruction <= loop.last;
    if (has_it && (found < 0 || loop.last - loop.first < loops_[found].last - loops_[found].first))
      found = static_cast<int>(n);
  }
  return found;
}

double PtxLoops::loaded_bytes(const ptx::Function& function) const {
  std::map<int, double> bytes;  // by loop
  for (size_t n = 0; n < function.instructions.size(); ++n)
    if (const int loaded = bytes_of(function.instructions[n])) bytes[innermost(n)] += loaded;
  double most = 0;
  for (const auto& [loop, amount] : bytes)
    if (loop >= 0 || bytes.size() == 1) most = std::max(most, amount);
  return most;
}

}  // namespace hone
