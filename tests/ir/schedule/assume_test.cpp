#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace assume_test {

constexpr const char* rows = R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for i in 0..M { for j in 0..N { C[i, j] = A[i, j] } }
})";

/// A condition on the params of `rows`.
Rewriting assumes(const std::function<Expr(const Expr& M, const Expr& N)>& condition) {
  return [=](const Function& f) {
    return assume(f, condition(ParamRef::make(f.params[0]), ParamRef::make(f.params[1]))).function;
  };
}

Rewriting aligns(llvm::StringRef name, int64_t bytes) {
  return [=](const Function& f) { return assume_aligned(f, tensor(f, name), bytes).function; };
}

/// `rewrite`, and then what it is for: vectors of four along the rows.
Rewriting and_vectorizes(const Rewriting& rewrite) {
  return [=](const Function& f) { return vectorized(parted(rewrite(f), "j", 4), "j.1"); };
}

TEST(Assume, HoldsAtEveryLaunch) {
  expect_rewrite(rows, assumes([](const Expr&, const Expr& N) { return N % 4 == 0; }),
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(Assume, LetsASplitBeExact) {
  expect_rewrite(
      rows,
      [](const Function& f) {
        const auto divides = assumes([](const Expr& M, const Expr&) { return M % 8 == 0; });
        return parted(divides(f), "i", 4, Tail::exact);
      },
      R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where M % 8 == 0 {
  for i.0 in 0..M / 4 {
    for i.1 in 0..4 {
      for j in 0..N {
        C[i.0*4 + i.1, j] = A[i.0*4 + i.1, j]
      }
    }
  }
})");
}

TEST(Assume, ProvesVectors) {
  expect_rewrite(rows,
                 and_vectorizes(assumes([](const Expr&, const Expr& N) { return N % 4 == 0; })),
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..M {
    for j.0 in 0..N / 4 {
      for j.1 in 0..4 @vectorize {
        C[i, j.0*4 + j.1] = A[i, j.0*4 + j.1]
      }
    }
  }
})");
  expect_rewrite(rows,
                 and_vectorizes(assumes([](const Expr&, const Expr& N) { return N % 12 == 0; })),
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 12 == 0 {
  for i in 0..M {
    for j.0 in 0..N / 4 {
      for j.1 in 0..4 @vectorize {
        C[i, j.0*4 + j.1] = A[i, j.0*4 + j.1]
      }
    }
  }
})");
}

TEST(Assume, SaysNothingTwice) {
  const Function f = parse_function(rows);
  const auto divides = assumes([](const Expr&, const Expr& N) { return N % 4 == 0; });
  EXPECT_EQ(divides(divides(f)).assumptions.size(), 1u);
  const auto is_true = assumes([](const Expr&, const Expr& N) { return N >= 0; });
  EXPECT_EQ(is_true(f).assumptions.size(), 0u);
}

TEST(Assume, FindsParamsByTheirNames) {
  expect_rewrite(
      rows,
      [](const Function& f) { return assume(f, ParamRef::make(make_param("N")) > 3).function; },
      R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N > 3 {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(Assume, RefusesWhatIsNoCondition) {
  expect_refusal(rows, assumes([](const Expr&, const Expr& N) { return N + 1; }),
                 "error: assume: N + 1 is not a condition");
}

TEST(Assume, RefusesWhatDependsOnMoreThanParams) {
  expect_refusal(
      rows, [](const Function& f) { return assume(f, AxisRef::make(axis(f, "i")) < 8).function; },
      "error: assume: i < 8 depends on i, which is no param of f");
  expect_refusal(
      rows,
      [](const Function& f) {
        return assume(f, Load::make(tensor(f, "A"), {Expr(0), Expr(0)}) > 0.0).function;
      },
      "error: assume: A[0, 0] > 0.0 depends on A[0, 0], which is no param of f");
  expect_refusal(
      rows,
      [](const Function& f) { return assume(f, ParamRef::make(make_param("K")) > 8).function; },
      "error: assume: K > 8 depends on K, which is no param of f");
}

TEST(Assume, RefusesWhatNeverHolds) {
  expect_refusal(rows, assumes([](const Expr&, const Expr& N) { return N < 0; }),
                 "error: assume: N < 0 never holds");
  expect_refusal(rows, assumes([](const Expr&, const Expr& N) { return N % 4 == 5; }),
                 "error: assume: N % 4 == 5 never holds");
}

TEST(AssumeAligned, PromisesRows) {
  expect_rewrite(rows, aligns("A", 16),
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(AssumeAligned, ProvesVectors) {
  expect_rewrite(rows, and_vectorizes(aligns("A", 16)),
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
  for i in 0..M {
    for j.0 in 0..N / 4 {
      for j.1 in 0..4 @vectorize {
        C[i, j.0*4 + j.1] = A[i, j.0*4 + j.1]
      }
    }
  }
})");
}

TEST(AssumeAligned, OfAPitch) {
  expect_rewrite(
      R"(func f[lda](A: f32[4, 8] @pitch(lda), C: f32[4, 8]) {
                      for i in 0..4 { for j in 0..8 { C[i, j] = A[i, j] } }
                    })",
      [](const Function& f) {
        const Function g = assume(f, ParamRef::make(f.params[0]) >= 8).function;
        return aligns("A", 8)(g);
      },
      R"(func f[lda](A: f32[4, 8] @pitch(lda), C: f32[4, 8]) where lda >= 8, lda % 2 == 0 {
  for i in 0..4 {
    for j in 0..8 {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(AssumeAligned, OfColumns) {
  expect_rewrite(R"(func f[M, N](A: f16[M, N] @order(1, 0), C: f16[M, N]) {
                      for i in 0..M { for j in 0..N { C[i, j] = A[i, j] } }
                    })",
                 aligns("A", 16),
                 R"(func f[M, N](A: f16[M, N] @order(1, 0), C: f16[M, N]) where M % 8 == 0 {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(AssumeAligned, NeedsNoPromiseOfARowOrOfWhatIsProved) {
  expect_rewrite("func f[N](A: f32[N]) { for i in 0..N { A[i] = 1.0 } }", aligns("A", 16),
                 R"(func f[N](A: f32[N]) {
  for i in 0..N {
    A[i] = 1.0
  }
})");
  expect_rewrite("func f(A: f32[3, 8]) { for i in 0..3 { A[i, 0] = 1.0 } }", aligns("A", 16),
                 R"(func f(A: f32[3, 8]) {
  for i in 0..3 {
    A[i, 0] = 1.0
  }
})");
}

TEST(AssumeAligned, RefusesBytesThatNoAccessHas) {
  expect_refusal(
      rows, aligns("A", 12),
      R"(error: assume_aligned: 12 bytes are no alignment of A, whose elements have 4 bytes
note: an access has 2, 4, 8 or 16 bytes)");
  expect_refusal(
      rows, aligns("A", 32),
      R"(error: assume_aligned: 32 bytes are no alignment of A, whose elements have 4 bytes
note: an access has 2, 4, 8 or 16 bytes)");
  expect_refusal(
      rows, aligns("A", 2),
      R"(error: assume_aligned: 2 bytes are no alignment of A, whose elements have 4 bytes
note: an access has 2, 4, 8 or 16 bytes)");
  expect_refusal(
      rows, aligns("A", 0),
      R"(error: assume_aligned: 0 bytes are no alignment of A, whose elements have 4 bytes
note: an access has 2, 4, 8 or 16 bytes)");
}

TEST(AssumeAligned, RefusesRowsThatAreNot) {
  expect_refusal(
      "func f(A: f32[3, 6]) { for i in 0..3 { A[i, 0] = 1.0 } }", aligns("A", 16),
      "error: assume_aligned: rows of A are 6 elements apart, which is no multiple of 4");
}

TEST(AssumeAligned, RefusesATile) {
  expect_refusal(
      "func f(A: f32[3, 8], C: f32[3]) { for i in 0..3 { C[i] = A[i, 0] + A[i, 7] } }",
      [](const Function& f) { return aligns("A.shared", 16)(in_shared(f, "A", "i")); },
      R"(error: assume_aligned: A.shared is not an argument
note: the tensors that Hone allocates are aligned as their accesses need it)");
}

}  // namespace assume_test
}  // namespace hone
