// Refusals of combining where updates choose their elements, and of later steps.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace bind_combine_elements_refusal_test {

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

}  // namespace bind_combine_elements_refusal_test
}  // namespace hone
