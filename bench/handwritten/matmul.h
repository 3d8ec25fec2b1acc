// The parts of handwritten_matmul.
#pragma once

#include "bench/handwritten/handwritten.h"

namespace hone {

/// One element of C a thread, operands from tiles in shared memory.
std::vector<HandwrittenKernel> matmul_in_shared_tiles(const Sizes& sizes);

/// The same with tiles of 32 x 32 in double precision: shared-32.
HandwrittenKernel matmul_in_double_tiles(const Sizes& sizes);

/// Several elements of C a thread.
std::vector<HandwrittenKernel> matmul_in_thread_tiles(const Sizes& sizes);

inline HandwrittenKernel matmul_kernel(const char* rung, const char* entry, std::string source,
                                       const LaunchDims& dims) {
  return {rung, entry, std::move(source), {"A", "B", "C"}, {"M", "N", "K"}, dims};
}

/// Says `real`, the type of elements, in a kernel's source.
std::string elements_of(const char* type);

/// Says `whole`, in a kernel's source: tiles of these sizes cover the matrices exactly, and nothing
/// is to be guarded.
std::string whole_tiles(const Sizes& sizes, int64_t M, int64_t N, int64_t K);

/// One block for each tile of C, whose columns lie along x.
inline LaunchDims matmul_dims(const Sizes& sizes, int64_t tile, std::array<int64_t, 3> block) {
  return {{tiles(sizes.at("N"), tile), tiles(sizes.at("M"), tile), 1}, block};
}

}  // namespace hone
