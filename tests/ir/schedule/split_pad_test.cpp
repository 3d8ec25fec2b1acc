// Tail::pad: iterations beyond the end that change nothing.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace split_pad_test {

/// C[0] `update` `value` over all of A and B.
std::string reduction(const std::string& update, const std::string& value,
                      const std::string& type = "f32") {
  return fmt::format(
      "func f[N](A: {0}[N], B: {0}[N], C: {0}[1]) {{ "
      "reduce k in 0..N {{ C[0] {1} {2} }} }}",
      type, update, value);
}

TEST(SplitPad, ReadsZerosUnderASum) {
  expect_rewrite(reduction("+=", "A[k]"), pads("k", 4),
                 R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] += select(k.0*4 + k.1 < N, A[k.0*4 + k.1], 0.0)
    }
  }
})");
  expect_rewrite(reduction("+=", "A[k] * B[k]"), pads("k", 4),
                 R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] += select(k.0*4 + k.1 < N, A[k.0*4 + k.1], 0.0) * select(k.0*4 + k.1 < N, B[k.0*4 + k.1], 0.0)
    }
  }
})");
  expect_rewrite(reduction("+=", "A[k]", "i32"), pads("k", 4),
                 R"(func f[N](A: i32[N], B: i32[N], C: i32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] += select(k.0*4 + k.1 < N, A[k.0*4 + k.1], 0i32)
    }
  }
})");
}

TEST(SplitPad, ReadsOnesUnderAProduct) {
  expect_rewrite(reduction("*=", "A[k]"), pads("k", 4),
                 R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] *= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], 1.0)
    }
  }
})");
}

TEST(SplitPad, ReadsTheLeastIntegerUnderMax) {
  expect_rewrite("func f[N](A: i32[N], C: i32[1]) { reduce k in 0..N { C[0] max= A[k] } }",
                 pads("k", 4),
                 R"(func f[N](A: i32[N], C: i32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] max= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], -2147483648i32)
    }
  }
})");
}

TEST(SplitPad, ReadsInfinitiesUnderMinAndMax) {
  expect_rewrite(reduction("max=", "A[k]"), pads("k", 4),
                 R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] max= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], -inf)
    }
  }
})");
  expect_rewrite(reduction("min=", "A[k]"), pads("k", 4),
                 R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] min= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], inf)
    }
  }
})");
}

TEST(SplitPad, ReadsTruthUnderAllAndAny) {
  expect_rewrite(reduction("and=", "A[k]", "bool"), pads("k", 4),
                 R"(func f[N](A: bool[N], B: bool[N], C: bool[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] and= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], true)
    }
  }
})");
  expect_rewrite(reduction("or=", "A[k] && B[k]", "bool"), pads("k", 4),
                 R"(func f[N](A: bool[N], B: bool[N], C: bool[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] or= select(k.0*4 + k.1 < N, A[k.0*4 + k.1], false) && select(k.0*4 + k.1 < N, B[k.0*4 + k.1], false)
    }
  }
})");
}

TEST(SplitPad, ReadsInTheTypeOfTheTensor) {
  expect_rewrite("func f[N](A: i32[N], C: f32[1]) { reduce k in 0..N { C[0] *= f32(A[k]) } }",
                 pads("k", 4), R"(func f[N](A: i32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] *= f32(select(k.0*4 + k.1 < N, A[k.0*4 + k.1], 1i32))
    }
  }
})");
  expect_refusal(
      "func f[N](A: i32[N], C: f32[1]) { reduce k in 0..N { C[0] max= f32(A[k]) } }", pads("k", 4),
      R"(error: split: iterations beyond the end would change C: no value to read there leaves 'max= f32(A[k])' without effect
  reduce k in 0..N {
    C[0] max= f32(A[k])              <-- here
note: {.tail = Tail::guard} takes any program)");
}

TEST(SplitPad, GuardsStoresThatTheAxisTellsApart) {
  expect_rewrite(R"(func f[M, K](A: f32[M, K], C: f32[M]) {
                      for i in 0..M { C[i] = 0.0 reduce k in 0..K { C[i] += A[i, k] } }
                    })",
                 pads("i", 4), R"(func f[M, K](A: f32[M, K], C: f32[M]) {
  for i.0 in 0..(M + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < M) {
        C[i.0*4 + i.1] = 0.0
      }
      reduce k in 0..K {
        if (i.0*4 + i.1 < M) {
          C[i.0*4 + i.1] += A[i.0*4 + i.1, k]
        }
      }
    }
  }
})");
}

TEST(SplitPad, GuardsAStoreOfWhichTheLastOneCounts) {
  expect_rewrite("func f[N](A: f32[N], C: f32[1]) { for i in 0..N { C[0] = A[i] } }", pads("i", 4),
                 R"(func f[N](A: f32[N], C: f32[1]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        C[0] = A[i.0*4 + i.1]
      }
    }
  }
})");
}

TEST(SplitPad, GuardsWhatDependsOnAnElement) {
  expect_rewrite(
      "func f[N](A: f32[N], C: f32[1]) { for i in 0..N { if (A[i] > 0.0) { C[0] += A[i] } } }",
      pads("i", 4), R"(func f[N](A: f32[N], C: f32[1]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        if (A[i.0*4 + i.1] > 0.0) {
          C[0] += A[i.0*4 + i.1]
        }
      }
    }
  }
})");
  expect_rewrite(R"(func f[N](P: i32[N], A: f32[4], C: f32[N]) {
                      for i in 0..N { let p = index(P[i]) C[i] = A[p] }
                    })",
                 pads("i", 4), R"(func f[N](P: i32[N], A: f32[4], C: f32[N]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        let p = index(P[i.0*4 + i.1])
        C[i.0*4 + i.1] = A[p]
      }
    }
  }
})");
}

TEST(SplitPad, KnowsTheAxisInALet) {
  expect_rewrite("func f[N](A: f32[N], C: f32[N]) { for i in 0..N { let x = i C[x] += A[x] } }",
                 pads("i", 4), R"(func f[N](A: f32[N], C: f32[N]) {
  for i.0 in 0..(N + 3) / 4 {
    for i.1 in 0..4 {
      let x = i.0*4 + i.1
      if (i.0*4 + i.1 < N) {
        C[x] += A[x]
      }
    }
  }
})");
}

/// Beyond the end these would be quotients of negative numbers or by 0, or shifts of negative ones.
TEST(SplitPad, GuardsIndicesThatHaveNoValueThere) {
  const auto text = [](const char* loops, const char* value, const char* ends) {
    return fmt::format("func f[N](A: i32[N + 3], C: i32[1]) {{ {} let x = {} C[0] += A[x] {} }}",
                       loops, value, ends);
  };
  const auto before = [&](const char* value) { return text("reduce k in 0..N {", value, "}"); };
  const auto after = [&](const char* value) {
    return text("reduce k.0 in 0..(N + 3) / 4 { reduce k.1 in 0..4 { if (k.0*4 + k.1 < N) {", value,
                "} } }");
  };
  const std::pair<const char*, const char*> values[] = {
      {"(N - k) / 3", "(N - k.0*4 - k.1) / 3"},
      {"(N - k) % 3", "(N - k.0*4 - k.1) % 3"},
      {"k / (N - k)", "(k.0*4 + k.1) / (N - k.0*4 - k.1)"},
      {"N - k >> 1", "N - k.0*4 - k.1 >> 1"}};
  for (const auto& [of_k, of_parts] : values)
    expect_rewrite(before(of_k), pads("k", 4), after(of_parts));
}

TEST(SplitPad, LeavesIndicesAloneThatHaveAValueThere) {
  expect_rewrite(
      "func f[N](A: i32[N], C: i32[1]) { reduce k in 0..N { let x = k / 3 C[0] += A[x] } }",
      pads("k", 4),
      "func f[N](A: i32[N], C: i32[1]) { reduce k.0 in 0..(N + 3) / 4 { reduce k.1 in 0..4 { "
      "let x = (k.0*4 + k.1) / 3 C[0] += select(k.0*4 + k.1 < N, A[x], 0i32) } } }");
}

TEST(SplitPad, LeavesOtherLoadsAlone) {
  expect_rewrite(R"(func f[M, K](A: f32[K], B: f32[M], C: f32[M]) {
                      for i in 0..M { reduce k in 0..K { C[i] += select(A[k] > 0.0, A[k], 0.0) } }
                    })",
                 pads("k", 4), R"(func f[M, K](A: f32[K], B: f32[M], C: f32[M]) {
  for i in 0..M {
    reduce k.0 in 0..(K + 3) / 4 {
      reduce k.1 in 0..4 {
        C[i] += select(select(k.0*4 + k.1 < K, A[k.0*4 + k.1], 0.0) > 0.0, select(k.0*4 + k.1 < K, A[k.0*4 + k.1], 0.0), 0.0)
      }
    }
  }
})");
}

/// Values beyond the end choose no element.
TEST(SplitPad, ReadsNoIndexBeyondTheEnd) {
  expect_rewrite(R"(func f[K](F: i32[K], G: f32[8], C: f32[1]) {
                      reduce k in 0..K { C[0] min= G[index(max(min(F[k], 7i32), 0i32))] } })",
                 pads("k", 4), R"(func f[K](F: i32[K], G: f32[8], C: f32[1]) {
  reduce k.0 in 0..(K + 3) / 4 {
    reduce k.1 in 0..4 {
      C[0] min= select(k.0*4 + k.1 < K, G[index(max(min(F[k.0*4 + k.1], 7i32), 0i32))], inf)
    }
  }
})");
}

TEST(SplitPad, DoesNothingWhereTheFactorDivides) {
  expect_rewrite("func f(A: f32[8], C: f32[1]) { reduce k in 0..8 { C[0] += exp(A[k]) } }",
                 pads("k", 4), R"(func f(A: f32[8], C: f32[1]) {
  reduce k.0 in 0..2 {
    reduce k.1 in 0..4 {
      C[0] += exp(A[k.0*4 + k.1])
    }
  }
})");
}

TEST(SplitPad, ReadsThePaddingOfATile) {
  expect_rewrite(
      reduction("+=", "A[k] * B[k]"),
      [](const Function& f) {
        const Function g = in_shared(parted(f, "k", 4, Tail::pad), "A", "k.0");
        return in_shared(g, "B", "k.0");
      },
      R"(func f[N](A: f32[N], B: f32[N], C: f32[1]) {
  reduce k.0 in 0..(N + 3) / 4 {
    alloc A.shared: f32[4] @shared
    copy A.shared[0 .. +4] <- A[k.0*4 .. +4]
    alloc B.shared: f32[4] @shared
    copy B.shared[0 .. +4] <- B[k.0*4 .. +4]
    reduce k.1 in 0..4 {
      C[0] += A.shared[k.1] * B.shared[k.1]
    }
  }
})");
}

}  // namespace split_pad_test
}  // namespace hone
