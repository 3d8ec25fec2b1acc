// Tiles of some of the accesses to a tensor: cache_shared(A(i, k), k.0).
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_element_test {

/// The accesses that run over these axes, one name for each dimension.
Rewriting picks(llvm::StringRef tensor_name, std::vector<std::string> element,
                llvm::StringRef under, bool in_registers = false) {
  return [=](const Function& f) {
    CacheOptions options;
    for (const std::string& axis : element)
      options.element.push_back(AxisRef::make(make_axis(axis, AxisKind::spatial)));
    return in_registers ? hone::in_registers(f, tensor_name, under, options)
                        : in_shared(f, tensor_name, under, options);
  };
}

constexpr const char* product = R"(func syrk(A: f32[32, 16], C: f32[32, 32]) {
  for i.0 in 0..4 @block.y {
    for j.0 in 0..4 @block.x {
      for i.1 in 0..8 @thread.y {
        for j.1 in 0..8 @thread.x {
          C[i.0*8 + i.1, j.0*8 + j.1] = 0.0
          reduce k.0 in 0..4 {
            reduce k.1 in 0..4 {
              C[i.0*8 + i.1, j.0*8 + j.1] += A[i.0*8 + i.1, k.0*4 + k.1] * A[j.0*8 + j.1, k.0*4 + k.1]
            }
          }
        }
      }
    }
  }
})";

constexpr const char* one_tile = R"(func syrk(A: f32[32, 16], C: f32[32, 32]) {
  for i.0 in 0..4 @block.y {
    for j.0 in 0..4 @block.x {
      for i.1 in 0..8 @thread.y {
        for j.1 in 0..8 @thread.x {
          C[i.0*8 + i.1, j.0*8 + j.1] = 0.0
          reduce k.0 in 0..4 {
            alloc A.shared: f32[8, 4] @shared
            copy A.shared[0 .. +8, 0 .. +4] <- A[i.0*8 .. +8, k.0*4 .. +4]
            reduce k.1 in 0..4 {
              C[i.0*8 + i.1, j.0*8 + j.1] += A.shared[i.1, k.1] * A[j.0*8 + j.1, k.0*4 + k.1]
            }
          }
        }
      }
    }
  }
})";

/// A sum under a guard, and a loop that reads it.
std::string guarded_sum(const std::string& reader) {
  return R"(func guarded(A: f32[5], C: f32[2]) {
  alloc T: f32[2] @global
  for i in 0..2 {
    T[i] = 0.0
    reduce k in 0..5 {
      if (k < 2) {
        T[i] += A[k]
      }
    }
  }
  for j in 0..2 {
)" + reader +
         "  }\n}";
}

/// Those who read the sum do so by way of the tile alone.
TEST(CacheElement, KeepsGuardsOfWhatTheTileHolds) {
  expect_rewrite(guarded_sum("    C[j] = T[j]\n"), picks("T", {"j"}, "j"),
                 guarded_sum("    alloc T.shared: f32[] @shared\n"
                             "    T.shared[] = T[j]\n"
                             "    C[j] = T.shared[]\n"));
}

TEST(CacheElement, ATileForEachAccess) {
  expect_rewrite(product, picks("A", {"i", "k"}, "k.0"), one_tile);
  expect_rewrite(one_tile, picks("A", {"j", "k"}, "k.0"),
                 R"(func syrk(A: f32[32, 16], C: f32[32, 32]) {
  for i.0 in 0..4 @block.y {
    for j.0 in 0..4 @block.x {
      for i.1 in 0..8 @thread.y {
        for j.1 in 0..8 @thread.x {
          C[i.0*8 + i.1, j.0*8 + j.1] = 0.0
          reduce k.0 in 0..4 {
            alloc A.shared: f32[8, 4] @shared
            copy A.shared[0 .. +8, 0 .. +4] <- A[i.0*8 .. +8, k.0*4 .. +4]
            alloc A.shared_2: f32[8, 4] @shared
            copy A.shared_2[0 .. +8, 0 .. +4] <- A[j.0*8 .. +8, k.0*4 .. +4]
            reduce k.1 in 0..4 {
              C[i.0*8 + i.1, j.0*8 + j.1] += A.shared[i.1, k.1] * A.shared_2[j.1, k.1]
            }
          }
        }
      }
    }
  }
})");
}

TEST(CacheElement, FusedAxesAreTheOnesTheyWere) {
  expect_rewrite(R"(func f(A: f32[4, 8], C: f32[4, 8]) {
  for i in 0..4 {
    for j in 0..8 {
      C[i, j] = A[i, j] + A[0, j]
    }
  }
})",
                 [](const Function& f) {
                   const Function fused = fuse(f, axis(f, "i"), axis(f, "j")).function;
                   return picks("A", {"i", "j"}, "i_j", true)(fused);
                 },
                 R"(func f(A: f32[4, 8], C: f32[4, 8]) {
  for i_j in 0..32 {
    alloc A.reg: f32[] @registers
    A.reg[] = A[i_j / 8, i_j % 8]
    C[i_j / 8, i_j % 8] = A.reg[] + A[0, i_j % 8]
  }
})");
}

TEST(CacheElement, RegistersHoldTheOneThatIsAskedFor) {
  expect_rewrite(R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..8 {
    C[i] = 0.0
    reduce k in 0..8 {
      C[i] += A[i] * A[k]
    }
  }
})",
                 picks("A", {"i"}, "i", true), R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..8 {
    alloc A.reg: f32[] @registers
    A.reg[] = A[i]
    C[i] = 0.0
    reduce k in 0..8 {
      C[i] += A.reg[] * A[k]
    }
  }
})");
}

TEST(CacheElement, RefusesAnElementThatIsNotUsed) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..8 {
    C[i] = A[i]
  }
})",
                 picks("A", {"k"}, "i"), R"(error: cache_shared: no access here is to A(k)
  for i in 0..8 {                    <-- here
    C[i] = A[i]
note: A is used as A[i])");
}

TEST(CacheElement, RefusesATensorThatIsWritten) {
  expect_refusal(R"(func f(C: f32[8]) {
  for i in 0..8 {
    C[i] += C[0]
  }
})",
                 picks("C", {"i"}, "i"),
                 R"(error: cache_shared: C is written here, and a tile of C(i) would not show it
  for i in 0..8 {
    C[i] += C[0]                     <-- here
note: one tile takes all accesses to a tensor that is written)");
}

/// The tile of a block takes T[b*4 + 4] along, which the next block sets.
TEST(CacheElement, RefusesWhatAnotherBlockWrites) {
  expect_refusal(
      R"(func f(T: f32[9], C: f32[8]) {
  for b in 0..2 @block.x {
    for u in 0..4 { T[b*4 + u] = 1.0 }
    for o in 0..1 { for v in 0..5 { if (v < 4) { C[b*4 + v] = T[b*4 + v] } } }
  }
})",
      [](const Function& f) {
        CacheOptions options;
        options.element.push_back(AxisRef::make(axis(f, "b")) + AxisRef::make(axis(f, "v")));
        return in_shared(f, "T", "o", options);
      },
      R"(error: cache_shared: two iterations of b may touch one element: one writes T[b*4 + u], one reads T[b*4 .. +5]
  for b in 0..2 @block.x {
    for o in 0..1 {                  <-- here
      for v in 0..5 {
        if (v < 4) {
note: b is bound to block.x: its iterations run at the same time)");
}

TEST(CacheElement, RefusesAnotherNumberOfIndices) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..8 {
    C[i] = A[i]
  }
})",
                 picks("A", {"i", "k"}, "i"),
                 R"(error: cache_shared: A has 1 dimension, and A(i, k) names 2
  for i in 0..8 {                    <-- here
    C[i] = A[i])");
}

TEST(CacheElement, RefusesATile) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
  for i in 0..8 {
    alloc A.shared: f32[] @shared
    A.shared[] = A[i]
    C[i] = A.shared[]
  }
})",
                 [](const Function& f) {
                   CacheOptions options;
                   options.element.push_back(0);
                   return in_registers(f, "A.shared", "i", options);
                 },
                 R"(error: cache_registers: A.shared is a tile, whose accesses move together
  for i in 0..8 {                    <-- here
    alloc A.shared: f32[] @shared
    A.shared[] = A[i])");
}

TEST(CacheElement, RefusalsCallTheTensorByItsName) {
  expect_refusal(R"(func f[N](A: f32[N], C: f32[N]) {
  for i in 0..N {
    C[i] = 0.0
    reduce k in 0..N {
      C[i] += A[i] * A[k]
    }
  }
})",
                 picks("A", {"k"}, "i"),
                 R"(error: cache_shared: the part of A that A[k] touches has no constant size
  for i in 0..N {                    <-- here
    C[i] = 0.0
    reduce k in 0..N {
note: loops between the axis and the access must have constant extents; split them, or make their sizes constants)");
}

}  // namespace cache_element_test
}  // namespace hone
