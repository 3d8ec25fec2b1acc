// The common part of instructions about matrices.
#pragma once

#include "runtime/ptx/compile/address.h"

namespace hone::ptx {

/// m16n8k16: A is `rows` by `depth`, B is `depth` by `columns`.
struct MatrixShape {
  int rows = 0, columns = 0, depth = 0;
};
std::optional<MatrixShape> shape_of(const Instruction& instruction);
/// Among the modifiers, in their order.
llvm::SmallVector<Type, 4> types_of(const Instruction& instruction);

/// Elements of a matrix in a register of 32 bits, or of 64.
int elements_of_register(Type type);
Type register_type(Type element);
llvm::SmallVector<Ref, 8> registers_of(FunctionCompiler& compiler, const Instruction& instruction,
                                       const Operand& operand, Type type);

/// An op of all lanes of a warp, which its last source names.
Op& emit_for_warp(FunctionCompiler& compiler, const Instruction& instruction, Op::Execute execute,
                  uint32_t detail);

}  // namespace hone::ptx
