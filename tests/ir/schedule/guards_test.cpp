#include "ir/schedule/rewrite/guards.h"

#include "gtest/gtest.h"
#include "ir/algebra/simplify.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace guards_test {

Function without_implied_guards(const Function& function) {
  return function.with_body(drop_implied_guards(simplify(function.body)));
}

/// Guards of which none is implied stay, node for node.
void expect_kept(llvm::StringRef text) {
  const Function function = parse_function(text);
  EXPECT_TRUE(drop_implied_guards(function.body).same_as(function.body)) << to_string(function);
}

TEST(Guards, AQuotientThatAProductImpliesIsDropped) {
  expect_rewrite(R"(func f[n](C: f32[n]) {
                      for r in 0..8 { for c in 0..4 {
                        if (r < (n + 3) / 4) { if (r*4 + c < n) { C[r*4 + c] = 1.0 } } } } })",
                 without_implied_guards, R"(func f[n](C: f32[n]) {
  for r in 0..8 {
    for c in 0..4 {
      if (r*4 + c < n) {
        C[r*4 + c] = 1.0
      }
    }
  }
})");
}

TEST(Guards, AWeakerConditionIsDroppedWhereverItStands) {
  expect_rewrite(R"(func f[n](C: f32[n]) {
                      for i in 0..9 { if (i + 1 < n) { if (i < n) { C[i] = 1.0 } } } })",
                 without_implied_guards, R"(func f[n](C: f32[n]) {
  for i in 0..9 {
    if (i + 1 < n) {
      C[i] = 1.0
    }
  }
})");
}

TEST(Guards, OfTwoEqualConditionsOneStays) {
  expect_rewrite(R"(func f[n](C: f32[n]) {
                      for i in 0..9 { if (i < n) { if (i < n) { C[i] = 1.0 } } } })",
                 without_implied_guards, R"(func f[n](C: f32[n]) {
  for i in 0..9 {
    if (i < n) {
      C[i] = 1.0
    }
  }
})");
}

TEST(Guards, AStrongerQuotientStays) {
  expect_kept(R"(func f[n](C: f32[n]) {
                   for r in 0..8 { for c in 0..4 {
                     if (r < (n + 2) / 4) { if (r*4 + c < n) { C[r*4 + c] = 1.0 } } } } })");
}

TEST(Guards, ConditionsOnDifferentSizesStay) {
  expect_kept(R"(func f[n, m](C: f32[n, m]) {
                   for i in 0..9 { for j in 0..9 {
                     if (i < n) { if (j < m) { C[i, j] = 1.0 } } } } })");
}

TEST(Guards, AConditionWithAStatementOfItsOwnStays) {
  expect_kept(R"(func f[n](C: f32[n]) {
                   for i in 0..9 { if (i < n) { C[i] = 1.0 if (i + 1 < n) { C[i + 1] = 2.0 } } } })");
}

}  // namespace guards_test
}  // namespace hone
