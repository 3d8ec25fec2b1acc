#include "codegen/c_form/stepped_loop.h"

#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace stepped_loop_test {

/// "limit by step", whether the limit is a guard, and the body, of the outermost loop of `text`.
std::string stepped_text(const std::string& text) {
  const Function function = parse_function(text);
  const SteppedLoop loop = stepped(*llvm::cast<For>(function.body), facts_of(function.assumptions));
  return fmt::format("{} by {}{}\n{}", loop.count.limit, loop.count.step,
                     loop.count.is_guard ? ", guarded" : "", to_string(loop.body));
}

/// The same for `for k in 0..extent { body }`, over vectors A and C and a matrix D.
std::string of_loop(const std::string& extent, const std::string& body,
                    const std::string& assumed = "") {
  return stepped_text("func f[K, n](A: f32[n], C: f32[n], D: f32[n, n])" +
                      (assumed.empty() ? "" : " where " + assumed) + " {\nfor k in 0.." + extent +
                      " { " + body + " } }");
}

TEST(SteppedLoop, RunsToTheSizeThatWasRoundedUp) {
  EXPECT_EQ(of_loop("(K + 7) / 8", "C[k*8] = A[k*8 + 1]"), "K by 8\nC[k] = A[k + 1]");
  EXPECT_EQ(of_loop("(n*K + 2 + 7) / 8", "C[k*8] = 1.0"), "n*K + 2 by 8\nC[k] = 1.0");
}

TEST(SteppedLoop, RunsToWholeStepsOfAnyOtherSize) {
  EXPECT_EQ(of_loop("4", "C[k*8] = 1.0"), "32 by 8\nC[k] = 1.0");
  EXPECT_EQ(of_loop("K", "C[k*8] = 1.0"), "K*8 by 8\nC[k] = 1.0");
  EXPECT_EQ(of_loop("K / 8", "C[k*8] = 1.0"), "(K / 8)*8 by 8\nC[k] = 1.0");
  // Rounded up to steps of another length.
  EXPECT_EQ(of_loop("(K + 3) / 4", "C[k*8] = 1.0"), "((K + 3) / 4)*8 by 8\nC[k] = 1.0");
  EXPECT_EQ(of_loop("(K + 6) / 8", "C[k*8] = 1.0"), "((K + 6) / 8)*8 by 8\nC[k] = 1.0");
}

TEST(SteppedLoop, RunsToASizeThatIsPromisedToDivide) {
  EXPECT_EQ(of_loop("K / 8", "C[k*8] = 1.0", "K % 8 == 0"), "K by 8\nC[k] = 1.0");
  EXPECT_EQ(of_loop("K / 8", "C[k*8] = 1.0", "K % 4 == 0"), "(K / 8)*8 by 8\nC[k] = 1.0");
}

TEST(SteppedLoop, CountsInWhatAllFactorsHaveInCommon) {
  EXPECT_EQ(of_loop("K", "C[k*8] = A[k*12]"), "K*4 by 4\nC[k*2] = A[k*3]");
  EXPECT_EQ(of_loop("(K + 3) / 4", "C[k*8] = A[k*12]"), "K by 4\nC[k*2] = A[k*3]");
  EXPECT_EQ(of_loop("K", "C[k*8] = A[k*9]"), "K by 1\nC[k*8] = A[k*9]");
  EXPECT_EQ(of_loop("K", "C[k*8] = A[k*0]"), "K*8 by 8\nC[k] = A[k*0]");
}

TEST(SteppedLoop, CountsInOnesWhereTheAxisAlsoStandsAlone) {
  EXPECT_EQ(of_loop("K", "C[k*8] = A[k]"), "K by 1\nC[k*8] = A[k]");
  EXPECT_EQ(of_loop("K", "C[k*8] = f32(k)"), "K by 1\nC[k*8] = f32(k)");
  EXPECT_EQ(of_loop("K", "C[k*n] = A[k*8]"), "K by 1\nC[k*n] = A[k*8]");
  EXPECT_EQ(of_loop("K", "C[8*k] = 1.0"), "K by 1\nC[8*k] = 1.0");
  EXPECT_EQ(of_loop("K", "C[(k + 1)*8] = 1.0"), "K by 1\nC[(k + 1)*8] = 1.0");
}

TEST(SteppedLoop, CountsInOnesWhereNothingUsesTheAxis) {
  EXPECT_EQ(of_loop("(K + 7) / 8", "C[0] += 1.0"), "(K + 7) / 8 by 1\nC[0] += 1.0");
  EXPECT_EQ(of_loop("K", "C[k*0] += 1.0"), "K by 1\nC[k*0] += 1.0");
}

TEST(SteppedLoop, TakesFactorsBelow0) {
  EXPECT_EQ(of_loop("4", "C[k*-8 + 24] = A[k*8]"), "32 by 8\nC[k*-1 + 24] = A[k]");
  EXPECT_EQ(of_loop("4", "C[24 - k*8] = A[k*16]"), "32 by 8\nC[24 - k] = A[k*2]");
  EXPECT_EQ(of_loop("4", "C[k*-4 + 12] = 1.0"), "16 by 4\nC[k*-1 + 12] = 1.0");
}

TEST(SteppedLoop, ReachesEveryPartOfItsBody) {
  EXPECT_EQ(of_loop("K",
                    "let e = k*8 + 3\n"
                    "if (k*8 < n && e != k*16) { for j in 0..k*8 + 1 { "
                    "C[select(k*8 > 4, j, e)] = A[min(k*8, n)] } }\n"
                    "alloc s: f32[8] @shared\n"
                    "copy s[0 .. +8] <- D[k*24, k*8 .. +8]"),
            "K*8 by 8\n"
            "let e = k + 3\n"
            "if (k < n && e != k*2) {\n"
            "  for j in 0..k + 1 {\n"
            "    C[select(k > 4, j, e)] = A[min(k, n)]\n"
            "  }\n"
            "}\n"
            "alloc s: f32[8] @shared\n"
            "copy s[0 .. +8] <- D[k*3, k .. +8]");
}

TEST(SteppedLoop, IsAskedForByNothingButMultiplesInEveryPart) {
  for (const char* body : {"for j in 0..k { C[k*8] = 1.0 }", "let e = k\nC[k*8 + e] = 1.0",
                           "if (k < n) { C[k*8] = 1.0 }",
                           "alloc s: f32[8] @shared\ncopy s[0 .. +8] <- D[k, k*8 .. +8]"}) {
    const std::string text = of_loop("K", body);
    EXPECT_EQ(llvm::StringRef(text).split('\n').first, "K by 1") << text;
  }
}

TEST(SteppedLoop, LeavesOtherAxesAlone) {
  EXPECT_EQ(of_loop("K", "for j in 0..4 { C[k*8 + j*4] = A[j*4] }"),
            "K*8 by 8\nfor j in 0..4 {\n  C[k + j*4] = A[j*4]\n}");
}

TEST(SteppedLoop, EndsWhereAGuardOfItsBodyDoes) {
  const auto guarded = [](const std::string& extent, const std::string& guard) {
    const std::string text = of_loop(extent, "if (" + guard + ") { C[k*8] = 1.0 }");
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(guarded("(K + 7) / 8", "k*8 + 3 < K"), "K - 3 by 8, guarded");
  EXPECT_EQ(guarded("(K + 7) / 8", "k*8 < n"), "K by 8");
  EXPECT_EQ(guarded("(K + 7) / 8", "k*8 - 1 < K"), "K by 8");
  EXPECT_EQ(guarded("(K + 7) / 8", "k*16 < K"), "K by 8");
  EXPECT_EQ(guarded("(K + 7) / 8", "3 < K - k*8"), "K by 8");
  EXPECT_EQ(guarded("(K + 7) / 8", "k*8 > 0"), "K by 8");
  EXPECT_EQ(guarded("(K + 7) / 8", "A[k*8] < 1.0"), "K by 8");
  EXPECT_EQ(guarded("4", "k*8 + 3 < 30"), "32 by 8");
  EXPECT_EQ(
      of_loop("(K + 7) / 8", "if (k*8 + 3 < K) { C[k*8] = 1.0 } C[k*8 + 1] = 2.0").substr(0, 9),
      "K by 8\nif");
}

/// "first to limit by step" and the body of the innermost of three loops.
std::string started_text(const std::string& guard, const std::string& body) {
  const Function function = parse_function(
      "func f[K, n](A: f32[n], C: f32[n], D: f32[n, n]) {\nfor i in 0..n { for t in 0..8 { "
      "for k in 0..(K + 7) / 8 { if (" +
      guard + ") { " + body + " } } } } }");
  const auto& threads = *llvm::cast<For>(llvm::cast<For>(function.body)->body);
  Facts facts;
  facts.add_axis(threads.axis, threads.extent);
  const SteppedLoop loop = stepped(*llvm::cast<For>(threads.body), facts);
  return fmt::format("{} to {} by {}\n{}", loop.count.first, loop.count.limit, loop.count.step,
                     to_string(llvm::cast<If>(loop.body)->body));
}

TEST(SteppedLoop, StartsAtWhatAllUsesAdd) {
  EXPECT_EQ(started_text("k*8 + t < K", "C[i] += A[k*8 + t]"), "t to K by 8\nC[i] += A[k]");
  EXPECT_EQ(started_text("k*8 + t + 2 < K", "C[i] += D[i, k*8 + t + 2]"),
            "t to K - 2 by 8\nC[i] += D[i, k + 2]");
  EXPECT_EQ(started_text("k*8 + t < K", "C[(k*8 + t)*n + i] = A[k*16 + t*2 + i] * f32(k*8 + t)"),
            "t to K by 8\nC[k*n + i] = A[k*2 + i] * f32(k)");
  EXPECT_EQ(started_text("k*8 + t < K", "for j in 0..k*8 + t { C[j] = A[i - t - k*8] }"),
            "t to K by 8\nfor j in 0..k {\n  C[j] = A[i - k]\n}");
}

TEST(SteppedLoop, StartsAt0WhereAUseAddsSomethingElse) {
  for (const char* body :
       {"C[i] += A[k*8]", "C[t] += A[k*8 + t + k*8]", "C[i] += A[k*8 + i]", "C[i] += A[k*16 + t]",
        "C[i] += A[k*8 + t] + f32(k*8)", "C[i] += A[k*8 + t + k*8 % 3]"}) {
    const std::string text = started_text("k*8 + t < K", body);
    EXPECT_EQ(llvm::StringRef(text).split('\n').first, "0 to K - t by 8") << text;
  }
}

// ---- Text ---------------------------------------------------------------------------------------

/// The statements of the C function.
std::string c_body(const std::string& text) {
  const std::string source = emit_c(lower_host(parse_function(text)).kernels.front());
  const size_t start = source.find("{\n", source.find("\nvoid ")) + 2;
  return source.substr(start, source.rfind("}\n") - start);
}

TEST(SteppedLoopText, AddsTheStep) {
  EXPECT_EQ(c_body(R"(func f[K](A: f32[K], C: f32[K]) {
                        for k.0 in 0..(K + 7) / 8 { for k.1 in 0..8 {
                          if (k.0*8 + k.1 < K) { C[k.0*8 + k.1] = A[k.0*8 + k.1] } } } })"),
            R"(  for (long k_0 = 0; k_0 < K; k_0 += 8) {
    for (long k_1 = 0; k_1 < min_index(8, K - k_0); ++k_1) {
      C[k_0 + k_1] = A[k_0 + k_1];
    }
  }
)");
}

TEST(SteppedLoopText, OfLoopsInEachOther) {
  EXPECT_EQ(c_body(R"(func f[M](A: f32[M, 64], C: f32[M, 64]) {
                        for i in 0..M { for j.0 in 0..4 { for j.1 in 0..4 { for j.2 in 0..4 {
                          C[i, j.0*16 + j.1*4 + j.2] = A[i, j.0*16 + j.1*4 + j.2] } } } } })"),
            R"(  for (long i = 0; i < M * 64; i += 64) {
    for (long j_0 = 0; j_0 < 64; j_0 += 16) {
      for (long j_1 = 0; j_1 < 16; j_1 += 4) {
        for (long j_2 = 0; j_2 < 4; ++j_2) {
          C[i + j_0 + j_1 + j_2] = A[i + j_0 + j_1 + j_2];
        }
      }
    }
  }
)");
}

TEST(SteppedLoopText, OfAnExtentThatCountsInStepsItself) {
  EXPECT_EQ(c_body(R"(func f[M](A: f32[M], C: f32[M*64]) {
                        for b in 0..M { for j in 0..(b*16 + 3) / 4 {
                          C[b*64 + j*4] = 1.0 } } })"),
            R"(  for (long b = 0; b < M * 4; b += 4) {
    for (long j = 0; j < b * 4; j += 4) {
      C[b * 16 + j] = 1.0f;
    }
  }
)");
}

TEST(SteppedLoopText, UnderPragmas) {
  EXPECT_EQ(c_body(R"(func f(C: f32[8, 32]) {
                        for i in 0..8 @parallel { for j in 0..4 @unroll(2) { C[i, j*8] = 2.0 } } })"),
            R"(  #pragma omp parallel for
  for (long i = 0; i < 256; i += 32) {
    #pragma GCC unroll 2
    for (long j = 0; j < 32; j += 8) {
      C[i + j] = 2.0f;
    }
  }
)");
}

}  // namespace stepped_loop_test
}  // namespace hone
