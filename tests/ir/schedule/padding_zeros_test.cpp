// Zeros around a tensor, which a program asks for and its tile holds.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace padding_zeros_test {

/// Sums of three neighbours, read where `condition` holds; tiles of four.
std::string sums(const std::string& condition, const std::string& other = "0.0") {
  return fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
  for i.0 in 0..(N + 3) / 4 {{
    for i.1 in 0..4 {{
      if (i.0*4 + i.1 < N) {{
        C[i.0*4 + i.1] = 0.0
      }}
      reduce r in 0..3 {{
        if (i.0*4 + i.1 < N) {{
          C[i.0*4 + i.1] += select({}, A[i.0*4 + i.1 + r - 1], {})
        }}
      }}
    }}
  }}
}})",
                     condition, other);
}

std::string staged(const std::string& value) {
  return fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
  for i.0 in 0..(N + 3) / 4 {{
    alloc A.shared: f32[6] @shared
    copy A.shared[0 .. +6] <- A[i.0*4 - 1 .. +6]
    for i.1 in 0..4 {{
      if (i.0*4 + i.1 < N) {{
        C[i.0*4 + i.1] = 0.0
      }}
      reduce r in 0..3 {{
        if (i.0*4 + i.1 < N) {{
          C[i.0*4 + i.1] += {}
        }}
      }}
    }}
  }}
}})",
                     value);
}

TEST(PaddingZeros, AreThoseOfTheTile) {
  expect_rewrite(sums("i.0*4 + i.1 + r >= 1 && i.0*4 + i.1 + r <= N"), stages("A", "i.0"),
                 staged("A.shared[i.1 + r]"));
}

/// A condition that leaves an element out, another value, and a condition that is no conjunction.
TEST(PaddingZeros, AreNoOtherValues) {
  for (const char* condition : {"i.0*4 + i.1 + r >= 2 && i.0*4 + i.1 + r <= N",
                                "i.0*4 + i.1 + r >= 1 && i.0*4 + i.1 + r < N",
                                "i.0*4 + i.1 + r >= 1 && i.0*4 + i.1 + r <= N && r != 1"}) {
    SCOPED_TRACE(condition);
    expect_rewrite(sums(condition), stages("A", "i.0"),
                   staged(fmt::format("select({}, A.shared[i.1 + r], 0.0)", condition)));
  }
  const std::string inside = "i.0*4 + i.1 + r >= 1 && i.0*4 + i.1 + r <= N";
  expect_rewrite(sums(inside, "2.0"), stages("A", "i.0"),
                 staged(fmt::format("select({}, A.shared[i.1 + r], 2.0)", inside)));
}

/// Iterations beyond the end of a sum read zeros, also where the program has some itself.
TEST(PaddingZeros, LeaveASumAsItIsBeyondItsEnd) {
  expect_rewrite(R"(func f[N, K](A: f32[N, K], C: f32[N]) {
    for i in 0..N {
      C[i] = 0.0
      reduce k in 0..K {
        C[i] += select(i >= 1, A[i - 1, k], 0.0) * 3.0
      }
    }
  })",
                 splits("k", 4, Tail::pad), R"(func f[N, K](A: f32[N, K], C: f32[N]) {
  for i in 0..N {
    C[i] = 0.0
    reduce k.0 in 0..(K + 3) / 4 {
      reduce k.1 in 0..4 {
        C[i] += select(i >= 1, select(k.0*4 + k.1 < K, A[i - 1, k.0*4 + k.1], 0.0), 0.0) * 3.0
      }
    }
  }
})");
}

TEST(PaddingZeroRefusals, OfASumThatReadsSomethingElseAround) {
  expect_refusal(
      R"(func f[N, K](A: f32[N, K], C: f32[N]) {
    for i in 0..N {
      reduce k in 0..K {
        C[i] += select(i >= 1, A[i - 1, k], 1.0)
      }
    }
  })",
      splits("k", 4, Tail::pad),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves '+= select(i >= 1, A[i - 1, k], 1.0)' without effect
  for i in 0..N {
    reduce k in 0..K {
      C[i] += select(i >= 1, A[i - 1, k], 1.0)  <-- here
note: {.tail = Tail::guard} takes any program)");
}

/// Guards would have left the tile six of 16 rows; the instruction takes them all.
TEST(PaddingZeros, FillTilesOfInstructions) {
  expect_rewrite(R"(func f(A: bf16[6, 16], B: bf16[16, 8], C: f32[16, 8]) {
  for t in 0..1 {
    for i in 0..16 @mma_m16n8k16_bf16 {
      for j in 0..8 {
        reduce k in 0..16 {
          C[i, j] += f32(select(i < 6, A[i, k], 0.0bf16)) * f32(B[k, j])
        }
      }
    }
  }
})",
                 stages("A", "t"), R"(func f(A: bf16[6, 16], B: bf16[16, 8], C: f32[16, 8]) {
  for t in 0..1 {
    alloc A.shared: bf16[16, 16] @shared
    copy A.shared[0 .. +16, 0 .. +16] <- A[0 .. +16, 0 .. +16]
    for i in 0..16 @mma_m16n8k16_bf16 {
      for j in 0..8 {
        reduce k in 0..16 {
          C[i, j] += f32(A.shared[i, k]) * f32(B[k, j])
        }
      }
    }
  }
})");
}

}  // namespace padding_zeros_test
}  // namespace hone
