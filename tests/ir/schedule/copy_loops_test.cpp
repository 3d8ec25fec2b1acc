#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace copy_loops_test {

constexpr const char* rows = R"(func f[M](A: f32[M, 8], C: f32[M, 8]) {
  for b in 0..(M + 3) / 4 { for t in 0..4 { for j in 0..8 {
    if (b*4 + t < M) { C[b*4 + t, j] = A[b*4 + t, j] * 2.0 }
  } } }
})";

constexpr const char* exact_rows = R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 { for t in 0..4 { for j in 0..8 { C[b*4 + t, j] = A[b*4 + t, j] * 2.0 } } }
})";

/// exact_rows with A or C in shared memory, and the copy that fills it or writes it back as loops.
Function filled(const Function& f) { return with_copy_loops(in_shared(f, "A", "b"), "A.shared"); }
Function written_back(const Function& f) {
  return with_copy_loops(in_shared(f, "C", "b"), "C.shared", Direction::write_back);
}

TEST(CopyLoops, FillATile) {
  expect_rewrite(rows, filled, R"(func f[M](A: f32[M, 8], C: f32[M, 8]) {
  for b in 0..(M + 3) / 4 {
    alloc A.shared: f32[4, 8] @shared
    for A.shared.0 in 0..4 {
      for A.shared.1 in 0..8 {
        A.shared[A.shared.0, A.shared.1] = select(b*4 + A.shared.0 < M, A[b*4 + A.shared.0, A.shared.1], 0.0)
      }
    }
    for t in 0..4 {
      for j in 0..8 {
        if (b*4 + t < M) {
          C[b*4 + t, j] = A.shared[t, j] * 2.0
        }
      }
    }
  }
})");
}

TEST(CopyLoops, WriteATileBack) {
  expect_rewrite(rows, written_back, R"(func f[M](A: f32[M, 8], C: f32[M, 8]) {
  for b in 0..(M + 3) / 4 {
    alloc C.shared: f32[4, 8] @shared
    for t in 0..4 {
      for j in 0..8 {
        if (b*4 + t < M) {
          C.shared[t, j] = A[b*4 + t, j] * 2.0
        }
      }
    }
    for C.shared.0 in 0..4 {
      for C.shared.1 in 0..8 {
        if (b*4 + C.shared.0 < M) {
          C[b*4 + C.shared.0, C.shared.1] = C.shared[C.shared.0, C.shared.1]
        }
      }
    }
  }
})");
}

TEST(CopyLoops, NeedNoConditionsWhereSizesDivide) {
  expect_rewrite(exact_rows, filled, R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    alloc A.shared: f32[4, 8] @shared
    for A.shared.0 in 0..4 {
      for A.shared.1 in 0..8 {
        A.shared[A.shared.0, A.shared.1] = A[b*4 + A.shared.0, A.shared.1]
      }
    }
    for t in 0..4 {
      for j in 0..8 {
        C[b*4 + t, j] = A.shared[t, j] * 2.0
      }
    }
  }
})");
  expect_rewrite(exact_rows, written_back, R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    alloc C.shared: f32[4, 8] @shared
    for t in 0..4 {
      for j in 0..8 {
        C.shared[t, j] = A[b*4 + t, j] * 2.0
      }
    }
    for C.shared.0 in 0..4 {
      for C.shared.1 in 0..8 {
        C[b*4 + C.shared.0, C.shared.1] = C.shared[C.shared.0, C.shared.1]
      }
    }
  }
})");
}

TEST(CopyLoops, ReachBeyondBothEnds) {
  expect_rewrite(
      R"(func f[N](A: f32[N], C: f32[N]) {
        for b in 0..(N + 7) / 8 { for t in 0..8 { if (b*8 + t < N) {
          C[b*8 + t] = select(b*8 + t >= 1, A[b*8 + t - 1], 0.0) +
                       select(b*8 + t + 1 < N, A[b*8 + t + 1], 0.0)
        } } }
      })",
      filled, R"(func f[N](A: f32[N], C: f32[N]) {
  for b in 0..(N + 7) / 8 {
    alloc A.shared: f32[10] @shared
    for A.shared.0 in 0..10 {
      A.shared[A.shared.0] = select(b*8 + A.shared.0 - 1 >= 0 && b*8 + A.shared.0 - 1 < N, A[b*8 + A.shared.0 - 1], 0.0)
    }
    for t in 0..8 {
      if (b*8 + t < N) {
        C[b*8 + t] = A.shared[t] + A.shared[t + 2]
      }
    }
  }
})");
}

TEST(CopyLoops, LeaveOutDimensionsOfOneElement) {
  expect_rewrite(R"(func f(A: f32[8, 4, 8], C: f32[8, 4, 8]) {
                      for b in 0..4 { for i in 0..8 { for j in 0..8 {
                        C[i, b, j] = A[i, b, j]
                      } } }
                    })",
                 filled, R"(func f(A: f32[8, 4, 8], C: f32[8, 4, 8]) {
  for b in 0..4 {
    alloc A.shared: f32[8, 8] @shared
    for A.shared.0 in 0..8 {
      for A.shared.1 in 0..8 {
        A.shared[A.shared.0, A.shared.1] = A[A.shared.0, b, A.shared.1]
      }
    }
    for i in 0..8 {
      for j in 0..8 {
        C[i, b, j] = A.shared[i, j]
      }
    }
  }
})");
}

TEST(CopyLoops, OfRegistersAreUnrolled) {
  expect_rewrite(
      exact_rows,
      [](const Function& f) { return with_copy_loops(in_registers(f, "A", "b"), "A.reg"); },
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    alloc A.reg: f32[4, 8] @registers
    for A.reg.0 in 0..4 @unroll {
      for A.reg.1 in 0..8 @unroll {
        A.reg[A.reg.0, A.reg.1] = A[b*4 + A.reg.0, A.reg.1]
      }
    }
    for t in 0..4 @unroll {
      for j in 0..8 @unroll {
        C[b*4 + t, j] = A.reg[t, j] * 2.0
      }
    }
  }
})");
  expect_rewrite(
      exact_rows,
      [](const Function& f) {
        return with_copy_loops(in_registers(f, "C", "t"), "C.reg", Direction::write_back);
      },
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    for t in 0..4 {
      alloc C.reg: f32[8] @registers
      for j in 0..8 @unroll {
        C.reg[j] = A[b*4 + t, j] * 2.0
      }
      for C.reg.0 in 0..8 @unroll {
        C[b*4 + t, C.reg.0] = C.reg[C.reg.0]
      }
    }
  }
})");
}

Function in_both_tiles(const Function& f) { return in_shared(in_registers(f, "C", "t"), "C", "b"); }

TEST(CopyLoops, OfATileOfATileLeaveTheOuterCopies) {
  expect_rewrite(
      exact_rows,
      [](const Function& f) {
        return with_copy_loops(in_both_tiles(f), "C.reg", Direction::write_back);
      },
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    alloc C.shared: f32[4, 8] @shared
    for t in 0..4 {
      alloc C.reg: f32[8] @registers
      for j in 0..8 @unroll {
        C.reg[j] = A[b*4 + t, j] * 2.0
      }
      for C.reg.0 in 0..8 @unroll {
        C.shared[t, C.reg.0] = C.reg[C.reg.0]
      }
    }
    copy C[b*4 .. +4, 0 .. +8] <- C.shared[0 .. +4, 0 .. +8]
  }
})");
}

TEST(CopyLoops, OfATileLeaveTheCopiesOfATileOfIt) {
  expect_rewrite(
      exact_rows,
      [](const Function& f) {
        return with_copy_loops(in_both_tiles(f), "C.shared", Direction::write_back);
      },
      R"(func f(A: f32[32, 8], C: f32[32, 8]) {
  for b in 0..8 {
    alloc C.shared: f32[4, 8] @shared
    for t in 0..4 {
      alloc C.reg: f32[8] @registers
      for j in 0..8 @unroll {
        C.reg[j] = A[b*4 + t, j] * 2.0
      }
      copy C.shared[t, 0 .. +8] <- C.reg[0 .. +8]
    }
    for C.shared.0 in 0..4 {
      for C.shared.1 in 0..8 {
        C[b*4 + C.shared.0, C.shared.1] = C.shared[C.shared.0, C.shared.1]
      }
    }
  }
})");
  expect_refusal(
      exact_rows,
      [](const Function& f) {
        const Function g = in_registers(in_shared(f, "A", "b"), "A.shared", "t");
        return with_copy_loops(g, "A.shared", Direction::write_back);
      },
      "error: copy_loops: no copy writes A.shared back");
}

/// R takes a part of S, of which a guard leaves out the end, and the loop over R uses none of that.
std::string end_of_tile(const std::string& move) {
  return R"(func f(A: f32[9], C: f32[9]) {
  for b in 0..2 {
    alloc S: f32[8] @shared
    for i in 0..8 {
      if (b*8 + i < 9) {
        S[i] = A[b*8 + i]
      }
    }
    for o in 0..1 {
      alloc R: f32[10] @registers
)" + move +
         R"(      for v in 0..10 @unroll {
        if (o*10 + v < 8) {
          if (b*8 + o*10 + v < 9) {
            C[b*8 + o*10 + v] = R[v]
          }
        }
      }
    }
  }
})";
}

TEST(CopyLoops, TakeElementsAlongThatNothingHasWritten) {
  expect_rewrite(
      end_of_tile("copy R[0 .. +10] <- S[o*10 .. +10] fill 0.0\n"),
      [](const Function& f) { return with_copy_loops(f, "R"); },
      end_of_tile(R"(for R.0 in 0..10 @unroll {
        R[R.0] = select(o*10 + R.0 < 8, S[o*10 + R.0], 0.0)
      }
)"));
}

TEST(CopyLoops, ReturnTheirAxes) {
  const Function f = parse_function(exact_rows);
  const Rewrite cached = cache_shared(f, tensor(f, "A"), axis(f, "b"));
  const Rewrite loops = copy_loops(cached.function, cached.tensor, Direction::fill);
  ASSERT_EQ(loops.axes.size(), 2u);
  EXPECT_EQ(loops.axes[0]->name, "A.shared.0");
  EXPECT_EQ(loops.axes[1]->name, "A.shared.1");
  EXPECT_EQ(loops.tensor, cached.tensor);
}

}  // namespace copy_loops_test
}  // namespace hone
