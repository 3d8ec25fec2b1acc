// Primitives on functions of thousands of statements, or of many loops: minutes, where the work
// grows with the square of their number.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/quick_test.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace large_bodies_test {

using LargeBodies = QuickTest;

constexpr int64_t statements = 4096;

/// C = 2 A for so many columns, a statement each.
Function written_out(const std::string& index = "i") {
  const Function f = parse_function(fmt::format(R"(func f[M](A: f32[M, {0}], C: f32[M, {0}]) {{
    for i in 0..M {{ for j in 0..{0} {{ C[{1}, j] = A[i, {0} - 1 - j] * 2.0 }} }} }})",
                                                statements, index));
  return write_out(f, axis(f, "j")).function;
}

Binding binding_of(const Function& function, llvm::StringRef name) {
  return find_site(function, axis(function, name).get())->loop().binding;
}

TEST_F(LargeBodies, Bind) {
  EXPECT_EQ(binding_of(bound(written_out(), "i", block_x), "i"), block_x);
}

TEST_F(LargeBodies, BindWithAGuardPerStatement) {
  const Function f = parse_function(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
    for i in 0..M { for j in 0..N { C[i, j] = A[i, j] * 2.0 } } })");
  const Function g = split(f, axis(f, "j"), statements, Tail::guard).function;
  const Function h = write_out(g, axis(g, "j.1")).function;
  EXPECT_EQ(binding_of(bound(h, "i", block_x), "i"), block_x);
}

TEST_F(LargeBodies, BindIsRefusedForTheFirstTwoThatMeet) {
  const Function f = written_out("i / 2");
  try {
    bound(f, "i", block_x);
    FAIL() << "two iterations write the same";
  } catch (const ScheduleError& error) {
    const llvm::StringRef message = error.what();
    EXPECT_EQ(message.split('\n').first.str(),
              "error: bind: two iterations of i may write one element: C[i / 2, 0]");
  }
}

TEST_F(LargeBodies, Reorder) {
  const Function f = parse_function(fmt::format(
      R"(func f[M, N](A: f32[M, N, {0}], C: f32[M, N, {0}]) {{
    for i in 0..M {{ for j in 0..N {{ for k in 0..{0} {{ C[i, j, k] = A[i, j, k] }} }} }} }})",
      statements));
  const Function g = write_out(f, axis(f, "k")).function;
  const Function h = reorder(g, {axis(g, "j"), axis(g, "i")}).function;
  EXPECT_EQ(loops_of(h.body).front()->axis->name, "j");
}

TEST_F(LargeBodies, Fission) {
  const Function f = written_out();
  EXPECT_EQ(fission(f, axis(f, "i")).axes.size(), statements);
}

TEST_F(LargeBodies, SplitOneLoopAHundredTimes) {
  Function f = parse_function("func f[N](C: f32[N]) { for i in 0..N { C[i] = 1.0 } }");
  std::string outer = "i";
  for (int n = 0; n < 100; ++n, outer += ".0")
    f = split(f, axis(f, outer), 2, Tail::guard).function;
  EXPECT_EQ(loops_of(f.body).size(), 101u);
}

/// Each of the loops has parts of parts, whose extents are quotients of quotients.
TEST_F(LargeBodies, SplitTheLoopsOfASumInTurn) {
  Function f = parse_function(R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
    for i in 0..M { for j in 0..N { for k in 0..K { C[i, j] += A[i, k] * B[k, j] } } } })");
  std::array<std::string, 3> outer = {"i", "j", "k"};
  for (int n = 0; n < 99; ++n) {
    f = split(f, axis(f, outer[n % 3]), 2, Tail::guard).function;
    outer[n % 3] += ".0";
  }
  EXPECT_EQ(loops_of(f.body).size(), 102u);
}

/// The name of the loop that the loops of the names become.
std::string fuse_all(Function& function, llvm::ArrayRef<std::string> names) {
  std::string outer = names.front();
  for (const std::string& inner : names.drop_front()) {
    const Rewrite fused = fuse(function, axis(function, outer), axis(function, inner));
    function = fused.function;
    outer = fused.axes[0]->name;
  }
  return outer;
}

/// C = 2 A, of so many dimensions whose sizes nobody knows.
Function of_rank(int rank) {
  std::string params, open, indices;
  for (int n = 0; n < rank; ++n) {
    const char* comma = n == 0 ? "" : ", ";
    params += fmt::format("{}N{}", comma, n);
    indices += fmt::format("{}i{}", comma, n);
    open += fmt::format("for i{0} in 0..N{0} {{ ", n);
  }
  return parse_function(
      fmt::format("func f[{0}](A: f32[{0}], C: f32[{0}]) {{ {1} C[{2}] = A[{2}] * 2.0 {3} }}",
                  params, open, indices, std::string(rank, '}')));
}

/// The axes i0, i1, ...
llvm::SmallVector<std::string, 8> names_of(int rank, const std::string& suffix = "") {
  llvm::SmallVector<std::string, 8> names;
  for (int n = 0; n < rank; ++n) names.push_back(fmt::format("i{}{}", n, suffix));
  return names;
}

TEST_F(LargeBodies, FuseSixteenLoops) {
  Function f = of_rank(16);
  const std::string fused = fuse_all(f, names_of(16));
  EXPECT_EQ(loops_of(bound(f, fused, block_x).body).size(), 1u);
}

TEST_F(LargeBodies, FuseSixteenLoopsTheInnerOnesFirst) {
  Function f = of_rank(16);
  std::string inner = "i15";
  for (int n = 14; n >= 0; --n) inner = fuse_all(f, {fmt::format("i{}", n), inner});
  EXPECT_EQ(loops_of(bound(f, inner, block_x).body).size(), 1u);
}

TEST_F(LargeBodies, TileTilesTwentyTimes) {
  Function f = of_rank(2);
  std::string first = "i0", second = "i1";
  for (int n = 0; n < 20; ++n, first += ".0", second += ".0")
    f = tile(f, {axis(f, first), axis(f, second)}, {2, 2}, Tail::guard).function;
  EXPECT_EQ(loops_of(f.body).size(), 42u);
}

TEST_F(LargeBodies, TileFuseAndCacheRankEight) {
  Function f = of_rank(8);
  llvm::SmallVector<AxisPtr, 8> axes;
  for (const std::string& name : names_of(8)) axes.push_back(axis(f, name));
  f = tile(f, axes, llvm::SmallVector<Expr, 8>(8, Expr(4)), Tail::guard).function;
  f = bound(f, fuse_all(f, names_of(8, ".0")), block_x);
  f = in_registers(f, "C", fuse_all(f, names_of(8, ".1")));
  EXPECT_EQ(loops_of(f.body).size(), 2u);
}

}  // namespace large_bodies_test
}  // namespace hone
