// CUDA kernels as a person writes them, one for each rung of a ladder that runs on a GPU: the
// yardstick of Hone's kernels. They take any sizes, with what lies beyond the edges guarded or read
// as zero, and their blocks are as large as those of the rung. Kernels with float4 accesses name
// the sizes that must be multiples of 4.
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
  std::vector<std::string> multiples_of_4 = {};
};

// Each function makes the kernels of the ladder of its name and their launches for these sizes.

/// C = A B, row-major. Tensors A[M, K], B[K, N], C[M, N]; sizes M, N, K.
std::vector<HandwrittenKernel> handwritten_matmul(const Sizes& sizes);

/// C = A B with all three matrices column-major: A(i, k) is A[i + M * k].
std::vector<HandwrittenKernel> handwritten_matmul_column_major(const Sizes& sizes);

/// C = A B, row-major with rows lda, ldb and ldc elements apart; sizes M, N, K, lda, ldb, ldc.
std::vector<HandwrittenKernel> handwritten_matmul_pitched(const Sizes& sizes);

/// C = A^T B^T, row-major. Tensors A[K, M], B[N, K], C[M, N]; sizes M, N, K.
std::vector<HandwrittenKernel> handwritten_matmul_transposed(const Sizes& sizes);

/// D = alpha A B + beta C, row-major. Tensors alpha[1], beta[1], A, B, C, D; sizes M, N, K.
std::vector<HandwrittenKernel> handwritten_gemm(const Sizes& sizes);

/// D = C / (A*A + B*B + 1): tensors A, B, C, D; sizes n, and W for the width of an image.
std::vector<HandwrittenKernel> handwritten_combine(const Sizes& sizes);

/// B = A^T: tensors A[M, N], B[N, M]; sizes M, N.
std::vector<HandwrittenKernel> handwritten_transpose(const Sizes& sizes);

/// out[y, x] = sum of w[dy, dx] in[y + dy, x + dx]: tensors in[H + 2, W + 2], w[3, 3], out[H, W];
/// sizes H, W.
std::vector<HandwrittenKernel> handwritten_stencil(const Sizes& sizes);

/// out[o, y, x] = sum of w[o, c, dy, dx] in[c, y + dy, x + dx]: tensors in[C, H + 2, W + 2],
/// w[O, C, 3, 3], out[O, H, W]; sizes C, O, H, W.
std::vector<HandwrittenKernel> handwritten_convolution(const Sizes& sizes);

/// How many tiles cover an extent.
constexpr int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

}  // namespace hone
