// Refusals of binding a reduction axis, and of other steps where threads combine.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace bind_combine_refusal_test {

void expect_sum_refused(const Binding& binding, const Combine& combine, const char* message) {
  expect_refusal(sum_over_k(), binds("k", binding, combine), message);
}

constexpr Binding parallel{Binding::Kind::parallel, 0, 0};

TEST(BindCombineRefusals, AskForAWayToCombine) {
  expect_sum_refused(thread_x, {},
                     R"(error: bind: k is a reduction axis: all its iterations update S[]
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: say how threads combine: Combine::sequential, interleaved_modulo or interleaved_strided (a tree), shuffle, two_level or atomic)");
  expect_sum_refused(block_x, {},
                     R"(error: bind: k is a reduction axis: all its iterations update S[]
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: say how blocks combine: Combine::atomic or last_block)");
  expect_sum_refused(parallel, {},
                     R"(error: bind: k is a reduction axis: all its iterations update S[]
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: bind a spatial axis)");
  expect_refusal(
      "func f(A: f32[8], C: f32[8]) { reduce k in 0..8 { C[k] = A[k] } }", binds("k", thread_x),
      R"(error: bind: iterations of k update no element together: there is nothing to combine
  reduce k in 0..8 {                 <-- here
    C[k] = A[k]
note: an axis whose iterations have elements of their own is a spatial one)");
}

TEST(BindCombineRefusals, OfASpatialAxis) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 { C[i] = 1.0 } }",
                 binds("i", thread_x, {Combine::atomic}),
                 R"(error: bind: i is a spatial axis: there is nothing to combine
  for i in 0..8 {                    <-- here
    C[i] = 1.0)");
}

TEST(BindCombineRefusals, OfWaysThatAreForThreads) {
  expect_sum_refused(
      block_x, {Combine::sequential, true},
      R"(error: bind: combine(sequential, unrolled) is for threads of a block, and k would be bound to block.x
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: blocks combine by Combine::atomic or last_block)");
  expect_sum_refused(
      block_x, {Combine::shuffle},
      R"(error: bind: combine(shuffle) is for threads of a block, and k would be bound to block.x
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: blocks combine by Combine::atomic or last_block)");
  expect_sum_refused(
      block_y, {Combine::two_level},
      R"(error: bind: combine(two_level) is for threads of a block, and k would be bound to block.y
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: blocks combine by Combine::atomic or last_block)");
  expect_sum_refused(
      parallel, {Combine::atomic},
      R"(error: bind: combine(atomic) is for blocks and threads, and k would be bound to parallel
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: bind a spatial axis)");
}

TEST(BindCombineRefusals, OfAWayThatIsForBlocks) {
  expect_sum_refused(
      thread_x, {Combine::last_block},
      R"(error: bind: combine(last_block) is for blocks, and k would be bound to thread.x
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: threads combine by a tree, shuffle, two_level or atomic)");
}

TEST(BindCombineRefusals, OfOptionsWithoutATree) {
  expect_sum_refused(thread_x, {Combine::shuffle, true},
                     R"(error: bind: shuffle has no tree to be unrolled, or to be ended by a warp
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: the trees are sequential, interleaved_modulo and interleaved_strided)");
  expect_sum_refused(block_x, {Combine::last_block, true},
                     R"(error: bind: last_block has no tree to be unrolled, or to be ended by a warp
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: the trees are sequential, interleaved_modulo and interleaved_strided)");
  expect_sum_refused(thread_x, {Combine::two_level, false, true},
                     R"(error: bind: two_level has no tree to be unrolled, or to be ended by a warp
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: the trees are sequential, interleaved_modulo and interleaved_strided)");
  expect_sum_refused(thread_x, {Combine::interleaved_modulo, false, true},
                     R"(error: bind: the last elements of interleaved_modulo do not lie side by side
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: a sequential tree ends in one warp)");
}

TEST(BindCombineRefusals, OfANumberOfThreadsThatIsNotKnown) {
  expect_refusal(
      "func f[N](A: f32[N], S: f32[]) { reduce k in 0..N { S[] += A[k] } }",
      binds("k", thread_x, {Combine::sequential, true}),
      R"(error: bind: k has the extent N, which is known at launch only, and combine(sequential, unrolled) is made for a number of threads
  reduce k in 0..N {                 <-- here
    S[] += A[k]
note: split off a constant number of iterations)");
}

TEST(BindCombineRefusals, OfWarpsAlongOtherDimensions) {
  expect_sum_refused(
      thread_y, {Combine::shuffle},
      R"(error: bind: combine(shuffle) exchanges values between the lanes of a warp, which follow each other in thread.x
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: bind to thread.x, or combine by a tree)");
  expect_sum_refused(
      thread_y, {Combine::sequential, false, true},
      R"(error: bind: combine(sequential, last_warp) exchanges values between the lanes of a warp, which follow each other in thread.x
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: bind to thread.x, or combine by a tree)");
}

TEST(BindCombineRefusals, OfMoreLanesThanAWarpHas) {
  expect_refusal("func f(A: f32[33], S: f32[]) { reduce k in 0..33 { S[] += A[k] } }",
                 binds("k", thread_x, {Combine::shuffle}),
                 R"(error: bind: k has 33 iterations, and a warp has 32 lanes
  reduce k in 0..33 {                <-- here
    S[] += A[k]
note: Combine::two_level goes on to the results of the warps)");
}

TEST(BindCombineRefusals, OfThreadsInside) {
  expect_refusal(
      R"(func f(A: f32[8, 4], S: f32[4]) {
                      reduce k in 0..8 { for j in 0..4 @thread.y { S[j] += A[k, j] } } })",
      binds("k", thread_x, {Combine::shuffle}),
      R"(error: bind: j is bound to thread.y inside k, whose threads would combine for each of its iterations
  reduce k in 0..8 {
    for j in 0..4 @thread.y {        <-- here
      S[j] += A[k, j]
note: reorder j to the outside, or fuse two reduction axes)");
}

/// The note is a way out.
TEST(BindCombineRefusals, OfThreadsThatCombineSomethingElseInside) {
  const auto sums = [](const std::string& of_k, const std::string& of_j) {
    return fmt::format(R"(func f(A: f32[8, 4], S: f32[], T: f32[8]) {{
  reduce k in 0..8 @thread.y combine({}) {{
    reduce j in 0..4{} {{
      T[k] += A[k, j]
    }}
    S[] += A[k, 0]
  }}
}})",
                       of_k, of_j);
  };
  const auto by_shuffles = binds("j", thread_x, {Combine::shuffle});
  expect_refusal(
      sums("sequential", ""), by_shuffles,
      R"(error: bind: j is bound to thread.x inside k, whose threads would combine for each of its iterations
  reduce k in 0..8 @thread.y combine(sequential) {
    reduce j in 0..4 {               <-- here
      T[k] += A[k, j]
note: combine k by Combine::atomic, or leave T in a nest of its own)");
  expect_rewrite(sums("atomic", ""), by_shuffles, sums("atomic", " @thread.x combine(shuffle)"));
}

TEST(BindCombineRefusals, OfWarpsAroundThreadsThatCombine) {
  expect_refusal(
      R"(func f(A: f32[32, 4], S: f32[]) {
           reduce k in 0..32 {
             reduce j in 0..4 @thread.y combine(sequential) { S[] += A[k, j] } } })",
      binds("k", thread_x, {Combine::shuffle}),
      R"(error: bind: combine(shuffle) of k exchanges values within warps, and j combines over thread.y inside of it
  reduce k in 0..32 {
    reduce j in 0..4 @thread.y combine(sequential) {  <-- here
      S[] += A[k, j]
note: reorder j to the outside, or combine k by a tree)");
}

TEST(BindCombineRefusals, OfTheLastOfBlocksOfOtherLoops) {
  const char* text = R"(func f(A: f32[8, 4], S: f32[]) {{
                      reduce k in 0..8 {} {{ reduce j in 0..4 {} {{ S[] += A[k, j] }} }} }})";
  expect_refusal(
      fmt::format(fmt::runtime(text), "@block.y combine(last_block)", ""),
      binds("j", block_x, {Combine::last_block}),
      R"(error: bind: k combines over block.y already by last_block, and j would by last_block
  reduce k in 0..8 @block.y combine(last_block) {  <-- here
    reduce j in 0..4 {
      S[] += A[k, j]
note: fuse the two axes, and bind them as one)");
  expect_refusal(
      fmt::format(fmt::runtime(text), "@block.y combine(last_block)", ""),
      binds("j", block_x, {Combine::atomic}),
      R"(error: bind: k combines over block.y already by last_block, and j would by atomic
  reduce k in 0..8 @block.y combine(last_block) {  <-- here
    reduce j in 0..4 {
      S[] += A[k, j]
note: fuse the two axes, and bind them as one)");
  expect_refusal(
      fmt::format(fmt::runtime(text), "", "@block.x combine(atomic)"),
      binds("k", block_y, {Combine::last_block}),
      R"(error: bind: j combines over block.x already by atomic, and k would by last_block
  reduce k in 0..8 {
    reduce j in 0..4 @block.x combine(atomic) {  <-- here
      S[] += A[k, j]
note: fuse the two axes, and bind them as one)");
}

TEST(BindCombineRefusals, OfPlainStoresToOneElement) {
  expect_refusal(
      "func f(A: f32[8], S: f32[]) { reduce k in 0..8 { S[] = S[] + A[k] } }",
      binds("k", thread_x, {Combine::atomic}),
      R"(error: bind: two iterations of k may touch one element: one writes S[], one reads S[]
  reduce k in 0..8 {
    S[] = S[] + A[k]                 <-- here
note: iterations combine where they update by one operator; an operator of one's own has to be declared associative)");
  expect_refusal("func f(A: f32[8], S: f32[]) { reduce k in 0..8 { S[] = A[k] S[] += A[k] } }",
                 binds("k", thread_x, {Combine::atomic}),
                 R"(error: bind: two iterations of k may write one element: S[]
  reduce k in 0..8 {
    S[] = A[k]                       <-- here
note: iterations combine where they update by one operator; an operator of one's own has to be declared associative)");
}

TEST(BindCombineRefusals, OfElementsThatAreAlsoRead) {
  expect_refusal(
      R"(func f(A: f32[8], C: f32[8], S: f32[]) {
                      reduce k in 0..8 { S[] += A[k] C[k] = S[] } })",
      binds("k", thread_x, {Combine::sequential}),
      R"(error: bind: two iterations of k may touch one element: one writes S[], one reads S[]
  reduce k in 0..8 {
    S[] += A[k]                      <-- here
note: what iterations update together, nothing else in the loop may touch)");
  expect_refusal("func f(A: f32[8], S: f32[]) { reduce k in 0..8 { S[] += A[k] S[] max= A[k] } }",
                 binds("k", thread_x, {Combine::atomic}),
                 R"(error: bind: two iterations of k may write one element: S[]
  reduce k in 0..8 {
    S[] += A[k]                      <-- here
note: what iterations update together, nothing else in the loop may touch)");
}

TEST(BindCombineRefusals, OfElementsWithoutAnAddress) {
  const std::string registers = R"(func f(A: f32[8], S: f32[]) {
    alloc R: f32[] @registers
    R[] = 0.0
    reduce k in 0..8 { R[] += A[k] }
    S[] = R[] })";
  expect_refusal(
      registers, binds("k", thread_x, {Combine::atomic}),
      R"(error: bind: R lives in registers, and combine(atomic) is for elements that have an address
  reduce k in 0..8 {
    R[] += A[k]                      <-- here
note: combine before caching, or by a tree, shuffle or two_level)");
  expect_refusal(
      R"(func f(A: f32[8], S: f32[]) {
                      alloc R: f32[] @shared
                      reduce k in 0..8 { R[] += A[k] } })",
      binds("k", block_x, {Combine::atomic}),
      R"(error: bind: R lives in the shared memory of one block, and k would be bound to block.x
  reduce k in 0..8 {
    R[] += A[k]                      <-- here
note: combine before caching)");
}

TEST(BindCombineRefusals, OfAtomicUpdatesOfBytes) {
  expect_refusal(
      "func f(A: i8[8], S: i8[]) { reduce k in 0..8 { S[] += A[k] } }",
      binds("k", thread_x, {Combine::atomic}),
      R"(error: bind: S is i8, and atomic updates take elements of 2, 4 or 8 bytes, and bool
  reduce k in 0..8 {
    S[] += A[k]                      <-- here
note: combine by a tree, or in a wider type)");
}

TEST(BindCombineRefusals, OfATreeOverSeveralElements) {
  expect_refusal(
      R"(func f(A: f32[8], S: f32[], T: f32[]) {
                      reduce k in 0..8 { S[] += A[k] T[] max= A[k] } })",
      binds("k", thread_x, {Combine::sequential}),
      R"(error: bind: iterations of k update S[] and T[], and combine(sequential) is for one element
  reduce k in 0..8 {
    T[] max= A[k]                    <-- here
note: fission separates statements)");
  expect_refusal(R"(func f(A: f32[8, 4], S: f32[4]) {
                      reduce k in 0..8 { for j in 0..4 { S[j] += A[k, j] } } })",
                 binds("k", thread_x, {Combine::shuffle}),
                 R"(error: bind: iterations of k update S[j], whose element depends on j
  reduce k in 0..8 {
    for j in 0..4 {
      S[j] += A[k, j]                <-- here
note: reorder j to the outside of k)");
}

TEST(BindCombineRefusals, OfNothingToCombine) {
  expect_refusal(
      "func f(A: f32[8], C: f32[8]) { reduce k in 0..8 { C[k] += A[k] } }",
      binds("k", thread_x, {Combine::shuffle}),
      R"(error: bind: iterations of k update no element together: there is nothing to combine
  reduce k in 0..8 {                 <-- here
    C[k] += A[k]
note: an axis whose iterations have elements of their own is a spatial one)");
}

/// The other statements of a loop that is not the reduction's alone have to be independent.
TEST(BindCombineRefusals, OfOtherStoresThatIterationsShare) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8], S: f32[]) {
                      reduce k in 0..8 { S[] += A[k] C[k / 2] = A[k] } })",
                 binds("k", thread_x, {Combine::atomic}),
                 R"(error: bind: two iterations of k may write one element: C[k / 2]
  reduce k in 0..8 {
    C[k / 2] = A[k]                  <-- here
note: iterations combine where they update by one operator; an operator of one's own has to be declared associative)");
}

}  // namespace bind_combine_refusal_test
}  // namespace hone
