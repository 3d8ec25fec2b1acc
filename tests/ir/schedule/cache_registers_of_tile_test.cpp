// Registers for tiles: one that has no values yet fills none, and one may be the index of another.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_registers_of_tile_test {

/// Doubles in a tile of a block, where they exist; `before` in the block, before the threads.
std::string doubles(const std::string& threads, const std::string& before = "") {
  return fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
  for b in 0..(N + 31) / 32 @block.x {{
    alloc S: f32[32] @shared{}
    for t in 0..8{} {{
      for v in 0..4 {{
        if (b*32 + t*4 + v < N) {{
          S[t*4 + v] = A[b*32 + t*4 + v] * 2.0
        }}
      }}
    }}
    copy C[b*32 .. +32] <- S[0 .. +32]
  }}
}})",
                     before, threads);
}

/// The same with the elements of a thread in registers, which `fill` fills before.
std::string through_registers(const std::string& threads, const std::string& before = "",
                              const std::string& fill = "") {
  return fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
  for b in 0..(N + 31) / 32 @block.x {{
    alloc S: f32[32] @shared{}
    for t in 0..8{} {{
      alloc S.reg: f32[4] @registers{}
      for v in 0..4 @unroll {{
        if (b*32 + t*4 + v < N) {{
          S.reg[v] = A[b*32 + t*4 + v] * 2.0
        }}
      }}
      copy S[t*4 .. +4] <- S.reg[0 .. +4]
    }}
    copy C[b*32 .. +32] <- S[0 .. +32]
  }}
}})",
                     before, threads, fill);
}

const Rewriting caches = [](const Function& f) { return in_registers(f, "S", "t"); };

constexpr const char* fill = "\n      copy S.reg[0 .. +4] <- S[t*4 .. +4]";

TEST(CacheRegistersOfATile, TakeNothingFromATileWithoutValues) {
  expect_rewrite(doubles(" @thread.x"), caches, through_registers(" @thread.x"));
}

/// An iteration comes after others.
TEST(CacheRegistersOfATile, TakeWhatIterationsBeforeMayHaveWritten) {
  expect_rewrite(doubles(""), caches, through_registers("", "", fill));
}

TEST(CacheRegistersOfATile, TakeWhatTheBlockHasWritten) {
  const std::string before = "\n    copy S[0 .. +32] <- A[b*32 .. +32]";
  expect_rewrite(doubles(" @thread.x", before), caches,
                 through_registers(" @thread.x", before, fill));
}

/// A copy of A reads E for its place, and not to take it along.
TEST(CacheRegistersOfATile, MayTellWhereAnotherTileLies) {
  const Function f = parse_function(R"(func f[M](E: i32[M], A: f32[5, 3], S: f32[M]) {
  for i.0 in 0..(M + 1) / 2 {
    for i.1 in 0..2 {
      if (i.0*2 + i.1 < M) {
        reduce m in 0..3 {
          S[i.0*2 + i.1] += A[index(min(max(E[i.0*2 + i.1], 0), 4)), m]
        }
      }
    }
  }
})");
  const auto by_elements = in_registers(in_registers(f, "E", "i.1"), "A", "i.1");
  expect_same_values(f, by_elements);
  expect_same_values(f, in_registers(by_elements, "E", "i.0"));
}

}  // namespace cache_registers_of_tile_test
}  // namespace hone
