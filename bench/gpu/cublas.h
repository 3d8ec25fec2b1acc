// Products of matrices by cuBLAS and by cuBLASLt, which have no headers here: types and numbers are
// those of their interfaces.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/contest.h"
#include "runtime/shared_library.h"

namespace hone {

/// The product as one of matrices that lie by columns: C^T = B^T A^T. Its first operand is our B,
/// its second one our A.
struct ColumnProduct {
  int64_t rows, columns, depth;  ///< of the result: N, M and K
  int64_t batch;                 ///< products, whose matrices follow each other
  bool is_first_transposed;      ///< B is [N, K], not [K, N]
  int input_type, output_type;   ///< as cudaDataType numbers them
  int sum_type, compute_type;    ///< of sums, and what adds them, a cublasComputeType_t
  bool has_short_sums;           ///< those of tensor cores for floats of 8 bits
  bool has_activation;           ///< results are gelu of sums with a bias for each row

  /// 1 and 0 as factors of sums.
  const void* one() const;
  const void* zero() const;
};

ColumnProduct column_product(const Contest& contest, const Sizes& sizes);

// Numbers of both libraries.
constexpr int no_transpose = 0, transpose = 1;  // cublasOperation_t
constexpr int success = 0, not_supported = 15;  // cublasStatus_t
using StatusText = const char*(int status);

/// Throws RuntimeError where the status of a call is not success.
void check_status(int status, const char* call, StatusText* text);

/// One call, of cublasSgemm or cublasGemmEx, with the algorithm that cuBLAS takes by itself. Throws
/// Skipped where it has none.
Contender cublas_contender(const std::string& path, const Contest& contest, const Sizes& sizes,
                           const Target& target);

/// One for each algorithm that cuBLASLt proposes, eight at most, with a workspace of 32 MiB. Throws
/// Skipped where it has none. Sums of floats of 8 bits stay in the tensor cores, as those of the
/// kernels do: the library calls that fast accumulation.
std::vector<Contender> cublaslt_contenders(const std::string& path, const Contest& contest,
                                           const Sizes& sizes, const Target& target);

}  // namespace hone
