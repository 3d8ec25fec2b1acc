// Libraries that Hone is held to, opened at run time.
#pragma once

#include "bench/gpu/contender.h"

namespace hone {

/// The sum of A by CUB, in the library that bench/library/cub_sum.cu makes. Needs a GPU. Throws
/// RuntimeError where the file is not that library.
Contender cub_contender(const std::string& path, const Sizes& sizes, const Target& target);

/// C = A * B by cuBLAS in pedantic fp32 mode, in the library of that name or path. Needs a GPU.
/// Throws RuntimeError where the file is not that library.
Contender cublas_contender(const std::string& path, const Sizes& sizes, const Target& target);

}  // namespace hone
