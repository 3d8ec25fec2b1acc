// Mistakes that a merge of two loops could make: the comparison of values that its tests rest on
// tells of each.
#include <gtest/gtest-spi.h>

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace merge_mistakes_test {

/// The number of differences that the comparison reports.
int differences(const Function& before, const Function& after) {
  testing::TestPartResultArray results;
  const testing::ScopedFakeTestPartResultReporter reporter(
      testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
  expect_same_values(before, after);
  return results.size();
}

Function program(const std::string& second) {
  return parse_function(
      "func f[N](A: f32[N], C: f32[N], D: f32[N]) { for i in 0..N { C[i] = A[i] "
      "+ 1.0 } for j in 0..N { D[j] = " +
      second + " } }");
}

Function merged(const Function& f) { return merge(f, axis(f, "i"), axis(f, "j")).function; }

/// Expects a difference where `mistake` makes the loop of the merged one.
void expect_found(llvm::function_ref<Stmt(const For&)> mistake) {
  const Function f = program("C[j] * 2.0");
  Function result = merged(f);
  EXPECT_EQ(differences(f, result), 0);
  result.body = mistake(*llvm::cast<For>(result.body));
  EXPECT_GT(differences(f, result), 0);
}

llvm::SmallVector<Stmt, 2> statements(const For& loop) { return llvm::cast<Seq>(loop.body)->stmts; }

TEST(MergeMistakes, TheOtherOrderIsFound) {
  expect_found([](const For& loop) {
    const auto stmts = statements(loop);
    return loop.with_body(Seq::make({stmts[1], stmts[0]}));
  });
}

TEST(MergeMistakes, AnIterationThatIsMissingIsFound) {
  expect_found([](const For& loop) {
    return For::make(loop.axis, loop.extent - 1, loop.binding, loop.body);
  });
}

TEST(MergeMistakes, ABodyThatIsMissingIsFound) {
  for (const size_t body : {0, 1})
    expect_found([&](const For& loop) { return loop.with_body(statements(loop)[body]); });
}

TEST(MergeMistakes, AnAxisThatIsNotReplacedIsFound) {
  expect_found([](const For& loop) {
    const auto stmts = statements(loop);
    const Stmt second = substitute(stmts[1], loop.axis.get(), Expr(0));
    return loop.with_body(Seq::make({stmts[0], second}));
  });
}

/// A merge that the primitive refuses, made all the same: of elements that later iterations
/// compute.
TEST(MergeMistakes, AMissingCheckOfTheOrderIsFound) {
  const Function f = program("C[N - 1 - j] * 2.0");
  EXPECT_THROW(merged(f), ScheduleError);
  const Function unchecked = parse_function(
      "func f[N](A: f32[N], C: f32[N], D: f32[N]) { for i in 0..N { C[i] = A[i] + "
      "1.0 D[i] = C[N - 1 - i] * 2.0 } }");
  EXPECT_GT(differences(f, unchecked), 0);
}

}  // namespace merge_mistakes_test
}  // namespace hone
