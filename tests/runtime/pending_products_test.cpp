// Products of warpgroups that are pending while threads go on: who waits for them, and when.
#include <gmock/gmock.h>

#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace pending_products_test {

using testing::HasSubstr;

/// A loop over the sums of two warpgroups, which lanes have; `row` and `column` are their indices.
std::string for_each_sum(const std::string& mark, const std::string& statement) {
  const std::string row = fmt::format("g{0}*64 + w{0}*16 + h{0}*8 + r{0}", mark);
  const std::string column = fmt::format("o{0}*8 + q{0}*2 + e{0}", mark);
  return fmt::format(
      "for g{0} in 0..2 @warpgroup {{ for w{0} in 0..4 @warp {{ for h{0} in 0..2 {{"
      " for r{0} in 0..8 @lane(4) {{ for o{0} in 0..2 {{ for q{0} in 0..4 @lane {{"
      " for e{0} in 0..2 {{ {1} }} }} }} }} }} }} }}\n",
      mark, fmt::format(fmt::runtime(statement), row, column));
}

/// Two warpgroups multiply tiles, and go on with `more`.
Function products(const std::string& more) {
  return parse_function(fmt::format(R"(
func f[n](a: f32[256], c: f32[128, 16], d: f32[256]) {{
  for b in 0..1 @block.x {{
    alloc A: bf16[128, 64] @swizzle(8, 8, 1) @shared @align(1024)
    alloc B: bf16[16, 64] @swizzle(8, 8, 1) @shared @align(1024)
    alloc U: f32[256] @shared
    alloc V: f32[256] @shared
    alloc C: f32[128, 16] @registers
    {}
    for x in 0..256 @thread.x {{
      for y in 0..32 {{ A[x / 2, x % 2*32 + y] = bf16(a[x]) }}
      for z in 0..4 {{ B[x / 16, x % 16*4 + z] = bf16(a[x]) }} }}
    for g in 0..2 @warpgroup {{
      for i in 0..64 @wgmma_m64n16k64_bf16 {{ for j in 0..16 {{ reduce k in 0..64 {{
        C[g*64 + i, j] += f32(A[g*64 + i, k]) * f32(B[j, k]) }} }} }} }}
    {}
  }}
}})",
                                    for_each_sum("1", "C[{0}, {1}] = 0.0"), more));
}

const std::string stores = for_each_sum("2", "c[{0}, {1}] = C[{0}, {1}]");

void expect_right(const Function& function) {
  const KernelFunction kernel = lower(function).kernels.front();
  for (const int64_t n : {0, 9})
    for (uint64_t order = 0; order <= 5; ++order) {
      EXPECT_EQ(first_finding(kernel, function, {{"n", n}}, order), "") << to_string(kernel);
      Buffers results = random_buffers(function, {{"n", n}}, 5), expected = results;
      interpret(function, {{"n", n}}, expected);
      run_on_sim(kernel, {{"n", n}}, results);
      for (const char* name : {"c", "d"})
        EXPECT_EQ(results.at(name).bytes, expected.at(name).bytes) << name << " " << n;
    }
}

TEST(PendingProducts, EndBeforeTheirBlock) {
  expect_right(products(""));
  expect_right(products(stores));
  expect_right(products("if (n > 4) {" + stores + "}"));
}

/// A barrier of the block, and then one of the warpgroup, stand before the write to the tile of
/// another one.
TEST(PendingProducts, AreNotLeftToAWaitOfFewerThreads) {
  expect_right(products(R"(
    for t in 0..256 @thread.x { U[t] = a[t] }
    for u in 0..256 @thread.x { d[u] = U[255 - u] }
    for g3 in 0..2 @warpgroup { for w3 in 0..4 @warp { for l3 in 0..32 @lane {
      V[g3*128 + w3*32 + l3] = a[w3] } } }
    for g4 in 0..2 @warpgroup { for w4 in 0..4 @warp { for l4 in 0..32 @lane {
      d[g4*128 + w4*32 + l4] += V[g4*128 + 127 - w4*32 - l4] } } }
    for v in 0..256 @thread.x {
      for y2 in 0..32 { A[127 - v / 2, v % 2*32 + y2] = bf16(a[v]) } }
    for s in 0..256 @thread.x {
      d[s] += f32(A[s / 2, s % 64]) + f32(B[s % 16, s % 64]) + U[s] + V[s] }
    )" + stores));
}

}  // namespace pending_products_test
}  // namespace hone
