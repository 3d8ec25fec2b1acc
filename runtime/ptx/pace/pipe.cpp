#include "runtime/ptx/pace/pipe.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/compile/matrix_form.h"

namespace hone::ptx {
namespace {

/// Clocks until the last warp that has come to a barrier lets all go on.
constexpr int barrier_latency = 24;
constexpr int warps_of_group = 4;

bool has_any(const Instruction& instruction, std::initializer_list<llvm::StringRef> modifiers) {
  return llvm::any_of(modifiers, [&](llvm::StringRef one) { return instruction.has(one); });
}

bool is_wide(const Instruction& instruction) { return has_any(instruction, {"s64", "u64", "b64"}); }

bool is_of_floats(const Instruction& instruction) {
  return has_any(instruction, {"f32", "f16", "f16x2", "bf16", "bf16x2", "f32x2"});
}

bool is_of_integers(const Instruction& instruction) {
  return has_any(instruction, {"s32", "u32", "s64", "u64", "s16", "u16", "s8", "u8"});
}

Pipe group_of(llvm::StringRef opcode) {
  return llvm::StringSwitch<Pipe>(opcode)
      .Cases("mov", "cvta", Pipe::none)
      .Cases("add", "sub", "mul", "fma", "mad", Pipe::fma)
      .Cases("rcp", "sqrt", "rsqrt", "ex2", "lg2", Pipe::special)
      .Cases("sin", "cos", "tanh", "div", "rem", Pipe::special)
      .Cases("ld", "ldu", "st", "atom", "red", Pipe::memory)
      .Cases("shfl", "ldmatrix", "stmatrix", "cp", "prefetch", Pipe::memory)
      .Cases("match", "redux", "mapa", Pipe::memory)
      .Cases("tex", "tld4", "suld", "sust", Pipe::memory)
      .Cases("mma", "wmma", "wgmma", Pipe::tensor)
      .Cases("bra", "brx", "call", "ret", "exit", Pipe::control)
      .Cases("bar", "barrier", "membar", "fence", "mbarrier", Pipe::control)
      .Cases("trap", "nanosleep", "griddepcontrol", "setmaxnreg", Pipe::control)
      .Default(Pipe::alu);
}

bool needs_many(const Instruction& instruction) {
  return (instruction.opcode == "div" || instruction.opcode == "rem") && !instruction.has("approx");
}

PipeUse use_of_memory(const Instruction& instruction) {
  if (instruction.has("param")) return {};
  if (instruction.has("shared::cluster")) return {Pipe::memory, 1, cluster_latency};
  if (instruction.opcode == "shfl") return {Pipe::memory, 1, 24};
  if (instruction.opcode == "cp" && !instruction.has("async")) return {Pipe::memory, 1, 0};
  return {Pipe::memory, 1, 29};
}

/// Sums and products are of the unit that their type says.
PipeUse use_of_arithmetic(const Instruction& instruction, Pipe pipe) {
  if (instruction.has("f64")) return {Pipe::fp64, 1, 8};
  if (pipe == Pipe::special) return {pipe, needs_many(instruction) ? 10 : 1, 18};
  const bool is_product = instruction.opcode == "mul" || instruction.opcode == "mad";
  if (pipe == Pipe::fma && is_of_floats(instruction)) return {pipe, 1, 4};
  if (pipe == Pipe::fma && is_product) return {pipe, is_wide(instruction) ? 3 : 1, 5};
  return {Pipe::alu, is_wide(instruction) ? 2 : 1, is_wide(instruction) ? 8 : 4};
}

bool converts_number(const Instruction& instruction) {
  return instruction.opcode == "cvt" && is_of_floats(instruction) && is_of_integers(instruction);
}

}  // namespace

double clocks_of(Pipe pipe) {
  constexpr double clocks[pipes] = {0, 0.5, 0.25, 0.5, 2, 0, 0, 0};
  return clocks[static_cast<size_t>(pipe)];
}

PipeUse use_of(const Instruction& instruction) {
  const Pipe pipe = converts_number(instruction) ? Pipe::special : group_of(instruction.opcode);
  switch (pipe) {
    case Pipe::none:
      return {};
    case Pipe::memory:
      return use_of_memory(instruction);
    case Pipe::tensor:
      return {pipe, 1, 33};
    case Pipe::control:
      return {pipe, 1, instruction.has("cluster") ? cluster_latency : barrier_latency};
    default:
      return use_of_arithmetic(instruction, pipe);
  }
}

double products_of(const Instruction& instruction) {
  const auto shape = shape_of(instruction);
  const bool is_product = group_of(instruction.opcode) == Pipe::tensor &&
                          !instruction.has("load") && !instruction.has("store");
  if (!shape || !is_product) return 0;
  const int rows = instruction.opcode == "wgmma" ? shape->rows / warps_of_group : shape->rows;
  const bool is_of_bytes = has_any(instruction, {"s8", "u8", "e4m3", "e5m2"});
  const double time = instruction.has("tf32") ? 2 : is_of_bytes ? 0.5 : 1;
  return time * rows * shape->columns * shape->depth;
}

}  // namespace hone::ptx
