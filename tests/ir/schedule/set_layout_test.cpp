#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace set_layout_test {

constexpr const char* transpose = R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 { for t in 0..32 { for u in 0..32 { C[t, u] = A[u, t] } } }
})";

/// A in shared memory, under a layout.
Rewriting lays_out(const Layout& layout) {
  return [=](const Function& f) { return laid_out(in_shared(f, "A", "b"), "A.shared", layout); };
}

TEST(SetLayout, PadsRows) {
  expect_rewrite(transpose, lays_out(Layout().pad(1)), R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @pad(1) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(SetLayout, OrdersDimensions) {
  expect_rewrite(transpose, lays_out(Layout::order({1, 0})),
                 R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @order(1, 0) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(SetLayout, SwizzlesRows) {
  expect_rewrite(transpose, lays_out(Layout().swizzle({1, 32})),
                 R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @swizzle(1, 32, 1) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
  expect_rewrite(transpose, lays_out(Layout::column_major().swizzle({4, 8, 4})),
                 R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @order(1, 0) @swizzle(4, 8, 4) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(SetLayout, TakesIndicesApart) {
  const IndexDigit row = 0, column = 1;
  expect_rewrite(
      transpose,
      lays_out(
          Layout::order({column / 16, 0, column % 16}).swizzle({4, 4, 2}).swizzle({1, 2, 1, 2, 0})),
      R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @order(1/16, 0, 1%16) @swizzle(4, 4, 2) @swizzle(1, 2, 1, 2 ^ 0) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
  expect_rewrite(transpose,
                 lays_out(Layout::order({row / 8, column / 8, row % 8, column % 8}).pad(1)),
                 R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @order(0/8, 1/8, 0%8, 1%8) @pad(1) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(SetLayout, RefusesDigitsThatDoNotFit) {
  const IndexDigit column = 1;
  expect_refusal(
      transpose, lays_out(Layout::order({column / 16, 0, column % 8})),
      R"(error: layout: the layout of A.shared: its order (1/16, 0, 1%8) does not have each part of the index of dimension 1 once
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout::order({column / 32, 0, column % 32})),
      R"(error: layout: the layout of A.shared: the digit 1/32 of its order is always 0: dimension 1 has 32 elements
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout::order({column / 16, 0, column % 16}).swizzle({1, 16, 1, 3, 1})),
      R"(error: layout: the layout of A.shared: a swizzle is of two of the digits 0 to 2, got 3 and 1
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
}

TEST(SetLayout, ReplacesALayout) {
  expect_rewrite(
      transpose,
      [](const Function& f) { return laid_out(lays_out(Layout().pad(1))(f), "A.shared", {}); },
      R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(SetLayout, OfTheCopyOfAPromiseMayBeAnything) {
  // The promise is about the side in global memory.
  expect_rewrite(
      transpose,
      [](const Function& f) {
        return laid_out(in_shared(f, "A", "b", {.vectorize = 4}), "A.shared", Layout().pad(1));
      },
      R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @pad(1) @shared
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32] @vector(4)
    for t in 0..32 {
      for u in 0..32 {
        C[t, u] = A.shared[u, t]
      }
    }
  }
})");
}

TEST(SetLayout, RefusesALayoutThatDoesNotFit) {
  expect_refusal(
      transpose, lays_out(Layout::order({1})),
      R"(error: layout: the layout of A.shared: its order (1) does not name each of 2 dimensions once
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout::order({1, 1})),
      R"(error: layout: the layout of A.shared: its order (1, 1) does not name each of 2 dimensions once
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(transpose, lays_out(Layout().pad(-4)),
                 R"(error: layout: the layout of A.shared: the padding -4 is negative
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout().swizzle({3, 8})),
      R"(error: layout: the layout of A.shared: a swizzle has a chunk and a period that are powers of two, got 3 and 8
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout().swizzle({4, 16})),
      R"(error: layout: the layout of A.shared: 16 chunks of 4 elements change places, and a row of 32 elements is no multiple of 64
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout().swizzle({4, 8, 0})),
      R"(error: layout: the layout of A.shared: neighbouring rows share a permutation 1 or more at a time, got 0
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
}

TEST(SetLayout, RefusesAPitch) {
  expect_refusal(transpose, lays_out(Layout().pitch(40)),
                 R"(error: layout: A.shared has a pitch of its own
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
note: say pad: the elements between the rows)");
}

TEST(SetLayout, RefusesALayoutThatNoBlockHasRoomFor) {
  expect_refusal(
      transpose, lays_out(Layout().pad(1785)),
      R"(error: layout: A.shared takes 232576 bytes of shared memory, and no architecture gives a block more than 232448
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {
note: pad less, or cache smaller tiles)");
}

TEST(SetLayout, RefusesAnArgument) {
  expect_refusal(
      transpose, [](const Function& f) { return laid_out(f, "A", Layout().pad(1)); },
      R"(error: layout: A is an argument, whose layout is part of its declaration
note: a schedule lays out the tiles that it makes)");
}

TEST(SetLayout, RefusesRegisters) {
  expect_refusal(
      transpose,
      [](const Function& f) {
        return laid_out(in_registers(f, "A", "t"), "A.reg", Layout::order({0}));
      },
      R"(error: layout: registers have no addresses, and no layout
  for b in 0..1 {
    for t in 0..32 {
      alloc A.reg: f32[32] @registers  <-- here
      copy A.reg[0 .. +32] <- A[0 .. +32, t]
      for u in 0..32 @unroll {)");
}

constexpr const char* through_a_temporary = R"(func f[n](A: f32[n, 8], C: f32[n, 8]) {
  alloc T: f32[n, 8] @global
  for i in 0..n { for j in 0..8 { T[i, j] = A[i, j] } }
  for k in 0..n { for l in 0..8 { C[k, l] = T[k, l] } }
})";

TEST(SetLayout, OrdersATemporaryOfAnySize) {
  expect_rewrite(
      through_a_temporary,
      [](const Function& f) { return laid_out(f, "T", Layout::column_major()); },
      R"(func f[n](A: f32[n, 8], C: f32[n, 8]) {
  alloc T: f32[n, 8] @order(1, 0) @global
  for i in 0..n {
    for j in 0..8 {
      T[i, j] = A[i, j]
    }
  }
  for k in 0..n {
    for l in 0..8 {
      C[k, l] = T[k, l]
    }
  }
})");
}

TEST(SetLayout, RefusesGapsInATemporary) {
  for (const Layout& layout : {Layout().pad(1), Layout().swizzle({1, 8}),
                               Layout::order({IndexDigit(1) / 4, 0, IndexDigit(1) % 4})})
    expect_refusal(
        through_a_temporary, [&](const Function& f) { return laid_out(f, "T", layout); },
        R"(error: layout: T lies in global memory, where a schedule chooses the order of the dimensions and the pitch of the rows alone
  alloc T: f32[n, 8] @global         <-- here
  for i in 0..n {
    for j in 0..8 {
note: Layout::order({1, 0}), Layout().pitch(128); a tile in shared memory takes paddings and swizzles)");
}

TEST(SetLayout, RefusesAPitchThatHoldsNoRowOfATemporary) {
  expect_refusal(
      through_a_temporary, [](const Function& f) { return laid_out(f, "T", Layout().pitch(7)); },
      R"(error: layout: the layout of T: the pitch 7 is less than a row of 8 elements
  alloc T: f32[n, 8] @global         <-- here
  for i in 0..n {
    for j in 0..8 {)");
}

TEST(SetLayout, RefusesNumbersThatOverflow) {
  expect_refusal(
      transpose, lays_out(Layout().swizzle({int64_t{1} << 32, int64_t{1} << 32})),
      R"(error: layout: the layout of A.shared: 4294967296 chunks of 4294967296 elements are more than 63 bits count
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
  expect_refusal(
      transpose, lays_out(Layout().pad(INT64_MAX)),
      R"(error: layout: the layout of A.shared: the padding 9223372036854775807 is more than 1048576 elements
  for b in 0..1 {
    alloc A.shared: f32[32, 32] @shared  <-- here
    copy A.shared[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
    for t in 0..32 {)");
}

}  // namespace set_layout_test
}  // namespace hone
