// Addresses as operands of instructions that are no loads and stores.
#pragma once

#include "runtime/ptx/compile/function_compiler.h"

namespace hone::ptx {

/// "shared::cta": the space; generic where it is none.
Space modifier_space(llvm::StringRef modifier);
/// The first space among the modifiers; generic where there is none.
Space named_space(const Instruction& instruction);

/// [%rd1+8], [symbol], %rd1. Refuses the instruction where it is something else.
AddressOperand address_operand(FunctionCompiler& compiler, const Instruction& instruction,
                               const Operand& operand, Space space);

/// Adds an access by something other than a thread; its number in Program::memory. `by` lives as
/// long as the process.
uint32_t add_access(FunctionCompiler& compiler, const Instruction& instruction,
                    MemoryDetail::Kind kind, Space space, int64_t bytes, const char* by);

/// An op with an mbarrier, whose address is its first source.
Op& emit_mbarrier(FunctionCompiler& compiler, const Instruction& instruction, Op::Execute execute,
                  const Operand& address, MemoryDetail::Kind kind);

}  // namespace hone::ptx
