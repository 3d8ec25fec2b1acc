// Lowering of kernels of thousands of statements: minutes, where the work grows with the square of
// their number.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/schedule/primitives.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"
#include "tests/support/ir/quick_test.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace large_bodies_test {

using LargeBodies = QuickTest;

constexpr int64_t statements = 4096;

size_t count(const Stmt& stmt, StmtKind kind) {
  size_t found = 0;
  walk(stmt, [&](const Stmt& part) { found += part.kind() == kind ? 1 : 0; });
  return found;
}

/// A loop over i on 32 threads, around so many statements.
KernelFunction lowered(const std::string& arguments, const std::string& statement) {
  const Function f =
      parse_function(fmt::format("func f({0}) {{ for i in 0..32 {{ for j in 0..{1} {{ {2} }} }} }}",
                                 arguments, statements, statement));
  const Function g = write_out(f, axis(f, "j")).function;
  return lower(bound(g, "i", thread_x)).kernels.front();
}

TEST_F(LargeBodies, OfThreadsThatMeetNobody) {
  const KernelFunction kernel =
      lowered("A: f32[32, 4096], C: f32[32, 4096]", "C[i, j] = A[i, 4095 - j] * 2.0");
  EXPECT_EQ(count(kernel.body, StmtKind::Store), statements);
  EXPECT_EQ(count(kernel.body, StmtKind::Instr), 0u);
}

TEST_F(LargeBodies, WithGuards) {
  const KernelFunction kernel = lowered("A: f32[32, 4096], C: f32[32, 4096]",
                                        "if (A[i, j] > 0.0) { C[i, j] = A[i, j] + C[i, 0] }");
  EXPECT_EQ(count(kernel.body, StmtKind::Instr), 0u);
}

TEST_F(LargeBodies, OfASharedTile) {
  Function f = parse_function(R"(func f(A: f32[8, 4096], C: f32[8, 4096]) {
    for b in 0..2 @block.x { for t in 0..4 @thread.x { for j in 0..4096 {
      C[b*4 + t, j] = A[b*4 + t, 4095 - j] * 2.0
    } } } })");
  f = in_shared(f, "A", "b");
  const KernelFunction kernel = lower(write_out(f, axis(f, "j")).function).kernels.front();
  EXPECT_EQ(count(kernel.body, StmtKind::Instr), 1u);  // the barrier behind the copy
}

/// A guard for each of the loops, in the others.
TEST_F(LargeBodies, OfAHundredNestedLoops) {
  Function f = parse_function("func f[N](C: f32[N]) { for i in 0..N { C[i] = 1.0 } }");
  std::string outer = "i";
  for (int n = 0; n < 100; ++n, outer += ".0")
    f = split(f, axis(f, outer), 2, Tail::guard).function;
  EXPECT_EQ(count(lower(f).kernels.front().body, StmtKind::If), 100u);
}

}  // namespace large_bodies_test
}  // namespace hone
