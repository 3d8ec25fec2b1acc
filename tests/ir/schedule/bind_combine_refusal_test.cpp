// Refusals of binding a reduction axis, and of other steps where threads combine.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace {

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

TEST(BindCombineRefusals, OfThreadsThatCombineSomethingElseInside) {
  const char* text = R"(func f(A: f32[8, 4], S: f32[], T: f32[8]) {
                      reduce k in 0..8 @thread.y combine(sequential) {
                        reduce j in 0..4 { T[k] += A[k, j] }
                        S[] += A[k, 0] } })";
  expect_refusal(
      text, binds("j", thread_x, {Combine::shuffle}),
      R"(error: bind: j is bound to thread.x inside k, whose threads would combine for each of its iterations
  reduce k in 0..8 @thread.y combine(sequential) {
    reduce j in 0..4 {               <-- here
      T[k] += A[k, j]
note: reorder j to the outside, or fuse two reduction axes)");
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

// ---- Elements that updates choose ---------------------------------------------------------------

constexpr const char* histogram =
    "func f(bin: i32[64], H: i32[8]) { reduce k in 0..2 { reduce t in 0..32 { "
    "H[index(bin[k*32 + t])] += 1i32 } } }";

TEST(BindCombineRefusals, OfATreeOverElementsThatUpdatesChoose) {
  for (const char* method : {"sequential", "two_level", "shuffle"})
    expect_refusal(
        histogram, binds("t", thread_x, {*parse_combine(method)}),
        fmt::format(
            "error: bind: iterations of t update H[index(bin[k*32 + t])], whose element depends on "
            "t\n  reduce k in 0..2 {{\n    reduce t in 0..32 {{\n"
            "      H[index(bin[k*32 + t])] += 1i32  <-- here\n"
            "note: combine({}) is for one element, and Combine::atomic for several",
            method));
}

TEST(BindCombineRefusals, OfATreeOverElementsThatARegisterChooses) {
  expect_refusal(
      R"(func f(bin: i32[8], H: i32[8]) { reduce t in 0..8 {
           alloc b: i32[] @registers
           b[] = bin[t]
           H[index(b[])] += 1i32 } })",
      binds("t", thread_x, {Combine::sequential}),
      R"(error: bind: iterations of t update H[index(b[])], whose element depends on b
  reduce t in 0..8 {
    H[index(b[])] += 1i32            <-- here
note: combine(sequential) is for one element, and Combine::atomic for several)");
}

TEST(BindCombineRefusals, OfAtomicUpdatesOfBytesThatUpdatesChoose) {
  expect_refusal(
      "func f(bin: i32[8], H: u8[8]) { reduce t in 0..8 { H[index(bin[t])] += 1u8 } }",
      binds("t", thread_x, {Combine::atomic}),
      R"(error: bind: H is u8, and atomic updates take elements of 2, 4 or 8 bytes, and bool
  reduce t in 0..8 {
    H[index(bin[t])] += 1u8          <-- here
note: combine in a wider type)");
}

TEST(BindCombineRefusals, OfAtomicUpdatesInVectors) {
  expect_refusal(
      R"(func f(A: f32[2, 4], C: f32[4]) {
           reduce k in 0..2 { for i in 0..4 @vectorize { C[i] += A[k, i] } } })",
      binds("k", block_x, {Combine::atomic}),
      R"(error: bind: C is updated in vectors over i, and atomic updates take one element at a time
  reduce k in 0..2 {
    for i in 0..4 @vectorize {       <-- here
      C[i] += A[k, i]
note: combine by last_block, or leave the axis as it is)");
}

TEST(BindCombineRefusals, OfThreadsInsideOfATree) {
  const char* text = R"(func f(A: f32[8, 4], S: f32[]) {
                      reduce k in 0..8 @thread.y combine(sequential) {
                        reduce j in 0..4 { S[] += A[k, j] } } })";
  expect_refusal(
      text, binds("j", thread_x, {Combine::atomic}),
      R"(error: bind: j is bound to thread.x inside k, whose threads would combine for each of its iterations
  reduce k in 0..8 @thread.y combine(sequential) {
    reduce j in 0..4 {               <-- here
      S[] += A[k, j]
note: reorder j to the outside, or fuse two reduction axes)");
}

TEST(BindCombineRefusals, OfAnIndexThatCombinesAlready) {
  expect_refusal(R"(func f(A: f32[8, 4], S: f32[4]) {
                      reduce k in 0..8 @block.x combine(atomic) {
                        for j in 0..4 { S[j] += A[k, j] } } })",
                 binds("j", block_x),
                 R"(error: bind: k is bound to block.x already, and j is in the same nest
  reduce k in 0..8 @block.x combine(atomic) {  <-- here
    for j in 0..4 {
      S[j] += A[k, j]
note: block has the dimensions x, y and z)");
}

TEST(BindCombineRefusals, OfRowsThatDoNotBeginWithAWarp) {
  const std::string rows = R"(func f(A: f32[3, 24], S: f32[3]) {{
                      for i in 0..3{} {{ reduce t in 0..24{} {{ S[i] += A[i, t] }} }} }})";
  const auto refused = [&](const char* outer, const char* inner, const Rewriting& bind_last,
                           const char* nest) {
    expect_refusal(fmt::format(fmt::runtime(rows), outer, inner), bind_last,
                   fmt::format("error: bind: combine(shuffle) exchanges values within warps, and "
                               "the rows of thread.x, 24 threads long in a block of (24, 3, 1), do "
                               "not each begin with a warp, nor fill warps together\n{}note: bind "
                               "all lanes of whole warps in the nest, or combine by a tree",
                               nest));
  };
  refused(" @thread.y", "", binds("t", thread_x, {Combine::shuffle}),
          "  for i in 0..3 @thread.y {\n    reduce t in 0..24 {              <-- here\n"
          "      S[i] += A[i, t]\n");
  refused("", " @thread.x combine(shuffle)", binds("i", thread_y),
          "  for i in 0..3 {                    <-- here\n"
          "    reduce t in 0..24 @thread.x combine(shuffle) {\n      S[i] += A[i, t]\n");
}

TEST(BindCombineRefusals, OfALastWarpOfThreadsAlongOtherDimensions) {
  expect_refusal(
      R"(func f(A: f32[8, 4], S: f32[]) {
           reduce b in 0..8 { reduce k in 0..4 @thread.y combine(sequential) { S[] += A[b, k] } } })",
      binds("b", block_x, {Combine::last_block, false, true}),
      R"(error: bind: combine(last_block, last_warp) leaves the results of blocks to one warp, and within a block k combines over thread.y
  reduce b in 0..8 {                 <-- here
    reduce k in 0..4 @thread.y combine(sequential) {
      S[] += A[b, k]
note: bind it to thread.x, or leave out last_warp)");
}

TEST(BindCombineRefusals, OfSharedMemoryForThreadsWhoseNumberIsNotKnown) {
  expect_refusal(
      R"(func f[N](A: f32[N, 8], S: f32[N]) {
           for i in 0..N @thread.y { reduce k in 0..8 { S[i] += A[i, k] } } })",
      binds("k", thread_x, {Combine::sequential}),
      R"(error: bind: i has the extent N, which is known at launch only, and combine(sequential) of k needs shared memory for each of its iterations
  for i in 0..N @thread.y {
    reduce k in 0..8 {               <-- here
      S[i] += A[i, k]
note: split off a constant number of iterations)");
}

/// Three lanes of 32 combine, and the others take the result out of shared memory.
TEST(BindCombineRefusals, OfARegisterForThreadsWhoseNumberIsNotKnown) {
  expect_refusal(
      R"(func f[N](E: f32[N, 3], C: f32[N, 32]) {
           for i in 0..N @thread.y {
             alloc T: f32[] @registers
             T[] = 0.0
             reduce k in 0..3 { T[] += E[i, k] }
             for l in 0..32 @thread.x { C[i, l] = T[] } } })",
      binds("k", thread_x, {Combine::shuffle}),
      R"(error: bind: i has the extent N, which is known at launch only, and combine(shuffle) of k needs shared memory for each of its iterations
  for i in 0..N @thread.y {
    reduce k in 0..3 {               <-- here
      T[] += E[i, k]
note: split off a constant number of iterations)");
}

// ---- Later steps --------------------------------------------------------------------------------

/// A sum per column, whose rows combine.
std::string column_sums(const std::string& combine) {
  return fmt::format(R"(func f(A: f32[8, 4], S: f32[4]) {{
                          for j in 0..4 {{
                            S[j] = 0.0
                            reduce k in 0..8 @thread.x combine({}) {{ S[j] += A[k, j] }}
                          }} }})",
                     combine);
}

TEST(CombineRefusals, OfACacheInRegistersAroundAtomicUpdates) {
  expect_refusal(
      column_sums("atomic"), [](const Function& f) { return in_registers(f, "S", "j"); },
      R"(error: cache_registers: S.reg lives in registers, and combine(atomic) is for elements that have an address
  for j in 0..4 {                    <-- here
    S[j] = 0.0
    reduce k in 0..8 @thread.x combine(atomic) {
note: combine before caching, or by a tree, shuffle or two_level)");
}

TEST(CombineRefusals, OfAnOrderInWhichTheElementsOfATreeDiffer) {
  expect_refusal(R"(func f(A: f32[8, 4], S: f32[4]) {
                      for j in 0..4 {
                        reduce k in 0..8 @thread.x combine(sequential) { S[j] += A[k, j] } } })",
                 [](const Function& f) {
                   return reorder(f, axes(f, {"k", "j"})).function;
                 },
                 R"(error: reorder: iterations of k update S[j], whose element depends on j
  for j in 0..4 {                    <-- here
    reduce k in 0..8 @thread.x combine(sequential) {
      S[j] += A[k, j]
note: reorder j to the outside of k)");
}

}  // namespace
}  // namespace hone
