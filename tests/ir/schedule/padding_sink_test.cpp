// Guards around work in registers, which go where one statement alone needs them.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace padding_sink_test {

// ---- Sinking ------------------------------------------------------------------------------------

/// Weighted sums of three neighbours; `update` is what a thread adds, and `after` follows.
std::string stencil(const std::string& guard = "b*8 + t < N", const std::string& after = "",
                    const std::string& update = "w[d] * A[b*8 + t + d]") {
  return R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
    for b in 0..(N + 7) / 8 @block.x { for t in 0..8 @thread.x { if ()" +
         guard + R"() {
      C[b*8 + t] = 0.0
      reduce d in 0..3 { C[b*8 + t] += )" +
         update + " }\n" + after + " } } } }";
}

/// A thread's sum in a register, and then what a block reads in shared memory.
Function staged(const Function& f) { return in_shared(in_registers(f, "C", "t"), "A", "t"); }

TEST(GuardSinking, GoesToTheStoreThatNeedsIt) {
  expect_rewrite(stencil(), staged,
                 R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      alloc A.shared: f32[10] @shared
      copy A.shared[0 .. +10] <- A[b*8 .. +10]
      alloc C.reg: f32[] @registers
      C.reg[] = 0.0
      reduce d in 0..3 {
        C.reg[] += w[d] * A.shared[d + t]
      }
      if (b*8 + t < N) {
        C[b*8 + t] = C.reg[]
      }
    }
  }
})");
}

TEST(GuardSinking, TakesSeveralGuardsAlong) {
  expect_rewrite(stencil("b*8 + t < N) { if (t != 3", "}"), staged,
                 R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      alloc A.shared: f32[10] @shared
      copy A.shared[0 .. +10] <- A[b*8 .. +10]
      alloc C.reg: f32[] @registers
      C.reg[] = 0.0
      reduce d in 0..3 {
        C.reg[] += w[d] * A.shared[d + t]
      }
      if (b*8 + t < N) {
        if (t != 3) {
          C[b*8 + t] = C.reg[]
        }
      }
    }
  }
})");
}

TEST(GuardSinking, StopsWhereAnOperandOfTheWorkWouldLeaveItsTensor) {
  expect_rewrite(
      stencil(), [](const Function& f) { return in_registers(f, "C", "t"); },
      R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      if (b*8 + t < N) {
        alloc C.reg: f32[] @registers
        C.reg[] = 0.0
        reduce d in 0..3 {
          C.reg[] += w[d] * A[b*8 + t + d]
        }
        C[b*8 + t] = C.reg[]
      }
    }
  }
})");
  expect_rewrite(stencil("b*8 + t < N", "", "A[b*8 + t + d] * D[b*8 + t]"), staged,
                 R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      alloc A.shared: f32[10] @shared
      copy A.shared[0 .. +10] <- A[b*8 .. +10]
      if (b*8 + t < N) {
        alloc C.reg: f32[] @registers
        C.reg[] = 0.0
        reduce d in 0..3 {
          C.reg[] += A.shared[d + t] * D[b*8 + t]
        }
        C[b*8 + t] = C.reg[]
      }
    }
  }
})");
}

TEST(GuardSinking, StopsWhereTwoStatementsNeedIt) {
  expect_rewrite(stencil("b*8 + t < N", "D[b*8 + t] = C[b*8 + t] * 2.0"), staged,
                 R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      alloc A.shared: f32[10] @shared
      copy A.shared[0 .. +10] <- A[b*8 .. +10]
      if (b*8 + t < N) {
        alloc C.reg: f32[] @registers
        C.reg[] = 0.0
        reduce d in 0..3 {
          C.reg[] += w[d] * A.shared[d + t]
        }
        D[b*8 + t] = C.reg[] * 2.0
        C[b*8 + t] = C.reg[]
      }
    }
  }
})");
}

TEST(GuardSinking, StopsAtAConditionOnATensor) {
  expect_rewrite(R"(func f(A: f32[18], C: f32[16], D: f32[16]) {
    for b in 0..2 @block.x { for t in 0..8 @thread.x { if (D[b*8 + t] > 0.0) {
      C[b*8 + t] = 0.0
      reduce d in 0..3 { C[b*8 + t] += A[b*8 + t + d] } } } } })",
                 [](const Function& f) { return in_registers(f, "C", "t"); },
                 R"(func f(A: f32[18], C: f32[16], D: f32[16]) {
  for b in 0..2 @block.x {
    for t in 0..8 @thread.x {
      if (D[b*8 + t] > 0.0) {
        alloc C.reg: f32[] @registers
        C.reg[] = 0.0
        reduce d in 0..3 {
          C.reg[] += A[b*8 + t + d]
        }
        C[b*8 + t] = C.reg[]
      }
    }
  }
})");
}

TEST(GuardSinking, LeavesAGuardAloneThatIsNotAboutRegisters) {
  expect_rewrite(
      stencil(), [](const Function& f) { return in_shared(f, "A", "t"); },
      R"(func f[N](w: f32[3], A: f32[N + 2], C: f32[N], D: f32[N]) {
  for b in 0..(N + 7) / 8 @block.x {
    for t in 0..8 @thread.x {
      alloc A.shared: f32[10] @shared
      copy A.shared[0 .. +10] <- A[b*8 .. +10]
      if (b*8 + t < N) {
        C[b*8 + t] = 0.0
        reduce d in 0..3 {
          C[b*8 + t] += w[d] * A.shared[d + t]
        }
      }
    }
  }
})");
}

// ---- Updates that are written as sets
// -------------------------------------------------------------

/// Sums of rows of A in registers, four to a block: set to `first`, added to, and changed to
/// `last`.
std::string sums(const std::string& first, const std::string& last) {
  return R"(func f[M, K](A: f32[64, K], B: f32[M], D: f32[64], C: f32[M]) {
    for b in 0..16 {
      for t in 0..4 { if (b*4 + t < M) { C[b*4 + t] = )" +
         first + R"( } }
      reduce k in 0..K { for u in 0..4 { if (b*4 + u < M) { C[b*4 + u] += A[b*4 + u, k] } } }
      for v in 0..4 { if (b*4 + v < M) { C[b*4 + v] = )" +
         last + " } } } }";
}

Function in_tile(const Function& f) { return in_registers(f, "C", "b"); }

TEST(EpilogueGuards, GoWhereTheElementIsSetWithoutThem) {
  expect_rewrite(sums("0.0", "C[b*4 + v] * 2.0 + D[b*4 + v]"), in_tile,
                 R"(func f[M, K](A: f32[64, K], B: f32[M], D: f32[64], C: f32[M]) {
  for b in 0..16 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      C.reg[t] = 0.0
    }
    reduce k in 0..K {
      for u in 0..4 @unroll {
        C.reg[u] += A[b*4 + u, k]
      }
    }
    for v in 0..4 @unroll {
      C.reg[v] = C.reg[v] * 2.0 + D[b*4 + v]
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(EpilogueGuards, StayWhereAnOperandWouldLeaveItsTensor) {
  expect_rewrite(sums("0.0", "C[b*4 + v] * 2.0 + B[b*4 + v]"), in_tile,
                 R"(func f[M, K](A: f32[64, K], B: f32[M], D: f32[64], C: f32[M]) {
  for b in 0..16 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      C.reg[t] = 0.0
    }
    reduce k in 0..K {
      for u in 0..4 @unroll {
        C.reg[u] += A[b*4 + u, k]
      }
    }
    for v in 0..4 @unroll {
      if (b*4 + v < M) {
        C.reg[v] = C.reg[v] * 2.0 + B[b*4 + v]
      }
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(EpilogueGuards, StayWhereTheElementIsSetUnderThem) {
  expect_rewrite(sums("B[b*4 + t]", "C[b*4 + v] * 2.0"), in_tile,
                 R"(func f[M, K](A: f32[64, K], B: f32[M], D: f32[64], C: f32[M]) {
  for b in 0..16 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      if (b*4 + t < M) {
        C.reg[t] = B[b*4 + t]
      }
    }
    reduce k in 0..K {
      for u in 0..4 @unroll {
        if (b*4 + u < M) {
          C.reg[u] += A[b*4 + u, k]
        }
      }
    }
    for v in 0..4 @unroll {
      if (b*4 + v < M) {
        C.reg[v] = C.reg[v] * 2.0
      }
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

TEST(EpilogueGuards, StayWhereAnotherElementIsRead) {
  expect_rewrite(sums("0.0", "C[b*4 + v] + C[b*4]"), in_tile,
                 R"(func f[M, K](A: f32[64, K], B: f32[M], D: f32[64], C: f32[M]) {
  for b in 0..16 {
    alloc C.reg: f32[4] @registers
    for t in 0..4 @unroll {
      if (b*4 + t < M) {
        C.reg[t] = 0.0
      }
    }
    reduce k in 0..K {
      for u in 0..4 @unroll {
        if (b*4 + u < M) {
          C.reg[u] += A[b*4 + u, k]
        }
      }
    }
    for v in 0..4 @unroll {
      if (b*4 + v < M) {
        C.reg[v] = C.reg[v] + C.reg[0]
      }
    }
    copy C[b*4 .. +4] <- C.reg[0 .. +4]
  }
})");
}

}  // namespace padding_sink_test
}  // namespace hone
