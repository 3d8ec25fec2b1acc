// The CUDA text of copies and stores that the copy engine makes, and of the maps that they go by.
#pragma once

#include "codegen/emit/c_text.h"
#include "codegen/tensor_maps.h"

namespace hone {

/// A statement about the copy engine, which `kernel` is around; nothing for any other statement.
std::optional<std::string> cuda_bulk_statement(const KernelStmt& stmt, const KernelFunction& kernel,
                                               const CText& text);

/// The parameters of the kernel's function that are maps.
llvm::SmallVector<std::string, 2> cuda_map_parameters(const KernelFunction& kernel,
                                                      const Identifiers& names);

/// The type of a map, and the functions that such statements call; empty where there are none.
std::string cuda_bulk_helpers(const KernelFunction& kernel);

}  // namespace hone
