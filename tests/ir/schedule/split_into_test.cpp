#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace split_into_test {

Rewriting splits_into(Expr parts, Tail tail = Tail::guard) {
  return [=](const Function& f) { return split_into(f, axis(f, "i"), parts, tail).function; };
}

std::string fill_of(const std::string& extent) {
  return fmt::format("func f{}(C: f32[{}]) {{ for i in 0..{} {{ C[i] = 1.0 }} }}",
                     isalpha(extent[0]) ? "[" + extent + "]" : "", extent, extent);
}

TEST(SplitInto, NeedsNoGuardWhereThePartsDivide) {
  expect_rewrite(fill_of("12"), splits_into(4), R"(func f(C: f32[12]) {
  for i.0 in 0..4 {
    for i.1 in 0..3 {
      C[i.0*3 + i.1] = 1.0
    }
  }
})");
}

TEST(SplitInto, GuardsTheLastPart) {
  expect_rewrite(fill_of("10"), splits_into(4), R"(func f(C: f32[10]) {
  for i.0 in 0..4 {
    for i.1 in 0..3 {
      if (i.0*3 + i.1 < 10) {
        C[i.0*3 + i.1] = 1.0
      }
    }
  }
})");
}

TEST(SplitInto, GuardsASymbolicExtent) {
  expect_rewrite(fill_of("N"), splits_into(4), R"(func f[N](C: f32[N]) {
  for i.0 in 0..4 {
    for i.1 in 0..(N + 3) / 4 {
      if (i.0*((N + 3) / 4) + i.1 < N) {
        C[i.0*((N + 3) / 4) + i.1] = 1.0
      }
    }
  }
})");
}

TEST(SplitInto, MakesMorePartsThanThereAreIterations) {
  expect_rewrite(fill_of("3"), splits_into(5), R"(func f(C: f32[3]) {
  for i.0 in 0..5 {
    for i.1 in 0..1 {
      if (i.0 + i.1 < 3) {
        C[i.0 + i.1] = 1.0
      }
    }
  }
})");
}

TEST(SplitInto, PeelsTheTail) {
  expect_rewrite(fill_of("10"), splits_into(4, Tail::peel), R"(func f(C: f32[10]) {
  for i.0 in 0..4 {
    for i.1 in 0..2 {
      C[i.0*2 + i.1] = 1.0
    }
  }
  for i.tail in 0..2 {
    C[i.tail + 8] = 1.0
  }
})");
}

TEST(SplitInto, PeelsASymbolicTail) {
  expect_rewrite(fill_of("N"), splits_into(4, Tail::peel), R"(func f[N](C: f32[N]) {
  for i.0 in 0..4 {
    for i.1 in 0..N / 4 {
      C[i.0*(N / 4) + i.1] = 1.0
    }
  }
  for i.tail in 0..N % 4 {
    C[(N / 4)*4 + i.tail] = 1.0
  }
})");
}

TEST(SplitInto, IsExactWhereTheExtentIsAMultiple) {
  expect_rewrite("func f[N](C: f32[N*8]) { for i in 0..N*8 { C[i] = 1.0 } }",
                 splits_into(4, Tail::exact), R"(func f[N](C: f32[N*8]) {
  for i.0 in 0..4 {
    for i.1 in 0..N*2 {
      C[i.0*N*2 + i.1] = 1.0
    }
  }
})");
}

TEST(SplitInto, RefusesNoParts) {
  expect_refusal(fill_of("10"), splits_into(0),
                 R"(error: split_into: the number of parts must be positive, got 0
  for i in 0..10 {                   <-- here
    C[i] = 1.0)");
}

TEST(SplitInto, RefusesPartsThatDoNotDivide) {
  expect_refusal(fill_of("10"), splits_into(4, Tail::exact),
                 R"(error: split_into: 4 does not divide the extent 10 of i and the tail is 'exact'
  for i in 0..10 {                   <-- here
    C[i] = 1.0
note: 2 and 5 divide it; {.tail = Tail::guard} takes any number of parts)");
}

TEST(SplitInto, RefusesToPeelEverything) {
  expect_refusal(
      fill_of("10"), splits_into(16, Tail::peel),
      R"(error: split_into: 16 is more than the extent 10 of i, so that all iterations would be in the peeled loop
  for i in 0..10 {                   <-- here
    C[i] = 1.0
note: {.tail = Tail::guard} takes any number of parts)");
}

TEST(SplitInto, RefusesABoundAxis) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 @parallel { C[i] = 1.0 } }", splits_into(4),
                 R"(error: split_into: i is bound to parallel already
  for i in 0..8 @parallel {          <-- here
    C[i] = 1.0
note: split_into it before binding it)");
}

}  // namespace split_into_test
}  // namespace hone
