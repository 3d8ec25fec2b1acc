// The CUDA text of clusters: their barrier, and the shared memory of their other blocks.
#pragma once

#include "codegen/emit/c_text.h"

namespace hone {

/// " __cluster_dims__(2, 1, 1)"; empty where blocks stand alone.
std::string cuda_cluster_dims(const KernelFunction& kernel);

/// All threads of the cluster wait for each other.
std::string cuda_cluster_barrier();

/// "*of_block(&T[b][i], b)": the element in the memory of another block.
std::string cuda_in_block(const std::string& element, const std::string& block);

/// The functions that these statements call for them.
std::string cuda_cluster_helpers(llvm::StringRef statements);

}  // namespace hone
