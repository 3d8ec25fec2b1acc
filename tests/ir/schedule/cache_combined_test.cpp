// Tiles of tensors that loops around add to by updates of memory.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_combined_test {

/// Blocks of eight values, which combine their counts in one way.
std::string histogram(const std::string& method) {
  return fmt::format(fmt::runtime(R"(func f[B](data: u8[B*8], H: i32[4]) {{
                        for h in 0..4 {{ H[h] = 0i32 }}
                        reduce b in 0..B @block.x combine({}) {{
                          reduce t in 0..8 @thread.x combine(atomic) {{
                            H[index(data[b*8 + t])] += 1i32 }} }} }})"),
                     method);
}

TEST(CacheCombined, BlocksCountInSharedMemory) {
  for (const char* method : {"atomic", "last_block"})
    expect_rewrite(histogram(method), stages("H", "b"),
                   fmt::format(fmt::runtime(R"(func f[B](data: u8[B*8], H: i32[4]) {{
  for h in 0..4 {{
    H[h] = 0i32
  }}
  reduce b in 0..B @block.x combine({}) {{
    alloc H.shared: i32[4] @shared
    for H.shared.init in 0..4 {{
      H.shared[H.shared.init] = 0i32
    }}
    reduce t in 0..8 @thread.x combine(atomic) {{
      H.shared[index(data[b*8 + t])] += 1i32
    }}
    for H.shared.add in 0..4 {{
      H[H.shared.add] += H.shared[H.shared.add]
    }}
  }}
}})"),
                               method));
}

TEST(CacheCombined, WhatStandsBeyondTheTensorIsNotAddedToIt) {
  expect_rewrite(R"(func f[N](A: f32[3, N], S: f32[N]) {
                      for j in 0..N { S[j] = 0.0 }
                      reduce k in 0..3 @block.y combine(atomic) {
                        for j.0 in 0..(N + 3) / 4 @block.x { for j.1 in 0..4 @thread.x {
                          if (j.0*4 + j.1 < N) { S[j.0*4 + j.1] += A[k, j.0*4 + j.1] } } } } })",
                 stages("S", "j.0"), R"(func f[N](A: f32[3, N], S: f32[N]) {
  for j in 0..N {
    S[j] = 0.0
  }
  reduce k in 0..3 @block.y combine(atomic) {
    for j.0 in 0..(N + 3) / 4 @block.x {
      alloc S.shared: f32[4] @shared
      for S.shared.init in 0..4 {
        S.shared[S.shared.init] = 0.0
      }
      for j.1 in 0..4 @thread.x {
        if (j.0*4 + j.1 < N) {
          S.shared[j.1] += A[k, j.0*4 + j.1]
        }
      }
      for S.shared.add in 0..4 {
        if (j.0*4 + S.shared.add < N) {
          S[j.0*4 + S.shared.add] += S.shared[S.shared.add]
        }
      }
    }
  }
})");
}

/// Of four elements three belong to the iteration of i; the next one sets the fourth.
std::string sums_of_three(const std::string& body) {
  return R"(func f(A: f32[7, 8], S: f32[6]) {
              for i in 0..2 {
                for z in 0..3 { S[i*3 + z] = 0.0 }
                reduce k in 0..8 @thread.x combine(atomic) {
                  for o in 0..1 { )" +
         body + " } } } }";
}

/// Adds to four elements of `target`, under guards.
std::string sums_of_four(const std::string& loops, const std::string& u, const std::string& start,
                         const std::string& target, const std::string& end) {
  return loops + " {" + start + "if (o*4 + " + u + " < 3) { if (i*3 + o*4 + " + u + " < 6) { " +
         target + " += A[i*3 + o*4 + " + u + ", k] } }" + end + "}";
}

TEST(CacheCombined, WhatAGuardExcludesIsNotAddedTo) {
  expect_rewrite(
      sums_of_three(sums_of_four("for u in 0..4", "u", "", "S[o*4 + i*3 + u]", "")),
      [](const Function& f) { return in_registers(f, "S", "u"); }, sums_of_three(R"(for u in 0..4 {
                                    alloc S.reg: f32[] @registers
                                    S.reg[] = 0.0
                                    S.reg[] += A[i*3 + o*4 + u, k]
                                    if (o*4 + u < 3) { if (i*3 + o*4 + u < 6) {
                                      S[o*4 + i*3 + u] += S.reg[] } } })"));
  const auto check = [](const std::string& before, const std::string& after) {
    expect_rewrite(
        sums_of_three(before), [](const Function& f) { return in_registers(f, "S", "o"); },
        sums_of_three("alloc S.reg: f32[4] @registers "
                      "for S.reg.init in 0..4 @unroll { S.reg[S.reg.init] = 0.0 } " +
                      after +
                      "for S.reg.add in 0..4 @unroll { if (o*4 + S.reg.add < 3) {"
                      "  S[o*4 + i*3 + S.reg.add] += S.reg[S.reg.add] } }"));
  };
  check(sums_of_four("for u in 0..4", "u", "", "S[o*4 + i*3 + u]", ""),
        "for u in 0..4 @unroll { S.reg[u] += A[i*3 + o*4 + u, k] }");
  check(sums_of_four("for v in 0..2", "u*2 + v", "for u in 0..2 {", "S[i*3 + o*4 + u*2 + v]", "}"),
        "for v in 0..2 @unroll { for u in 0..2 @unroll {"
        "  S.reg[u*2 + v] += A[i*3 + o*4 + u*2 + v, k] } }");
}

/// Both updates stand under u < 3, and one of them under k > 2 too.
TEST(CacheCombined, WhatAGuardOfAllUpdatesExcludesIsNotAddedTo) {
  const auto text = [](const std::string& body) {
    return "func f(A: f32[7, 8], S: f32[6]) { for i in 0..2 { for z in 0..3 { S[i*3 + z] = 0.0 } "
           "reduce k in 0..8 @thread.x combine(atomic) { for u in 0..4 { " +
           body + " } } } }";
  };
  expect_rewrite(
      text("if (u < 3) { S[i*3 + u] += A[i*3 + u, k] } "
           "if (u < 3) { if (k > 2) { S[i*3 + u] += A[i*3 + u, 0] } }"),
      [](const Function& f) { return in_registers(f, "S", "u"); },
      text("alloc S.reg: f32[] @registers S.reg[] = 0.0 S.reg[] += A[i*3 + u, k] "
           "if (k > 2) { S.reg[] += A[i*3 + u, 0] } "
           "if (u < 3) { S[i*3 + u] += S.reg[] }"));
}

/// The guard names the loop of one iteration inside, too.
TEST(CacheCombined, WhatAGuardOverOneIterationExcludesIsNotAddedTo) {
  const auto sums = [](const std::string& body) {
    return R"(func f(A: f32[7, 8], S: f32[6]) {
                for i in 0..2 {
                  for z in 0..3 { S[i*3 + z] = 0.0 }
                  for u in 0..4 {
                    reduce k in 0..8 @thread.x combine(atomic) { )" +
           body + " } } } }";
  };
  expect_rewrite(
      sums(R"(for o in 0..1 {
                           if (o*4 + u < 3) { if (i*3 + o*4 + u < 6) {
                             S[o*4 + i*3 + u] += A[i*3 + o*4 + u, k] } } })"),
      [](const Function& f) { return in_registers(f, "S", "k"); },
      sums(R"(alloc S.reg: f32[] @registers
                         S.reg[] = 0.0
                         for o in 0..1 { S.reg[] += A[i*3 + o*4 + u, k] }
                         if (u < 3) { S[i*3 + u] += S.reg[] })"));
}

/// The register says which element it is: it is there first.
TEST(CacheCombined, AnElementThatARegisterChooses) {
  expect_rewrite(R"(func f(bin: i32[8], H: f32[4]) {
                      reduce k in 0..8 {
                        alloc b: i32[] @registers
                        b[] = bin[k]
                        H[index(b[] % 4i32)] += 1.0 } })",
                 [](const Function& f) { return in_registers(f, "H", "k"); },
                 R"(func f(bin: i32[8], H: f32[4]) {
  reduce k in 0..8 {
    alloc b: i32[] @registers
    b[] = bin[k]
    alloc H.reg: f32[] @registers
    H.reg[] = H[index(b[] % 4i32)]
    H.reg[] += 1.0
    H[index(b[] % 4i32)] = H.reg[]
  }
})");
}

TEST(CacheCombined, RefusesVectors) {
  expect_refusal(
      histogram("atomic"), stages("H", "b", {.vectorize = 4}),
      R"(error: cache_shared: loops around combine their updates of H, one element at a time, and 4 cannot move at once
  reduce b in 0..B @block.x combine(atomic) {  <-- here
    reduce t in 0..8 @thread.x combine(atomic) {
      H[index(data[b*8 + t])] += 1i32)");
}

TEST(CacheCombined, RefusesASharedTileOfSeveralBlocks) {
  expect_refusal(
      R"(func f[B](data: u8[B*8], H: i32[4]) {
                      reduce b in 0..B { reduce t in 0..8 @block.x combine(atomic) {
                        H[index(data[b*8 + t])] += 1i32 } } })",
      stages("H", "b"),
      R"(error: cache_shared: t is bound to block.x inside b: a tile of H would belong to several blocks
  reduce b in 0..B {
    reduce t in 0..8 @block.x combine(atomic) {  <-- here
      H[index(data[b*8 + t])] += 1i32
note: cache under t or inside it)");
}

TEST(CacheCombined, RefusesWhatIsReadBetweenUpdates) {
  expect_refusal(
      R"(func f[B](data: u8[B*8], H: i32[4], C: i32[4, B]) {
                      reduce b in 0..B @block.x combine(atomic) {
                        reduce t in 0..8 { H[index(data[b*8 + t])] += 1i32 }
                        for h in 0..4 { C[h, b] = H[h] } } })",
      stages("H", "b"),
      R"(error: cache_shared: H[index(data[b*8 + t])] is updated here, and used in another way as well, and loops around combine their updates of it
  reduce b in 0..B @block.x combine(atomic) {
    reduce t in 0..8 {
      H[index(data[b*8 + t])] += 1i32  <-- here)");
}

}  // namespace cache_combined_test
}  // namespace hone
