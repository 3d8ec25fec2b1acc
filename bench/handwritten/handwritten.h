// CUDA kernels as a person writes them, one for each rung of a ladder that runs on a GPU: the
// yardstick of Hone's kernels. They take any sizes, with what lies beyond the edges guarded or read
// as zero, and their blocks are as large as those of the rung. Kernels with accesses of
// several elements name the sizes that must be multiples of 4, or of 16.
#pragma once

#include <string>
#include <vector>

#include "ir/interpret/buffer.h"
#include "runtime/cuda/cuda_module.h"

namespace hone {

/// One launch of a function, whose parameters are pointers to `tensors`, then `params` as int.
struct HandwrittenLaunch {
  std::string entry;
  std::vector<std::string> tensors;
  std::vector<std::string> params;
  LaunchDims dims;
};

/// Data that the launches of a rung leave to each other: elements of four bytes, zero before the
/// first run. A run that counts on zeros leaves them.
struct HandwrittenTemporary {
  std::string name;
  int64_t elements;
};

/// The program of a rung: launches, in order, of functions in one source.
struct HandwrittenKernel {
  std::string rung;
  std::string source;
  std::vector<HandwrittenLaunch> launches;
  std::vector<std::string> multiples_of_4, multiples_of_16 = {};
  std::vector<HandwrittenTemporary> temporaries;
  int least_capability = 0;  ///< 90 for sm_90

  /// Of one launch.
  HandwrittenKernel(std::string rung, std::string entry, std::string source,
                    std::vector<std::string> tensors, std::vector<std::string> params,
                    const LaunchDims& dims, std::vector<std::string> multiples_of_4 = {})
      : rung(std::move(rung)),
        source(std::move(source)),
        launches({{std::move(entry), std::move(tensors), std::move(params), dims}}),
        multiples_of_4(std::move(multiples_of_4)) {}

  HandwrittenKernel(std::string rung, std::string source, std::vector<HandwrittenLaunch> launches,
                    std::vector<HandwrittenTemporary> temporaries,
                    std::vector<std::string> multiples_of_4 = {})
      : rung(std::move(rung)),
        source(std::move(source)),
        launches(std::move(launches)),
        multiples_of_4(std::move(multiples_of_4)),
        temporaries(std::move(temporaries)) {}
};

// Each function makes the kernels of the ladder of its name and their launches for these sizes.

/// C = A B, row-major. Tensors A[M, K], B[K, N], C[M, N]; sizes M, N, K.
std::vector<HandwrittenKernel> handwritten_matmul(const Sizes& sizes);

/// The same in double precision.
std::vector<HandwrittenKernel> handwritten_matmul_double(const Sizes& sizes);

/// C = A B with all three matrices column-major: A(i, k) is A[i + M * k].
std::vector<HandwrittenKernel> handwritten_matmul_column_major(const Sizes& sizes);

/// The same with columns lda, ldb and ldc elements apart; sizes M, N, K, lda, ldb, ldc.
std::vector<HandwrittenKernel> handwritten_matmul_pitched_columns(const Sizes& sizes);

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

/// S = the sum of A: tensors A[n], S[1]; size n.
std::vector<HandwrittenKernel> handwritten_reduce(const Sizes& sizes);

/// Y[i, j] = exp(X[i, j] - m[i]) / the sum of these over j, with m[i] the largest of row i: tensors
/// X[M, N], Y[M, N]; sizes M, N.
std::vector<HandwrittenKernel> handwritten_softmax(const Sizes& sizes);

/// Y[i, j] = (X[i, j] - mean) / sqrt(variance + 1e-5) * gamma[j] + beta[j], with mean and variance
/// of row i: tensors X[M, N], gamma[N], beta[N], Y[M, N]; sizes M, N.
std::vector<HandwrittenKernel> handwritten_layernorm(const Sizes& sizes);

/// S = the sum of A B: tensors A[n], B[n], S[1]; size n.
std::vector<HandwrittenKernel> handwritten_dot(const Sizes& sizes);

/// S = the largest element of A and its index: tensors A[n], S[1] of pairs; size n.
std::vector<HandwrittenKernel> handwritten_argmax(const Sizes& sizes);

/// S[i] = the sum of row i: tensors X[M, N], S[M]; sizes M, N.
std::vector<HandwrittenKernel> handwritten_rowsum(const Sizes& sizes);

/// S[j] = the sum of column j: tensors X[M, N], S[N]; sizes M, N.
std::vector<HandwrittenKernel> handwritten_colsum(const Sizes& sizes);

/// H[v] = how many elements of data are v: tensors data[n] of unsigned char, H[256] of int; size n.
std::vector<HandwrittenKernel> handwritten_histogram(const Sizes& sizes);

/// y = A x, row-major: tensors A[M, N], x[N], y[M]; sizes M, N.
std::vector<HandwrittenKernel> handwritten_matvec(const Sizes& sizes);

/// C[b] = A[b] B[b], row-major: tensors A[batch, M, K], B[batch, K, N], C[batch, M, N]; sizes
/// batch, M, N, K.
std::vector<HandwrittenKernel> handwritten_batched(const Sizes& sizes);

/// The number of tiles that cover an extent.
constexpr int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

}  // namespace hone
