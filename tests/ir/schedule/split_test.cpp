#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/copies.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace split_test {

TEST(Split, NeedsNoGuardWhereTheFactorDivides) {
  expect_rewrite(copy_of("12"), splits("i", 4), R"(func f(A: f32[12], C: f32[12]) {
  for i.0 in 0..3 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = A[i.0*4 + i.1]
    }
  }
})");
}

TEST(Split, GuardsTheTail) {
  expect_rewrite(copy_of("10"), splits("i", 4), R"(func f(A: f32[10], C: f32[10]) {
  for i.0 in 0..3 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < 10) {
        C[i.0*4 + i.1] = A[i.0*4 + i.1]
      }
    }
  }
})");
}

TEST(Split, GuardsASymbolicExtent) {
  expect_rewrite(copy_of("N"), splits("i", 4), R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        C[i.0*4 + i.1] = A[i.0*4 + i.1]
      }
    }
  }
})");
}

TEST(Split, TakesAFactorLargerThanTheExtent) {
  expect_rewrite(copy_of("3"), splits("i", 8), R"(func f(A: f32[3], C: f32[3]) {
  for i.0 in 0..1 {
    for i.1 in 0..8 {
      if (i.0*8 + i.1 < 3) {
        C[i.0*8 + i.1] = A[i.0*8 + i.1]
      }
    }
  }
})");
}

TEST(Split, KeepsLoopsOfOneIteration) {
  expect_rewrite(copy_of("4"), splits("i", 4), R"(func f(A: f32[4], C: f32[4]) {
  for i.0 in 0..1 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = A[i.0*4 + i.1]
    }
  }
})");
}

TEST(Split, ByOne) {
  expect_rewrite(copy_of("N"), splits("i", 1), R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..N {
    for i.1 in 0..1 {
      C[i.0 + i.1] = A[i.0 + i.1]
    }
  }
})");
}

TEST(Split, TakesAParamAsFactor) {
  expect_rewrite(copy_of("N"), splits("i", ParamRef::make(make_param("T"))),
                 R"(func f[N, T](A: f32[N], C: f32[N]) where T > 0 {
  for i.0 in 0..(N + T - 1) / T {
    for i.1 in 0..T {
      if (i.0*T + i.1 < N) {
        C[i.0*T + i.1] = A[i.0*T + i.1]
      }
    }
  }
})");
}

TEST(Split, FindsTheParamOfTheFactorByName) {
  expect_rewrite("func f[N, T](C: f32[N*T]) { for i in 0..N*T { C[i] = 1.0 } }",
                 splits("i", ParamRef::make(make_param("T")), Tail::exact),
                 R"(func f[N, T](C: f32[N*T]) where T > 0 {
  for i.0 in 0..N {
    for i.1 in 0..T {
      C[i.0*T + i.1] = 1.0
    }
  }
})");
}

TEST(Split, IsExactWhereTheExtentIsAMultiple) {
  expect_rewrite("func f[N](C: f32[N*8]) { for i in 0..N*8 { C[i] = 1.0 } }",
                 splits("i", 4, Tail::exact), R"(func f[N](C: f32[N*8]) {
  for i.0 in 0..N*2 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = 1.0
    }
  }
})");
}

TEST(Split, PeelsTheTail) {
  expect_rewrite(copy_of("10"), splits("i", 4, Tail::peel), R"(func f(A: f32[10], C: f32[10]) {
  for i.0 in 0..2 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = A[i.0*4 + i.1]
    }
  }
  for i.tail in 0..2 {
    C[i.tail + 8] = A[i.tail + 8]
  }
})");
}

TEST(Split, PeelsASymbolicTail) {
  expect_rewrite(copy_of("N"), splits("i", 4, Tail::peel), R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..N / 4 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = A[i.0*4 + i.1]
    }
  }
  for i.tail in 0..N % 4 {
    C[(N / 4)*4 + i.tail] = A[(N / 4)*4 + i.tail]
  }
})");
}

TEST(Split, PeelsNothingWhereTheFactorDivides) {
  expect_rewrite(copy_of("12"), splits("i", 4, Tail::peel), R"(func f(A: f32[12], C: f32[12]) {
  for i.0 in 0..3 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = A[i.0*4 + i.1]
    }
  }
})");
}

TEST(Split, GivesThePeeledCopyNamesOfItsOwn) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M]) {
                      for i in 0..M {
                        alloc s: f32[] @registers
                        s[] = 0.0
                        reduce k in 0..N { s[] += A[i, k] }
                        C[i] = s[]
                      }
                    })",
                 splits("i", 2, Tail::peel), R"(func f[M, N](A: f32[M, N], C: f32[M]) {
  for i.0 in 0..M / 2 {
    for i.1 in 0..2 {
      alloc s: f32[] @registers
      s[] = 0.0
      reduce k in 0..N {
        s[] += A[i.0*2 + i.1, k]
      }
      C[i.0*2 + i.1] = s[]
    }
  }
  for i.tail in 0..M % 2 {
    alloc s.tail: f32[] @registers
    s.tail[] = 0.0
    reduce k.tail in 0..N {
      s.tail[] += A[(M / 2)*2 + i.tail, k.tail]
    }
    C[(M / 2)*2 + i.tail] = s.tail[]
  }
})");
}

TEST(Split, ReturnsOuterInnerAndTail) {
  const Function f = parse_function(copy_of("10"));
  const Rewrite guarded = split(f, axis(f, "i"), 4, Tail::guard);
  ASSERT_EQ(guarded.axes.size(), 2u);
  EXPECT_EQ(guarded.axes[0]->name, "i.0");
  EXPECT_EQ(guarded.axes[1]->name, "i.1");
  const Rewrite peeled = split(f, axis(f, "i"), 4, Tail::peel);
  ASSERT_EQ(peeled.axes.size(), 3u);
  EXPECT_EQ(peeled.axes[2]->name, "i.tail");
}

TEST(Split, NamesAvoidThoseTaken) {
  expect_rewrite("func f(C: f32[4, 2]) { for i.0 in 0..2 { for i in 0..4 { C[i, i.0] = 1.0 } } }",
                 splits("i", 2), R"(func f(C: f32[4, 2]) {
  for i.0 in 0..2 {
    for i.0_2 in 0..2 {
      for i.1 in 0..2 {
        C[i.0_2*2 + i.1, i.0] = 1.0
      }
    }
  }
})");
}

TEST(Split, TwiceNestsTheGuards) {
  expect_rewrite(
      copy_of("N"),
      [](const Function& f) {
        const Rewrite once = split(f, axis(f, "i"), 10, Tail::guard);
        return split(once.function, once.axes[1], 4, Tail::guard).function;
      },
      R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..(N + 9) / 10 {
    for i.1.0 in 0..3 {
      for i.1.1 in 0..4 {
        if (i.1.0*4 + i.1.1 < 10) {
          if (i.0*10 + i.1.0*4 + i.1.1 < N) {
            C[i.0*10 + i.1.0*4 + i.1.1] = A[i.0*10 + i.1.0*4 + i.1.1]
          }
        }
      }
    }
  }
})");
}

TEST(Split, OfTheOuterPart) {
  expect_rewrite(
      copy_of("N"),
      [](const Function& f) {
        const Rewrite once = split(f, axis(f, "i"), 4, Tail::guard);
        return split(once.function, once.axes[0], 3, Tail::guard).function;
      },
      R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0.0 in 0..((N + 3) / 4 + 2) / 3 {
    for i.0.1 in 0..3 {
      if (i.0.0*3 + i.0.1 < (N + 3) / 4) {
        for i.1 in 0..4 {
          if (i.0.0*12 + i.0.1*4 + i.1 < N) {
            C[i.0.0*12 + i.0.1*4 + i.1] = A[i.0.0*12 + i.0.1*4 + i.1]
          }
        }
      }
    }
  }
})");
}

TEST(Split, OfAPeeledTail) {
  expect_rewrite(
      copy_of("N"),
      [](const Function& f) {
        const Rewrite once = split(f, axis(f, "i"), 4, Tail::peel);
        return split(once.function, once.axes[2], 2, Tail::guard).function;
      },
      R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..N / 4 {
    for i.1 in 0..4 {
      C[i.0*4 + i.1] = A[i.0*4 + i.1]
    }
  }
  for i.tail.0 in 0..(N % 4 + 1) / 2 {
    for i.tail.1 in 0..2 {
      if (i.tail.0*2 + i.tail.1 < N % 4) {
        C[(N / 4)*4 + i.tail.0*2 + i.tail.1] = A[(N / 4)*4 + i.tail.0*2 + i.tail.1]
      }
    }
  }
})");
}

TEST(Split, OfAFusedAxis) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N { C[i, j] = A[i, j] } }
                    })",
                 [](const Function& f) {
                   const Rewrite fused = fuse(f, axis(f, "i"), axis(f, "j"));
                   return split(fused.function, fused.axes[0], 8, Tail::guard).function;
                 },
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for i_j.0 in 0..(M*N + 7) / 8 {
    for i_j.1 in 0..8 {
      if (i_j.0*8 + i_j.1 < M*N) {
        C[(i_j.0*8 + i_j.1) / N, (i_j.0*8 + i_j.1) % N] =
            A[(i_j.0*8 + i_j.1) / N, (i_j.0*8 + i_j.1) % N]
      }
    }
  }
})");
}

TEST(Split, OfAReductionKeepsItsKind) {
  expect_rewrite("func f[N](A: f32[N], C: f32[1]) { reduce k in 0..N { C[0] += A[k] } }",
                 splits("k", 4), R"(func f[N](A: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      if (k.0*4 + k.1 < N) {
        C[0] += A[k.0*4 + k.1]
      }
    }
  }
})");
}

TEST(Split, UsesTheGuardsAroundTheLoop) {
  expect_rewrite("func f[N](C: f32[N]) { if (N % 4 == 0) { for i in 0..N { C[i] = 1.0 } } }",
                 splits("i", 4, Tail::exact), R"(func f[N](C: f32[N]) {
  if (N % 4 == 0) {
    for i.0 in 0..N / 4 {
      for i.1 in 0..4 {
        C[i.0*4 + i.1] = 1.0
      }
    }
  }
})");
}

TEST(Split, ReturnsNoTailThatHasNothingToDo) {
  const Function f =
      parse_function("func f(A: f32[3], C: f32[3]) { for i in 0..3 { C[i] = A[i] } }");
  const Function guarded = split(f, axis(f, "i"), 8, Tail::guard).function;
  const Rewrite peeled = split(guarded, axis(guarded, "i.1"), 3, Tail::peel);
  EXPECT_EQ(peeled.axes.size(), 2u);
  EXPECT_EQ(to_string(peeled.function), R"(func f(A: f32[3], C: f32[3]) {
  for i.0 in 0..1 {
    for i.1.0 in 0..2 {
      for i.1.1 in 0..3 {
        if (i.0*8 + i.1.0*3 + i.1.1 < 3) {
          C[i.0*8 + i.1.0*3 + i.1.1] = A[i.0*8 + i.1.0*3 + i.1.1]
        }
      }
    }
  }
})");
}

}  // namespace split_test
}  // namespace hone
