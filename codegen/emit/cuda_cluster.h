// The CUDA text of clusters: the shared memory of their other blocks.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// " __cluster_dims__(2, 1, 1)"; empty where blocks stand alone.
std::string cuda_cluster_dims(const KernelFunction& kernel);

/// "of_block(&T[i], b)": the address of the element in the memory of another block.
std::string cuda_in_block(const std::string& address, const std::string& block);

/// The functions that these statements call for them.
std::string cuda_cluster_helpers(llvm::StringRef statements);

}  // namespace hone
