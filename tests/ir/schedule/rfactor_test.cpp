#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace rfactor_test {

constexpr const char* sum =
    "func f[N](A: f32[N], S: f32[]) { S[] = 0.0 reduce k in 0..N { S[] += A[k] } }";

TEST(RFactor, SumsInTwoNests) {
  expect_rewrite(sum, splits_and_factors("S", 4, "k.0"), R"(func f[N](A: f32[N], S: f32[]) {
  alloc S.rf: f32[(N + 3) / 4] @global
  for k.0 in 0..(N + 3) / 4 {
    S.rf[k.0] = 0.0
    reduce k.1 in 0..4 {
      if (k.0*4 + k.1 < N) {
        S.rf[k.0] += A[k.0*4 + k.1]
      }
    }
  }
  S[] = 0.0
  reduce k.0.S in 0..(N + 3) / 4 {
    S[] += S.rf[k.0.S]
  }
})");
}

/// Every fourth element has a partial sum.
TEST(RFactor, TakesTheInnerLoopToo) {
  expect_rewrite(sum, splits_and_factors("S", 4, "k.1"), R"(func f[N](A: f32[N], S: f32[]) {
  alloc S.rf: f32[4] @global
  for k.1 in 0..4 {
    S.rf[k.1] = 0.0
    reduce k.0 in 0..(N + 3) / 4 {
      if (k.0*4 + k.1 < N) {
        S.rf[k.1] += A[k.0*4 + k.1]
      }
    }
  }
  S[] = 0.0
  reduce k.1.S in 0..4 {
    S[] += S.rf[k.1.S]
  }
})");
}

TEST(RFactor, TakesAReductionOfOneLoop) {
  expect_rewrite("func f[N](A: f32[N], S: f32[]) { S[] = 0.0 reduce k in 0..N { S[] += A[k] } }",
                 factors("S", "k"), R"(func f[N](A: f32[N], S: f32[]) {
  alloc S.rf: f32[N] @global
  for k in 0..N {
    S.rf[k] = 0.0
    S.rf[k] += A[k]
  }
  S[] = 0.0
  reduce k.S in 0..N {
    S[] += S.rf[k.S]
  }
})");
}

TEST(RFactor, RepeatsSpatialLoopsAndKeepsTheEpilogue) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], B: f32[M], S: f32[M]) {
                      for i in 0..M {
                        S[i] = 0.0
                        reduce k in 0..N { S[i] += A[i, k] }
                        S[i] = S[i] * B[i]
                      }
                    })",
                 splits_and_factors("S", 4, "k.0"),
                 R"(func f[M, N](A: f32[M, N], B: f32[M], S: f32[M]) {
  alloc S.rf: f32[(N + 3) / 4, M] @global
  for k.0 in 0..(N + 3) / 4 {
    for i.rf in 0..M {
      S.rf[k.0, i.rf] = 0.0
      reduce k.1 in 0..4 {
        if (k.0*4 + k.1 < N) {
          S.rf[k.0, i.rf] += A[i.rf, k.0*4 + k.1]
        }
      }
    }
  }
  for i in 0..M {
    S[i] = 0.0
    reduce k.0.S in 0..(N + 3) / 4 {
      S[i] += S.rf[k.0.S, i]
    }
    S[i] = S[i] * B[i]
  }
})");
}

/// Those on spatial axes stand in both nests, those of the reduction stay with the value.
TEST(RFactor, PlacesGuards) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], S: f32[M]) {
                      for i.0 in 0..(M + 3) / 4 { for i.1 in 0..4 { if (i.0*4 + i.1 < M) {
                        S[i.0*4 + i.1] = 0.0
                        reduce k in 0..N { if (A[i.0*4 + i.1, k] > 0.0) {
                          S[i.0*4 + i.1] += A[i.0*4 + i.1, k] } } } } } })",
                 factors("S", "k"), R"(func f[M, N](A: f32[M, N], S: f32[M]) {
  alloc S.rf: f32[N, M] @global
  for k in 0..N {
    for i.0.rf in 0..(M + 3) / 4 {
      for i.1.rf in 0..4 {
        if (i.0.rf*4 + i.1.rf < M) {
          S.rf[k, i.0.rf*4 + i.1.rf] = 0.0
          if (A[i.0.rf*4 + i.1.rf, k] > 0.0) {
            S.rf[k, i.0.rf*4 + i.1.rf] += A[i.0.rf*4 + i.1.rf, k]
          }
        }
      }
    }
  }
  for i.0 in 0..(M + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < M) {
        S[i.0*4 + i.1] = 0.0
        reduce k.S in 0..N {
          S[i.0*4 + i.1] += S.rf[k.S, i.0*4 + i.1]
        }
      }
    }
  }
})");
}

TEST(RFactor, KeepsSpatialLoopsInsideTheReduction) {
  expect_rewrite(R"(func f[M, N](A: f32[N, M], S: f32[M]) {
                      for i.init in 0..M { S[i.init] = 0.0 }
                      reduce k in 0..N { for i.0 in 0..(M + 3) / 4 { for i.1 in 0..4 {
                        if (i.0*4 + i.1 < M) { S[i.0*4 + i.1] += A[k, i.0*4 + i.1] } } } } })",
                 splits_and_factors("S", 2, "k.0"), R"(func f[M, N](A: f32[N, M], S: f32[M]) {
  alloc S.rf: f32[(N + 1) / 2, M] @global
  for k.0 in 0..(N + 1) / 2 {
    for i.0.rf in 0..(M + 3) / 4 {
      for i.1.rf in 0..4 {
        if (i.0.rf*4 + i.1.rf < M) {
          S.rf[k.0, i.0.rf*4 + i.1.rf] = 0.0
          reduce k.1 in 0..2 {
            if (k.0*2 + k.1 < N) {
              S.rf[k.0, i.0.rf*4 + i.1.rf] += A[k.0*2 + k.1, i.0.rf*4 + i.1.rf]
            }
          }
        }
      }
    }
  }
  for i.init in 0..M {
    S[i.init] = 0.0
  }
  reduce k.0.S in 0..(N + 1) / 2 {
    for i.0 in 0..(M + 3) / 4 {
      for i.1 in 0..4 {
        if (i.0*4 + i.1 < M) {
          S[i.0*4 + i.1] += S.rf[k.0.S, i.0*4 + i.1]
        }
      }
    }
  }
})");
}

TEST(RFactor, StartsAtTheIdentityOfTheOperator) {
  const auto expect_start = [](const std::string& type, const std::string& start,
                               const std::string& update, const std::string& identity) {
    const auto before = [&](const char* body) {
      return fmt::format("func f[N](A: {0}[N], S: {0}[]) {{ S[] = {1} {2} }}", type, start, body);
    };
    const Function f =
        parse_function(before(fmt::format("reduce k in 0..N {{ S[] {}= A[k] }}", update).c_str()));
    const Function factored = factors("S", "k")(f);
    EXPECT_TRUE(llvm::StringRef(to_string(factored)).contains("S.rf[k] = " + identity + "\n"))
        << to_string(factored);
    expect_same_values(f, factored);
  };
  expect_start("f32", "5.0", "+", "0.0");
  expect_start("f32", "5.0", "max", "-inf");
  expect_start("i32", "5i32", "*", "1i32");
  expect_start("u8", "5u8", "min", "255u8");
  expect_start("i8", "5i8", "max", "-128i8");
  expect_start("bool", "false", "or", "false");
  expect_start("bool", "true", "and", "true");
}

TEST(RFactor, TakesADeclaredOperator) {
  expect_rewrite(
      R"(operator absmax(x: f32, y: f32) = max(abs(x[]), abs(y[])) identity 0.0
         func f[N](A: f32[N], S: f32[]) { S[] = 0.0 reduce k in 0..N { S[] absmax= A[k] } })",
      splits_and_factors("S", 4, "k.0"),
      R"(operator absmax(x: f32, y: f32) = max(abs(x[]), abs(y[])) identity 0.0
func f[N](A: f32[N], S: f32[]) {
  alloc S.rf: f32[(N + 3) / 4] @global
  for k.0 in 0..(N + 3) / 4 {
    S.rf[k.0] = 0.0
    reduce k.1 in 0..4 {
      if (k.0*4 + k.1 < N) {
        S.rf[k.0] absmax= A[k.0*4 + k.1]
      }
    }
  }
  S[] = 0.0
  reduce k.0.S in 0..(N + 3) / 4 {
    S[] absmax= S.rf[k.0.S]
  }
})");
}

/// The peeled tail stays where it is.
TEST(RFactor, LeavesOtherLoopsOfTheReductionAlone) {
  expect_rewrite(
      sum, [](const Function& f) { return factors("S", "k.0")(parted(f, "k", 4, Tail::peel)); },
      R"(func f[N](A: f32[N], S: f32[]) {
  alloc S.rf: f32[N / 4] @global
  for k.0 in 0..N / 4 {
    S.rf[k.0] = 0.0
    reduce k.1 in 0..4 {
      S.rf[k.0] += A[k.0*4 + k.1]
    }
  }
  S[] = 0.0
  reduce k.0.S in 0..N / 4 {
    S[] += S.rf[k.0.S]
  }
  reduce k.tail in 0..N % 4 {
    S[] += A[(N / 4)*4 + k.tail]
  }
})");
}

TEST(RFactor, RunsBeforeTheNestAndAfterThoseBeforeIt) {
  expect_rewrite(R"(func f[N](A: f32[N], S: f32[]) {
                      alloc T: f32[N] @global
                      for i in 0..N { T[i] = A[i] * 2.0 }
                      S[] = 0.0
                      reduce k in 0..N { S[] += T[k] } })",
                 factors("S", "k"), R"(func f[N](A: f32[N], S: f32[]) {
  alloc T: f32[N] @global
  alloc S.rf: f32[N] @global
  for i in 0..N {
    T[i] = A[i] * 2.0
  }
  for k in 0..N {
    S.rf[k] = 0.0
    S.rf[k] += T[k]
  }
  S[] = 0.0
  reduce k.S in 0..N {
    S[] += S.rf[k.S]
  }
})");
}

TEST(RFactor, KeepsBindingsOfTheOldNestAlone) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], S: f32[M]) {
                      for i in 0..M @block.x { S[i] = 0.0
                        reduce k.0 in 0..N { reduce k.1 in 0..2 @unroll { S[i] += A[i, k.0] } } } })",
                 factors("S", "k.0"), R"(func f[M, N](A: f32[M, N], S: f32[M]) {
  alloc S.rf: f32[N, M] @global
  for k.0 in 0..N {
    for i.rf in 0..M {
      S.rf[k.0, i.rf] = 0.0
      reduce k.1 in 0..2 @unroll {
        S.rf[k.0, i.rf] += A[i.rf, k.0]
      }
    }
  }
  for i in 0..M @block.x {
    S[i] = 0.0
    reduce k.0.S in 0..N {
      S[i] += S.rf[k.0.S, i]
    }
  }
})");
}

TEST(RFactor, CanBeRepeated) {
  const Function f = parse_function(sum);
  const Function once = splits_and_factors("S", 4, "k.0")(f);
  const Function twice = factors("S", "k.0.S.0")(parted(once, "k.0.S", 2));
  EXPECT_NE(tensor(twice, "S.rf_2"), nullptr);
  expect_same_values(f, twice);
}

TEST(RFactor, WritesLetsOut) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], S: f32[M]) {
                      for i in 0..M { let r = M - 1 - i S[r] = 0.0
                        reduce k in 0..N { let c = N - 1 - k S[r] += A[r, c] } } })",
                 factors("S", "k"), R"(func f[M, N](A: f32[M, N], S: f32[M]) {
  alloc S.rf: f32[N, M] @global
  for k in 0..N {
    for i.rf in 0..M {
      S.rf[k, M - i.rf - 1] = 0.0
      S.rf[k, M - i.rf - 1] += A[M - i.rf - 1, N - k - 1]
    }
  }
  for i in 0..M {
    let r = M - 1 - i
    S[r] = 0.0
    reduce k.S in 0..N {
      S[M - i - 1] += S.rf[k.S, M - i - 1]
    }
  }
})");
}

/// A histogram per iteration of the axis.
TEST(RFactor, GivesEveryElementThatTheReductionChoosesPartialResults) {
  expect_rewrite(R"(func f[N](A: i32[N], H: i32[4]) {
                      for b in 0..4 { H[b] = 0 }
                      reduce k in 0..N { H[index(A[k] - A[k]) + k % 4] += 1 } })",
                 splits_and_factors("H", 2, "k.0"), R"(func f[N](A: i32[N], H: i32[4]) {
  alloc H.rf: i32[(N + 1) / 2, 4] @global
  for k.0 in 0..(N + 1) / 2 {
    for H.rf.0 in 0..4 {
      H.rf[k.0, H.rf.0] = 0i32
    }
    reduce k.1 in 0..2 {
      if (k.0*2 + k.1 < N) {
        H.rf[k.0, index(A[k.0*2 + k.1] - A[k.0*2 + k.1]) + (k.0*2 + k.1) % 4] += 1i32
      }
    }
  }
  for b in 0..4 {
    H[b] = 0i32
  }
  reduce k.0.H in 0..(N + 1) / 2 {
    for H.0 in 0..4 {
      H[H.0] += H.rf[k.0.H, H.0]
    }
  }
})");
}

}  // namespace rfactor_test
}  // namespace hone
