// CUDA kernels as a person writes them, one for each rung of a ladder that runs on a GPU: the
// yardstick of Hone's kernels. They take any sizes, with what lies beyond the edges guarded, and
// their blocks are as large as those of the rung.
#pragma once

#include <string>
#include <vector>

#include "ir/buffer.h"
#include "runtime/cuda_module.h"

namespace hone {

struct HandwrittenKernel {
  std::string rung;
  /// Of the function in `source`, whose parameters are pointers to `tensors`, then `params` as int.
  std::string entry;
  std::string source;
  std::vector<std::string> tensors;
  std::vector<std::string> params;
  LaunchDims dims;
};

/// The kernels and their launches for these sizes. C = A B: tensors A, B, C; sizes M, N, K.
std::vector<HandwrittenKernel> handwritten_matmul(const Sizes& sizes);

/// D = C / (A*A + B*B + 1): tensors A, B, C, D; sizes n, and W for the width of an image.
std::vector<HandwrittenKernel> handwritten_combine(const Sizes& sizes);

/// How many tiles cover an extent.
constexpr int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

}  // namespace hone
