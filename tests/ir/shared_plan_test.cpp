// Shared tensors that may have bytes in common, by the values that they hold.
#include "ir/memory/shared_plan.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/memory/liveness.h"
#include "ir/text/parser.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace shared_plan_test {

Function function_of(const std::string& statements) {
  return parse_function("func f[n](A: f32[64], C: f32[64]) {\n" + statements + "}");
}

Stmt without_alloc_of(const TensorPtr& tensor, const Stmt& stmt) {
  return transform_stmts(stmt, [&](const Stmt& nested) -> Stmt {
    const auto* alloc = llvm::dyn_cast<Alloc>(nested);
    return alloc && alloc->tensor == tensor ? without_alloc_of(tensor, alloc->body) : Stmt();
  });
}

/// One tensor in the place of two.
Function merged(const Function& function, const TensorPtr& lhs, const TensorPtr& rhs) {
  const TensorPtr both = make_twin(*lhs, "both");
  Function result = function;
  result.body = replace_tensors(function.body, [&](const TensorPtr& tensor) {
    return tensor == lhs || tensor == rhs ? both : nullptr;
  });
  result.body = Alloc::make(both, without_alloc_of(both, result.body));
  return result;
}

Values run_in_order(const Function& function) {
  Buffers buffers = {{"A", counting(f32, {64})}, {"C", Buffer(f32, {64})}};
  interpret(function, {{"n", 3}}, buffers);
  return values_of(buffers.at("C"));
}

/// "apart", or "shared" where s and u may have bytes in common. What the function computes, run in
/// order, says the same: with one tensor for both, it stays as it is where they may.
std::string judged(const std::string& statements, bool is_executed = true) {
  const Function function = function_of(statements);
  const SharedLiveness liveness(function.body, facts_of(function.assumptions));
  EXPECT_EQ(liveness.tensors().size(), 2u);
  const bool meet = liveness.meet(0, 1);
  EXPECT_EQ(liveness.meet(1, 0), meet) << statements;
  if (!is_executed) return meet ? "apart" : "shared";
  const Function with_one = merged(function, liveness.tensors()[0], liveness.tensors()[1]);
  EXPECT_EQ(run_in_order(with_one) == run_in_order(function), !meet) << statements;
  return meet ? "apart" : "shared";
}

constexpr const char* s_and_u = "alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n";
constexpr const char* fill_s = "copy s[0 .. +64] <- A[0 .. +64]\n";
constexpr const char* fill_u = "for i in 0..64 { u[i] = A[63 - i] }\n";

std::string judged_after_allocs(const std::string& statements, bool is_executed = true) {
  return judged(s_and_u + statements, is_executed);
}

TEST(SharedLiveness, ATensorHoldsAValueFromItsWriteToItsRead) {
  EXPECT_EQ(judged_after_allocs("s[0] = A[0] C[0] = s[0] u[0] = A[1] C[1] = u[0]"), "shared");
  EXPECT_EQ(judged_after_allocs("s[0] = A[0] u[0] = A[1] C[0] = s[0] C[1] = u[0]"), "apart");
}

TEST(SharedLiveness, OneStatementThatReadsOneAndWritesTheOtherIsOneAccess) {
  EXPECT_EQ(judged_after_allocs("s[0] = A[0] u[0] = s[0] C[1] = u[0]", false), "apart");
  EXPECT_EQ(judged_after_allocs(std::string(fill_s) + "copy u[0 .. +64] <- s[0 .. +64] C[1] = u[0]",
                                false),
            "apart");
}

TEST(SharedLiveness, WhatIsFilledAgainIsAnotherValue) {
  // In the order of the text, s is in use all around u.
  EXPECT_EQ(judged_after_allocs(fmt::format("{0} C[0] = s[1] {1} C[1] = u[2] "
                                            "copy s[0 .. +64] <- A[0 .. +64] C[2] = s[3]",
                                            fill_s, fill_u)),
            "shared");
  EXPECT_EQ(judged_after_allocs(fmt::format("{0} C[0] = s[1] {1} C[1] = u[2] "
                                            "copy s[0 .. +32] <- A[0 .. +32] C[2] = s[33]",
                                            fill_s, fill_u)),
            "apart");
  EXPECT_EQ(judged_after_allocs(fmt::format("{0} C[0] = s[1] {1} C[1] = u[2] "
                                            "for k in 0..64 {{ s[k] += A[k] }} C[2] = s[3]",
                                            fill_s, fill_u)),
            "apart");
}

TEST(SharedLiveness, ValuesOfOneIteration) {
  EXPECT_EQ(judged_after_allocs(
                fmt::format("for k in 0..4 {{ {} C[k] = s[k] {} C[k] += u[k] }}", fill_s, fill_u)),
            "shared");
  EXPECT_EQ(judged_after_allocs(
                fmt::format("for k in 0..4 {{ {} {} C[k] = s[k] C[k] += u[k] }}", fill_s, fill_u)),
            "apart");
}

/// Threads that come to u have all done with s: none begins with it again.
TEST(SharedLiveness, ThreadsRunALoopSideBySide) {
  const auto statements = [](const char* loop) {
    return fmt::format(
        "for t in 0..64{} {{ s[t] = A[t] C[t] = s[t] u[t] = A[63 - t] }} "
        "for v in 0..64{} {{ C[v] += u[63 - v] }}",
        loop, loop);
  };
  EXPECT_EQ(judged_after_allocs(statements(" @thread.x"), false), "shared");
  EXPECT_EQ(judged_after_allocs("for b in 0..2 { " + statements("") + " }", false), "apart");
}

/// Producers fill a ring ahead of the threads that are behind the loop, if it has another turn.
TEST(SharedLiveness, RingsAreInUseUpToTheirLastTurn) {
  const auto statements = [](const char* before, const char* again, const char* behind,
                             const char* end) {
    return fmt::format(
        "alloc u: f32[64] @shared {} for t in 0..64 @thread.x {{ {} alloc s: f32[2, 64] @shared "
        "reduce k in 0..4 @roles(1) {{ copy s[k % 2, 0 .. +64] <- A[0 .. +64] @async "
        "@by(producers) C[t] += s[k % 2, 63 - t] }} {} {} }} "
        "for v in 0..64 @thread.x {{ C[v] += u[63 - v] }}",
        before, again, behind, end);
  };
  const char* fill = "u[t] = A[t]";
  EXPECT_EQ(judged(statements("", "", fill, ""), false), "shared");
  EXPECT_EQ(judged(statements("", "for i in 0..3 {", fill, "}"), false), "apart");
  EXPECT_EQ(judged(statements("", "for i in 0..3 {", "}", fill), false), "shared");
  EXPECT_EQ(judged(statements("for x in 0..64 @thread.x { u[x] = A[x] }", "", "", ""), false),
            "apart");
}

TEST(SharedLiveness, ValuesThatGoOnToTheNextIteration) {
  // s holds nothing between its read and the next value.
  EXPECT_EQ(
      judged_after_allocs(fmt::format("{} for k in 0..4 {{ C[k] = s[k] {} C[k] += u[k] {} }}",
                                      fill_s, fill_u, "for j in 0..64 { s[j] = A[j] + 1.0 }")),
      "shared");
  EXPECT_EQ(
      judged_after_allocs(fmt::format("{} for k in 0..4 {{ {} C[k] = s[k] {} C[k] += u[k] }}",
                                      fill_s, fill_u, "for j in 0..64 { s[j] = A[j] + 1.0 }")),
      "apart");
  // A slot of a ring goes on to iterations after the next one.
  EXPECT_EQ(judged_after_allocs(fmt::format(
                "{} for k in 0..4 {{ {} C[k] = s[(k + 2) % 3] s[k % 3] = A[k] C[k] += u[k] }}",
                fill_s, fill_u)),
            "apart");
}

TEST(SharedLiveness, ValuesAllThroughALoop) {
  EXPECT_EQ(judged_after_allocs(
                fmt::format("{} for k in 0..4 {{ C[k] = s[k] {} C[k] += u[0] }}", fill_s, fill_u)),
            "apart");
  EXPECT_EQ(judged_after_allocs(
                fmt::format("for k in 0..4 {{ {} C[k] += u[0] }} {} C[0] = s[0]", fill_u, fill_s)),
            "shared");
}

TEST(SharedLiveness, AnAllocInALoopIsAnotherTensorEachTime) {
  EXPECT_EQ(judged("for k in 0..4 { alloc s: f32[64] @shared\nalloc u: f32[64] @shared\n"
                   "s[k] = A[k] C[k] = s[k] u[k] = A[k] C[k] += u[k] }"),
            "shared");
  EXPECT_EQ(judged("alloc s: f32[64] @shared\nfor k in 0..4 { alloc u: f32[64] @shared\n"
                   "s[k] = A[k] C[k] = s[k] u[k] = A[k + 1] C[k] += u[k] } C[5] = s[3]"),
            "apart");
}

TEST(SharedLiveness, ALoopThatMayNotRunFillsNothing) {
  const std::string body = "{} C[0] = s[1] {} C[1] = u[2] for k in 0..{} {{ {} }} C[2] = s[3]";
  EXPECT_EQ(judged_after_allocs(fmt::format(fmt::runtime(body), fill_s, fill_u, "2",
                                            "for j in 0..64 { s[j] = A[j] } C[3] = s[k]")),
            "shared");
  EXPECT_EQ(judged_after_allocs(fmt::format(fmt::runtime(body), fill_s, fill_u, "n",
                                            "for j in 0..64 { s[j] = A[j] } C[3] = s[k]"),
                                /*is_executed=*/false),
            "apart");
}

TEST(SharedLiveness, WhatStandsUnderAConditionFillsNothing) {
  const std::string body = "{} C[0] = s[1] {} C[1] = u[2] {} C[2] = s[3]";
  EXPECT_EQ(
      judged_after_allocs(fmt::format(fmt::runtime(body), fill_s, fill_u,
                                      "if (C[0] > 100.0) { for j in 0..64 { s[j] = A[j] } }")),
      "apart");
  EXPECT_EQ(judged_after_allocs(fmt::format(fmt::runtime(body), fill_s, fill_u,
                                            "for j in 0..64 { if (j < 60) { s[j] = A[j] } }"),
                                false),
            "apart");
}

TEST(SharedLiveness, ConditionsAreReads) {
  EXPECT_EQ(
      judged_after_allocs("s[0] = A[0] u[0] = A[1] - 2.0 if (s[0] > 0.0) { C[0] = u[0] + 5.0 }"),
      "apart");
}

/// A wait between the two would stand under the condition.
TEST(SharedLiveness, TensorsThatMeetWhereThreadsPartStayApart) {
  const auto under = [](const std::string& condition) {
    return judged(
        fmt::format("for b in 0..2 @block.x {{ {} for t in 0..64 @thread.x {{ "
                    "if ({}) {{ s[t] = A[t] C[t] = s[t] u[t] = A[t] C[t] += u[t] }} }} }}",
                    s_and_u, condition),
        /*is_executed=*/false);
  };
  EXPECT_EQ(under("t < 32"), "apart");
  EXPECT_EQ(under("A[t] > 3.0"), "apart");
  EXPECT_EQ(judged(fmt::format("for b in 0..2 @block.x {{ {} if (b < 1) {{ {} C[0] = s[1] {} "
                               "C[1] = u[1] }} }}",
                               s_and_u, fill_s, fill_u)),
            "shared");
}

// ---- Places -------------------------------------------------------------------------------------

std::string places(const std::string& statements) {
  const Function function = function_of(statements);
  std::string text;
  for (const SharedPlace& place : plan_shared(function.body, facts_of(function.assumptions)))
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", place.tensor->name, place.address);
  return text;
}

TEST(PlanShared, StartsATensorAtAMultipleOfItsAlignment) {
  const std::string use = "a[0] = A[0] b[0] = A[1] c[0] = A[2] C[0] = a[0] + b[0] + c[0]";
  EXPECT_EQ(places("alloc a: f32[3] @shared\nalloc b: f32[3] @shared @align(128)\n"
                   "alloc c: f32[3] @shared @align(1024)\n" +
                   use),
            "a at 0, b at 128, c at 1024");
  EXPECT_EQ(places("alloc a: f32[33] @shared @align(1024)\nalloc b: f32[300] @shared @align(512)\n"
                   "alloc c: f32[3] @shared @align(32)\n" +
                   use),
            "a at 0, b at 512, c at 160");
}

TEST(PlanShared, KeepsTheAlignmentWhereBytesAreTakenAgain) {
  EXPECT_EQ(places("alloc a: f32[33] @shared\nalloc b: f32[40] @shared\n"
                   "alloc c: f32[40] @shared @align(256)\n"
                   "a[0] = A[0] b[0] = A[1] C[0] = a[0] c[0] = A[2] C[1] = b[0] C[2] = c[0]"),
            "a at 0, b at 144, c at 512");
}

}  // namespace shared_plan_test
}  // namespace hone
