#include "ir/memory/vectors.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace vectors_test {

/// The problem of the vector loop v of `text`: "statement: message; note", or "a vector".
std::string problem(const std::string& text) {
  const Function function = parse_function(text);
  for (const For* loop : loops_of(function.body)) {
    if (loop->binding.kind != Binding::Kind::vectorize) continue;
    const auto site = find_site(function, loop->axis.get());
    const auto found = vector_problem(*loop, site->facts(), function.may_alias);
    if (!found) return "a vector";
    std::string line = to_string(found->statement);
    line = line.substr(0, line.find('\n'));
    return line + ": " + found->message + (found->note.empty() ? "" : "; " + found->note);
  }
  return "no vector loop";
}

/// `body` under i in 0..16 and v in 0..4, over matrices A, B and C of 16 rows.
std::string in_loops(const std::string& body) {
  return problem(
      "func f[N](A: f32[16, 64], B: f32[16, 64], C: f32[16, 64], D: f64[16, 64], "
      "H: f16[16, 64], x: f32[16], n: i32[16]) where N % 4 == 0 {\n"
      "alloc s: f32[64, 64] @shared\nalloc r: f32[8] @registers\n"
      "for i in 0..16 { for v in 0..4 @vectorize {\n" +
      body + "} } }");
}

TEST(VectorProblem, NoneOfAlignedNeighbours) {
  EXPECT_EQ(in_loops("C[i, v] = A[i, v] / (B[i, v + 4]*B[i, v + 4] + 1.0)"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] += A[i, v]*x[i]"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = f32(i + v)"), "a vector");
  EXPECT_EQ(in_loops("C[i, v + N] = A[i, v]"), "a vector");
  EXPECT_EQ(in_loops("let k = i*4 + v C[3, k] = A[4, k]"), "a vector");
}

TEST(VectorProblem, NoneOfSeveralStatementsAndUniformConditions) {
  EXPECT_EQ(in_loops("if (x[i] > 0.0) { C[i, v] = A[i, v] } B[i, v] = A[i, v]"), "a vector");
  EXPECT_EQ(in_loops("if (i*4 + v < N) { C[3, i*4 + v] = A[3, i*4 + v] }"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = select(i*4 + v < N, A[3, i*4 + v], 0.0)"), "a vector");
}

TEST(VectorProblem, NoneOfRegistersInAnyOrder) {
  EXPECT_EQ(in_loops("r[v*2] = A[i, v]"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = r[7 - v]"), "a vector");
  EXPECT_EQ(in_loops("r[v] += A[i, v]*r[0]"), "a vector");
}

// ---- The loop -----------------------------------------------------------------------------------

TEST(VectorProblem, OfAReduction) {
  EXPECT_EQ(problem("func f(A: f32[64], C: f32[1]) { reduce v in 0..4 @vectorize "
                    "{ C[0] += A[v] } }"),
            "reduce v in 0..4 @vectorize {: v is a reduction axis: its iterations update the same "
            "elements; cache what it reads in registers, and vectorize that copy");
}

TEST(VectorProblem, OfAnExtentThatIsNoConstant) {
  EXPECT_EQ(problem("func f[M](A: f32[M], C: f32[M]) { for v in 0..M @vectorize { C[v] = A[v] } }"),
            "for v in 0..M @vectorize {: the extent M of v is not a constant; split v by 4 and "
            "vectorize the inner loop");
}

TEST(VectorProblem, OfASingleLane) {
  EXPECT_EQ(problem("func f(A: f32[8], C: f32[8]) { for v in 0..1 @vectorize { C[v] = A[v] } }"),
            "for v in 0..1 @vectorize {: the extent of v is 1, and a vector has 2 elements or "
            "more");
}

TEST(VectorProblem, OfANest) {
  EXPECT_EQ(in_loops("for j in 0..4 { C[j, v] = 0.0 }"),
            "for j in 0..4 {: the loop j stands inside v, and a vector loop holds single "
            "statements");
  EXPECT_EQ(in_loops("alloc t: f32[] @registers t[] = A[i, v] C[i, v] = t[]"),
            "alloc t: f32[] @registers: the alloc of t stands inside v, and a vector loop holds "
            "single statements");
  EXPECT_EQ(in_loops("copy C[i, v .. +1] <- A[i, v .. +1]"),
            "copy C[i, v .. +1] <- A[i, v .. +1]: the copy to C stands inside v, and a vector loop "
            "holds single statements");
}

TEST(VectorProblem, OfAWidthThatNoInstructionHas) {
  EXPECT_EQ(in_loops("D[i, v] = 0.0f64"),
            "D[i, v] = 0.0f64: 4 elements of D are 32 bytes, and a vector access moves 2, 4, 8 or "
            "16");
  EXPECT_EQ(problem("func f(A: f32[9], C: f32[9]) { for v in 0..3 @vectorize { C[v] = A[v] } }"),
            "C[v] = A[v]: 3 elements of A are 12 bytes, and a vector access moves 2, 4, 8 or 16");
}

TEST(VectorProblem, OfWhatIsNoMemory) {
  EXPECT_EQ(in_loops("r[v] = r[v + 4]"),
            "for v in 0..4 @vectorize {: no access in v moves a vector to or from memory; "
            "unroll(v) runs its iterations side by side");
  EXPECT_EQ(in_loops("r[v] = x[i]"),
            "for v in 0..4 @vectorize {: no access in v moves a vector to or from memory; "
            "unroll(v) runs its iterations side by side");
}

/// Two of two bytes, or four bytes, move from register to register as a word.
TEST(VectorProblem, OfRegistersThatAreNoWord) {
  const auto moves = [](const char* type, int count, const char* from) {
    return problem(fmt::format(R"(func f(C: {0}[2]) {{
  alloc r: {0}[16] @registers
  alloc t: {0}[16] @registers
  for v in 0..{1} @vectorize {{ t[v] = {2} }}
}})",
                               type, count, from));
  };
  EXPECT_EQ(moves("bf16", 2, "r[v + 2]"), "a vector");
  EXPECT_EQ(moves("i8", 4, "r[v]"), "a vector");
  const auto refused = [](int count) {
    return fmt::format(
        "for v in 0..{} @vectorize {{: no access in v moves a vector to or from memory; unroll(v) "
        "runs its iterations side by side",
        count);
  };
  for (const int count : {2, 8}) EXPECT_EQ(moves("i8", count, "r[v]"), refused(count));
  for (const char* from : {"r[v + 1]", "r[v] + r[v]", "r[v*2]", "r[0]"})
    EXPECT_EQ(moves("bf16", 2, from), refused(2)) << from;
}

// ---- Its accesses -------------------------------------------------------------------------------

TEST(VectorProblem, OfElementsThatAreNotSideBySide) {
  EXPECT_EQ(in_loops("C[v, i] = A[i, v]"),
            "C[v, i] = A[i, v]: C[v, i] does not run along the fastest dimension of C; what lies "
            "side by side in C are the elements along dimension 1");
  EXPECT_EQ(in_loops("C[i, v] = A[i, v + 2]"),
            "C[i, v] = A[i, v + 2]: A[i, v + 2] starts at 2, which is not a multiple of 4");
  EXPECT_EQ(in_loops("C[i, v] = x[index(n[v])]"),
            "C[i, v] = x[index(n[v])]: x[index(n[v])] is not linear in v");
}

TEST(VectorProblem, OfAnElementThatAllIterationsWrite) {
  EXPECT_EQ(in_loops("x[i] += A[i, v]"),
            "x[i] += A[i, v]: x[i] is the same element in all 4 iterations of v, and each of them "
            "writes it");
  EXPECT_EQ(in_loops("r[0] = A[i, v]"),
            "r[0] = A[i, v]: r[0] is the same element in all 4 iterations of v, and each of them "
            "writes it");
}

TEST(VectorProblem, OfAConditionThatDiffersBetweenIterations) {
  EXPECT_EQ(in_loops("if (i*4 + v < 63) { C[3, i*4 + v] = 0.0 }"),
            "C[3, i*4 + v] = 0.0: C[3, i*4 + v] would be predicated: i*4 + v < 63 is not the same "
            "in all 4 iterations of v");
  EXPECT_EQ(in_loops("C[i, v] = select(A[i, v] > 0.0, B[i, v], 0.0)"),
            "C[i, v] = select(A[i, v] > 0.0, B[i, v], 0.0): B[i, v] would be predicated: A[i, v] > "
            "0.0 is not the same in all 4 iterations of v");
}

TEST(VectorProblem, NoneOfAChoiceAmongWhatIsReadAnyway) {
  EXPECT_EQ(in_loops("C[i, v] = select(A[i, v] > 0.0, A[i, v], A[i, v]*0.1)"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = select(A[i, v] > x[i], A[i, v], x[i])"), "a vector");
  EXPECT_EQ(in_loops("if (i > 3) { C[i, v] = select(r[v] > 0.0, A[i, v], 0.0) } B[i, v] = A[i, v]"),
            "a vector");
}

// ---- Shared memory ------------------------------------------------------------------------------

TEST(VectorProblem, NoneOfAPlainMoveThatTransposesInSharedMemory) {
  EXPECT_EQ(in_loops("s[v, i] = A[i, v]"), "a vector");
  EXPECT_EQ(in_loops("s[v, i] = select(i < N, A[i, v], 0.0)"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = s[v, i]"), "a vector");
}

TEST(VectorProblem, OfArithmeticOnAStridedSharedTensor) {
  EXPECT_EQ(in_loops("s[v, i] = A[i, v]*2.0"),
            "s[v, i] = A[i, v] * 2.0: s[v, i] does not run along the fastest dimension of s; what "
            "lies side by side in s are the elements along dimension 1");
  EXPECT_EQ(in_loops("s[v, i] += A[i, v]"),
            "s[v, i] += A[i, v]: s[v, i] does not run along the fastest dimension of s; what lies "
            "side by side in s are the elements along dimension 1");
}

TEST(VectorProblem, OfAMoveFromAndToOneSharedTensor) {
  EXPECT_EQ(in_loops("s[v, i] = s[i, v]"),
            "s[v, i] = s[i, v]: s[v, i] does not run along the fastest dimension of s; what lies "
            "side by side in s are the elements along dimension 1");
}

// ---- Dependences --------------------------------------------------------------------------------

TEST(VectorProblem, NoneOfVectorsThatAreEqualOrApart) {
  EXPECT_EQ(in_loops("C[i, v] = C[i, v]*2.0 B[i, v] = C[i, v]"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = C[i, v + 4]"), "a vector");
  EXPECT_EQ(in_loops("C[i, v] = C[i + 1, v]"), "a vector");
}

TEST(VectorProblem, OfElementsThatOtherIterationsWrite) {
  EXPECT_EQ(in_loops("C[i, v] = C[i, 0]"),
            "C[i, v] = C[i, 0]: C[i, v] and C[i, 0] may be one element in different iterations of "
            "v");
  EXPECT_EQ(in_loops("C[i, v] = C[3, v]"),
            "C[i, v] = C[3, v]: C[i, v] and C[3, v] may be one element in different iterations of "
            "v");
  EXPECT_EQ(in_loops("x[v] = 0.0 C[i, v] = A[i, v]*x[i]"),
            "x[v] = 0.0: x[v] and x[i] may be one element in different iterations of v");
}

TEST(VectorProblem, OfOneElementUnderTwoConditions) {
  EXPECT_EQ(in_loops("B[i, v] = C[i, v] if (i < 3) { C[i, v] = 0.0 }"),
            "C[i, v] = 0.0: C[i, v] is accessed twice, under different conditions");
}

TEST(VectorProblem, OfAPlaceThatTheLoopItselfWrites) {
  EXPECT_EQ(in_loops("r[v] = 0.0 if (r[0] > 0.0) { C[i, v] = 0.0 }"),
            "C[i, v] = 0.0: where C[i, v] lies depends on what the iterations of v write");
}

TEST(VectorProblem, OfArgumentsThatMayOverlap) {
  const auto aliased = [](const std::string& body) {
    return problem(
        "func f(A: f32[64], x: f32[1], H: f16[64], C: f32[64]) @may_alias { for v in "
        "0..4 @vectorize { " +
        body + " } }");
  };
  EXPECT_EQ(aliased("C[v] = A[v] + A[v + 8]"), "a vector");
  EXPECT_EQ(aliased("C[v] = A[v] + x[0]"),
            "C[v] = A[v] + x[0]: C[v] and x[0] may overlap (may_alias), and the vectors of v are "
            "read before one is written");
  EXPECT_EQ(aliased("C[v] = f32(H[v])"),
            "C[v] = f32(H[v]): C[v] and H[v] may overlap (may_alias), and the vectors of v are "
            "read before one is written");
  EXPECT_EQ(aliased("C[v] = 0.0 A[v] = 1.0"),
            "C[v] = 0.0: C[v] and A[v] may overlap (may_alias), and the vectors of v are read "
            "before one is written");
}

}  // namespace vectors_test
}  // namespace hone
