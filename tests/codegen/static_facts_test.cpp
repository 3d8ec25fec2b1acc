#include "codegen/cost/static_facts.h"

#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "ir/text/parser.h"

namespace hone {
namespace static_facts_test {

/// "global loads, stores; shared loads, stores"
std::string text(const AccessCounts& counts) {
  return to_string(counts.global_loads) + ", " + to_string(counts.global_stores) + "; " +
         to_string(counts.shared_loads) + ", " + to_string(counts.shared_stores);
}

StaticFacts facts_of_kernel(llvm::StringRef text) { return static_facts(parse_kernel(text)); }

/// Accesses of a thread in a block of 64 of a kernel with this body.
std::string of_thread(const std::string& body) {
  return text(
      facts_of_kernel("kernel f[K, n](A: f32[n], C: f32[n], idx: i32[n]) grid((n + 63) / 64, "
                      "1, 1) block(64, 1, 1) @index32 {\n" +
                      body + "\n}")
          .per_thread);
}

std::string formula(const std::string& expr) {
  const Function function =
      parse_function("func f[K, M, N](A: f32[" + expr + "]) { for i in 0..1 { A[i] = 0.0 } }");
  return to_string(SizeFormula::of(function.arguments[0]->shape[0]));
}

TEST(SizeFormula, HasTheHighestPowersFirst) {
  EXPECT_EQ(formula("1 + 2*K"), "2*K + 1");
  EXPECT_EQ(formula("K*2 + M*K*3 + 1 + K"), "3*K*M + 3*K + 1");
  EXPECT_EQ(formula("K - 1"), "K - 1");
  EXPECT_EQ(formula("7"), "7");
  EXPECT_EQ(formula("K - K"), "0");
  EXPECT_EQ(formula("min(K, 8)*2"), "2*min(K, 8)");
  EXPECT_EQ(formula("(K + 1) / M * 2"), "2*((K + 1) / M)");
}

TEST(SizeFormula, DividesSizesThatAreMultiples) {
  EXPECT_EQ(formula("K / 8"), "K/8");
  EXPECT_EQ(formula("(K + 7) / 8"), "K/8");
  EXPECT_EQ(formula("(K + 7) / 8 * 8"), "K");
  EXPECT_EQ(formula("((K + 3) / 4 + 1) / 2"), "K/8");
  EXPECT_EQ(formula("(K + 2 + 7) / 8"), "K/8 + 1");
  EXPECT_EQ(formula("K % 8"), "0");
  EXPECT_EQ(formula("K / 8 * 8 + K % 8"), "K");
  EXPECT_EQ(formula("(K + 11) % 8"), "3");
  EXPECT_EQ(formula("K / M / 2"), "K/(2*M)");
  EXPECT_EQ(formula("(K + M - 1) / M * M"), "K");
  EXPECT_EQ(formula("K % M + K / M % 4"), "0");
  EXPECT_EQ(formula("((K + M - 1) / M + 7) / 8"), "K/(8*M)");
  EXPECT_EQ(formula("((K + M - 1) / M + 9) / 8"), "(K + 8*M)/(8*M)");
}

TEST(SizeFormula, IsExactForConstants) {
  EXPECT_EQ(formula("(300 + 127) / 128"), "3");
  EXPECT_EQ(formula("300 % 128"), "44");
}

/// 2^40 and 2^41, whose product no index holds.
TEST(SizeFormula, AddsOverTheLeastCommonDenominator) {
  constexpr int64_t large = int64_t{1} << 40;
  const SizeFormula sum = SizeFormula::fraction(1, large) + SizeFormula::fraction(1, 2 * large) +
                          SizeFormula::fraction(-1, large);
  EXPECT_EQ(to_string(sum), "1/2199023255552");
  EXPECT_DOUBLE_EQ(sum.at({}), 0x1p-41);
}

TEST(SizeFormula, CancelsWhatIsCommon) {
  const SizeFormula K = SizeFormula::of(
      parse_kernel(
          "kernel f[K](A: f32[K]) grid(K, 1, 1) block(1, 1, 1) @index32 { A[block.x] = 0.0 }")
          .grid[0]);
  EXPECT_EQ(to_string(K * K / (K * 64)), "K/64");
  EXPECT_EQ(to_string(K / 8 + K / 4), "3*K/8");
  EXPECT_EQ(to_string((K * 5 + 4) / 4), "5*K/4 + 1");
  EXPECT_EQ(to_string(K / (K + 1)), "K/(K + 1)");
  EXPECT_EQ(to_string((K + 1) / (K * 2)), "(K + 1)/(2*K)");
  EXPECT_EQ(to_string(SizeFormula(3) / K), "3/K");
  EXPECT_EQ(to_string((K + 1) / (K + 1)), "1");
  EXPECT_EQ(to_string((K + 2) * 3 / ((K + 2) * 6)), "1/2");
  EXPECT_EQ(to_string(K / 2 - K / 2), "0");
  EXPECT_EQ(to_string(SizeFormula(1) / (SizeFormula(1) - K)), "-1/(K - 1)");
  EXPECT_EQ(to_string(SizeFormula::fraction(6, 4)), "3/2");
  EXPECT_DOUBLE_EQ(((K + 1) / (K * 2)).at({{"K", 4}}), 0.625);
  EXPECT_EQ((K / 8 * 8 - K + 5).constant(), 5);
  EXPECT_EQ(SizeFormula::fraction(1, 2).constant(), std::nullopt);
  EXPECT_THROW(K.at({}), std::invalid_argument);
}

TEST(StaticFacts, CountTripsAndElements) {
  EXPECT_EQ(of_thread("C[thread.x] = A[thread.x] + A[thread.x + 1]"), "2, 1; 0, 0");
  EXPECT_EQ(of_thread("C[thread.x] += A[thread.x]"), "2, 1; 0, 0");
  EXPECT_EQ(of_thread("for k in 0..(K + 7) / 8 { for u in 0..8 { C[k] = A[u] } }"), "K, K; 0, 0");
  EXPECT_EQ(of_thread("alloc v: f32[4] @registers\n"
                      "copy v[0 .. +4] <- A[thread.x*4 .. +4] @vector(4)\n"
                      "copy C[thread.x*4 .. +4] <- v[0 .. +4] @vector(4)"),
            "4, 4; 0, 0");
  EXPECT_EQ(of_thread("alloc s: f32[64] @shared(0)\ns[thread.x] = 0.0\nbarrier\n"
                      "for k in 0..K { s[thread.x] += A[k] }\nC[thread.x] = s[63 - thread.x]"),
            "K, 1; K + 1, K + 1");
}

TEST(StaticFacts, CountAnElementThatAStoreReadsTwiceOnce) {
  EXPECT_EQ(of_thread("C[thread.x] = A[thread.x] * A[thread.x] + A[thread.x + 1]"), "2, 1; 0, 0");
  EXPECT_EQ(of_thread("C[thread.x] = A[thread.x]\nC[thread.x + 1] = A[thread.x]"), "2, 2; 0, 0");
  // Half of the threads read it under the first condition, and all of them behind it.
  EXPECT_EQ(of_thread("C[thread.x] = select(thread.x < 32, A[thread.x], 0.0) + A[thread.x]"),
            "3/2, 1; 0, 0");
}

TEST(StaticFacts, CountWhatAnIndexReads) {
  EXPECT_EQ(of_thread("C[thread.x] = A[index(idx[thread.x])]"), "2, 1; 0, 0");
}

TEST(StaticFacts, IgnoreGuardsOnSizes) {
  EXPECT_EQ(of_thread("if (block.x*64 + thread.x < n) { C[thread.x] = A[thread.x] }"),
            "1, 1; 0, 0");
  EXPECT_EQ(of_thread("C[thread.x] = select(thread.x < n, A[thread.x], 0.0)"), "1, 1; 0, 0");
}

TEST(StaticFacts, CountTheThreadsThatPassAGuard) {
  EXPECT_EQ(of_thread("if (thread.x < 16) { C[thread.x] = A[thread.x] }"), "1/4, 1/4; 0, 0");
  EXPECT_EQ(of_thread("for s in 0..2 { let at = s*64 + thread.x\nif (at < 72 && at < n) "
                      "{ C[at] = A[at] } }"),
            "9/8, 9/8; 0, 0");
  // Together, not one after the other.
  EXPECT_EQ(of_thread("if (thread.x < 16) { if (thread.x < 32) { for k in 0..K { C[k] = 1.0 } } }"),
            "0, K/4; 0, 0");
  EXPECT_EQ(of_thread("C[thread.x] = select(thread.x < 16, A[0] + A[1], A[2])"), "5/4, 1; 0, 0");
}

TEST(StaticFacts, CountWhatStandsBehindAnAndOrAnOrForTheThreadsThatComeToIt) {
  const auto guarded = [](const std::string& condition) {
    return of_thread("if (" + condition + ") { C[thread.x] = 1.0 }");
  };
  EXPECT_EQ(guarded("thread.x < 16 && A[thread.x] > 0.0"), "1/4, 1/4; 0, 0");
  EXPECT_EQ(guarded("A[thread.x] > 0.0 && thread.x < 16"), "1, 1/4; 0, 0");
  EXPECT_EQ(guarded("thread.x >= 16 || A[thread.x] > 0.0"), "1/4, 1; 0, 0");
  // Both of two, or one of them: the first decides who comes to the second.
  EXPECT_EQ(guarded("thread.x < 32 && thread.x >= 16 && A[thread.x] > 0.0"), "1/4, 1/4; 0, 0");
  EXPECT_EQ(guarded("thread.x >= 32 || A[0] > 0.0 || A[thread.x] > 0.0"), "1, 1; 0, 0");
  EXPECT_EQ(of_thread("C[thread.x] = select(thread.x < 32 && A[thread.x] > 0.0, "
                      "select(thread.x < 16, A[0] + A[1], A[2]), 0.0)"),
            "5/4, 1; 0, 0");
  // A condition on sizes counts as passed.
  EXPECT_EQ(guarded("thread.x < n && A[thread.x] > 0.0"), "1, 1; 0, 0");
}

TEST(StaticFacts, CountAClippedAsynchronousCopyForTheThreadsThatAreInside) {
  const auto copied = [](const std::string& value) {
    return of_thread("alloc s: f32[256] @shared(0)\ncopy_async s[thread.x*4] <- " + value +
                     " of 4\ncommit_group\nwait_group 0");
  };
  EXPECT_EQ(copied("A[thread.x*4]"), "4, 0; 0, 4");
  EXPECT_EQ(copied("select(thread.x < 16, A[thread.x*4], 0.0)"), "1, 0; 0, 4");
}

constexpr llvm::StringLiteral tiled = R"(
kernel f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N])
  grid((N + 15) / 16, (M + 15) / 16, 1) block(16, 8, 1) @index32 {
  alloc s: f32[16, 16] @shared(0)
  alloc sums: f32[2] @registers
  barrier
  reduce k.0 in 0..(K + 15) / 16 {
    alloc one: f64[3] @registers
    one[0] = 1.0f64
    barrier
    reduce k.1 in 0..16 {
      alloc v: f32[4] @registers
      v[0] = A[thread.x]
      sums[0] += v[0] * s[thread.y, k.1]
    }
    alloc w: f32[1] @registers
    barrier
  }
  C[thread.x] = sums[0]
  C[thread.x + N] = sums[1]
})";

TEST(StaticFacts, AreOfAResultWhatThreadsDoForIt) {
  const StaticFacts facts = facts_of_kernel(tiled);
  EXPECT_EQ(to_string(facts.blocks), "M*N/256");
  EXPECT_EQ(facts.threads_per_block.constant(), 128);
  EXPECT_EQ(to_string(facts.results_per_thread), "2");
  EXPECT_EQ(text(facts.per_thread), "K, 2; K, 0");
  EXPECT_EQ(text(facts.per_result), "K/2, 1; K/2, 0");
  EXPECT_DOUBLE_EQ(facts.per_result.global_loads.at({{"K", 100}}), 50);
}

TEST(StaticFacts, HaveTheStorageAndTheBarriers) {
  const StaticFacts facts = facts_of_kernel(tiled);
  EXPECT_EQ(facts.shared_bytes, 1024);
  EXPECT_EQ(facts.register_bytes, 8 + 24 + 16);  // v and w do not exist at once
  EXPECT_EQ(facts.tile_registers(), 12);
  EXPECT_EQ(to_string(facts.barriers_per_thread), "K/8 + 1");
  ASSERT_EQ(facts.barriers.size(), 2u);
  EXPECT_EQ(facts.barriers[0].loop, "");
  EXPECT_EQ(facts.barriers[0].barriers, 1);
  EXPECT_EQ(to_string(facts.barriers[0].iterations), "1");
  EXPECT_EQ(facts.barriers[1].loop, "k.0");
  EXPECT_EQ(facts.barriers[1].barriers, 2);
  EXPECT_EQ(to_string(facts.barriers[1].iterations), "K/16");
}

TEST(StaticFacts, OfAReductionAreSharedOutToItsResults) {
  const StaticFacts facts = facts_of_kernel(
      "kernel sum[n](A: f32[n, 256], C: f32[n]) grid(n, 1, 1) block(256, 1, 1) @index32 {\n"
      "alloc s: f32[256] @shared(0)\ns[thread.x] = A[block.x*256 + thread.x]\nbarrier\n"
      "if (thread.x == 0) { for t in 0..256 { C[block.x] += s[t] } } }");
  EXPECT_EQ(to_string(facts.results_per_thread), "1/256");
  EXPECT_EQ(text(facts.per_thread), "2, 1; 1, 1");
  EXPECT_EQ(text(facts.per_result), "512, 256; 256, 256");
}

TEST(StaticFacts, OfALaunchWithoutThreadsHaveNoResults) {
  const StaticFacts facts = facts_of_kernel(
      "kernel tail[n](C: f32[n]) grid(n % 64, 1, 1) block(64, 1, 1) @index32 { C[thread.x] = 1.0 "
      "}");
  EXPECT_TRUE(facts.results_per_thread.is_zero());
  EXPECT_TRUE(facts.per_result.global_stores.is_zero());
}

/// "per thread, at most, unguarded" of the loads of A.
std::string loads_of_A(const std::string& body) {
  const StaticFacts facts = facts_of_kernel(
      "kernel f[n](A: f32[n], C: f32[n]) grid(n / 64, 1, 1) block(64, 1, 1) @index32 {\n" + body +
      "\n}");
  for (const StatementAccess& access : facts.accesses)
    if (access.tensor->name == "A")
      return to_string(access.per_thread) + ", " + to_string(access.at_most) + ", " +
             to_string(access.unguarded);
  return "";
}

TEST(StaticFacts, SayWhatIterationsOfUnrolledLoopsHave) {
  EXPECT_EQ(loads_of_A("for k in 0..4 @unroll { if (k == 1) { C[thread.x] = A[k] } }"), "1, 1, 4");
  EXPECT_EQ(loads_of_A("for k in 0..4 { if (k == 1) { C[thread.x] = A[k] } }"), "1, 4, 4");
  EXPECT_EQ(loads_of_A("for k in 0..4 @unroll { if (k < thread.x) { C[thread.x] = A[k] } }"),
            "123/32, 4, 4");
  EXPECT_EQ(loads_of_A("for k in 0..4 @unroll { if (thread.x < 16) { if (k == 1) { C[thread.x] = "
                       "A[k] } } }"),
            "1/4, 1, 4");
  EXPECT_EQ(loads_of_A("C[thread.x] = A[thread.x]"), "1, 1, 1");
}

}  // namespace static_facts_test
}  // namespace hone
