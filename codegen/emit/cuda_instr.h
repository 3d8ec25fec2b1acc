// The CUDA text of instructions, by the spellings of their opcodes.
#pragma once

#include "codegen/emit/c_text.h"
#include "codegen/tensor_maps.h"

namespace hone {

/// The statement that issues the instruction, which `kernel` is around.
std::string cuda_statement(const Instr& instr, const KernelFunction& kernel, const CText& text);

/// The functions and types that the kernel's instructions of these families need.
std::string cuda_instr_helpers(const KernelFunction& kernel, llvm::ArrayRef<Family> families);

/// The parameters of the kernel's function that are maps, by which the copy engine goes.
llvm::SmallVector<std::string, 2> cuda_map_parameters(const KernelFunction& kernel,
                                                      const Identifiers& names);

}  // namespace hone
