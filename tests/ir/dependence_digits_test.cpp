// Dependences of indices that are quotients and remainders of one number.
#include "gtest/gtest.h"
#include "tests/support/ir/shared_over.h"

namespace hone {
namespace dependence_digits_test {

TEST(Dependence, QuotientAndRemainderOfAFusedAxisSeparate) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M, N]) {
              for f in 0..M*N { C[f / N, f % N] = 1.0 }
            })",
                        {"f"}),
            "none");
}

TEST(Dependence, QuotientAndRemainderSeparateInAnyPlace) {
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L, M, N]) {
              for f in 0..M*N { for l in 0..L { C[l, f / N, f % N] = 1.0 } }
            })",
                        {"f"}),
            "none");
}

TEST(Dependence, AFusedGridOfTilesSeparates) {
  const std::string open = "func f[M, N](C: f32[M*16 + 1, N*16 + 1]) { for f in 0..M*N { ";
  EXPECT_EQ(shared_over(open + "for i in 0..16 { for j in 0..16 { "
                               "C[(f / N)*16 + i, (f % N)*16 + j] = 1.0 } } } }",
                        {"f", "i", "j"}),
            "none");
  EXPECT_EQ(shared_over(open + "for i in 0..17 { for j in 0..16 { "
                               "C[(f / N)*16 + i, (f % N)*16 + j] = 1.0 } } } }",
                        {"f"}),
            "f");
}

TEST(Dependence, ASplitOfAFusedGridSeparates) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M*16, N*16]) {
              for f in 0..M*N / 4 { for g in 0..4 { for i in 0..16 {
                C[((f*4 + g) / N)*16 + i, ((f*4 + g) % N)*16] = 1.0
              } } }
            })",
                        {"f", "g", "i"}),
            "none");
}

TEST(Dependence, AThreefoldFusedGridSeparates) {
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L*4, M*4, N*4]) {
              for f in 0..L*M*N { for i in 0..4 {
                C[(f / N / M)*4 + i, (f / N % M)*4 + i, (f % N)*4] = 1.0
              } }
            })",
                        {"f", "i"}),
            "none");
}

/// The inner two of three loops fused first.
TEST(Dependence, AThreefoldFusedGridOfTheOtherOrderSeparates) {
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L, M, N]) {
              for f in 0..L*(M*N) { C[f / (M*N), f % (M*N) / N, f % N] = 1.0 }
            })",
                        {"f"}),
            "none");
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L*4, M*4, N*4]) {
              for f in 0..L*(M*N) { for i in 0..4 {
                C[f / (M*N)*4 + i, (f % (M*N) / N)*4 + i, (f % N)*4] = 1.0
              } }
            })",
                        {"f", "i"}),
            "none");
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L, M, N]) {
              for f in 0..L*(M*N) { C[f / (M*N), f / N % M, f % N] = 1.0 }
            })",
                        {"f"}),
            "none");
}

TEST(Dependence, DigitsOfAConstantAmongRadicesSeparate) {
  EXPECT_EQ(shared_over(R"(func f[L, M](C: f32[L*2, M*2, 8]) {
              for f in 0..(L*M*4 + 31) / 32 { for g in 0..32 { if (f*32 + g < L*M*4) {
                C[(f*32 + g) / (M*4)*2, (f*32 + g) % (M*4) / 4*2, g % 4*2] = 1.0
              } } }
            })",
                        {"f", "g"}),
            "none");
  EXPECT_EQ(shared_over(R"(func f[M](C: f32[M, 16, 16]) {
              for f in 0..M*32 { C[f / 32, f / 4 % 8*2, f % 4*2] = 1.0 }
            })",
                        {"f"}),
            "none");
}

/// Simplified digits are of other numbers than the one that was split.
TEST(Dependence, DigitsOfPartsOfANumberSeparate) {
  EXPECT_EQ(shared_over(R"(func f[L, M](C: f32[L, M, 4]) {
              for f in 0..(L*M + 63) / 64 { for g in 0..64 { for h in 0..4 {
                if (f*256 + g*4 + h < L*M*4) {
                  C[(f*64 + g) / M, (f*256 + g*4 + h) % (M*4) / 4, h] = 1.0
                }
              } } }
            })",
                        {"f", "g", "h"}),
            "none");
  EXPECT_EQ(shared_over(R"(func f[L, M](C: f32[L, M, 4]) {
              for f in 0..(L*M*4 + 255) / 256 { for g in 0..256 { if (f*256 + g < L*M*4) {
                C[(f*256 + g) / (M*4), (f*64 + g / 4) % M, g % 4] = 1.0
              } } }
            })",
                        {"f", "g"}),
            "none");
}

TEST(Dependence, DigitsWithoutTheOneBetweenAreShared) {
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L, N]) {
              for f in 0..L*(M*N) { C[f / (M*N), f % N] = 1.0 }
            })",
                        {"f"}),
            "f");
  EXPECT_EQ(shared_over(R"(func f[L, M, N](C: f32[L, M]) {
              for f in 0..L*(M*N) { C[f / (M*N), f % (M*N) / N] = 1.0 }
            })",
                        {"f"}),
            "f");
}

TEST(Dependence, DigitsOfDifferentRadicesAreShared) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M*N*2, N*2]) {
              for f in 0..M*N { C[(f / N)*2, (f % (N + 1))*2] = 1.0 }
            })",
                        {"f"}),
            "f");
}

TEST(Dependence, AQuotientAloneIsShared) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N]) { for i in 0..N { C[i / 2] = 1.0 } }", {"i"}), "i");
}

TEST(Dependence, ARemainderAloneIsShared) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N]) { for i in 0..N { C[i % 2] = 1.0 } }", {"i"}), "i");
}

}  // namespace dependence_digits_test
}  // namespace hone
