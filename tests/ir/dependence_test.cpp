#include "ir/analysis/dependence.h"

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/analysis/site.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/shared_over.h"

namespace hone {
namespace dependence_test {

TEST(Dependence, AnIndexSeparates) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N]) { for i in 0..N { C[i] = 1.0 } }", {"i"}), "none");
}

TEST(Dependence, AnElementThatAllWriteIsShared) {
  EXPECT_EQ(shared_over("func f[N](C: f32[1]) { for i in 0..N { C[0] = 1.0 } }", {"i"}), "i");
}

TEST(Dependence, OneOfTwoIndicesIsEnough) {
  const char* text = R"(func f[M, N](C: f32[M, N]) {
    for i in 0..M { for j in 0..N { C[i, j] = 1.0 } }
  })";
  EXPECT_EQ(shared_over(text, {"i"}), "none");
  EXPECT_EQ(shared_over(text, {"j"}), "none");
  EXPECT_EQ(shared_over(text, {"i", "j"}), "none");
}

TEST(Dependence, AReductionLoopIsShared) {
  EXPECT_EQ(shared_over(R"(func f[M, K](A: f32[M, K], C: f32[M]) {
              for i in 0..M { reduce k in 0..K { C[i] += A[i, k] } }
            })",
                        {"i", "k"}),
            "k");
}

TEST(Dependence, ReadsAloneShareNothing) {
  EXPECT_EQ(shared_over(R"(func f[N](A: f32[1], C: f32[N]) {
              for i in 0..N { C[i] = A[0] }
            })",
                        {"i"}),
            "none");
}

TEST(Dependence, DigitsOfAMixedRadixSeparate) {
  EXPECT_EQ(shared_over(R"(func f(C: f32[24]) {
              for i in 0..2 { for j in 0..3 { for k in 0..4 { C[i*12 + j*4 + k] = 1.0 } } }
            })",
                        {"i", "j", "k"}),
            "none");
}

TEST(Dependence, DigitsOfASymbolicRadixSeparate) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M*N]) {
              for i in 0..M { for j in 0..N { C[i*N + j] = 1.0 } }
            })",
                        {"i", "j"}),
            "none");
}

TEST(Dependence, DigitsInTheOtherOrderOfLoopsSeparate) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M*N]) {
              for i in 0..M { for j in 0..N { C[j*M + i] = 1.0 } }
            })",
                        {"i", "j"}),
            "none");
}

/// The digits above and below differ between the two, which stand in loops of their own.
TEST(Dependence, AMiddleDigitSeparatesTwoStatements) {
  const auto both = [](const char* first, const char* second) {
    return fmt::format(
        "func f(C: f32[256]) {{ for x in 0..8 {{ "
        "for p in 0..4 {{ for u in 0..4 {{ C[{}] = 0.0 }} }} "
        "for q in 0..4 {{ for v in 0..4 {{ C[{}] = 1.0 }} }} }} }}",
        first, second);
  };
  EXPECT_EQ(shared_over(both("p*32 + x*4 + u", "q*32 + x*4 + v"), {"x"}), "none");
  EXPECT_EQ(shared_over(both("p*32 + x*4 + u", "q*32 + x*4 + v + 1"), {"x"}), "x");
  EXPECT_EQ(shared_over(both("p*32 + x*4 + u", "q*32 + x*4 + v + 32"), {"x"}), "none");
  EXPECT_EQ(shared_over(both("p*28 + x*4 + u", "q*28 + x*4 + v"), {"x"}), "x");
  EXPECT_EQ(shared_over(both("p*32 + x*4 + u", "q*32 + x*4 + 2*v"), {"x"}), "x");
}

TEST(Dependence, DigitsThatOverlapAreShared) {
  EXPECT_EQ(shared_over(R"(func f(C: f32[24]) {
              for i in 0..4 { for j in 0..5 { C[i*4 + j] = 1.0 } }
            })",
                        {"i", "j"}),
            "i j");
}

TEST(Dependence, DigitsOfTheWrongSymbolicRadixAreShared) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M*N + M*M]) {
              for i in 0..M { for j in 0..N { C[i*M + j] = 1.0 } }
            })",
                        {"i", "j"}),
            "i j");
}

TEST(Dependence, AGuardSeparatesDigitsThatOverlap) {
  EXPECT_EQ(shared_over(R"(func f[M](C: f32[M*10]) {
              for i in 0..M { for j in 0..3 { for k in 0..4 {
                if (j*4 + k < 10) { C[i*10 + j*4 + k] = 1.0 }
              } } }
            })",
                        {"i", "j", "k"}),
            "none");
}

TEST(Dependence, AGuardSeparatesTheRowsOfASymbolicWidth) {
  const std::string open =
      "func f[M, N](C: f32[M*N + 4]) { for i in 0..M { "
      "for j in 0..(N + 3) / 4 { for k in 0..4 { ";
  const std::string store = "C[i*N + j*4 + k] = 1.0 ";
  EXPECT_EQ(shared_over(open + "if (j*4 + k < N) { " + store + "} } } } }", {"i"}), "none");
  EXPECT_EQ(shared_over(open + store + "} } } }", {"i"}), "i");
}

TEST(Dependence, AGuardOnSomethingElseDoesNotSeparate) {
  EXPECT_EQ(shared_over(R"(func f[M](C: f32[M*10 + 2]) {
              for i in 0..M { for j in 0..3 { for k in 0..4 {
                if (j*4 + k < 11) { C[i*10 + j*4 + k] = 1.0 }
              } } }
            })",
                        {"i"}),
            "i");
}

TEST(Dependence, AReversedIndexSeparates) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N]) { for i in 0..N { C[N - 1 - i] = 1.0 } }", {"i"}),
            "none");
}

TEST(Dependence, AnIndexAndItsReverseMeet) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N]) { for i in 0..N { C[i] = C[N - 1 - i] } }", {"i"}),
            "i");
}

TEST(Dependence, AnOffsetSeparatesByItself) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N + 5]) { for i in 0..N { C[i + 5] = 1.0 } }", {"i"}),
            "none");
}

TEST(Dependence, TwoOffsetsMeet) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N + 5]) { for i in 0..N { C[i + 5] = C[i] } }", {"i"}),
            "i");
}

TEST(Dependence, TwoOffsetsWithinAStrideDoNotMeet) {
  EXPECT_EQ(shared_over("func f[N](C: f32[N*2]) { for i in 0..N { C[i*2] = C[i*2 + 1] } }", {"i"}),
            "none");
}

TEST(Dependence, TwoOffsetsOfAStrideMeet) {
  EXPECT_EQ(
      shared_over("func f[N](C: f32[N*2 + 1]) { for i in 0..N { C[i*2] = C[i*2 + 2] } }", {"i"}),
      "i");
}

TEST(Dependence, HalvesOfATensorDoNotMeet) {
  EXPECT_EQ(shared_over(R"(func f[N](C: f32[2, N]) {
              for i in 0..2 { for j in 0..N { C[i, j] = C[i, N - 1 - j] } }
            })",
                        {"i"}),
            "none");
}

TEST(Dependence, AStencilReadsWhatOtherStepsWrite) {
  EXPECT_EQ(shared_over(R"(func f[N](A: f32[N + 1, N + 2]) {
              for t in 0..N { for i in 0..N { A[t + 1, i + 1] = A[t, i] + A[t, i + 2] } }
            })",
                        {"t", "i"}),
            "t i");
}

TEST(Dependence, AStrideThatVariesProvesNothing) {
  EXPECT_EQ(shared_over(R"(func f(C: f32[64]) {
              for i in 0..4 { for j in 0..4 { C[(j + 1)*i] = 1.0 } }
            })",
                        {"i"}),
            "i");
}

TEST(Dependence, AStrideThatVariesOutsideSeparates) {
  EXPECT_EQ(shared_over(R"(func f(C: f32[64]) {
              for j in 0..4 { for i in 0..4 { C[(j + 1)*i] = 1.0 } }
            })",
                        {"i"}),
            "none");
}

TEST(Dependence, AnAxisOutsideIsTheSameOnBothSides) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M + N]) {
              for i in 0..M { for j in 0..N { C[i + j] = 1.0 } }
            })",
                        {"j"}),
            "none");
}

TEST(Dependence, ADiagonalIsShared) {
  EXPECT_EQ(shared_over(R"(func f[M, N](C: f32[M + N]) {
              for i in 0..M { for j in 0..N { C[i + j] = 1.0 } }
            })",
                        {"i", "j"}),
            "i j");
}

TEST(Dependence, LetsAreSpelledOut) {
  EXPECT_EQ(shared_over(R"(func f(C: f32[16]) {
              for i in 0..4 { let r = 6 - 2*i C[i*2 + r] = 1.0 }
            })",
                        {"i"}),
            "i");
  EXPECT_EQ(shared_over(R"(func f(C: f32[16]) {
              for i in 0..4 { let r = i*2 let q = r + 1 C[q] = C[r] }
            })",
                        {"i"}),
            "none");
}

TEST(Dependence, AnIndexReadFromMemoryIsShared) {
  EXPECT_EQ(shared_over(R"(func f[N](P: i32[N], C: f32[N]) {
              for i in 0..N { C[index(P[i])] = 1.0 }
            })",
                        {"i"}),
            "i");
}

TEST(Dependence, CopiesTouchRectangles) {
  const std::string open = "func f(A: f32[8, 8], C: f32[64, 64]) { for i in 0..4 { copy C[";
  const std::string source = "] <- A[0 .. +8, 0 .. +8] } }";
  EXPECT_EQ(shared_over(open + "i*8 .. +8, 0 .. +8" + source, {"i"}), "none");
  EXPECT_EQ(shared_over(open + "i*7 .. +8, 0 .. +8" + source, {"i"}), "i");
  EXPECT_EQ(shared_over(open + "i*2 .. +8, i*8 .. +8" + source, {"i"}), "none");
}

TEST(Dependence, TheDimensionsOfACopyAreNotOneAxis) {
  // Row i*2 + a, column i + b: the elements (2, 4) of i = 0 and of i = 1 are one.
  EXPECT_EQ(shared_over(R"(func f(A: f32[4, 8], C: f32[16, 6]) {
              for i in 0..3 { copy C[i*2 .. +4, i .. +5] <- A[0 .. +4, 0 .. +5] }
            })",
                        {"i"}),
            "i");
}

TEST(Dependence, MemoryThatLivesInsideIsNotCollected) {
  const Function f = parse_function(R"(func f(A: f32[8], C: f32[8]) {
    for i in 0..8 { alloc s: f32[] @registers s[] = A[i] C[i] = s[] }
  })");
  std::string text;
  for (const MemoryAccess& access : collect_accesses(f.body))
    text += access.text() + (access.writes ? " written " : " read ");
  EXPECT_EQ(text, "A[i] read C[i] written ");
}

TEST(Dependence, AccessesReadAsTheyStand) {
  const Function f = parse_function(R"(func f(A: f32[8, 8], C: f32[8, 8]) {
    for i in 0..8 { copy C[i, 0 .. +8] <- A[i, i*2 .. +8] let r = i + 1 C[r, 2] += 1.0 }
  })");
  std::string text;
  for (const MemoryAccess& access : collect_accesses(f.body)) text += access.text() + " ";
  EXPECT_EQ(text, "A[i, i*2 .. +8] C[i, 0 .. +8] C[i + 1, 2] ");
}

TEST(Dependence, UpdatesOfOneKindCommute) {
  const Function f = parse_function(R"(func f(C: f32[1]) {
    C[0] += 1.0 C[0] += 2.0 C[0] max= 3.0 C[0] = 4.0
  })");
  const Accesses accesses = collect_accesses(f.body);
  EXPECT_TRUE(commute(accesses[0], accesses[1]));
  EXPECT_FALSE(commute(accesses[0], accesses[2]));
  EXPECT_FALSE(commute(accesses[3], accesses[3]));
}

TEST(Dependence, FindsTheChangeOfAValue) {
  const Function f = parse_function(R"(func f(A: f32[4], B: f32[4], C: f32[4]) {
    for i in 0..4 { A[i] = B[i] C[i] = A[i] }
  })");
  const Accesses accesses = collect_accesses(f.body);
  const auto load = [&](llvm::StringRef name) { return Load::make(tensor(f, name), {0}); };
  EXPECT_EQ(find_change(load("A") + 1.0, accesses)->text(), "A[i]");
  EXPECT_EQ(find_change(load("B") + 1.0, accesses), nullptr);
}

// ---- Digits of one number -----------------------------------------------------------------------

/// Two loops over 0..m and 0..n that write C[i*a + j*b].
struct SmallNest {
  int64_t m, n, a, b;

  std::string text() const {
    return fmt::format(
        "func f(C: f32[64]) {{ for i in 0..{} {{ for j in 0..{} {{ C[i*{} + j*{}] = 1.0 }} }} }}",
        m, n, a, b);
  }

  /// True if two instances that differ in i (in j) write one element.
  bool meets(bool in_i) const {
    for (int64_t at = 0; at < m * n; ++at)
      for (int64_t other = 0; other < m * n; ++other) {
        const int64_t i = at / n, j = at % n, i2 = other / n, j2 = other % n;
        const bool differs = in_i ? i != i2 : j != j2;
        if (differs && i * a + j * b == i2 * a + j2 * b) return true;
      }
    return false;
  }
};

TEST(Dependence, OfSmallNestsIsExactWhereIndicesAreDigits) {
  for (int64_t m = 1; m <= 4; ++m)
    for (int64_t n = 1; n <= 4; ++n)
      for (int64_t a = 0; a <= 5; ++a)
        for (int64_t b = 0; b <= 5; ++b) {
          const SmallNest nest{m, n, a, b};
          const std::string shared = shared_over(nest.text(), {"i", "j"});
          for (const bool in_i : {true, false})
            EXPECT_TRUE(!nest.meets(in_i) || llvm::StringRef(shared).contains(in_i ? "i" : "j"))
                << nest.text();
          const bool is_digits = (a > b * (n - 1) && b > 0) || (b > a * (m - 1) && a > 0);
          EXPECT_TRUE(!is_digits || shared == "none") << nest.text();
        }
}

TEST(Dependence, AnAxisOfALoopInsideIsADigitToo) {
  const auto with_extent = [](const std::string& extent) {
    return "func f[M, K](A: f32[K], C: f32[M]) { for i in 0..M / 4 { for j in 0.." + extent +
           " { C[i*4 + j] = 0.0 reduce k in 0..K { C[i*4 + j] += A[k] } } } }";
  };
  EXPECT_EQ(shared_over(with_extent("4"), {"i"}), "none");
  EXPECT_EQ(shared_over(with_extent("5"), {"i"}), "i");
}

}  // namespace dependence_test
}  // namespace hone
