// Names of the places that threads take in a copy: what the dimension is about, or its number.

#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/parser.h"

namespace hone {
namespace spread_names_test {

/// The statements that fill tile s of that shape, of which the region `to` is copied from `source`.
std::string filled(const std::string& shape, const std::string& to, const std::string& source,
                   int threads = 48) {
  const std::string text =
      emit_cuda(lower(parse_function(fmt::format(
                          R"(func f[M](A: f32[M, M], T: f32[64, 64, 64], V: f32[M], C: f32[64]) {{
                     for i.0 in 0..2 @block.y {{ for j in 0..2 @block.x {{
                       alloc s: f32[{}] @shared
                       copy s[{}] <- {}
                       for t in 0..{} @thread.x {{ C[t] = s[{}] }} }} }} }})",
                          shape, to, source, threads,
                          std::string("0") + (llvm::StringRef(shape).count(',') > 0 ? ", 0" : "") +
                              (llvm::StringRef(shape).count(',') > 1 ? ", 0" : ""))))
                    .kernels.front());
  const size_t shared = text.find("__shared__"), at = text.find('\n', shared) + 1;
  return text.substr(at, text.find("  __syncthreads") - at);
}

TEST(SpreadNames, AreThoseOfTheAxesThatTheRegionStartsAt) {
  EXPECT_EQ(filled("6, 8", "0 .. +6, 0 .. +8", "A[i.0*6 .. +6, j*8 .. +8]"),
            R"(  const int i_0 = blockIdx.y;
  const int j = blockIdx.x;
  const int s_i = threadIdx.x / 8;
  const int s_j = threadIdx.x % 8;
  s[s_i][s_j] = (i_0 * 6 + s_i < M && j * 8 + s_j < M) ? A[(i_0 * 6 + s_i) * M + j * 8 + s_j] : 0.0f;
)");
}

TEST(SpreadNames, StandBesideTheThreadThatAGuardIsAbout) {
  EXPECT_EQ(filled("5, 7", "0 .. +5, 0 .. +7", "A[i.0*5 .. +5, j*7 .. +7]"),
            R"(  const int i_0 = blockIdx.y;
  const int j = blockIdx.x;
  const int s_tx = threadIdx.x;
  const int s_i = s_tx / 7;
  const int s_j = s_tx % 7;
  if (s_tx < 35) {
    s[s_i][s_j] = (i_0 * 5 + s_i < M && j * 7 + s_j < M) ? A[(i_0 * 5 + s_i) * M + j * 7 + s_j] : 0.0f;
  }
)");
}

TEST(SpreadNames, AreNumbersOfDimensionsThatStartAtNoAxisOrAtTwo) {
  EXPECT_EQ(filled("12, 8", "0 .. +12, 0 .. +8", "A[0 .. +12, j*8 .. +8]"),
            R"(  const int j = blockIdx.x;
  #pragma unroll
  for (int s_s = 0; s_s < 12; s_s += 6) {
    const int s_0 = threadIdx.x / 8;
    const int s_j = threadIdx.x % 8;
    s[s_s + s_0][s_j] = (s_s + s_0 < M && j * 8 + s_j < M) ? A[(s_s + s_0) * M + j * 8 + s_j] : 0.0f;
  }
)");
  EXPECT_EQ(filled("12, 8", "0 .. +12, 0 .. +8", "A[i.0 + j .. +12, 3 .. +8]"),
            R"(  const int i_0 = blockIdx.y;
  const int j = blockIdx.x;
  #pragma unroll
  for (int s_s = 0; s_s < 12; s_s += 6) {
    const int s_0 = threadIdx.x / 8;
    const int s_1 = threadIdx.x % 8;
    s[s_s + s_0][s_1] = (i_0 + j + s_s + s_0 < M && s_1 + 3 < M) ? A[(i_0 + j + s_s + s_0) * M + s_1 + 3] : 0.0f;
  }
)");
}

TEST(SpreadNames, OfTwoDimensionsOfOneAxisDiffer) {
  EXPECT_EQ(filled("6, 8", "0 .. +6, 0 .. +8", "A[i.0*6 .. +6, i.0*8 .. +8]"),
            R"(  const int i_0 = blockIdx.y;
  const int s_i = threadIdx.x / 8;
  const int s_i_2 = threadIdx.x % 8;
  s[s_i][s_i_2] = (i_0 * 6 + s_i < M && i_0 * 8 + s_i_2 < M) ? A[(i_0 * 6 + s_i) * M + i_0 * 8 + s_i_2] : 0.0f;
)");
}

TEST(SpreadNames, PassOverDimensionsThatTheTileDoesNotHave) {
  EXPECT_EQ(filled("12, 8", "0 .. +12, 0 .. +8", "T[i.0*12 .. +12, j, 0 .. +8]"),
            R"(  const int i_0 = blockIdx.y;
  const int j = blockIdx.x;
  const int s_i = threadIdx.x / 4;
  const int s_1 = threadIdx.x % 4;
  *reinterpret_cast<float2*>(&s[s_i][s_1 * 2]) =
      *reinterpret_cast<const float2*>(&T[i_0 * 49152 + s_i * 4096 + j * 64 + s_1 * 2]);
)");
}

TEST(SpreadNames, OfThreeDimensions) {
  EXPECT_EQ(filled("2, 6, 8", "0 .. +2, 0 .. +6, 0 .. +8", "T[i.0*2 .. +2, j*6 .. +6, 0 .. +8]"),
            R"(  const int i_0 = blockIdx.y;
  const int j = blockIdx.x;
  const int s_i = threadIdx.x / 24;
  const int s_j = threadIdx.x / 4 % 6;
  const int s_2 = threadIdx.x % 4;
  *reinterpret_cast<float2*>(&s[s_i][s_j][s_2 * 2]) =
      *reinterpret_cast<const float2*>(&T[i_0 * 8192 + s_i * 4096 + j * 384 + s_j * 64 + s_2 * 2]);
)");
}

TEST(SpreadNames, AreNotNeededWhereNothingIsDivided) {
  EXPECT_EQ(filled("100", "0 .. +100", "V[j*100 .. +100]"),
            R"(  const int j = blockIdx.x;
  #pragma unroll
  for (int s_s = 0; s_s < 144; s_s += 48) {
    const int s_tx = threadIdx.x;
    if (s_s + s_tx < 100) {
      s[s_s + s_tx] = j * 100 + s_s + s_tx < M ? V[j * 100 + s_s + s_tx] : 0.0f;
    }
  }
)");
}

TEST(SpreadNames, AreOfTheElementsNumberWhereStepsDoNotAddToAnIndex) {
  EXPECT_EQ(filled("5, 7", "0 .. +5, 0 .. +7", "A[i.0*5 .. +5, j*7 .. +7]", 16),
            R"(  const int i_0 = blockIdx.y;
  const int j = blockIdx.x;
  #pragma unroll
  for (int s_s = 0; s_s < 48; s_s += 16) {
    const int s_at = s_s + threadIdx.x;
    const int s_i = s_at / 7;
    const int s_j = s_at % 7;
    if (s_at < 35) {
      s[s_i][s_j] = (i_0 * 5 + s_i < M && j * 7 + s_j < M) ? A[(i_0 * 5 + s_i) * M + j * 7 + s_j] : 0.0f;
    }
  }
)");
}

}  // namespace spread_names_test
}  // namespace hone
