// Reduction axes on threads and blocks.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/schedule/legality/combine.h"
#include "ir/text/parser.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace bind_combine_test {

TEST(BindCombine, ToThreadsThatCombineByATree) {
  for (const auto method :
       {Combine::interleaved_modulo, Combine::interleaved_strided, Combine::sequential}) {
    const std::string name = to_string(Combine{method});
    for (const auto& [binding, text] :
         {std::pair{thread_x, "thread.x"}, std::pair{thread_y, "thread.y"}}) {
      expect_rewrite(sum_over_k(), binds("k", binding, {method}),
                     sum_over_k(fmt::format(" @{} combine({})", text, name)));
      expect_rewrite(sum_over_k(), binds("k", binding, {method, /*unrolled=*/true}),
                     sum_over_k(fmt::format(" @{} combine({}, unrolled)", text, name)));
    }
  }
}

TEST(BindCombine, ToThreadsWhoseTreeEndsInOneWarp) {
  expect_rewrite(sum_over_k(), binds("k", thread_x, {Combine::sequential, false, true}),
                 sum_over_k(" @thread.x combine(sequential, last_warp)"));
  expect_rewrite(sum_over_k(), binds("k", thread_x, {Combine::sequential, true, true}),
                 sum_over_k(" @thread.x combine(sequential, unrolled, last_warp)"));
}

TEST(BindCombine, ToThreadsThatExchangeValues) {
  expect_rewrite(sum_over_k(), binds("k", thread_x, {Combine::shuffle}),
                 sum_over_k(" @thread.x combine(shuffle)"));
  expect_rewrite(sum_over_k(), binds("k", thread_x, {Combine::two_level}),
                 sum_over_k(" @thread.x combine(two_level)"));
}

TEST(BindCombine, ToThreadsInLevels) {
  constexpr CombineLevel lanes = {CombineUnit::lanes, CombineMeans::shuffle};
  expect_rewrite(
      sum_over_k(),
      binds("k", thread_x, {lanes, {CombineUnit::warps, CombineMeans::sequential, true}}),
      sum_over_k(" @thread.x combine(lanes: shuffle, warps: sequential unrolled)"));
  expect_rewrite(sum_over_k(),
                 binds("k", thread_x, {lanes, {CombineUnit::grid, CombineMeans::atomic}}),
                 sum_over_k(" @thread.x combine(lanes: shuffle, grid: atomic)"));
  expect_rewrite(sum_over_k(),
                 binds("k", thread_x, {lanes, {CombineUnit::warps, CombineMeans::shuffle}}),
                 sum_over_k(" @thread.x combine(two_level)"));
}

TEST(BindCombine, ToWhatUpdatesAtomically) {
  expect_rewrite(sum_over_k(), binds("k", thread_y, {Combine::atomic}),
                 sum_over_k(" @thread.y combine(atomic)"));
  expect_rewrite(sum_over_k(), binds("k", block_x, {Combine::atomic}),
                 sum_over_k(" @block.x combine(atomic)"));
}

TEST(BindCombine, ToBlocksThatLeaveItToTheLast) {
  expect_rewrite(sum_over_k(), binds("k", block_y, {Combine::last_block}),
                 sum_over_k(" @block.y combine(last_block)"));
  expect_rewrite(sum_over_k(), binds("k", block_x, {Combine::last_block, false, true}),
                 sum_over_k(" @block.x combine(last_block, last_warp)"));
}

TEST(BindCombine, ASumPerRow) {
  const char* text = R"(func f[M](A: f32[M, 24], S: f32[M]) {{
  for i in 0..M @block.x {{
    S[i] = 0.0
    reduce k in 0..24{} {{
      if (i + k < 40) {{
        S[i] max= A[i, k]
      }}
    }}
  }}
}})";
  expect_rewrite(fmt::format(fmt::runtime(text), ""), binds("k", thread_x, {Combine::shuffle}),
                 fmt::format(fmt::runtime(text), " @thread.x combine(shuffle)"));
}

TEST(BindCombine, ElementsThatTheIterationsHaveInCommonOnlyInPart) {
  const char* text = R"(func f[M](A: f32[24, M], S: f32[M], B: i32[24], H: f32[8]) {{
  reduce k in 0..24{} {{
    for j in 0..M {{
      S[j] += A[k, j]
    }}
    H[k / 3] += 1.0
  }}
}})";
  expect_rewrite(fmt::format(fmt::runtime(text), ""), binds("k", thread_x, {Combine::atomic}),
                 fmt::format(fmt::runtime(text), " @thread.x combine(atomic)"));
}

TEST(BindCombine, AnOperatorOfAUser) {
  const char* text =
      R"(operator absmax(x: f32, y: f32) = max(max(x[], -x[]), max(y[], -y[])) identity 0.0
func f(A: f32[24], S: f32[]) {{
  S[] = 0.0
  reduce k in 0..24{} {{
    S[] absmax= A[k]
  }}
}})";
  expect_rewrite(fmt::format(fmt::runtime(text), ""), binds("k", thread_x, {Combine::sequential}),
                 fmt::format(fmt::runtime(text), " @thread.x combine(sequential)"));
}

/// Registers outside of the loop get the result in all threads.
TEST(BindCombine, RegistersOutsideTheLoop) {
  const char* text = R"(func f(A: f32[24], S: f32[]) {{
  alloc R: f32[] @registers
  R[] = 0.0
  reduce k in 0..24{} {{
    R[] += A[k]
  }}
  S[] = R[]
}})";
  expect_rewrite(fmt::format(fmt::runtime(text), ""), binds("k", thread_x, {Combine::two_level}),
                 fmt::format(fmt::runtime(text), " @thread.x combine(two_level)"));
}

TEST(BindCombine, BlocksAroundThreads) {
  expect_rewrite(R"(func f(A: f32[24], S: f32[]) {
                      S[] = 0.0
                      reduce k in 0..3 { reduce t in 0..8 { S[] += A[k*8 + t] } } })",
                 [](const Function& f) {
                   Binding threads = thread_x, blocks = block_x;
                   threads.combine = {Combine::shuffle};
                   blocks.combine = {Combine::last_block};
                   return bound(bound(f, "t", threads), "k", blocks);
                 },
                 R"(func f(A: f32[24], S: f32[]) {
  S[] = 0.0
  reduce k in 0..3 @block.x combine(last_block) {
    reduce t in 0..8 @thread.x combine(shuffle) {
      S[] += A[k*8 + t]
    }
  }
})");
}

TEST(BindCombine, NamesTheUpdatesThatIterationsShare) {
  const Function f = parse_function(
      "func f(A: f32[24], S: f32[], C: f32[24]) { reduce k in 0..24 { "
      "S[] += A[k] C[k] += A[k] C[k] = 0.0 } }");
  const Accesses updates = shared_updates(*find_site(f, axis(f, "k").get()));
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].text(), "S[]");
}

/// The second update is of another element in each iteration; the first and the third meet only
/// each other.
TEST(BindCombine, NamesAllUpdatesOfATensorThatIterationsShare) {
  const Function f = parse_function(
      "func f(A: f32[4, 4], S: f32[5], C: f32[5]) { reduce m in 0..2 { "
      "for j in 0..3 { S[m*j] += A[m, j] } S[m + 3] += A[m, 3] "
      "C[m] += A[m, 0] C[m + 1] += A[m, 1] } }");
  std::string names;
  for (const MemoryAccess& update : shared_updates(*find_site(f, axis(f, "m").get())))
    names += update.text() + " ";
  EXPECT_EQ(names, "S[m*j] S[m + 3] C[m] C[m + 1] ");
}

TEST(Combine, StaysWithAtomicUpdatesInAnotherOrder) {
  expect_rewrite(R"(func f(A: f32[8, 4], S: f32[4]) {
                      for j in 0..4 {
                        reduce k in 0..8 @thread.x combine(atomic) { S[j] += A[k, j] } } })",
                 [](const Function& f) {
                   return reorder(f, axes(f, {"k", "j"})).function;
                 },
                 R"(func f(A: f32[8, 4], S: f32[4]) {
  reduce k in 0..8 @thread.x combine(atomic) {
    for j in 0..4 {
      S[j] += A[k, j]
    }
  }
})");
}

}  // namespace bind_combine_test
}  // namespace hone
