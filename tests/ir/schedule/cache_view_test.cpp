// Register tiles of elements that are no box of their tensor: one for each iteration.
#include "gtest/gtest.h"
#include "ir/analysis/site.h"
#include "ir/text/parser.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_view_test {

constexpr const char* fused_copy = R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for f.0 in 0..(M*N + 3) / 4 {
    for f.1 in 0..4 {
      if (f.0*4 + f.1 < M*N) {
        C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] = A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] * 2.0
      }
    }
  }
})";

TEST(CacheView, WritesBackWhereElementsExist) {
  expect_rewrite(fused_copy, caches("C", "f.0"), R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for f.0 in 0..(M*N + 3) / 4 {
    alloc C.reg: f32[4] @registers
    for f.1 in 0..4 @unroll {
      if (f.0*4 + f.1 < M*N) {
        C.reg[f.1] = A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] * 2.0
      }
    }
    for C.reg.write_back in 0..4 @unroll {
      if (f.0*4 + C.reg.write_back < M*N) {
        C[(f.0*4 + C.reg.write_back) / N, (f.0*4 + C.reg.write_back) % N] = C.reg[C.reg.write_back]
      }
    }
  }
})");
}

TEST(CacheView, FillsWhatIsRead) {
  expect_rewrite(fused_copy, caches("A", "f.0"), R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for f.0 in 0..(M*N + 3) / 4 {
    alloc A.reg: f32[4] @registers
    for A.reg.fill in 0..4 @unroll {
      if (f.0*4 + A.reg.fill < M*N) {
        A.reg[A.reg.fill] = A[(f.0*4 + A.reg.fill) / N, (f.0*4 + A.reg.fill) % N]
      }
    }
    for f.1 in 0..4 @unroll {
      if (f.0*4 + f.1 < M*N) {
        C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] = A.reg[f.1] * 2.0
      }
    }
  }
})");
}

/// C is set whatever else is cached: it is not read first.
TEST(CacheView, SeveralTilesInEitherOrder) {
  const auto both = [](llvm::StringRef first, llvm::StringRef second) {
    return [=](const Function& f) {
      const Function g = in_registers(in_registers(f, first, "f.0"), second, "f.0");
      for (const For* loop : loops_of(g.body)) EXPECT_NE(loop->axis->name, "C.reg.fill");
      return g;
    };
  };
  for (const auto& rewriting : {both("A", "C"), both("C", "A")}) {
    const Function f = parse_function(fused_copy);
    expect_same_values(f, rewriting(f));
  }
}

/// The sum starts from what is in C, which is read even where K is 0.
TEST(CacheView, UpdatesElements) {
  expect_rewrite(R"(func f[M, N, K](A: f32[K, M, N], C: f32[M, N]) {
  for f.0 in 0..(M*N + 3) / 4 {
    reduce k in 0..K {
      for f.1 in 0..4 {
        if (f.0*4 + f.1 < M*N) {
          C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] += A[k, (f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
        }
      }
    }
  }
})",
                 caches("C", "f.0"), R"(func f[M, N, K](A: f32[K, M, N], C: f32[M, N]) {
  for f.0 in 0..(M*N + 3) / 4 {
    alloc C.reg: f32[4] @registers
    for C.reg.fill in 0..4 @unroll {
      if (f.0*4 + C.reg.fill < M*N) {
        C.reg[C.reg.fill] = C[(f.0*4 + C.reg.fill) / N, (f.0*4 + C.reg.fill) % N]
      }
    }
    reduce k in 0..K {
      for f.1 in 0..4 @unroll {
        if (f.0*4 + f.1 < M*N) {
          C.reg[f.1] += A[k, (f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
        }
      }
    }
    for C.reg.write_back in 0..4 @unroll {
      if (f.0*4 + C.reg.write_back < M*N) {
        C[(f.0*4 + C.reg.write_back) / N, (f.0*4 + C.reg.write_back) % N] = C.reg[C.reg.write_back]
      }
    }
  }
})");
}

/// The loop that sets the sums is another one than that which adds to them.
TEST(CacheView, AccumulatesAlongThreeFusedAxes) {
  expect_rewrite(R"(func f[M, N, P, K](A: f32[M, N, P, K], C: f32[M, N, P]) {
  for f.0 in 0..M*N*P / 4 {
    for f.1.init in 0..4 {
      C[(f.0*4 + f.1.init) / P / N, (f.0*4 + f.1.init) / P % N, (f.0*4 + f.1.init) % P] = 0.0
    }
    reduce k in 0..K {
      for e in 0..4 {
        C[(f.0*4 + e) / P / N, (f.0*4 + e) / P % N, (f.0*4 + e) % P] +=
            A[(f.0*4 + e) / P / N, (f.0*4 + e) / P % N, (f.0*4 + e) % P, k]
      }
    }
  }
})",
                 caches("C", "f.0"),
                 R"(func f[M, N, P, K](A: f32[M, N, P, K], C: f32[M, N, P]) {
  for f.0 in 0..M*N*P / 4 {
    alloc C.reg: f32[4] @registers
    for f.1.init in 0..4 @unroll {
      C.reg[f.1.init] = 0.0
    }
    reduce k in 0..K {
      for e in 0..4 @unroll {
        C.reg[e] += A[(f.0*4 + e) / P / N, (f.0*4 + e) / P % N, (f.0*4 + e) % P, k]
      }
    }
    for C.reg.write_back in 0..4 @unroll {
      C[(f.0*4 + C.reg.write_back) / P / N, (f.0*4 + C.reg.write_back) / P % N, (f.0*4 + C.reg.write_back) % P] = C.reg[C.reg.write_back]
    }
  }
})");
}

/// Two loops choose, in either order. A tensor that is only read may have one element twice.
TEST(CacheView, SeveralLoopsChoose) {
  expect_rewrite(
      R"(func f[N, K](A: f32[N, K], B: f32[N], C: f32[N, K]) {
  for f.0 in 0..N*K / 6 {
    for x in 0..2 {
      for y in 0..3 {
        C[(f.0*6 + x*3 + y) / K, (f.0*6 + x*3 + y) % K] = B[(f.0*6 + x*3 + y) / K]
      }
    }
    for u in 0..3 {
      for v in 0..2 {
        C[(f.0*6 + u + v*3) / K, (f.0*6 + u + v*3) % K] *= B[(f.0*6 + u + v*3) / K] + 1.0
      }
    }
  }
})",
      [](const Function& f) { return in_registers(in_registers(f, "C", "f.0"), "B", "f.0"); },
      R"(func f[N, K](A: f32[N, K], B: f32[N], C: f32[N, K]) {
  for f.0 in 0..N*K / 6 {
    alloc B.reg: f32[2, 3] @registers
    for B.reg.fill in 0..2 @unroll {
      for B.reg.fill_2 in 0..3 @unroll {
        B.reg[B.reg.fill, B.reg.fill_2] = B[(f.0*6 + B.reg.fill*3 + B.reg.fill_2) / K]
      }
    }
    alloc C.reg: f32[2, 3] @registers
    for x in 0..2 @unroll {
      for y in 0..3 @unroll {
        C.reg[x, y] = B.reg[x, y]
      }
    }
    for u in 0..3 @unroll {
      for v in 0..2 @unroll {
        C.reg[v, u] *= B.reg[v, u] + 1.0
      }
    }
    for C.reg.write_back in 0..2 @unroll {
      for C.reg.write_back_2 in 0..3 @unroll {
        C[(f.0*6 + C.reg.write_back*3 + C.reg.write_back_2) / K, (f.0*6 + C.reg.write_back*3 + C.reg.write_back_2) % K] = C.reg[C.reg.write_back, C.reg.write_back_2]
      }
    }
  }
})");
}

/// The bounds of the tensor say that the element exists if the guard does not.
TEST(CacheView, GuardsByTheBoundsOfTheTensor) {
  expect_rewrite(R"(func f[M, N, K](A: f32[M, N], C: f32[K]) {
  for f.0 in 0..(M*N + 3) / 4 {
    reduce k in 0..K {
      for f.1 in 0..4 {
        if (f.0*4 + f.1 + k < M*N) {
          C[k] += A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
        }
      }
    }
  }
})",
                 caches("A", "f.0"), R"(func f[M, N, K](A: f32[M, N], C: f32[K]) {
  for f.0 in 0..(M*N + 3) / 4 {
    alloc A.reg: f32[4] @registers
    for A.reg.fill in 0..4 @unroll {
      if (f.0*4 + A.reg.fill < M*N) {
        A.reg[A.reg.fill] = A[(f.0*4 + A.reg.fill) / N, (f.0*4 + A.reg.fill) % N]
      }
    }
    reduce k in 0..K {
      for f.1 in 0..4 @unroll {
        if (f.0*4 + f.1 + k < M*N) {
          C[k] += A.reg[f.1]
        }
      }
    }
  }
})");
}

/// Blocks add to C what each has in its tile.
TEST(CacheView, ContributesToWhatBlocksCombine) {
  expect_rewrite(R"(func f[M, N, K](A: f32[K, M, N], C: f32[M, N]) {
  reduce k in 0..K @block.x combine(atomic) {
    for f.0 in 0..(M*N + 3) / 4 {
      for f.1 in 0..4 {
        if (f.0*4 + f.1 < M*N) {
          C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] += A[k, (f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
        }
      }
    }
  }
})",
                 caches("C", "f.0"), R"(func f[M, N, K](A: f32[K, M, N], C: f32[M, N]) {
  reduce k in 0..K @block.x combine(atomic) {
    for f.0 in 0..(M*N + 3) / 4 {
      alloc C.reg: f32[4] @registers
      for C.reg.init in 0..4 @unroll {
        C.reg[C.reg.init] = 0.0
      }
      for f.1 in 0..4 @unroll {
        if (f.0*4 + f.1 < M*N) {
          C.reg[f.1] += A[k, (f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
        }
      }
      for C.reg.add in 0..4 @unroll {
        if (f.0*4 + C.reg.add < M*N) {
          C[(f.0*4 + C.reg.add) / N, (f.0*4 + C.reg.add) % N] += C.reg[C.reg.add]
        }
      }
    }
  }
})");
}

TEST(CacheView, RefusesThreadsThatWouldShareTheElements) {
  expect_refusal(
      R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 @thread.x {
      C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] = A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
    }
  }
})",
      caches("C", "f.0"),
      R"(error: cache_registers: f.1 is bound to thread.x inside f.0, and the elements of C that f.0 touches are no box of it, whose parts threads could have
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 @thread.x {      <-- here
      C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] = A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N]
note: cache under f.1 or inside it)");
}

/// A tile has those elements alone that exist: here two, of the four of the loop.
TEST(CacheView, RefusesVectorsOfMoreElementsThanThereAre) {
  expect_refusal(
      R"(func f(A: f32[1, 2], C: f32[1, 2, 3]) {
  for f.0 in 0..3 { for f.1 in 0..2 { for i in 0..4 { if (i < 1) {
    C[i, (f.0*2 + f.1) / 3, (f.0*2 + f.1) % 3] = A[i, (f.0*2 + f.1) / 3] } } } } })",
      [](const Function& f) { return in_registers(f, "A", "f.0", {.vectorize = 4}); },
      R"(error: cache_registers: the elements of A that one iteration of f.0 touches are no box of it, and 4 cannot move at a time: 2 of the innermost loop exist
  for f.0 in 0..3 {                  <-- here
    for f.1 in 0..2 {
      for i in 0..4 {
note: they move one by one, without {.vectorize})");
}

TEST(CacheView, RefusesElementsThatLoopsChooseInTwoWays) {
  expect_refusal(
      R"(func f[M, N](A: f32[M + 1, N], C: f32[M, N]) {
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 {
      C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] =
          A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] + A[(f.0*4 + f.1 + 1) / N, (f.0*4 + f.1 + 1) % N]
    }
  }
})",
      caches("A", "f.0"),
      R"(error: cache_registers: loops choose A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] and A[(f.0*4 + f.1 + 1) / N, (f.0*4 + f.1 + 1) % N] in different ways
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 {
      C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] = A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] + A[(f.0*4 + f.1 + 1) / N, (f.0*4 + f.1 + 1) % N]  <-- here
note: no box of A holds them, and one tile has one element for each iteration; cache under an inner axis)");
}

TEST(CacheView, RefusesToHaveAnElementTwiceThatIsWritten) {
  expect_refusal(
      R"(func f[M, N](A: f32[M, N], C: f32[M]) {
  reduce f.0 in 0..M*N / 4 {
    reduce f.1 in 0..4 { C[(f.0*4 + f.1) / N] += A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] }
  }
})",
      caches("C", "f.0"),
      R"(error: cache_registers: two iterations of f.1 may have one element of C: C[(f.0*4 + f.1) / N]
  reduce f.0 in 0..M*N / 4 {
    reduce f.1 in 0..4 {
      C[(f.0*4 + f.1) / N] += A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N]  <-- here
note: no box of C holds them, and one tile has one element for each iteration; cache under f.1 or inside it)");
}

TEST(CacheView, RefusesIndicesThatMayHaveNoValue) {
  expect_refusal(
      R"(func f[M, N, K](A: f32[M, N], C: f32[K]) {
  for f.0 in 0..M {
    reduce k in 0..K {
      for f.1 in 0..4 {
        if (f.0*4 + f.1 + k < M*N) { C[k] += A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] }
      }
    }
  }
})",
      caches("A", "f.0"),
      R"(error: cache_registers: (f.0*4 + f.1) / N in A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] may have no value where the access does not happen
  for f.0 in 0..M {
    reduce k in 0..K {
      for f.1 in 0..4 {
        if (f.0*4 + f.1 + k < M*N) {
          C[k] += A[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N]  <-- here
note: cache under an axis inside of the loops that its guards are about)");
}

/// Columns 0..4 and 32..36 of a row: a box of them holds 36.
TEST(CacheView, HoldsNoGapsBetweenRunsOfElements) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 64 == 0 {
  for i in 0..M {
    for j in 0..N / 64 {
      for x in 0..8 {
        for q in 0..2 {
          for v in 0..4 {
            C[i, j*64 + q*32 + x*4 + v] = A[i, j*64 + q*32 + x*4 + v] * 2.0
          }
        }
      }
    }
  }
})",
                 [](const Function& f) { return in_registers(f, "A", "x", {.vectorize = 4}); },
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) where N % 64 == 0 {
  for i in 0..M {
    for j in 0..N / 64 {
      for x in 0..8 {
        alloc A.reg: f32[2, 4] @registers
        for A.reg.fill in 0..2 @unroll {
          for A.reg.v in 0..4 @vectorize {
            A.reg[A.reg.fill, A.reg.v] = A[i, j*64 + A.reg.fill*32 + x*4 + A.reg.v]
          }
        }
        for q in 0..2 @unroll {
          for v in 0..4 @unroll {
            C[i, j*64 + q*32 + x*4 + v] = A.reg[q, v] * 2.0
          }
        }
      }
    }
  }
})");
}

TEST(CacheView, WritesRunsOfElementsBack) {
  expect_rewrite(R"(func f[N](C: f32[N]) where N % 64 == 0 {
  for j in 0..N / 64 {
    for x in 0..8 {
      for k in 0..3 {
        for q in 0..2 {
          for v in 0..4 {
            C[j*64 + q*32 + x*4 + v] += 1.5
          }
        }
      }
    }
  }
})",
                 caches("C", "x"),
                 R"(func f[N](C: f32[N]) where N % 64 == 0 {
  for j in 0..N / 64 {
    for x in 0..8 {
      alloc C.reg: f32[2, 4] @registers
      for C.reg.fill in 0..2 @unroll {
        for C.reg.fill_2 in 0..4 @unroll {
          C.reg[C.reg.fill, C.reg.fill_2] = C[j*64 + C.reg.fill*32 + x*4 + C.reg.fill_2]
        }
      }
      for k in 0..3 {
        for q in 0..2 @unroll {
          for v in 0..4 @unroll {
            C.reg[q, v] += 1.5
          }
        }
      }
      for C.reg.write_back in 0..2 @unroll {
        for C.reg.write_back_2 in 0..4 @unroll {
          C[j*64 + C.reg.write_back*32 + x*4 + C.reg.write_back_2] = C.reg[C.reg.write_back, C.reg.write_back_2]
        }
      }
    }
  }
})");
}

/// Neighbours that are read beside each other fill the gaps: a box holds them.
TEST(CacheView, ABoxHoldsRunsThatOverlap) {
  expect_rewrite(R"(func f(A: f32[80], C: f32[64]) {
  for x in 0..8 {
    for q in 0..2 {
      for v in 0..4 {
        C[q*32 + x*4 + v] = A[q*32 + x*4 + v] + A[q*32 + x*4 + v + 1]
      }
    }
  }
})",
                 caches("A", "x"),
                 R"(func f(A: f32[80], C: f32[64]) {
  for x in 0..8 {
    alloc A.reg: f32[37] @registers
    copy A.reg[0 .. +37] <- A[x*4 .. +37]
    for q in 0..2 @unroll {
      for v in 0..4 @unroll {
        C[q*32 + x*4 + v] = A.reg[q*32 + v] + A.reg[q*32 + v + 1]
      }
    }
  }
})");
}

TEST(CacheView, RefusesVectors) {
  expect_refusal(
      fused_copy, [](const Function& f) { return in_registers(f, "A", "f.0", {.vectorize = 4}); },
      R"(error: cache_registers: A[(f.0*4 + A.reg.v) / N, (f.0*4 + A.reg.v) % N] does not run along the fastest dimension of A
  for f.0 in 0..(M*N + 3) / 4 {      <-- here
    for f.1 in 0..4 {
      if (f.0*4 + f.1 < M*N) {
note: what lies side by side in A are the elements along dimension 1)");
}

TEST(CacheView, RefusesIndicesWithNames) {
  expect_refusal(
      R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 {
      let f = f.0*4 + f.1
      C[f / N, f % N] = A[f / N, f % N]
    }
  }
})",
      caches("C", "f.0"),
      R"(error: cache_registers: the elements of C that are no box of it are chosen by lets
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 {
      C[f / N, f % N] = A[f / N, f % N]  <-- here
note: write the indices out)");
}

/// As before: K is not known.
TEST(CacheView, RefusesLoopsWithoutAConstantExtent) {
  expect_refusal(
      R"(func f[M, N, K](A: f32[M, K], C: f32[M, N]) {
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 {
      reduce k in 0..K { C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] += A[(f.0*4 + f.1) / N, k] }
    }
  }
})",
      caches("A", "f.0"),
      R"(error: cache_registers: the part of A that A[(f.0*4 + f.1) / N, k] touches has no constant size
  for f.0 in 0..M*N / 4 {
    for f.1 in 0..4 {
      reduce k in 0..K {
        C[(f.0*4 + f.1) / N, (f.0*4 + f.1) % N] += A[(f.0*4 + f.1) / N, k]  <-- here
note: (f.0*4 + f.1) / N has no bounds a constant distance apart; cache under an inner axis)");
}

}  // namespace cache_view_test
}  // namespace hone
