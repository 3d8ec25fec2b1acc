#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace vectorize_test {

/// Copies 16 elements of the type, `width` at a time.
std::string copies(const std::string& type, int width) {
  return fmt::format(R"(func f(A: {0}[16], C: {0}[16]) {{
    for i in 0..{1} {{ for v in 0..{2} {{ C[i*{2} + v] = A[i*{2} + v] }} }}
  }})",
                     type, 16 / width, width);
}

TEST(Vectorize, MovesNeighbours) {
  expect_rewrite(copies("f32", 4), vectorizes("v"), R"(func f(A: f32[16], C: f32[16]) {
  for i in 0..4 {
    for v in 0..4 @vectorize {
      C[i*4 + v] = A[i*4 + v]
    }
  }
})");
}

TEST(Vectorize, TakesAllWidthsOfTheHardware) {
  const auto takes = [](const std::string& type, int width) {
    const Function g = vectorized(parse_function(copies(type, width)), "v");
    return axis(g, "v") != nullptr;
  };
  for (const int width : {2, 4}) EXPECT_TRUE(takes("f32", width)) << width;
  for (const int width : {2, 4, 8}) EXPECT_TRUE(takes("f16", width)) << width;
  for (const int width : {2, 4, 8}) EXPECT_TRUE(takes("bf16", width)) << width;
  for (const int width : {2, 4, 8, 16}) EXPECT_TRUE(takes("i8", width)) << width;
  for (const int width : {2, 4, 8, 16}) EXPECT_TRUE(takes("bool", width)) << width;
  EXPECT_TRUE(takes("f64", 2));
  EXPECT_TRUE(takes("i64", 2));
}

TEST(Vectorize, MovesVectorsOfSeveralTypes) {
  expect_rewrite(R"(func f(A: f16[16], B: f32[16], C: f32[16]) {
                      for i in 0..4 { for v in 0..4 {
                        C[i*4 + v] = f32(A[i*4 + v]) * B[i*4 + v] + B[3]
                      } }
                    })",
                 vectorizes("v"), R"(func f(A: f16[16], B: f32[16], C: f32[16]) {
  for i in 0..4 {
    for v in 0..4 @vectorize {
      C[i*4 + v] = f32(A[i*4 + v]) * B[i*4 + v] + B[3]
    }
  }
})");
}

TEST(Vectorize, UpdatesInPlace) {
  expect_rewrite(R"(func f(A: f32[32], C: f32[32]) {
                      for i in 0..4 { for v in 0..4 {
                        C[i*4 + v] += A[i*4 + v]
                        C[i*4 + v] = C[i*4 + v] * C[i*4 + v + 16]
                      } }
                    })",
                 vectorizes("v"), R"(func f(A: f32[32], C: f32[32]) {
  for i in 0..4 {
    for v in 0..4 @vectorize {
      C[i*4 + v] += A[i*4 + v]
      C[i*4 + v] = C[i*4 + v] * C[i*4 + v + 16]
    }
  }
})");
}

TEST(Vectorize, ReadsAVectorAndWritesElements) {
  expect_rewrite(R"(func f(A: f32[4, 8], C: f32[8, 4]) {
                      for b in 0..1 { for i in 0..4 { for j in 0..2 { for v in 0..4 {
                        C[j*4 + v, i] = A[i, j*4 + v]
                      } } } }
                    })",
                 [](const Function& f) { return vectorized(in_shared(f, "C", "b"), "v"); },
                 R"(func f(A: f32[4, 8], C: f32[8, 4]) {
  for b in 0..1 {
    alloc C.shared: f32[8, 4] @shared
    for i in 0..4 {
      for j in 0..2 {
        for v in 0..4 @vectorize {
          C.shared[j*4 + v, i] = A[i, j*4 + v]
        }
      }
    }
    copy C[0 .. +8, 0 .. +4] <- C.shared[0 .. +8, 0 .. +4]
  }
})");
}

TEST(Vectorize, TakesAGuardOutThatAllIterationsShare) {
  expect_rewrite(
      R"(func f[N](A: f32[N], C: f32[N]) where N % 4 == 0 {
        for i in 0..(N + 3) / 4 { for v in 0..4 { if (i*4 + v < N) { C[i*4 + v] = A[i*4 + v] } } }
      })",
      vectorizes("v"), R"(func f[N](A: f32[N], C: f32[N]) where N % 4 == 0 {
  for i in 0..(N + 3) / 4 {
    for v in 0..4 @vectorize {
      C[i*4 + v] = A[i*4 + v]
    }
  }
})");
}

TEST(Vectorize, SelectsForAllIterations) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[64]) where N % 4 == 0 {
                      for i in 0..16 { for v in 0..4 {
                        C[i*4 + v] = select(i*4 + v < N, A[i*4 + v], 0.0)
                      } }
                    })",
                 vectorizes("v"), R"(func f[N](A: f32[N], C: f32[64]) where N % 4 == 0 {
  for i in 0..16 {
    for v in 0..4 @vectorize {
      C[i*4 + v] = select(i*4 < N, A[i*4 + v], 0.0)
    }
  }
})");
}

TEST(Vectorize, TakesALoopThatIsUnrolled) {
  expect_rewrite(
      copies("f32", 4),
      [](const Function& f) { return vectorized(unroll(f, axis(f, "v"), 0).function, "v"); },
      R"(func f(A: f32[16], C: f32[16]) {
  for i in 0..4 {
    for v in 0..4 @vectorize {
      C[i*4 + v] = A[i*4 + v]
    }
  }
})");
}

TEST(Vectorize, OfFusedLoops) {
  expect_rewrite(
      R"(func f(A: f32[8, 8], C: f32[8, 8]) {
        for i in 0..8 { for j in 0..8 { C[i, j] = A[i, j] } }
      })",
      [](const Function& f) {
        const Function g = fuse(f, axis(f, "i"), axis(f, "j")).function;
        return vectorized(parted(g, "i_j", 4), "i_j.1");
      },
      R"(func f(A: f32[8, 8], C: f32[8, 8]) {
  for i_j.0 in 0..16 {
    for i_j.1 in 0..4 @vectorize {
      C[i_j.0 / 2, (i_j.0*4 + i_j.1) % 8] = A[i_j.0 / 2, (i_j.0*4 + i_j.1) % 8]
    }
  }
})");
}

TEST(Vectorize, AllowsStepsAroundIt) {
  expect_rewrite(
      R"(func f[N](A: f32[N, 8], C: f32[N, 8]) {
        for i in 0..N { for j in 0..2 { for v in 0..4 { C[i, j*4 + v] = A[i, j*4 + v] } } }
      })",
      [](const Function& f) {
        Function g = parted(vectorized(f, "v"), "i", 3, Tail::peel);
        g = reorder(g, axes(g, {"j", "i.1"})).function;
        return bound(g, "i.0", block_x);
      },
      R"(func f[N](A: f32[N, 8], C: f32[N, 8]) {
  for i.0 in 0..N / 3 @block.x {
    for j in 0..2 {
      for i.1 in 0..3 {
        for v in 0..4 @vectorize {
          C[i.0*3 + i.1, j*4 + v] = A[i.0*3 + i.1, j*4 + v]
        }
      }
    }
  }
  for i.tail in 0..N % 3 {
    for j.tail in 0..2 {
      for v.tail in 0..4 @vectorize {
        C[(N / 3)*3 + i.tail, j.tail*4 + v.tail] = A[(N / 3)*3 + i.tail, j.tail*4 + v.tail]
      }
    }
  }
})");
}

TEST(Vectorize, OfColumns) {
  expect_rewrite(R"(func f(A: f32[16, 4] @order(1, 0), C: f32[16, 4] @order(1, 0)) {
                      for j in 0..4 { for i in 0..4 { for v in 0..4 {
                        C[i*4 + v, j] = A[i*4 + v, j]
                      } } }
                    })",
                 vectorizes("v"),
                 R"(func f(A: f32[16, 4] @order(1, 0), C: f32[16, 4] @order(1, 0)) {
  for j in 0..4 {
    for i in 0..4 {
      for v in 0..4 @vectorize {
        C[i*4 + v, j] = A[i*4 + v, j]
      }
    }
  }
})");
}

TEST(Vectorize, OfAPitch) {
  expect_rewrite(
      R"(func f[lda](A: f32[8, 8] @pitch(lda), C: f32[8, 8]) where lda % 4 == 0 {
                      for i in 0..8 { for j in 0..2 { for v in 0..4 {
                        C[i, j*4 + v] = A[i, j*4 + v]
                      } } }
                    })",
      [](const Function& f) {
        return vectorized(assume(f, ParamRef::make(f.params[0]) >= 8).function, "v");
      },
      R"(func f[lda](A: f32[8, 8] @pitch(lda), C: f32[8, 8]) where lda % 4 == 0, lda >= 8 {
  for i in 0..8 {
    for j in 0..2 {
      for v in 0..4 @vectorize {
        C[i, j*4 + v] = A[i, j*4 + v]
      }
    }
  }
})");
}

}  // namespace vectorize_test
}  // namespace hone
