// Demands on the order of sums, which refuse further steps.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/text/parser.h"
#include "tests/support/ir/combines.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace require_test {

/// The sums of the rows of A.
std::string row_sums(const char* attributes) {
  return fmt::format(R"(func f[M, N](A: f32[M, N], C: f32[M]){} {{
  for i in 0..M {{
    C[i] = 0.0
    reduce k in 0..N {{
      C[i] += A[i, k]
    }}
  }}
}})",
                     attributes);
}

std::string with(Numbers numbers) {
  return row_sums(fmt::format(" @{}", name(numbers).str()).c_str());
}

auto requires_(Numbers numbers) {
  return [numbers](const Function& f) { return require(f, numbers).function; };
}

TEST(Require, MarksTheFunction) {
  expect_rewrite(row_sums(""), requires_(Numbers::run_to_run), row_sums(" @run_to_run"));
  expect_rewrite(row_sums(" @may_alias @run_to_run"), requires_(Numbers::same_order),
                 row_sums(" @may_alias @same_order @run_to_run"));
}

TEST(RequireRefusals, OfASecondTime) {
  expect_refusal(with(Numbers::same_order), requires_(Numbers::same_order),
                 "error: require: same_order is required already");
}

/// The sum of A.
std::string total(const std::string& attributes, const std::string& binding = "") {
  return fmt::format(R"(func f(A: f32[24], S: f32[]){} {{
  S[] = 0.0
  reduce k in 0..24{} {{
    S[] += A[k]
  }}
}})",
                     attributes, binding);
}

constexpr const char* keep_loops =
    "\nnote: schedule the loops around the sums instead, or leave require out";
constexpr const char* combine_in_order =
    "\nnote: combine by another method: Combine::last_block adds in order";

TEST(RequireRefusals, OfWhatIsBrokenAlready) {
  const std::string combined = total("", " @block.x combine(atomic)");
  expect_refusal(combined, requires_(Numbers::run_to_run),
                 std::string("error: require: the parts of S over k would be added as they come, "
                             "and the schedule requires run_to_run") +
                     combine_in_order);
  expect_refusal(combined, requires_(Numbers::same_order),
                 std::string("error: require: the terms of S over k would not be added one after "
                             "the other, and the schedule requires same_order") +
                     keep_loops);
}

Function split_k(const Function& f, Tail tail = Tail::guard) {
  return split(f, axis(f, "k"), 4, tail).function;
}

TEST(RequireSameOrder, LetsLoopsBeCutAndSpread) {
  const Function f = parse_function(with(Numbers::same_order));
  const Function cut = split_k(f);
  const Function fused = fuse(cut, axis(cut, "k.0"), axis(cut, "k.1")).function;
  EXPECT_EQ(fused.required.size(), 1u);
  bind(fused, axis(fused, "i"), block_x);
  cache_registers(fused, fused.arguments[1], axis(fused, "i"));
}

constexpr const char* loops_of_rows = R"(
  for i in 0..M {
    reduce k in 0..N {               <-- here
      C[i] += A[i, k])";
constexpr const char* loop_of_total = R"(
  reduce k in 0..24 {                <-- here
    S[] += A[k])";

TEST(RequireSameOrder, RefusesOtherOrders) {
  expect_refusal(
      with(Numbers::same_order),
      [](const Function& f) {
        const Function cut = split_k(f);
        return reorder(cut, {axis(cut, "k.1"), axis(cut, "k.0")}).function;
      },
      std::string("error: reorder: the terms of C would come in another order, and the "
                  "schedule requires same_order") +
          R"(
  for i in 0..M {
    reduce k.0 in 0..(N + 3) / 4 {   <-- here
      reduce k.1 in 0..4 {
        if (k.0*4 + k.1 < N) {)" +
          keep_loops);
  expect_refusal(total(" @same_order"), binds("k", thread_x, Combine::shuffle),
                 std::string("error: bind: the terms of S over k would not be added one after the "
                             "other, and the schedule requires same_order") +
                     loop_of_total + keep_loops);
  expect_refusal(
      with(Numbers::same_order), [](const Function& f) { return split_k(f, Tail::peel); },
      std::string("error: split: sums would have 2 updates, which now have 1, and the "
                  "schedule requires same_order") +
          loops_of_rows + keep_loops);
}

/// Loops that stay, and run backwards in every second iteration.
TEST(RequireSameOrder, RefusesTurns) {
  expect_refusal(
      with(Numbers::same_order),
      [](const Function& f) { return serpentine(f, axis(f, "i"), {axis(f, "k")}).function; },
      std::string("error: serpentine: the terms of C over k would not be added one after "
                  "the other, and the schedule requires same_order") +
          R"(
  for i in 0..M {                    <-- here
    C[i] = 0.0
    reduce k in 0..N {)" +
          keep_loops);
}

/// Terms of two updates that take turns, and then do not.
TEST(RequireSameOrder, RefusesToPartUpdatesOfOneTensor) {
  const auto part = [](const Function& f) { return fission(f, axis(f, "k")).function; };
  const std::string text = R"(func f(A: f32[24], B: f32[24], S: f32[]) @same_order {
  S[] = 0.0
  reduce k in 0..24 {
    S[] += A[k]
    S[] += B[k]
  }
})";
  expect_refusal(text, part,
                 std::string("error: fission: the terms of S would come in another order, and the "
                             "schedule requires same_order") +
                     R"(
  reduce k in 0..24 {                <-- here
    S[] += A[k]
    S[] += B[k])" + keep_loops);
}

TEST(RequireRunToRun, RefusesPartsThatAreAddedAsTheyCome) {
  const std::string text = total(" @run_to_run");
  expect_refusal(text, binds("k", block_x, Combine::atomic),
                 std::string("error: bind: the parts of S over k would be added as they come, and "
                             "the schedule requires run_to_run") +
                     loop_of_total + combine_in_order);
  binds("k", thread_x, Combine::shuffle)(parse_function(text));
  binds("k", block_x, Combine::last_block)(parse_function(text));
}

TEST(RequireBatchInvariant, RefusesOrdersOfOtherSizes) {
  expect_refusal(
      with(Numbers::batch_invariant),
      [](const Function& f) {
        return split(f, axis(f, "k"), ParamRef::make(f.params[0]), Tail::guard).function;
      },
      std::string("error: split: the order of sums would depend on M, and the schedule "
                  "requires batch_invariant") +
          loops_of_rows + "\nnote: cut sums into parts by their own extents alone");
  split_k(parse_function(with(Numbers::batch_invariant)));
}

}  // namespace require_test
}  // namespace hone
