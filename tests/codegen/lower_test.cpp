#include "codegen/lower.h"

#include <gtest/gtest.h>

#include "ir/analysis/nests.h"
#include "ir/core/error.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace lower_test {

/// The text of the only kernel, without its first line.
std::string body_of(llvm::StringRef text) {
  const Module module = lower(parse_function(text));
  EXPECT_EQ(module.kernels.size(), 1u);
  const std::string kernel = to_string(module.kernels.front());
  return kernel.substr(kernel.find('\n') + 1);
}

std::string launch_of(llvm::StringRef text) {
  const KernelFunction kernel = lower(parse_function(text)).kernels.front();
  const std::string first = to_string(kernel);
  const size_t start = first.find("grid");
  return first.substr(start, first.find(" {\n") - start);
}

TEST(Lower, GivesThreadAxesTheNamesOfTheAxesThatTheyCameFrom) {
  EXPECT_EQ(body_of(R"(func f[M](A: f32[M], C: f32[M]) {
                         for i.0 in 0..(M + 31) / 32 @block.x { for i.1 in 0..32 @thread.x {
                           if (i.0*32 + i.1 < M) { C[i.0*32 + i.1] = A[i.0*32 + i.1] } } } })"),
            "  let i = block.x*32 + thread.x\n"
            "  if (i < M) {\n"
            "    C[i] = A[i]\n"
            "  }\n"
            "}");
}

TEST(Lower, CallsTheThreadsPartOfAnAxisItsBase) {
  EXPECT_EQ(body_of(R"(func f(A: f32[64], C: f32[64]) {
                         for i.0 in 0..4 @block.x { for i.1.0 in 0..4 @thread.x {
                           for i.1.1 in 0..4 {
                             C[i.0*16 + i.1.0*4 + i.1.1] = A[i.0*16 + i.1.0*4 + i.1.1] } } } })"),
            "  let i_base = block.x*16 + thread.x*4\n"
            "  for i.1.1 in 0..4 {\n"
            "    C[i_base + i.1.1] = A[i_base + i.1.1]\n"
            "  }\n"
            "}");
}

TEST(Lower, GuardsThreadLoopsThatAreShorterThanTheBlock) {
  const char* text = R"(func f(A: f32[8], C: f32[8], D: f32[5]) {
    for b in 0..1 @block.x {
      for i in 0..8 @thread.x { C[i] = A[i] }
      for j in 0..5 @thread.x { D[j] = A[j] } } })";
  EXPECT_EQ(launch_of(text), "grid(1, 1, 1) block(8, 1, 1) @index32");
  EXPECT_EQ(body_of(text),
            "  let i = thread.x\n"
            "  C[i] = A[i]\n"
            "  let j = thread.x\n"
            "  if (j < 5) {\n"
            "    D[j] = A[j]\n"
            "  }\n"
            "}");
}

TEST(Lower, PhasesThatKeepToTheirOwnElementsNeedNoBarrier) {
  const std::string body = body_of(R"(func f[K](A: f32[K, 8], C: f32[8]) {
    for b in 0..1 @block.x {
      for j.init in 0..8 @thread.x { C[j.init] = 0.0 }
      reduce k in 0..K { for j in 0..8 @thread.x { C[j] += A[k, j] } } } })");
  EXPECT_EQ(body.find("barrier"), std::string::npos) << body;
}

TEST(Lower, PhasesThatExchangeDataWaitForEachOther) {
  EXPECT_EQ(body_of(R"(func f(A: f32[4, 8], C: f32[4, 8], D: f32[4, 8]) {
                         for b in 0..4 @block.x {
                           for i in 0..8 @thread.x { C[b, i] = A[b, i] }
                           for j in 0..8 @thread.x { D[b, j] = C[b, 7 - j] } } })"),
            "  let b = block.x\n"
            "  let i = thread.x\n"
            "  C[b*8 + i] = A[b*8 + i]\n"
            "  barrier\n"
            "  let j = thread.x\n"
            "  D[b*8 + j] = C[b*8 - j + 7]\n"
            "}");
}

TEST(Lower, WhatStandsBesideThreadLoopsRunsOnOneThread) {
  EXPECT_EQ(body_of(R"(func f(A: f32[4, 8], S: f32[4], C: f32[4, 8]) {
                         for b in 0..4 @block.x {
                           S[b] = 0.0
                           for i in 0..8 @thread.x { C[b, i] = A[b, i] + S[b] } } })"),
            "  let b = block.x\n"
            "  if (thread.x == 0) {\n"
            "    S[b] = 0.0\n"
            "  }\n"
            "  barrier\n"
            "  let i = thread.x\n"
            "  C[b*8 + i] = A[b*8 + i] + S[b]\n"
            "}");
}

TEST(Lower, ASerialLoopThatCarriesDataBetweenThreadsEndsInABarrier) {
  const std::string body = body_of(R"(func f(C: f32[9, 8]) {
    for b in 0..1 @block.x { for t in 0..8 {
      for i in 0..8 @thread.x { C[t + 1, i] = C[t, 7 - i] } } } })");
  EXPECT_EQ(body,
            "  for t in 0..8 {\n"
            "    let i = thread.x\n"
            "    C[t*8 + i + 8] = C[t*8 - i + 7]\n"
            "    barrier\n"
            "  }\n"
            "}");
}

TEST(Lower, ABlockWithWorkBesideALoopHasAThreadForIt) {
  const char* text = R"(func f[N](S: f32[4], C: f32[4, N]) {
    for b in 0..4 @block.x {
      S[b] = 0.0
      for i in 0..N @thread.x { C[b, i] = 1.0 } } })";
  EXPECT_EQ(launch_of(text), "grid(4, 1, 1) block(max(N, 1), 1, 1) @index32");
  EXPECT_NE(body_of(text).find("if (i < N)"), std::string::npos) << body_of(text);
}

TEST(Lower, CopiesOfRegisterTilesAreUnrolledAndClipped) {
  EXPECT_EQ(body_of(R"(func f[M](A: f32[M], C: f32[M]) {
                         for i.0 in 0..(M + 3) / 4 @block.x {
                           alloc C.reg: f32[4] @registers
                           for i.1 in 0..4 @unroll { C.reg[i.1] = 1.0 }
                           copy C[i.0*4 .. +4] <- C.reg[0 .. +4] } })"),
            "  let i.0 = block.x\n"
            "  alloc C.reg: f32[4] @registers\n"
            "  for i.1 in 0..4 @unroll {\n"
            "    C.reg[i.1] = 1.0\n"
            "  }\n"
            "  for C.at in 0..4 @unroll {\n"
            "    if (i.0*4 + C.at < M) {\n"
            "      C[i.0*4 + C.at] = C.reg[C.at]\n"
            "    }\n"
            "  }\n"
            "}");
}

TEST(Lower, MakesAKernelOfEachNest) {
  const Module module = lower(parse_function(R"(func f(A: f32[8], C: f32[8]) {
    alloc T: f32[8] @global
    for i in 0..8 @block.x { T[i] = A[i] }
    for j in 0..8 @thread.x { C[j] = T[j] } })"));
  ASSERT_EQ(module.kernels.size(), 2u);
  EXPECT_EQ(module.temporaries.size(), 1u);
  EXPECT_EQ(module.kernels[0].name, "f_0");
  EXPECT_EQ(module.kernels[0].arguments.size(), 2u);
  EXPECT_EQ(module.kernels[1].name, "f_1");
}

/// "A.reg j; k": what each kernel allocates outside of loops, and its outermost loops.
std::string kernels_of(llvm::StringRef body) {
  const Function function =
      parse_function("func f(A: f32[8], B: f32[8], C: f32[8]) {\n" + body.str() + "\n}");
  std::string text;
  for (const Stmt& nest : nests_of(function.body)) {
    text += text.empty() ? "" : ";";
    walk(nest, [&](const Stmt& stmt) {
      if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) text += " " + alloc->tensor->name;
      if (const auto* loop = llvm::dyn_cast<For>(stmt)) text += " " + loop->axis->name;
    });
  }
  return text;
}

TEST(Lower, AScopeOutsideOfNestsEndsBehindTheLastStatementThatNeedsIt) {
  const std::string i = "for i in 0..8 { r[i] = A[i] B[i] = r[i] }\n",
                    j = "for j in 0..8 { C[j] = B[j] + 1.0 }\n",
                    k = "for k in 0..8 { B[k] = r[k] }\n", r = "alloc r: f32[8] @registers\n";
  EXPECT_EQ(kernels_of(r + i + j), " r i; j");
  EXPECT_EQ(kernels_of(r + i + k + j), " r i k; j");
  EXPECT_EQ(kernels_of(r + i + j + k), " r i j k");
  EXPECT_EQ(kernels_of(j + r + i), " j; r i");
  EXPECT_EQ(kernels_of(r + "alloc s: f32[8] @shared\nfor l in 0..8 { s[l] = 1.0 }\n" + i +
                       "for m in 0..8 { A[m] = s[m] }\n" + j),
            " r s l i m; j");
  // What nothing needs is part of the next nest, and what outlives the launches of none.
  EXPECT_EQ(kernels_of(r + j + "for l in 0..8 { A[l] = 1.0 }"), " r j; l");
  EXPECT_EQ(kernels_of(r + "alloc G: f32[8] @global\n" + i + "for l in 0..8 { G[l] = 1.0 }"),
            " r i; l");
  // So is a value.
  EXPECT_EQ(kernels_of("let n = 4\nfor i in 0..4 { B[i] = A[i + n] }\n" + j), " i; j");
}

}  // namespace lower_test
}  // namespace hone
