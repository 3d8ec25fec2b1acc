// The form in which both targets say a kernel, before anything is printed.
#include "codegen/c_form/c_form.h"

#include <gtest/gtest.h>

#include "codegen/c_form/declaration.h"
#include "codegen/c_form/launch_bound.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/counted_kernel.h"

namespace hone {
namespace c_form_test {

KernelFunction kernel_of(const std::string& body, const std::string& block = "32, 1, 1") {
  return parse_kernel("kernel f[K, n](A: f32[n], C: f32[n]) grid(1, 1, 1) block(" + block +
                      ") @index32 {\n" + body + " }");
}

/// "k: 0 to K by 8" of each loop, and the statements over what they count.
std::string counted(const KernelFunction& kernel) {
  const CForm form = c_form(kernel);
  std::string text;
  walk(form.body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop) return;
    const LoopCount& count = form.count(*loop);
    text += fmt::format("{}: {} to {} by {}{}{}\n", loop->axis->name, count.first, count.limit,
                        count.step, count.is_guard ? ", guarded" : "",
                        count.is_of_trips() ? ", trips" : "");
  });
  return text + to_string(form.body);
}

TEST(CForm, CountsInnerLoopsWithWhatOuterOnesCount) {
  EXPECT_EQ(counted(kernel_of("for k in 0..K { for j in 0..4 { for i in 0..4 { "
                              "C[k*16 + j*4 + i] = 1.0 } } }")),
            R"(k: 0 to K*16 by 16
j: 0 to 16 by 4
i: 0 to 4 by 1, trips
for k in 0..K {
  for j in 0..4 {
    for i in 0..4 {
      C[k + j + i] = 1.0
    }
  }
})");
}

TEST(CForm, KeepsTheOrderOfStatementsAndKnowsTheirOrigins) {
  const KernelFunction kernel = kernel_of(
      "let t = thread.x\nC[t] = 0.0\nfor k in 0..(K + 7) / 8 { if (k*8 + t < K) { "
      "C[t] += A[k*8 + t] } }\nbarrier");
  EXPECT_EQ(counted(kernel), R"(k: t to K by 8, guarded
let t = thread.x
C[t] = 0.0
for k in 0..(K + 7) / 8 {
  if (k < K) {
    C[t] += A[k]
  }
}
barrier)");
  const CForm form = c_form(kernel);
  llvm::SmallVector<const StmtNode*, 8> origins, statements;
  walk(form.body, [&](const Stmt& stmt) { origins.push_back(form.origin(stmt.get())); });
  walk(kernel.body, [&](const Stmt& stmt) { statements.push_back(stmt.get()); });
  EXPECT_EQ(origins, statements);
}

TEST(CForm, CountsALoopThatOccursTwiceAtEachOfItsPlaces) {
  KernelFunction kernel = kernel_of("for k in 0..K / 8 { if (k*8 + 3 < n) { C[k*8] = 1.0 } }");
  const auto around = [&](const std::string& name, const Expr& bound) {
    const AxisPtr axis = make_axis(name, AxisKind::spatial);
    return For::make(axis, bound, {}, kernel.body);
  };
  kernel.body = Seq::make({around("a", 2), around("b", 3)});
  const CForm form = c_form(kernel);
  EXPECT_EQ(form.counts.size(), 4u);
}

/// Loops are known to have iterations inside of them alone: behind c, S may be smaller than 8.
TEST(CForm, ForgetsLoopsThatHaveEnded) {
  const Function f = parse_function(R"(func f[S](A: f32[4], C: f32[4]) where S > 0 {
    for a in 0..3 / S + 1 {
      for c in 0..S / 8 {
        if (a*S + c < 4) { C[a*S + c] = A[a*S + c] } }
      for t in 0..S % 8 {
        if (a*S + (S / 8)*8 + t < 4) { C[a*S + (S / 8)*8 + t] = A[a*S + (S / 8)*8 + t] } } } })");
  const std::string text = emit_cuda(lower(f).kernels.front());
  EXPECT_NE(text.find("for (int t = 0; t < S % 8; ++t) {"), std::string::npos) << text;
}

TEST(CForm, LeavesTheKernelAsItIs) {
  const KernelFunction kernel = kernel_of("for k in 0..K { C[k*8] = 1.0 }");
  const std::string before = to_string(kernel);
  c_form(kernel);
  EXPECT_EQ(to_string(kernel), before);
}

TEST(CForm, IsKernelIrThatCanBeRun) {
  const KernelFunction kernel = kernel_of(
      "let t = thread.x\nfor k in 0..(K + 7) / 8 { if (k*8 + t < K) { "
      "C[k*8 + t] = 1.0 } }\nfor s in 0..5 { C[16 >> s] = 1.0 }");
  EXPECT_EQ(to_string(counted_kernel(c_form(kernel), kernel).body), R"(let t = thread.x
for k in 0..(K + 7) / 8 + 1 {
  if (t + k*8 < K) {
    C[t + k*8] = 1.0
  }
}
for s in 0..6 {
  if (16 >> s > 0) {
    C[16 >> s] = 1.0
  }
})");
}

TEST(CForm, ChoosesBetweenAVectorAndZeros) {
  const KernelFunction kernel = kernel_of(
      "alloc r: f32[4] @registers\nfor v in 0..4 @unroll { r[v] = 0.0 }\n"
      "if (thread.x < n) { copy r[0 .. +4] <- A[0 .. +4] @vector(4) }\nC[0] = r[0]");
  EXPECT_EQ(to_string(counted_kernel(c_form(kernel), kernel).body), R"(alloc r: f32[4] @registers
if (thread.x < n) {
  copy r[0 .. +4] <- A[0 .. +4] @vector(4)
}
if (!(thread.x < n)) {
  for v in 0..5 @unroll {
    if (v < 4) {
      r[v] = 0.0
    }
  }
}
C[0] = r[0])");
}

// ---- Declarations -------------------------------------------------------------------------------

/// The statements that the declaration of the first tensor of `body` covers, and the rest.
std::string declared(const std::string& body) {
  const KernelFunction kernel = kernel_of(body);
  const Declaration declaration = declaration_of(*llvm::cast<Alloc>(kernel.body));
  const auto text = [](const Stmt& stmt) {
    return stmt.defined() ? to_string(stmt) : std::string("-");
  };
  return fmt::format("first: {}\nload: {}\nrest: {}", text(declaration.first),
                     text(declaration.load), text(declaration.rest));
}

TEST(Declaration, TakesTheStoreToAScalar) {
  EXPECT_EQ(declared("alloc c: f32[] @registers\nc[] = A[0] + 1.0\nc[] = 2.0"),
            "first: c[] = A[0] + 1.0\nload: -\nrest: c[] = 2.0");
  EXPECT_EQ(declared("alloc c: f32[] @registers\nc[] = 1.0"), "first: c[] = 1.0\nload: -\nrest: ");
}

TEST(Declaration, TakesZerosOfAWholeArray) {
  EXPECT_EQ(declared("alloc c: f32[2, 3] @registers\n"
                     "for i in 0..2 { for j in 0..3 { c[i, j] = 0.0 } }\nC[0] = c[1, 2]"),
            "first: for i in 0..2 {\n  for j in 0..3 {\n    c[i, j] = 0.0\n  }\n}\nload: -\n"
            "rest: C[0] = c[1, 2]");
}

TEST(Declaration, TakesALoadOfAVectorBehindZeros) {
  EXPECT_EQ(declared("alloc r: f32[4] @registers\nfor v in 0..4 { r[v] = 0.0 }\n"
                     "if (K < n) { if (n > 3) { copy r[0 .. +4] <- A[0 .. +4] @vector(4) } }\n"
                     "C[0] = r[0]"),
            "first: for v in 0..4 {\n  r[v] = 0.0\n}\n"
            "load: if (K < n) {\n  if (n > 3) {\n    copy r[0 .. +4] <- A[0 .. +4] @vector(4)\n"
            "  }\n}\nrest: C[0] = r[0]");
}

TEST(Declaration, TakesNothingThatGivesNoValueToAllOfTheTensor) {
  for (const char* body :
       {"alloc c: f32[] @registers\nc[] += 1.0", "alloc c: f32[] @registers\nC[0] = 1.0",
        "alloc c: f32[] @shared\nc[] = 1.0", "alloc c: f32[4] @registers\nc[0] = 0.0",
        "alloc c: f32[4] @registers\nfor i in 0..4 { c[i] = 1.0 }",
        "alloc c: f32[4] @registers\nfor i in 0..3 { c[i] = 0.0 }",
        "alloc c: f32[4] @registers\nfor i in 0..4 { c[3 - i] = 0.0 }",
        "alloc c: f32[4, 4] @registers\n"
        "for i in 0..4 { for j in 0..4 { c[j, i] = 0.0 } }",
        "alloc c: f32[] @registers\nfor i in 0..4 { c[] = 0.0 }"}) {
    EXPECT_EQ(llvm::StringRef(declared(body)).split("\nrest").first, "first: -\nload: -") << body;
  }
}

// ---- Launch bounds ------------------------------------------------------------------------------

TEST(LaunchBound, IsAFactAboutTheKernel) {
  const char* tile = "alloc r: f32[4] @registers\nr[0] = A[0]";
  EXPECT_EQ(launch_bound(kernel_of(tile, "32, 8, 1")), 256);
  EXPECT_EQ(launch_bound(kernel_of(tile, "K, 1, 1")), 1024);
  EXPECT_EQ(launch_bound(kernel_of("C[0] = A[0]", "32, 8, 1")), std::nullopt);
}

}  // namespace c_form_test
}  // namespace hone
