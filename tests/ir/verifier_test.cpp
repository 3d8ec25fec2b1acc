#include "ir/verify/verifier.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"

namespace hone {
namespace verifier_test {

std::string verdict(const Function& function) { return verify(function).value_or("well formed"); }

std::string verdict(const std::string& text) { return verdict(parse_function(text)); }

/// Of a body with the param M and A, B: f32[M, 8], n: i32[] and b: bool[] in scope.
std::string body_verdict(const std::string& body) {
  return verdict("func f[M](A: f32[M, 8], B: f32[M, 8], n: i32[], b: bool[]) {" + body + "}");
}

const AxisPtr i = make_axis("i", AxisKind::spatial);
const Expr ei = AxisRef::make(i);
const TensorPtr A = make_tensor("A", f32, {8});

/// A function with the argument A: f32[8].
Function function_of(Stmt body) {
  Function function;
  function.name = "f";
  function.arguments = {A};
  function.body = std::move(body);
  return function;
}

Stmt store(Expr index) { return Store::make(A, {index}, Update::set, 1.0); }

TEST(Verify, AcceptsWhatIsWellFormed) {
  EXPECT_EQ(verdict(R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N] @order(1, 0), C: f32[M, N]) {
    alloc T: f32[M, (N + 3) / 4] @global
    for i.0 in 0..(M + 31) / 32 @block.y {
      for j.0 in 0..N @block.x {
        alloc s: f32[32] @shared
        for i.1 in 0..32 @thread.y {
          let x = i.0*32 + i.1
          copy s[0 .. +32] <- A[x, 0 .. +32]
          if (x < M) {
            for j.1 in 0..4 @thread.x { for u in 0..2 @unroll { s[u] = 0 } }
            reduce k in 0..K { C[x, j.0] += A[x, k] * B[k, j.0] * s[index(s[0])] }
            for j.2 in 0..8 @thread.x { s[j.2] max= 1 }
          }
        }
      }
    }
    for p in 0..M @parallel { for q in 0..N @unroll(4) { T[p, q / 4] = 0 } }
  })"),
            "well formed");
}

TEST(Verify, RefusesNamesThatCannotBeReadBack) {
  Function function = function_of(store(0));
  function.name = "my function";
  EXPECT_EQ(verdict(function), "'my function' is not a name");
  for (const char* name : {"", "8", "a-b", "a.", ".a", "a..b"}) {
    const Stmt loop = For::make(make_axis(name, AxisKind::spatial), 8, {}, store(0));
    EXPECT_EQ(verdict(function_of(loop)), "'" + std::string(name) + "' is not a name");
  }
  const Stmt loop = For::make(make_axis("block.x", AxisKind::spatial), 8, {}, store(0));
  EXPECT_EQ(verdict(function_of(loop)), "'block.x' is reserved");
}

TEST(Verify, RefusesTwoThingsOfOneName) {
  EXPECT_EQ(verdict("func f[M, M]() { }"), "two params are named M");
  EXPECT_EQ(verdict("func f(A: f32[8], A: f32[8]) { }"), "two tensors are named A");
  EXPECT_EQ(body_verdict("alloc A: f32[8] @shared"), "two tensors are named A");
  EXPECT_EQ(body_verdict("if (b[]) { alloc T: f32[8] @shared } alloc T: f32[8] @shared"),
            "two tensors are named T");
  EXPECT_EQ(body_verdict("for i in 0..8 { } for i in 0..8 { }"), "two axes are named i");
  EXPECT_EQ(body_verdict("for i in 0..8 { let i = 3 }"), "two axes are named i");
  EXPECT_EQ(body_verdict("for M in 0..8 { }"), "an axis and a param are named M");
}

TEST(Verify, RefusesAnAxisWithTwoLoops) {
  const Stmt loop = For::make(i, 8, {}, store(ei));
  EXPECT_EQ(verdict(function_of(Seq::make({loop, loop}))), "axis i has two loops");
  EXPECT_EQ(verdict(function_of(For::make(i, 8, {}, loop))), "axis i has two loops");
  EXPECT_EQ(verdict(function_of(Seq::make({loop, Let::make(i, 3, store(ei))}))),
            "axis i has two values");
}

TEST(Verify, RefusesAnAxisOutsideItsLoop) {
  const Stmt loop = For::make(i, 8, {}, store(0));
  EXPECT_EQ(verdict(function_of(Seq::make({loop, store(ei)}))), "i is used outside its loop");
  EXPECT_EQ(verdict(function_of(store(ei))), "i is used outside its loop");
  EXPECT_EQ(verdict(function_of(Let::make(i, ei, store(0)))), "i is used outside its loop");
}

TEST(Verify, RefusesAReferenceToAnotherAxisOfTheName) {
  const AxisPtr other = make_axis("i", AxisKind::spatial);
  EXPECT_EQ(verdict(function_of(For::make(i, 8, {}, store(AxisRef::make(other))))),
            "a reference to i is to another axis of that name");
}

TEST(Verify, RefusesAnUnknownParam) {
  EXPECT_EQ(verdict(function_of(store(ParamRef::make(make_param("N"))))), "N is not a param of f");
}

TEST(Verify, RefusesATensorThatIsNotInScope) {
  const TensorPtr T = make_tensor("T", f32, {8}, Scope::shared);
  const Stmt use = Store::make(T, {0}, Update::set, 1.0);
  const std::string message = "T is neither an argument nor allocated around its use";
  EXPECT_EQ(verdict(function_of(use)), message);
  EXPECT_EQ(verdict(function_of(Seq::make({Alloc::make(T, store(0)), use}))), message);
  EXPECT_EQ(verdict(function_of(store(Cast::make(DType::index, Load::make(T, {0}))))), message);
}

TEST(Verify, RefusesATensorThatIsNotUsedAsDeclared) {
  const TensorPtr shorter = make_tensor("A", f32, {4}, Scope::global, Layout::order({0}));
  EXPECT_EQ(verdict(function_of(Store::make(shorter, {0}, Update::set, 1.0))),
            "A: f32[8] @global is used as A: f32[4] @order(0) @global");
}

TEST(Verify, RefusesAnArgumentThatIsNotGlobal) {
  Function function = function_of(store(0));
  function.arguments = {make_tensor("A", f32, {8}, Scope::shared)};
  EXPECT_EQ(verdict(function), "argument A is @shared, and arguments are @global");
}

TEST(Verify, RefusesALayoutThatDoesNotFit) {
  const auto verdict_of = [](const Layout& layout) {
    Function function = function_of(Seq::make({}));
    function.arguments = {make_tensor("A", f32, {8, 8}, Scope::global, layout)};
    return verdict(function);
  };
  EXPECT_EQ(verdict_of(Layout::order({0, 2})),
            "the layout of A: its order (0, 2) does not name each of 2 dimensions once");
  EXPECT_EQ(verdict_of(Layout().pad(-1)), "the layout of A: the padding -1 is negative");
  EXPECT_EQ(verdict_of(Layout().swizzle({4, 2, 1})),
            "the layout of A: a swizzle is for shared memory");
}

TEST(Verify, RefusesAPromiseThatIsNoCondition) {
  EXPECT_EQ(verdict("func f[M]() where M { }"), "the assumption M is index");
  Function function = function_of(store(0));
  function.assumptions = {ei < 3};
  EXPECT_EQ(verdict(function), "i is used outside its loop");
}

TEST(Verify, RefusesAFillOfAnotherType) {
  EXPECT_EQ(body_verdict("copy A[0, 0 .. +4] <- B[0, 0 .. +4] fill 3i32"),
            "the fill 3i32 of a copy from B is not a constant of type f32");
  EXPECT_EQ(body_verdict("copy A[0, 0 .. +4] <- B[0, 0 .. +4] fill -inf @vector(4)"),
            "well formed");
}

TEST(Verify, RefusesVectorsAndStridesThatAreNone) {
  const Region region{A, {{0, 4}}}, strided{A, {{Expr(0), Expr(4), 0}}};
  EXPECT_EQ(verdict(function_of(Copy::make(region, region, {.vector = -4}))),
            "a copy moves vectors of -4 elements");
  EXPECT_EQ(verdict(function_of(Copy::make(strided, region))), "the stride 0 of a region of A");
}

TEST(Verify, RefusesElementsOfTypeIndex) {
  Function function = function_of(Seq::make({}));
  function.arguments = {make_tensor("A", DType::index, {8})};
  EXPECT_EQ(verdict(function), "the elements of A have type index");
}

TEST(Verify, RefusesSizesThatAreNotOverParamsAndConstants) {
  EXPECT_EQ(body_verdict("for i in 0..8 { for j in 0..i + 1 { } }"),
            "the extent i + 1 of j depends on i; it may contain params and constants");
  EXPECT_EQ(body_verdict("for j in 0..index(n[]) { }"),
            "the extent index(n[]) of j depends on n[]; it may contain params and constants");
  EXPECT_EQ(body_verdict("for i in 0..8 { alloc T: f32[i] @shared }"),
            "the extent i of T depends on i; it may contain params and constants");
  EXPECT_EQ(body_verdict("for i in 0..8 { copy A[0 .. +i, 0] <- B[0 .. +i, 0] }"),
            "the extent i of a region of A depends on i; it may contain params and constants");
}

TEST(Verify, RefusesWhatIsNotAnIndex) {
  EXPECT_EQ(body_verdict("for j in 0..8i32 { }"), "the extent 8i32 of j is i32, not an index");
  EXPECT_EQ(body_verdict("alloc T: f32[1.5] @shared"), "the extent 1.5 of T is f32, not an index");
  const AxisPtr x = make_axis("x", AxisKind::spatial);
  EXPECT_EQ(verdict(function_of(Let::make(x, 1.5, Seq::make({})))),
            "the value 1.5 of x is f32, not an index");
  EXPECT_EQ(body_verdict("copy A[n[], 0] <- B[0, 0]"), "the index n[] of A is i32, not an index");
  EXPECT_EQ(body_verdict("if (M) { }"), "the condition M of an if is index");
}

TEST(Verify, RefusesAValueOfAKernel) {
  EXPECT_EQ(body_verdict("alloc x: f32[] @value x[] = 1.0"), "x is @value, and stands in loop IR");
}

TEST(Verify, RefusesAnUpdateThatTheTypeDoesNotTake) {
  EXPECT_EQ(body_verdict("b[] += true"), "b is bool, which '+=' does not take");
  EXPECT_EQ(body_verdict("A[0, 0] and= 1"), "A is f32, which 'and=' does not take");
  EXPECT_EQ(body_verdict("n[] or= 1"), "n is i32, which 'or=' does not take");
}

TEST(Verify, RefusesAConstantOutOfRange) {
  EXPECT_EQ(verdict(function_of(If::make(IntConst::make(300, u8) < 3, store(0)))),
            "300 does not fit u8");
}

TEST(Verify, RefusesACopyThatDoesNotFit) {
  EXPECT_EQ(body_verdict("copy A[0 .. +8, 0 .. +4] <- B[0 .. +8, 0]"),
            "a copy to A extents [8, 4] from B extents [8]");
  EXPECT_EQ(body_verdict("copy A[0 .. +8, 0] <- B[0 .. +M, 0]"),
            "a copy to A extents [8] from B extents [M]");
  EXPECT_EQ(body_verdict("copy A[0, 0] <- n[]"), "a copy to A (f32) from n (i32) changes the type");
}

TEST(Verify, RefusesAGridIndexThatIsBoundTwiceInANest) {
  EXPECT_EQ(body_verdict("for i in 0..8 @block.y { for j in 0..8 @block.y { } }"),
            "block.y is bound twice: to i and, inside it, to j");
  EXPECT_EQ(body_verdict("for i in 0..8 @thread.x { } for j in 0..8 @thread.x { }"), "well formed");
}

TEST(Verify, LetsALoopInsideThreadsDealThemOutAnew) {
  EXPECT_EQ(verdict(R"(func f(A: f32[64], C: f32[8]) {
    for i in 0..8 @thread.x {
      alloc T: f32[8] @shared
      for j in 0..8 @thread.x { T[j] = A[j] }
      C[i] = T[7 - i]
    }
  })"),
            "well formed");
}

TEST(Verify, RefusesABlockLoopInsideAnyOther) {
  EXPECT_EQ(body_verdict("for i in 0..8 @thread.x { for j in 0..8 @block.x { } }"),
            "the block.x loop j stands inside i, which is thread.x");
  EXPECT_EQ(body_verdict("for i in 0..8 { for j in 0..8 @block.x { } }"),
            "the block.x loop j stands inside i, which is serial");
  EXPECT_EQ(body_verdict("for i in 0..8 @unroll(2) { for j in 0..8 @block.x { } }"),
            "the block.x loop j stands inside i, which is unroll(2)");
}

TEST(Verify, RefusesToMixParallelWithBlocksAndThreads) {
  EXPECT_EQ(body_verdict("for i in 0..8 @parallel { for j in 0..8 @thread.x { } }"),
            "the thread.x loop j stands inside the parallel loop i");
  EXPECT_EQ(body_verdict("for i in 0..8 @thread.x { for j in 0..8 @parallel { } }"),
            "the parallel loop j stands inside the thread.x loop i");
  EXPECT_EQ(body_verdict("for i in 0..8 @parallel { for j in 0..8 @parallel { } }"), "well formed");
}

TEST(Verify, RefusesAnImpossibleBinding) {
  const Stmt loop = For::make(i, 8, {.kind = Binding::Kind::thread, .dim = 4}, store(0));
  EXPECT_EQ(verdict(function_of(loop)), "i has an impossible binding");
}

TEST(Verify, RefusesNodesOfKernelIR) {
  EXPECT_EQ(body_verdict("barrier"), "barrier stands in loop IR");
  EXPECT_EQ(body_verdict("A[thread.x, 0] = 1"), "thread.x stands in loop IR");
  EXPECT_EQ(body_verdict("for i in 0..block.x { }"), "block.x stands in loop IR");
}

}  // namespace verifier_test
}  // namespace hone
