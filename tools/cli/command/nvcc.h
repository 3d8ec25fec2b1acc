// NVIDIA's compiler for whole CUDA programs, and what it needs to make programs for Hone's own CUDA
// runtime, which runs them on the simulated device.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"

namespace hone {

/// The places to look for nvcc in: folders with the program, in this order.
std::vector<std::string> nvcc_places();

/// The first nvcc of CUDA 13 in these folders. Throws RuntimeError that says what was tried and how
/// to get one.
std::string find_nvcc(llvm::ArrayRef<std::string> folders);

/// The ptxas beside that nvcc; empty where there is none.
std::string find_ptxas(llvm::ArrayRef<std::string> folders);

/// The folder of libcudart.so.13: HONE_CUDART_DIR, beside the program in its build folder, or where
/// it is installed. Throws RuntimeError where there is none.
std::string find_cudart();

/// The options that make nvcc compile for the simulated device. Where `given`, the user's own
/// options, name an architecture, it is left to them.
std::vector<std::string> nvcc_options(const std::string& cudart, llvm::ArrayRef<std::string> given);

}  // namespace hone
