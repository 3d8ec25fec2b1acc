#include "bench/handwritten/host.h"

namespace hone {
namespace {

constexpr const char* product = R"(
void hand(const float* A, const float* B, float* C, long M, long N, long K) {
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      C[i * N + j] = 0;
      for (long k = 0; k < K; k++) C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
}
)";

constexpr const char* product_restrict = R"(
void hand(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      C[i * N + j] = 0;
      for (long k = 0; k < K; k++) C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
}
)";

constexpr const char* product_in_register = R"(
void hand(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      float sum = 0;
      for (long k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
      C[i * N + j] = sum;
    }
}
)";

// A block of rows of C, cleared, and one step over blocks of k and j. Blocks at the edges are cut.
constexpr const char* block_of_rows = R"(
#include <string.h>
enum { T = 64 };
static inline long least(long a, long b) { return a < b ? a : b; }
static void block(const float* restrict A, const float* restrict B, float* restrict C, long N, long K,
                  long rows, long columns, long steps);
static inline void rows_of_c(const float* A, const float* B, float* C, long i, long M, long N, long K) {
  const long rows = least(T, M - i);
  memset(C + i * N, 0, sizeof(float) * rows * N);
  for (long k = 0; k < K; k += T)
    for (long j = 0; j < N; j += T)
      block(A + i * K + k, B + k * N + j, C + i * N + j, N, K, rows, least(T, N - j), least(T, K - k));
}
)";

constexpr const char* one_step = R"(
static void block(const float* restrict A, const float* restrict B, float* restrict C, long N, long K,
                  long rows, long columns, long steps) {
  for (long i = 0; i < rows; i++)
    for (long k = 0; k < steps; k++)
      for (long j = 0; j < columns; j++) C[i * N + j] += A[i * K + k] * B[k * N + j];
}
)";

constexpr const char* four_steps = R"(
static void block(const float* restrict A, const float* restrict B, float* restrict C, long N, long K,
                  long rows, long columns, long steps) {
  for (long i = 0; i < rows; i++) {
    long k = 0;
    for (; k + 4 <= steps; k += 4) {
      const float a0 = A[i * K + k], a1 = A[i * K + k + 1], a2 = A[i * K + k + 2], a3 = A[i * K + k + 3];
      const float *b0 = B + k * N, *b1 = b0 + N, *b2 = b1 + N, *b3 = b2 + N;
      for (long j = 0; j < columns; j++)
        C[i * N + j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    }
    for (; k < steps; k++)
      for (long j = 0; j < columns; j++) C[i * N + j] += A[i * K + k] * B[k * N + j];
  }
}
)";

constexpr const char* on_one_core = R"(
void hand(const float* A, const float* B, float* C, long M, long N, long K) {
  for (long i = 0; i < M; i += T) rows_of_c(A, B, C, i, M, N, K);
}
)";

constexpr const char* on_all_cores = R"(
void hand(const float* A, const float* B, float* C, long M, long N, long K) {
  #pragma omp parallel for
  for (long i = 0; i < M; i += T) rows_of_c(A, B, C, i, M, N, K);
}
)";

constexpr const char* columns_ijk = R"(
void hand(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      float sum = 0;
      for (long k = 0; k < K; k++) sum += A[i + M * k] * B[k + K * j];
      C[i + M * j] = sum;
    }
}
)";

constexpr const char* columns_jki = R"(
void hand(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long j = 0; j < N; j++) {
    for (long i = 0; i < M; i++) C[i + M * j] = 0;
    for (long k = 0; k < K; k++)
      for (long i = 0; i < M; i++) C[i + M * j] += A[i + M * k] * B[k + K * j];
  }
}
)";

constexpr const char* combine = R"(
void hand(const float* restrict A, const float* restrict B, const float* restrict C, float* restrict D, long n) {
  for (long i = 0; i < n; i++) D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1);
}
)";

constexpr const char* combine_unrolled = R"(
static inline float one(float a, float b, float c) { return c / (a * a + b * b + 1); }
void hand(const float* restrict A, const float* restrict B, const float* restrict C, float* restrict D, long n) {
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    D[i] = one(A[i], B[i], C[i]);
    D[i + 1] = one(A[i + 1], B[i + 1], C[i + 1]);
    D[i + 2] = one(A[i + 2], B[i + 2], C[i + 2]);
    D[i + 3] = one(A[i + 3], B[i + 3], C[i + 3]);
    D[i + 4] = one(A[i + 4], B[i + 4], C[i + 4]);
    D[i + 5] = one(A[i + 5], B[i + 5], C[i + 5]);
    D[i + 6] = one(A[i + 6], B[i + 6], C[i + 6]);
    D[i + 7] = one(A[i + 7], B[i + 7], C[i + 7]);
  }
  for (; i < n; i++) D[i] = one(A[i], B[i], C[i]);
}
)";

constexpr const char* combine_on_all_cores = R"(
void hand(const float* restrict A, const float* restrict B, const float* restrict C, float* restrict D, long n) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1);
}
)";

HandwrittenC matmul(const char* rung, const std::string& source) {
  return {rung, source, {"A", "B", "C"}, {"M", "N", "K"}};
}

HandwrittenC combination(const char* rung, const char* source) {
  return {rung, source, {"A", "B", "C", "D"}, {"n"}};
}

}  // namespace

std::vector<HandwrittenC> handwritten_c() {
  const std::string blocks = block_of_rows;
  return {
      matmul("matmul/host", product),
      matmul("matmul/host-restrict", product_restrict),
      matmul("matmul/host-register", product_in_register),
      matmul("matmul/host-blocked", blocks + one_step + on_one_core),
      matmul("matmul/host-unrolled", blocks + four_steps + on_one_core),
      matmul("matmul/host-parallel", blocks + four_steps + on_all_cores),
      matmul("matmul-column-major/host-ijk", columns_ijk),
      matmul("matmul-column-major/host-jki", columns_jki),
      combination("combine/host", combine),
      combination("combine/host-unrolled", combine_unrolled),
      combination("combine/host-parallel", combine_on_all_cores),
  };
}

}  // namespace hone
