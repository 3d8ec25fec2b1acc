#include "ir/traverse/equal.h"

#include <gtest/gtest.h>

#include <limits>

#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace equal_test {

/// A body with A, B: f32[M, 8], n: i32[], b: bool[] and the axis i in scope.
Stmt body(const std::string& text) {
  const Function function = parse_function(
      "func f[M, N](A: f32[M, 8], B: f32[M, 8], n: i32[], b: bool[]) { for i in 0..M {" + text +
      "} }");
  return llvm::cast<For>(function.body)->body;
}

/// Each of these differs from all others, and from nothing else.
const std::vector<std::string> statements = {
    "",
    "barrier",
    "barrier barrier",
    "A[i, 0] = 1",
    "A[i, 0] += 1",
    "A[i, 1] = 1",
    "A[i, 0] = 2",
    "A[M, 0] = 1",
    "A[N, 0] = 1",
    "B[i, 0] = 1",
    "A[i, 0] = A[i, 1]",
    "A[i, 0] = B[i, 1]",
    "A[i, 0] = 0.0",
    "A[i, 0] = -0.0",
    "A[i, 0] = -A[i, 0]",
    "A[i, 0] = exp(A[i, 0])",
    "A[i, 0] = log(A[i, 0])",
    "A[i, 0] = A[i, 0] + A[i, 1]",
    "A[i, 0] = A[i, 1] + A[i, 0]",
    "A[i, 0] = A[i, 0] - A[i, 1]",
    "A[i, 0] = (A[i, 0] + A[i, 0]) + A[i, 0]",
    "A[i, 0] = A[i, 0] + (A[i, 0] + A[i, 0])",
    "A[i, 0] = select(b[], A[i, 0], 1)",
    "A[i, 0] = select(!b[], A[i, 0], 1)",
    "A[i, 0] = select(b[], 1, A[i, 0])",
    "A[i, 0] = f32(n[])",
    "A[i, 0] = f32(f16(n[]))",
    "A[i, 0] = f32(bf16(n[]))",
    "A[thread.x, 0] = 1",
    "A[thread.y, 0] = 1",
    "A[block.x, 0] = 1",
    "if (b[]) { }",
    "if (b[]) { barrier }",
    "if (!b[]) { }",
    "if (b[]) { } barrier",
    "for j in 0..8 { }",
    "for k in 0..8 { }",
    "reduce j in 0..8 { }",
    "for j in 0..9 { }",
    "for j in 0..8 { barrier }",
    "for j in 0..8 @unroll { }",
    "for j in 0..8 @unroll(2) { }",
    "for j in 0..8 @thread.x { }",
    "for j in 0..8 @thread.y { }",
    "for j in 0..8 @block.x { }",
    "let j = i",
    "let k = i",
    "let j = i + 1",
    "let j = i barrier",
    "alloc T: f32[8, 8] @shared",
    "alloc T: f32[8, 8] @registers",
    "alloc T: f32[8, 8] @order(1, 0) @shared",
    "alloc T: f32[8, 9] @shared",
    "alloc T: f16[8, 8] @shared",
    "alloc S: f32[8, 8] @shared",
    "copy A[i, 0 .. +8] <- B[i, 0 .. +8]",
    "copy B[i, 0 .. +8] <- A[i, 0 .. +8]",
    "copy A[i, 0 .. +4] <- B[i, 0 .. +8]",
    "copy A[i, 0] <- B[i, 0 .. +8]",
    "copy A[i, 0 .. +8] <- B[i, 1 .. +8]",
};

TEST(Equal, HoldsForTheSameTextAndNoOther) {
  for (size_t l = 0; l < statements.size(); ++l)
    for (size_t r = 0; r < statements.size(); ++r)
      EXPECT_EQ(equal(body(statements[l]), body(statements[r])), l == r)
          << statements[l] << " and " << statements[r];
}

TEST(Hash, IsEqualForEqualTreesAndTellsTheOthersApart) {
  for (size_t l = 0; l < statements.size(); ++l)
    for (size_t r = 0; r < statements.size(); ++r)
      EXPECT_EQ(hash(body(statements[l])) == hash(body(statements[r])), l == r)
          << statements[l] << " and " << statements[r];
}

TEST(Equal, SeesThroughTheNestingOfSequencesAndScopes) {
  const TensorPtr T = make_tensor("T", f32, {}, Scope::shared);
  const Stmt barrier = make_barrier(), store = Store::make(T, {}, Update::set, 1.0);
  const Stmt inside = Alloc::make(T, Seq::make({store, barrier}));
  const Stmt behind = Seq::make({Alloc::make(T, store), barrier});
  EXPECT_EQ(to_string(inside), to_string(behind));
  EXPECT_TRUE(equal(inside, behind));
  EXPECT_EQ(hash(inside), hash(behind));
  EXPECT_FALSE(equal(inside, Seq::make({Alloc::make(T, store), barrier, barrier})));
}

TEST(Equal, ComparesWhatIsReferredToByName) {
  const Expr i = AxisRef::make(make_axis("i", AxisKind::spatial));
  const Expr reduction = AxisRef::make(make_axis("i", AxisKind::reduction));
  EXPECT_TRUE(equal(i, reduction));
  EXPECT_EQ(hash(i), hash(reduction));
  EXPECT_FALSE(equal(i, AxisRef::make(make_axis("j", AxisKind::spatial))));
  EXPECT_FALSE(equal(i, ParamRef::make(make_param("i"))));
  EXPECT_TRUE(equal(ParamRef::make(make_param("M")), ParamRef::make(make_param("M"))));
}

TEST(Equal, ComparesATensorThatIsReferredToByNameTypeAndScope) {
  const auto load = [](DType type, Expr extent, Scope scope) {
    return Load::make(make_tensor("A", type, {extent}, scope), {0});
  };
  const Expr A = load(f32, 8, Scope::global);
  EXPECT_TRUE(equal(A, load(f32, 9, Scope::global)));
  EXPECT_EQ(hash(A), hash(load(f32, 9, Scope::global)));
  EXPECT_FALSE(equal(A, load(f16, 8, Scope::global)));
  EXPECT_FALSE(equal(A, load(f32, 8, Scope::shared)));
}

TEST(Equal, ComparesConstantsByTypeAndValue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(equal(FloatConst::make(nan), FloatConst::make(-nan)));
  EXPECT_EQ(hash(FloatConst::make(nan)), hash(FloatConst::make(-nan)));
  EXPECT_FALSE(equal(FloatConst::make(nan), FloatConst::make(1)));
  EXPECT_FALSE(equal(FloatConst::make(nan, f64), FloatConst::make(nan)));
  EXPECT_FALSE(equal(IntConst::make(1), IntConst::make(1, i32)));
  EXPECT_FALSE(equal(IntConst::make(1, boolean), IntConst::make(1, i32)));
}

TEST(Equal, ComparesFunctionsByWhatStandsInTheirText) {
  const std::string text = "func f[M](A: f32[M]) { }";
  const Function function = parse_function(text);
  Function with_history = function;
  with_history.history.push_back("s.split(i, 4)");
  EXPECT_TRUE(equal(function, with_history));
  for (const char* other :
       {"func g[M](A: f32[M]) { }", "func f[M](A: f32[M]) @may_alias { }",
        "func f[M, N](A: f32[M]) { }", "func f[M](A: f32[M], B: f32[M]) { }",
        "func f[M](A: f16[M]) { }", "func f[M](A: f32[8]) { }", "func f[M](A: f32[M, M]) { }",
        "func f[M](A: f32[M] @order(0)) { }", "func f[M](A: f32[M]) { barrier }"})
    EXPECT_FALSE(equal(function, parse_function(other))) << other;
}

}  // namespace equal_test
}  // namespace hone
