// Words that nvcc takes and NVRTC does not: those of older versions, and extensions of C++.
#pragma once

#include <string>
#include <vector>

#include "runtime/cuda_text/sources.h"

namespace hone::ptx {

/// The parts of a text that are extensions, without which it says the same in C++: the annotations
/// of a lambda, `[] __device__(int x) {}`, and the parentheses of a literal, `(float2){x, y}`.
std::vector<llvm::StringRef> extensions_in(llvm::ArrayRef<CudaToken> tokens);

/// Functions of warps from before CUDA 9, "__shfl_down".
struct OldFunctions {
  std::vector<llvm::StringRef> names;  ///< that the sources use and do not define
  std::string text;                    ///< their definitions, for the active lanes
};
OldFunctions old_functions_of(const Sources& sources);

}  // namespace hone::ptx
