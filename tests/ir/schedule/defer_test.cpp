// Loops that run in the next iteration of the one around them.
#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace defer_test {

Rewriting defers(llvm::StringRef into, std::initializer_list<llvm::StringRef> loops) {
  const llvm::SmallVector<llvm::StringRef, 2> names(loops);
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 2> axes;
    for (const llvm::StringRef name : names) axes.push_back(axis(f, name));
    return defer(f, axis(f, into), axes).function;
  };
}

/// Multiples of sums of rows, which have a tile between them and memory.
struct Rows {
  std::string sizes, K = "5", guard, before, guard_of_sum, in_sum, behind, binding;
  std::string stores = R"(for q in 0..4 @unroll {
          C[t, q] = R[q]
        })";

  std::string text() const {
    return fmt::format(R"(func f{}(A: f32[6, {}], C: f32[6, 4]) {{
  for t in 0..6 {{
    {}
      alloc R: f32[4] @registers
      alloc S: f32[] @registers
      {}
      S[] = 0.0
      {}
      reduce k in 0..{}{} {{
        S[] += A[t, k]
        {}
      }}
      {}
      for v in 0..4 @unroll {{ R[v] = S[] * f32(v) }}
      {}
      {}
    {}
  }}
}})",
                       sizes, K, guard, before, guard_of_sum, K, binding, in_sum,
                       guard_of_sum.empty() ? "" : "}", stores, behind, guard.empty() ? "" : "}");
  }
};

TEST(Defer, RunsInTheIterationsOfTheNextTurn) {
  expect_rewrite(Rows().text(), defers("k", {"q"}), R"(func f(A: f32[6, 5], C: f32[6, 4]) {
  alloc R: f32[4] @registers
  for t in 0..6 {
    alloc S: f32[] @registers
    S[] = 0.0
    reduce k in 0..5 @peel(4) {
      S[] += A[t, k]
      for q in 0..4 @unroll {
        if (t >= 1 && k == q) {
          C[t - 1, q] = R[q]
        }
      }
    }
    for v in 0..4 @unroll {
      R[v] = S[] * f32(v)
    }
  }
  for t.last in 0..6 {
    if (t.last + 1 >= 6) {
      for q.last in 0..4 @unroll {
        C[t.last, q.last] = R[q.last]
      }
    }
  }
})");
}

TEST(Defer, KeepsToTheGuardsOfATurn) {
  Rows rows;
  rows.guard = "if (t*2 < 7) {";
  expect_rewrite(rows.text(), defers("k", {"q"}), R"(func f(A: f32[6, 5], C: f32[6, 4]) {
  alloc R: f32[4] @registers
  for t in 0..6 {
    if (t*2 < 7) {
      alloc S: f32[] @registers
      S[] = 0.0
      reduce k in 0..5 @peel(4) {
        S[] += A[t, k]
        for q in 0..4 @unroll {
          if (t >= 1 && k == q) {
            C[t - 1, q] = R[q]
          }
        }
      }
      for v in 0..4 @unroll {
        R[v] = S[] * f32(v)
      }
    }
  }
  for t.last in 0..6 {
    if (t.last*2 < 7) {
      if (!(t.last + 1 < 6 && t.last*2 + 2 < 7)) {
        for q.last in 0..4 @unroll {
          C[t.last, q.last] = R[q.last]
        }
      }
    }
  }
})");
}

TEST(Defer, TakesNestedLoopsInTheirOrder) {
  Rows rows;
  rows.stores = "for p in 0..2 @unroll { for q in 0..2 @unroll { C[t, p*2 + q] = R[p*2 + q] } }";
  expect_rewrite(rows.text(), defers("k", {"p", "q"}), R"(func f(A: f32[6, 5], C: f32[6, 4]) {
  alloc R: f32[4] @registers
  for t in 0..6 {
    alloc S: f32[] @registers
    S[] = 0.0
    reduce k in 0..5 @peel(4) {
      S[] += A[t, k]
      for p in 0..2 @unroll {
        for q in 0..2 @unroll {
          if (t >= 1 && k == p*2 + q) {
            C[t - 1, p*2 + q] = R[p*2 + q]
          }
        }
      }
    }
    for v in 0..4 @unroll {
      R[v] = S[] * f32(v)
    }
  }
  for t.last in 0..6 {
    if (t.last + 1 >= 6) {
      for p.last in 0..2 @unroll {
        for q.last in 0..2 @unroll {
          C[t.last, p.last*2 + q.last] = R[p.last*2 + q.last]
        }
      }
    }
  }
})");
}

void expect_refused(const Rows& rows, std::initializer_list<llvm::StringRef> loops,
                    const std::string& message) {
  expect_refusal(rows.text(), defers("k", loops), message);
}

/// The loop keeps apart as many first iterations as the longer of the deferred loops has.
TEST(Defer, TwoStepsIntoOneLoop) {
  Rows rows;
  rows.stores = R"(for q in 0..4 @unroll {
          C[t, q] = R[q]
        }
        for p in 0..2 @unroll {
          D[t, p] = R[p]
        })";
  std::string before = rows.text();
  before.replace(before.find(", C:"), 0, ", D: f32[6, 2]");
  for (const bool longer_first : {false, true}) {
    const Function once = defers("k", {longer_first ? "q" : "p"})(parse_function(before));
    const Function twice = defers("k", {longer_first ? "p" : "q"})(once);
    EXPECT_NE(to_string(twice).find("reduce k in 0..5 @peel(4)"), std::string::npos)
        << to_string(twice);
    expect_same_values(parse_function(before), twice);
  }
}

TEST(DeferRefusals, OfNoLoops) {
  expect_refused({}, {}, R"(error: defer: no loop is to run in k
  for t in 0..6 {
    reduce k in 0..5 {               <-- here
      S[] += A[t, k]
note: name one behind it: s.defer(k, {q}))");
}

TEST(DeferRefusals, OfMoreIterationsThanThereAre) {
  Rows rows;
  rows.sizes = "[K]";
  rows.K = "K";
  expect_refused(rows, {"q"}, R"(error: defer: k has K iterations, which may be fewer than 4
  for t in 0..6 {
    reduce k in 0..K {               <-- here
      S[] += A[t, k]
note: assume(K >= 4))");
}

TEST(DeferRefusals, OfLoopsElsewhere) {
  expect_refused({}, {"t"}, R"(error: defer: k and t do not stand in the body of one serial loop
  for t in 0..6 {                    <-- here
    alloc R: f32[4] @registers
    alloc S: f32[] @registers)");
}

TEST(DeferRefusals, OfTheOtherLoopItself) {
  expect_refused({}, {"k"}, R"(error: defer: k does not come behind k
  for t in 0..6 {
    reduce k in 0..5 {               <-- here
      S[] += A[t, k])");
}

TEST(DeferRefusals, OfALoopBeforeTheOther) {
  Rows rows;
  rows.before = "for p in 0..2 { C[t, p] = 1.0 }";
  expect_refused(rows, {"p"}, R"(error: defer: p does not come behind k
  for t in 0..6 {
    for p in 0..2 {                  <-- here
      C[t, p] = 1.0)");
}

TEST(DeferRefusals, OfLoopsThatAreNotInOneAnother) {
  expect_refused({}, {"q", "v"}, R"(error: defer: v does not stand in q
  for t in 0..6 {
    for v in 0..4 @unroll {          <-- here
      R[v] = S[] * f32(v))");
}

TEST(DeferRefusals, OfAGuardThatTheTurnBeforeMayNotHavePassed) {
  Rows rows;
  rows.guard = "if (t % 2 == 0) {";
  expect_refused(
      rows, {"q"},
      R"(error: defer: t % 2 == 0 may hold in an iteration of t, and not in the one before
  for t in 0..6 {
    if (t % 2 == 0) {
      for q in 0..4 @unroll {        <-- here
        C[t, q] = R[q])");
}

TEST(DeferRefusals, OfATileThatIsSetBefore) {
  Rows rows;
  rows.before = "R[0] = 1.0";
  expect_refused(rows, {"q"},
                 R"(error: defer: R is touched here, and q reads it in the next iteration of t
  for t in 0..6 {
    R[0] = 1.0                       <-- here)");
}

TEST(DeferRefusals, OfATileThatTheOtherLoopSets) {
  Rows rows;
  rows.in_sum = "R[1] = S[]";
  expect_refused(rows, {"q"},
                 R"(error: defer: R is touched here, and q reads it in the next iteration of t
  for t in 0..6 {
    reduce k in 0..5 {
      R[1] = S[]                     <-- here)");
}

/// The results of a turn would be those of what comes behind.
TEST(DeferRefusals, OfATileThatIsSetBehind) {
  Rows rows;
  rows.behind = "R[0] = 9.0";
  expect_refused(rows, {"q"},
                 R"(error: defer: R is touched here, and q reads it in the next iteration of t
  for t in 0..6 {
    R[0] = 9.0                       <-- here)");
}

TEST(DeferRefusals, OfTurnsInWhichTheOtherLoopMayNotRun) {
  Rows rows;
  rows.guard_of_sum = "if (t < 4) {";
  expect_refused(rows, {"q"}, R"(error: defer: k and q stand under different conditions
  for t in 0..6 {
    for q in 0..4 @unroll {          <-- here
      C[t, q] = R[q])");
}

TEST(DeferRefusals, OfTurnsInWhichTheOtherLoopRunsAlone) {
  Rows rows;
  rows.stores = "if (t < 3) { for q in 0..4 @unroll { C[t, q] = R[q] } }";
  expect_refused(rows, {"q"}, R"(error: defer: k and q stand under different conditions
  for t in 0..6 {
    if (t < 3) {
      for q in 0..4 @unroll {        <-- here
        C[t, q] = R[q])");
}

TEST(DeferRefusals, OfALoopThatHasNoFirstIterations) {
  Rows rows;
  rows.binding = " @unroll";
  expect_refused(rows, {"q"}, R"(error: defer: k has no first iterations to set apart
  for t in 0..6 {
    reduce k in 0..5 @unroll {       <-- here
      S[] += A[t, k])");
}

TEST(DeferRefusals, OfATensorThatTheTurnTouches) {
  Rows rows;
  rows.in_sum = "C[t, 0] = S[]";
  expect_refused(rows, {"q"},
                 R"(error: defer: C is touched here, and q writes it in the next iteration of t
  for t in 0..6 {
    reduce k in 0..5 {
      C[t, 0] = S[]                  <-- here)");
}

TEST(DeferRefusals, OfSizesOfItsLoops) {
  Rows rows;
  rows.sizes = "[K]";
  rows.K = "K";
  rows.stores = "for q in 0..K - 3 { C[t, q] = S[] }";
  expect_refused(rows, {"q"},
                 R"(error: defer: q has no constant number of iterations, one after the other
  for t in 0..6 {
    for q in 0..K - 3 {              <-- here
      C[t, q] = S[])");
}

}  // namespace defer_test
}  // namespace hone
