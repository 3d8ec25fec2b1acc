// The CUDA text of copies that the copy engine makes, and of the maps that they go by.
#pragma once

#include "codegen/emit/c_text.h"
#include "codegen/tensor_maps.h"

namespace hone {

/// The statement that asks for the copy; `kernel` is around it.
std::string cuda_copy_bulk(const BulkCopy& copy, const KernelFunction& kernel, const CText& text);
std::string cuda_expect_bytes(const ExpectBytes& expect, const CText& text);

/// The parameters of the kernel's function that are maps.
llvm::SmallVector<std::string, 2> cuda_map_parameters(const KernelFunction& kernel,
                                                      const Identifiers& names);

/// The type of a map, and the functions that such statements call; empty where there are none.
std::string cuda_bulk_helpers(const KernelFunction& kernel);

}  // namespace hone
