#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace tile_test {

Rewriting tiles(std::initializer_list<llvm::StringRef> names, std::initializer_list<Expr> factors,
                Tail tail = Tail::guard) {
  const std::vector<llvm::StringRef> axis_names(names);
  const std::vector<Expr> sizes(factors);
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 4> named;
    for (llvm::StringRef name : axis_names) named.push_back(axis(f, name));
    return tile(f, named, sizes, tail).function;
  };
}

constexpr const char* transpose = R"(func f[M, N](A: f32[M, N], C: f32[N, M]) {
  for i in 0..M { for j in 0..N { C[j, i] = A[i, j] } }
})";

constexpr const char* matmul = R"(func f(A: f32[8, 6], B: f32[6, 4], C: f32[8, 4]) {
  for i in 0..8 {
    for j in 0..4 {
      C[i, j] = 0.0
      reduce k in 0..6 { C[i, j] += A[i, k] * B[k, j] }
    }
  }
})";

TEST(Tile, GuardsBothTails) {
  expect_rewrite(transpose, tiles({"i", "j"}, {4, 8}), R"(func f[M, N](A: f32[M, N], C: f32[N, M]) {
  for i.0 in 0..(M + 3) / 4 {
    for j.0 in 0..(N + 7) / 8 {
      for i.1 in 0..4 {
        for j.1 in 0..8 {
          if (i.0*4 + i.1 < M) {
            if (j.0*8 + j.1 < N) {
              C[j.0*8 + j.1, i.0*4 + i.1] = A[i.0*4 + i.1, j.0*8 + j.1]
            }
          }
        }
      }
    }
  }
})");
}

TEST(Tile, NeedsNoGuardWhereTheFactorsDivide) {
  expect_rewrite(matmul, tiles({"i", "j"}, {4, 2}, Tail::exact),
                 R"(func f(A: f32[8, 6], B: f32[6, 4], C: f32[8, 4]) {
  for i.0 in 0..2 {
    for j.0 in 0..2 {
      for i.1 in 0..4 {
        for j.1 in 0..2 {
          C[i.0*4 + i.1, j.0*2 + j.1] = 0.0
          reduce k in 0..6 {
            C[i.0*4 + i.1, j.0*2 + j.1] += A[i.0*4 + i.1, k] * B[k, j.0*2 + j.1]
          }
        }
      }
    }
  }
})");
}

TEST(Tile, OfOneAxisIsASplit) {
  expect_rewrite(transpose, tiles({"j"}, {4}), R"(func f[M, N](A: f32[M, N], C: f32[N, M]) {
  for i in 0..M {
    for j.0 in 0..(N + 3) / 4 {
      for j.1 in 0..4 {
        if (j.0*4 + j.1 < N) {
          C[j.0*4 + j.1, i] = A[i, j.0*4 + j.1]
        }
      }
    }
  }
})");
}

TEST(Tile, OverAReduction) {
  expect_rewrite(matmul, tiles({"i", "j", "k"}, {4, 2, 3}),
                 R"(func f(A: f32[8, 6], B: f32[6, 4], C: f32[8, 4]) {
  for i.0 in 0..2 {
    for j.0 in 0..2 {
      for i.1.init in 0..4 {
        for j.1.init in 0..2 {
          C[i.0*4 + i.1.init, j.0*2 + j.1.init] = 0.0
        }
      }
      reduce k.0 in 0..2 {
        for i.1 in 0..4 {
          for j.1 in 0..2 {
            reduce k.1 in 0..3 {
              C[i.0*4 + i.1, j.0*2 + j.1] +=
                  A[i.0*4 + i.1, k.0*3 + k.1] * B[k.0*3 + k.1, j.0*2 + j.1]
            }
          }
        }
      }
    }
  }
})");
}

TEST(Tile, ReturnsTheOuterAxesThenTheInnerOnes) {
  const Function f = parse_function(transpose);
  const Rewrite result = tile(f, axes(f, {"i", "j"}), {4, 8}, Tail::guard);
  std::string names;
  for (const AxisPtr& made : result.axes) names += made->name + " ";
  EXPECT_EQ(names, "i.0 j.0 i.1 j.1 ");
}

TEST(Tile, RefusesAnotherNumberOfFactors) {
  expect_refusal(transpose, tiles({"i", "j"}, {4}), "error: tile: 2 axes are given 1 factors");
}

TEST(Tile, RefusesNoAxes) {
  expect_refusal(transpose, tiles({}, {}, Tail::peel), "error: tile: no axes are given");
}

TEST(Tile, RefusesAnAxisGivenTwice) {
  expect_refusal(transpose, tiles({"i", "i"}, {4, 4}), R"(error: tile: i is given twice
  for i in 0..M {                    <-- here
    for j in 0..N {
      C[j, i] = A[i, j])");
}

TEST(Tile, RefusesToPeel) {
  expect_refusal(
      transpose, tiles({"i", "j"}, {4, 4}, Tail::peel),
      R"(error: tile: a peeled loop stands beside its main loop, so that the tiles would not be nested
  for i in 0..M {                    <-- here
    for j in 0..N {
      C[j, i] = A[i, j]
note: split with {.tail = Tail::peel}, and reorder the main loops)");
}

TEST(Tile, RefusesABoundAxis) {
  expect_refusal(
      "func f(C: f32[8, 8]) { for i in 0..8 @block.x { for j in 0..8 { C[i, j] = 1.0 } } }",
      tiles({"j", "i"}, {4, 4}), R"(error: tile: i is bound to block.x already
  for i in 0..8 @block.x {           <-- here
    for j in 0..8 {
      C[i, j] = 1.0
note: tile it before binding it)");
}

TEST(Tile, RefusesWhatSplitRefuses) {
  expect_refusal(matmul, tiles({"i", "j"}, {4, 3}, Tail::exact),
                 R"(error: tile: 3 does not divide the extent 4 of j and the tail is 'exact'
  for i.0 in 0..2 {
    for i.1 in 0..4 {
      for j in 0..4 {                <-- here
        C[i.0*4 + i.1, j] = 0.0
        reduce k in 0..6 {
note: 2 divides it; {.tail = Tail::guard} takes any factor)");
}

TEST(Tile, RefusesWhatReorderRefuses) {
  expect_refusal(
      R"(func f(A: f32[16, 16]) {
                      for i in 0..8 { for j in 0..8 { A[i + 1, j] = A[i, j + 1] } }
                    })",
      tiles({"i", "j"}, {4, 4}),
      R"(error: tile: iterations of i.0 that touch one element of A would change places (A[i.0*4 + i.1, j.0*4 + j.1 + 1] and A[i.0*4 + i.1 + 1, j.0*4 + j.1])
  for i.0 in 0..2 {                  <-- here
    for i.1 in 0..4 {
      for j.0 in 0..2 {
note: only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with one declared associative, may be done in another order)");
}

}  // namespace tile_test
}  // namespace hone
