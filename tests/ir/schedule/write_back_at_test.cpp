#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace write_back_at_test {

Rewriting writes_back(llvm::StringRef tile, llvm::StringRef at) {
  return [=](const Function& f) { return write_back_at(f, tensor(f, tile), axis(f, at)).function; };
}

/// The guide shows it.
TEST(WriteBackAt, WarpsWriteTheirRows) {
  expect_rewrite(R"(func f(A: f32[128, 32], C: f32[128, 32]) {
  for b in 0..2 @block.x {
    alloc C.shared: f32[64, 32] @shared
    for g in 0..2 @warp {
      for r in 0..32 @lane {
        for j in 0..32 {
          C.shared[g*32 + r, j] = A[b*64 + g*32 + r, j] * 2.0
        }
      }
    }
    copy C[b*64 .. +64, 0 .. +32] <- C.shared[0 .. +64, 0 .. +32]
  }
})",
                 writes_back("C.shared", "g"), R"(func f(A: f32[128, 32], C: f32[128, 32]) {
  for b in 0..2 @block.x {
    alloc C.shared: f32[64, 32] @shared
    for g in 0..2 @warp {
      for r in 0..32 @lane {
        for j in 0..32 {
          C.shared[g*32 + r, j] = A[b*64 + g*32 + r, j] * 2.0
        }
      }
      copy C[b*64 + g*32 .. +32, 0 .. +32] <- C.shared[g*32 .. +32, 0 .. +32]
    }
  }
})");
}

/// Its iteration is the only one.
TEST(WriteBackAt, OneWarpWritesAll) {
  expect_rewrite(R"(func f(A: f32[64, 32], C: f32[64, 32]) {
  for b in 0..2 @block.x {
    alloc C.shared: f32[32, 32] @shared
    for g in 0..1 @warp {
      for r in 0..32 @lane {
        for j in 0..32 {
          C.shared[r, j] = A[b*32 + r, j] * 2.0
        }
      }
    }
    copy C[b*32 .. +32, 0 .. +32] <- C.shared[0 .. +32, 0 .. +32]
  }
})",
                 writes_back("C.shared", "g"), R"(func f(A: f32[64, 32], C: f32[64, 32]) {
  for b in 0..2 @block.x {
    alloc C.shared: f32[32, 32] @shared
    for g in 0..1 @warp {
      for r in 0..32 @lane {
        for j in 0..32 {
          C.shared[r, j] = A[b*32 + r, j] * 2.0
        }
      }
      copy C[b*32 .. +32, 0 .. +32] <- C.shared[0 .. +32, 0 .. +32]
    }
  }
})");
}

TEST(WriteBackAt, RowsOfThreadsWriteTheirs) {
  expect_rewrite(R"(func f(A: f32[8, 64, 4], C: f32[4, 8, 64]) {
                      for b in 0..4 @block.x {
                        alloc T: f32[8, 64] @shared
                        for y in 0..4 @thread.y { for x in 0..64 @thread.x { for i in 0..2 {
                          T[y*2 + i, 63 - x] = A[y*2 + i, 63 - x, b]
                        } } }
                        copy C[b, 0 .. +8, 0 .. +64] <- T[0 .. +8, 0 .. +64]
                      }
                    })",
                 writes_back("T", "y"), R"(func f(A: f32[8, 64, 4], C: f32[4, 8, 64]) {
  for b in 0..4 @block.x {
    alloc T: f32[8, 64] @shared
    for y in 0..4 @thread.y {
      for x in 0..64 @thread.x {
        for i in 0..2 {
          T[y*2 + i, 63 - x] = A[y*2 + i, 63 - x, b]
        }
      }
      copy C[b, y*2 .. +2, 0 .. +64] <- T[y*2 .. +2, 0 .. +64]
    }
  }
})");
}

/// Of columns, in a loop that each thread runs by itself.
TEST(WriteBackAt, IterationsWriteTheirPanels) {
  const auto panels = [](const char* unrolled) {
    return fmt::format(R"(func f(A: f32[64, 64], C: f32[64, 64]) {{
  for b in 0..2 @block.x {{
    alloc T: f32[32, 64] @shared
    for p in 0..4{} {{
      for t in 0..32 @thread.x {{
        for j in 0..16 {{
          T[t, p*16 + j] = A[b*32 + t, p*16 + j] + 1.0
        }}
      }}
      copy C[b*32 .. +32, p*16 .. +16] <- T[0 .. +32, p*16 .. +16]
    }}
  }}
}})",
                       unrolled);
  };
  for (const char* unrolled : {"", " @unroll"}) {
    std::string before = panels(unrolled);
    const std::string part = "      copy C[b*32 .. +32, p*16 .. +16] <- T[0 .. +32, p*16 .. +16]\n";
    const std::string whole = "    copy C[b*32 .. +32, 0 .. +64] <- T[0 .. +32, 0 .. +64]\n";
    before.replace(before.find(part), part.size() + 6, "    }\n" + whole);
    expect_rewrite(before, writes_back("T", "p"), panels(unrolled));
  }
}

/// Rows and columns, of a tensor that ends within a tile.
constexpr const char* two_loops = R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for b in 0..(M + 63) / 64 @block.y {
    for c in 0..(N + 31) / 32 @block.x {
      alloc T: f32[64, 32] @shared
      for g in 0..2 @warp {
        for p in 0..4 {
          for t in 0..32 @lane {
            for j in 0..8 {
              if (b*64 + g*32 + t < M && c*32 + p*8 + j < N) {
                T[g*32 + t, p*8 + j] = A[b*64 + g*32 + t, c*32 + p*8 + j] * 2.0
              }
            }
          }
        }
      }
      copy C[b*64 .. +64, c*32 .. +32] <- T[0 .. +64, 0 .. +32]
    }
  }
})";

TEST(WriteBackAt, TheInnerOfTwoLoopsWritesABox) {
  expect_rewrite(two_loops, writes_back("T", "p"), R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for b in 0..(M + 63) / 64 @block.y {
    for c in 0..(N + 31) / 32 @block.x {
      alloc T: f32[64, 32] @shared
      for g in 0..2 @warp {
        for p in 0..4 {
          for t in 0..32 @lane {
            for j in 0..8 {
              if (b*64 + g*32 + t < M && c*32 + p*8 + j < N) {
                T[g*32 + t, p*8 + j] = A[b*64 + g*32 + t, c*32 + p*8 + j] * 2.0
              }
            }
          }
          copy C[b*64 + g*32 .. +32, c*32 + p*8 .. +8] <- T[g*32 .. +32, p*8 .. +8]
        }
      }
    }
  }
})");
}

TEST(WriteBackAt, TheOuterOfTwoLoopsWritesRows) {
  expect_rewrite(two_loops, writes_back("T", "g"), R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for b in 0..(M + 63) / 64 @block.y {
    for c in 0..(N + 31) / 32 @block.x {
      alloc T: f32[64, 32] @shared
      for g in 0..2 @warp {
        for p in 0..4 {
          for t in 0..32 @lane {
            for j in 0..8 {
              if (b*64 + g*32 + t < M && c*32 + p*8 + j < N) {
                T[g*32 + t, p*8 + j] = A[b*64 + g*32 + t, c*32 + p*8 + j] * 2.0
              }
            }
          }
        }
        copy C[b*64 + g*32 .. +32, c*32 .. +32] <- T[g*32 .. +32, 0 .. +32]
      }
    }
  }
})");
}

/// Every other element of a row of C.
TEST(WriteBackAt, PartsOfRowsKeepTheirStrides) {
  expect_rewrite(R"(func f(A: f32[64], C: f32[2, 3, 128]) {
                      for b in 0..3 @block.x {
                        alloc T: f32[2, 64] @shared
                        for g in 0..2 { for t in 0..32 @thread.x { for s in 0..2 {
                          T[s, g*32 + t] = A[g*32 + t]
                        } } }
                        copy C[0 .. +2, b, 1 .. +64 by 2] <- T[0 .. +2, 0 .. +64]
                      }
                    })",
                 writes_back("T", "g"), R"(func f(A: f32[64], C: f32[2, 3, 128]) {
  for b in 0..3 @block.x {
    alloc T: f32[2, 64] @shared
    for g in 0..2 {
      for t in 0..32 @thread.x {
        for s in 0..2 {
          T[s, g*32 + t] = A[g*32 + t]
        }
      }
      copy C[0 .. +2, b, g*64 + 1 .. +32 by 2] <- T[0 .. +2, g*32 .. +32]
    }
  }
})");
}

/// `set` stands in the tile's lifetime, and a copy of it behind that.
std::string in_tile(const std::string& set) {
  return fmt::format(R"(func f(A: f32[64], C: f32[2, 64]) {{
  for b in 0..2 @block.x {{
    alloc T: f32[64] @shared
    {}
    copy C[b, 0 .. +64] <- T[0 .. +64]
  }}
}})",
                     set);
}

/// `here`: the lines behind those of the block in the message.
void expect_refused(const std::string& set, const std::string& message, const std::string& here) {
  expect_refusal(
      in_tile(set), writes_back("T", "g"),
      fmt::format("error: write_back_at: {}\n  for b in 0..2 @block.x {{\n{}", message, here));
}

TEST(WriteBackAt, PromisesOfTheCopyHoldForItsParts) {
  const std::string before = R"(func f(A: f32[64], C: f32[2, 64]) {
  for b in 0..2 @block.x {
    alloc T: f32[64] @shared
    for g in 0..32 @thread.x {
      for v in 0..2 {
        T[g*2 + v] = A[g*2 + v]
      }
    }
    copy C[b, 0 .. +64] <- T[0 .. +64] @vector(4)
  }
})";
  expect_refusal(
      before, writes_back("T", "g"),
      R"(error: write_back_at: C cannot move 4 elements at a time: the copy takes 2 elements of each row
  for b in 0..2 @block.x {
    for g in 0..32 @thread.x {       <-- here
      for v in 0..2 {
        T[g*2 + v] = A[g*2 + v])");
}

TEST(WriteBackAt, RefusesATileInRegisters) {
  expect_refusal(R"(func f(A: f32[64], C: f32[64]) {
                      for t in 0..32 @thread.x {
                        alloc T: f32[2] @registers
                        for g in 0..2 { T[g] = A[t*2 + g] }
                        copy C[t*2 .. +2] <- T[0 .. +2]
                      }
                    })",
                 writes_back("T", "g"),
                 "error: write_back_at: T is no tile in shared memory\n"
                 "note: the element of a thread is written back by itself");
}

TEST(WriteBackAt, RefusesATileThatNoCopyWritesBack) {
  expect_refusal(R"(func f(A: f32[64], C: f32[64]) {
                      for b in 0..1 @block.x {
                        alloc T: f32[64] @shared
                        for g in 0..2 { for t in 0..32 @thread.x { T[g*32 + t] = A[g*32 + t] } }
                        for u in 0..64 @thread.x { C[u] = T[63 - u] }
                      }
                    })",
                 writes_back("T", "g"), "error: write_back_at: no copy writes T back");
}

TEST(WriteBackAt, RefusesALoopThatDoesNotSetTheTile) {
  expect_refused("for t in 0..64 @thread.x { T[t] = A[t] } for g in 0..2 { C[g, b] = 1.0 }",
                 "iterations of g do not set T", R"(    for g in 0..2 {                  <-- here
      C[g, b] = 1.0)");
}

TEST(WriteBackAt, RefusesATileThatIsSetElsewhere) {
  const std::string loop = "for g in 0..2 { for t in 0..32 @thread.x { T[g*32 + t] = A[t] } }";
  const std::string other = "for u in 0..16 @thread.x { T[u] = 1.0 }";
  for (const std::string& set : {loop + other, other + loop})
    expect_refused(set, "T is set here, outside of g", R"(    for u in 0..16 @thread.x {
      T[u] = 1.0                     <-- here)");
}

TEST(WriteBackAt, RefusesPartsThatOverlap) {
  expect_refused("for g in 0..2 { for t in 0..40 @thread.x { T[g*24 + t] = A[g*24 + t] } }",
                 "two iterations of g may set one element: T[g*24 .. +40]",
                 R"(    for g in 0..2 {                  <-- here
      for t in 0..40 @thread.x {
        T[g*24 + t] = A[g*24 + t])");
}

/// The last iteration of r is not the one that sets it.
TEST(WriteBackAt, RefusesPartsThatAreSetAgain) {
  expect_refused(
      "for r in 0..3 { for g in 0..2 { for t in 0..32 @thread.x { T[g*32 + t] = A[t + r] } } }",
      "two iterations of r may set one element: T[g*32 .. +32]", R"(    for r in 0..3 {
      for g in 0..2 {                <-- here
        for t in 0..32 @thread.x {
          T[g*32 + t] = A[t + r])");
}

TEST(WriteBackAt, RefusesPartsThatDoNotCoverTheTile) {
  expect_refused("for g in 0..2 { for t in 0..31 @thread.x { T[g*32 + t] = A[t] } }",
                 "iterations of g set T[g*32 .. +31], which may be less than all of T",
                 R"(    for g in 0..2 {                  <-- here
      for t in 0..31 @thread.x {
        T[g*32 + t] = A[t])");
  expect_refused("if (b < 1) { for g in 0..2 { for t in 0..32 @thread.x { T[g*32 + t] = A[t] } } }",
                 "iterations of g set T[g*32 .. +32], which may be less than all of T",
                 R"(    if (b < 1) {
      for g in 0..2 {                <-- here
        for t in 0..32 @thread.x {
          T[g*32 + t] = A[t])");
}

/// Sizes of the tensor end a copy, and those of the tile do not.
TEST(WriteBackAt, RefusesPartsThatReachBeyondTheTile) {
  expect_refused(
      "for g in 0..3 { for t in 0..24 @thread.x { if (g*24 + t < 64) { T[g*24 + t] = A[t] } } }",
      "the part of an iteration of g may reach beyond T: 24 elements from g*24 in dimension 0, "
      "which has 64",
      R"(    for g in 0..3 {                  <-- here
      for t in 0..24 @thread.x {
        if (g*24 + t < 64) {)");
}

TEST(WriteBackAt, RefusesATensorThatIsTouchedBesideItsTile) {
  expect_refused("for g in 0..2 { for t in 0..32 @thread.x { T[g*32 + t] = C[b, t] } }",
                 "C is touched here, beside its tile T", R"(    for g in 0..2 {
      for t in 0..32 @thread.x {
        T[g*32 + t] = C[b, t]        <-- here)");
}

TEST(WriteBackAt, RefusesACopyThatIsRepeatedOrKeptBack) {
  const auto expect_refused_in = [](const std::string& around, const std::string& place) {
    expect_refusal(
        fmt::format(R"(func f(A: f32[64], C: f32[128]) {{
                         for b in 0..1 @block.x {{
                           alloc T: f32[64] @shared
                           for g in 0..2 {{ for t in 0..32 @thread.x {{ T[g*32 + t] = A[t] }} }}
                           {} {{ copy C[{} .. +64] <- T[0 .. +64] }}
                         }}
                       }})",
                    around, place),
        writes_back("T", "g"),
        fmt::format("error: write_back_at: T is written back in a loop or under a condition\n"
                    "  for b in 0..1 @block.x {{\n    {} {{\n"
                    "      copy C[{} .. +64] <- T[0 .. +64]  <-- here",
                    around, place));
  };
  expect_refused_in("for r in 0..2", "r*64");
  expect_refused_in("if (b < 1)", "0");
}

TEST(WriteBackAt, RefusesALoopOfVectors) {
  expect_refused(
      "for t in 0..16 @thread.x { for g in 0..4 @vectorize { T[t*4 + g] = A[t*4 + g] } }",
      "the copy to C stands inside g, and a vector loop holds single statements",
      R"(    for t in 0..16 @thread.x {
      for g in 0..4 @vectorize {     <-- here
        T[t*4 + g] = A[t*4 + g])");
}

/// A part that is one row long has a copy along that row, and a tile of it has no such dimension.
TEST(WriteBackAt, ATileOfATileTakesRowsOfOneElement) {
  const auto function = [](const char* alloc, const char* body) {
    return fmt::format(R"(func f(A: f32[4, 4], C: f32[4, 4]) {{
  for i in 0..2 {{
    {}for r in 0..2 {{
      {}
    }}
  }}
}})",
                       alloc, body);
  };
  const std::string before = function("alloc T: f32[2, 4] @shared\n    ", R"(for j in 0..4 {
        T[r, j] = A[i*2 + r, j] + 1.0
        copy C[i*2 + r .. +1, j .. +1] <- T[r .. +1, j .. +1]
      })");
  const auto caches = [](llvm::StringRef at) {
    return [=](const Function& f) { return cache_shared(f, tensor(f, "T"), axis(f, at)).function; };
  };
  expect_rewrite(before, caches("r"), function("", R"(alloc T.shared: f32[4] @shared
      for j in 0..4 {
        T.shared[j] = A[i*2 + r, j] + 1.0
        copy C[i*2 + r, j .. +1] <- T.shared[j .. +1]
      })"));
  expect_rewrite(before, caches("j"), function("", R"(for j in 0..4 {
        alloc T.shared: f32[] @shared
        T.shared[] = A[i*2 + r, j] + 1.0
        copy C[i*2 + r, j] <- T.shared[]
      })"));
}

/// A copy clips, and a store of the one element in its place is made where that exists.
TEST(WriteBackAt, ATileOfAnElementThatMayNotExist) {
  expect_rewrite(
      R"(func f(A: f32[3], C: f32[3]) {
                      for i in 0..2 {
                        alloc T: f32[2] @shared
                        for r in 0..2 {
                          if (i*2 + r < 3) { T[r] = A[i*2 + r] }
                          copy C[i*2 + r .. +1] <- T[r .. +1]
                        }
                      }
                    })",
      [](const Function& f) { return cache_shared(f, tensor(f, "C"), axis(f, "r")).function; },
      R"(func f(A: f32[3], C: f32[3]) {
  for i in 0..2 {
    alloc T: f32[2] @shared
    for r in 0..2 {
      alloc C.shared: f32[] @shared
      if (i*2 + r < 3) {
        T[r] = A[i*2 + r]
      }
      copy C.shared[] <- T[r]
      if (i*2 + r < 3) {
        C[i*2 + r] = C.shared[]
      }
    }
  }
})");
}

}  // namespace write_back_at_test
}  // namespace hone
