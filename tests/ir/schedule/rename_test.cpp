#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace rename_test {

Rewriting renames(llvm::StringRef name, llvm::StringRef wanted) {
  return [=](const Function& f) { return rename(f, axis(f, name), wanted).function; };
}

constexpr const char* fill =
    "func f[N](C: f32[N, 4]) { for i.0 in 0..N @block.x { for j in 0..4 { C[i.0, j] = 1.0 } } }";

TEST(Rename, KeepsTheBinding) {
  expect_rewrite(fill, renames("i.0", "row"), R"(func f[N](C: f32[N, 4]) {
  for row in 0..N @block.x {
    for j in 0..4 {
      C[row, j] = 1.0
    }
  }
})");
}

TEST(Rename, KeepsTheKind) {
  expect_rewrite("func f(A: f32[8], C: f32[1]) { reduce k in 0..8 { C[0] += A[k] } }",
                 renames("k", "step"), R"(func f(A: f32[8], C: f32[1]) {
  reduce step in 0..8 {
    C[0] += A[step]
  }
})");
}

std::vector<std::string> roots_after(const Function& f, llvm::StringRef name) {
  const AxisPtr renamed = rename(f, axis(f, name), "row").axes[0];
  return {renamed->roots.begin(), renamed->roots.end()};
}

TEST(Rename, KeepsTheRootOfAPart) {
  EXPECT_EQ(roots_after(parse_function(fill), "i.0"), std::vector<std::string>({"i"}));
}

TEST(Rename, MakesTheNewNameTheRootOfADeclaredAxis) {
  EXPECT_EQ(roots_after(parse_function(fill), "j"), std::vector<std::string>({"row"}));
}

TEST(Rename, MakesTheNewNameTheRootOfAFusedAxis) {
  const Function f =
      parse_function("func f(C: f32[2, 4]) { for i in 0..2 { for j in 0..4 { C[i, j] = 1.0 } } }");
  const Function fused = fuse(f, axis(f, "i"), axis(f, "j")).function;
  EXPECT_EQ(roots_after(fused, "i_j"), std::vector<std::string>({"row"}));
}

TEST(Rename, RefusesAnEmptyName) {
  expect_refusal(fill, renames("j", ""), R"(error: rename: '' is not an identifier
  for i.0 in 0..N @block.x {
    for j in 0..4 {                  <-- here
      C[i.0, j] = 1.0
note: letters, digits and '_', not starting with a digit)");
}

TEST(Rename, RefusesADigitInFront) {
  expect_refusal(fill, renames("j", "1st"), R"(error: rename: '1st' is not an identifier
  for i.0 in 0..N @block.x {
    for j in 0..4 {                  <-- here
      C[i.0, j] = 1.0
note: letters, digits and '_', not starting with a digit)");
}

TEST(Rename, RefusesADot) {
  expect_refusal(fill, renames("j", "j.0"), R"(error: rename: 'j.0' is not an identifier
  for i.0 in 0..N @block.x {
    for j in 0..4 {                  <-- here
      C[i.0, j] = 1.0
note: letters, digits and '_', not starting with a digit)");
}

TEST(Rename, RefusesAReservedWord) {
  expect_refusal(fill, renames("j", "inf"), R"(error: rename: 'inf' is reserved
  for i.0 in 0..N @block.x {
    for j in 0..4 {                  <-- here
      C[i.0, j] = 1.0
note: inf_2 is free)");
}

TEST(Rename, RefusesTheNameOfAParam) {
  expect_refusal(fill, renames("j", "N"), R"(error: rename: the name N is taken
  for i.0 in 0..N @block.x {
    for j in 0..4 {                  <-- here
      C[i.0, j] = 1.0
note: N_2 is free)");
}

TEST(Rename, RefusesTheNameOfATensor) {
  expect_refusal(fill, renames("j", "C"), R"(error: rename: the name C is taken
  for i.0 in 0..N @block.x {
    for j in 0..4 {                  <-- here
      C[i.0, j] = 1.0
note: C_2 is free)");
}

TEST(Rename, RefusesTheNameOfAnAxis) {
  expect_refusal(fill, renames("i.0", "j"), R"(error: rename: the name j is taken
  for i.0 in 0..N @block.x {         <-- here
    for j in 0..4 {
      C[i.0, j] = 1.0
note: j_2 is free)");
}

}  // namespace rename_test
}  // namespace hone
