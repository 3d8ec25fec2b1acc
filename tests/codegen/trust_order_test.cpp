// Updates that do not compare indices, since these grow from one iteration to the next.
#include <gtest/gtest.h>

#include <limits>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/pass/passes.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "llvm/ADT/Twine.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace trust_order_test {

/// The larger value, and of equals the one with the smaller index. A NaN beats all numbers, as it
/// does in argmax of the DSL.
constexpr const char* best_operator =
    "operator best(lhs: (f32, i32), rhs: (f32, i32)) = select(!(rhs[].first <= lhs[].first) && "
    "lhs[].first == lhs[].first || (lhs[].first <= rhs[].first || rhs[].first != rhs[].first) && "
    "rhs[].second < lhs[].second, rhs[], lhs[]) identity (-inf, 2147483647i32)\n";

constexpr const char* ascending_operator =
    "operator best.ascending(lhs: (f32, i32), rhs: (f32, i32)) = select(lhs[].second == "
    "2147483647i32 || !(rhs[].first <= lhs[].first) && lhs[].first == lhs[].first, rhs[], lhs[]) "
    "identity (-inf, 2147483647i32)\n";

constexpr const char* later_operator =
    "operator best.later(lhs: (f32, i32), rhs: (f32, i32)) = select(!(rhs[].first <= lhs[].first) "
    "&& lhs[].first == lhs[].first, rhs[], lhs[]) identity (-inf, 2147483647i32)\n";

std::string function_of(const std::string& update, const std::string& ops = best_operator,
                        const std::string& start = "(-inf, 2147483647i32)") {
  return ops + fmt::format(R"(func f[N](A: f32[N], P: i32[N], C: (f32, i32)[]) {{
  alloc best.part: (f32, i32)[] @registers
  best.part[] = {}
  {}
  C[] = best.part[]
}})",
                           start, update);
}

Function with_order(const Function& function) {
  KernelFunction kernel = unlowered(to_string(function));
  choose_index_width(kernel);
  trust_order(kernel);
  Function result = function;
  result.body = kernel.body;
  return result;
}

bool uses(const std::string& text, llvm::StringRef op) {
  const std::string trusted = to_string(with_order(parse_function(text)));
  return llvm::StringRef(trusted).contains((llvm::Twine(" ") + op + "=").str());
}

bool is_trusted(const std::string& text) {
  return uses(text, "best.ascending") || uses(text, "best.later");
}

TEST(TrustOrder, LeavesOutTheComparisonOfIndicesThatGrow) {
  const std::string loop = R"(reduce k in 0..N {{
    best.part[] {}= (A[k], i32(k))
  }})";
  expect_rewrite(function_of(fmt::format(fmt::runtime(loop), "best")), with_order,
                 function_of(fmt::format(fmt::runtime(loop), "best.later"), later_operator,
                             "select(N > 0, (-inf, i32(0)), (-inf, 2147483647i32))"));
}

TEST(TrustOrder, StartsAtTheFirstElementIfThereIsOne) {
  const std::string loop = R"(reduce j in 0..(N + 3) / 4 {{
    reduce k in 0..4 {{
      if (j*4 + k + 2 < N) {{
        best.part[] {}= (A[j*4 + k + 2], i32(j*4 + k + 2))
      }}
    }}
  }})";
  expect_rewrite(function_of(fmt::format(fmt::runtime(loop), "best")), with_order,
                 function_of(fmt::format(fmt::runtime(loop), "best.later"), later_operator,
                             "select(2 < N, (-inf, i32(2)), (-inf, 2147483647i32))"));
}

TEST(TrustOrder, AsksForAnElementWhereTheFirstDoesNotDecide) {
  for (const char* update : {
           // Later elements may exist without the first one.
           "reduce k in 0..N { if (A[k] > 0.0) { best.part[] best= (A[k], i32(k)) } }",
           "reduce k in 0..N { if (k >= 3) { best.part[] best= (A[k], i32(k)) } }",
           "reduce k in 0..N { if (k % 4 == N % 4) { best.part[] best= (A[k], i32(k)) } }",
           // Something sees what is there before.
           "reduce k in 0..N { let x = index(best.part[].second) P[k] = i32(x) "
           "best.part[] best= (A[k], i32(k)) }",
           "P[0] = best.part[].second  reduce k in 0..N { best.part[] best= (A[k], i32(k)) }",
           "reduce k in 0..N { P[k] = best.part[].second  best.part[] best= (A[k], i32(k)) }",
           "reduce k in 0..N { best.part[] best= (best.part[].first + A[k], i32(k)) }",
       })
    EXPECT_TRUE(uses(function_of(update), "best.ascending")) << update;
}

/// An element that does not beat the value of the identity has to have that value.
TEST(TrustOrder, AsksForAnElementWhereTheValueMayDiffer) {
  const auto text = [](const std::string& condition, const std::string& none) {
    const std::string op = fmt::format(
        "operator best(lhs: (f32, i32), rhs: (f32, i32)) = select({}, rhs[], lhs[]) identity {}\n",
        condition, none);
    return function_of("reduce k in 0..N { best.part[] best= (A[k], i32(k)) }", op, none);
  };
  const std::string smaller = " || rhs[].second < lhs[].second";
  const std::string last = ", 2147483647i32)";
  EXPECT_TRUE(uses(text("!(rhs[].first <= lhs[].first)" + smaller, "(-inf" + last), "best.later"));
  EXPECT_TRUE(uses(text("rhs[].first > lhs[].first" + smaller, "(-inf" + last), "best.ascending"))
      << "no number is larger than -inf";
  EXPECT_TRUE(
      uses(text("!(rhs[].first <= lhs[].first)" + smaller, "(1.0" + last), "best.ascending"))
      << "0 is less than 1";
  EXPECT_TRUE(uses(text("rhs[].first != lhs[].first" + smaller, "(1.0" + last), "best.later"));
  EXPECT_TRUE(uses(text("rhs[].first != lhs[].first" + smaller, "(0.0" + last), "best.ascending"))
      << "-0 is equal to 0, and another value";
}

TEST(TrustOrder, KeepsTheOperatorForUpdatesBehindTheLoop) {
  const std::string text = R"(reduce k in 0..N {{
    if (A[k] > 0.0) {{
      best.part[] {}= (A[k], i32(k))
    }}
  }}
  best.part[] best= (2.0, 0i32))";
  expect_rewrite(function_of(fmt::format(fmt::runtime(text), "best")), with_order,
                 function_of(fmt::format(fmt::runtime(text), "best.ascending"),
                             std::string(ascending_operator) + best_operator));
}

/// The first of equals shows where an element is the lowest there is, and where it is no number.
TEST(TrustOrder, KeepsTheMeaningForAllValues) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string text = function_of("reduce k in 0..N { best.part[] best= (A[k], i32(k)) }");
  const std::string trusted = to_string(with_order(parse_function(text)));
  ASSERT_TRUE(uses(text, "best.later"));
  const std::vector<std::pair<Values, int>> cases = {{{}, std::numeric_limits<int>::max()},
                                                     {{-inf, -inf}, 0},
                                                     {{nan, 1}, 0},
                                                     {{1, nan, nan}, 1},
                                                     {{-inf, 3, 3, inf, inf}, 3},
                                                     {{-0.0, 0.0, 0.0}, 0},
                                                     {{-2, -1}, 1},
                                                     {{1, inf, nan}, 2}};
  for (const auto& [values, place] : cases)
    for (const std::string& function : {text, trusted})
      EXPECT_EQ(run(function, {{"A", vector_of(values)},
                               {"P", vector_of(Values(values.size(), 0), i32)},
                               {"C", buffer_of(f32_i32, {}, {0, 0})}})[1],
                place)
          << function;
}

TEST(TrustOrder, KnowsIndicesThatGrow) {
  for (const char* loops : {
           "reduce k in 0..N { best.part[] best= (A[k], i32(k)) }",
           "reduce k in 0..N { best.part[] best= (A[k], i32(k*3 + 5)) }",
           "reduce k in 0..N { if (A[k] > 0.0) { best.part[] best= (A[k], i32(k)) } }",
           "reduce j in 0..N { reduce k in 0..4 @unroll { best.part[] best= (A[j], i32(j*4 + k)) } "
           "}",
           "reduce j in 0..N { reduce k in 0..4 { best.part[] best= (A[j], i32(j*9 + k*2)) } }",
           "best.part[] best= (A[0], i32(N))",
       })
    EXPECT_TRUE(is_trusted(function_of(loops))) << loops;
}

TEST(TrustOrder, TrustsNoOtherIndices) {
  for (const char* loops : {
           // They shrink, stay, start again, overlap, come from memory.
           "reduce k in 0..N { best.part[] best= (A[k], i32(N - k)) }",
           "reduce k in 0..N { best.part[] best= (A[k], i32(k / 2)) }",
           "reduce k in 0..N { best.part[] best= (A[k], 7i32) }",
           "reduce j in 0..N { reduce k in 0..4 { best.part[] best= (A[j], i32(k*N + j)) } }",
           "reduce j in 0..N { reduce k in 0..4 { best.part[] best= (A[j], i32(j*3 + k)) } }",
           "reduce k in 0..N { best.part[] best= (A[k], P[k]) }",
           // An inner loop may have no iteration, and the next one begins where it likes.
           "reduce j in 0..N { reduce k in 0..j { best.part[] best= (A[j], i32(j*N + k)) } }",
           // Another update comes in between.
           "reduce k in 0..N { best.part[] best= (A[k], i32(k))  best.part[] best= (1.0, 3i32) }",
           "best.part[] best= (1.0, 3i32)  reduce k in 0..N { best.part[] best= (A[k], P[k]) }",
       })
    EXPECT_FALSE(is_trusted(function_of(loops))) << loops;
}

TEST(TrustOrder, NeedsIdentitiesThatAreLast) {
  const std::string loop = "reduce k in 0..N { best.part[] best= (A[k], i32(k)) }";
  std::string text = function_of(loop);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string result = text;
    for (size_t at = 0; (at = result.find(from, at)) != std::string::npos; at += to.size())
      result.replace(at, from.size(), to);
    return result;
  };
  EXPECT_TRUE(is_trusted(text));
  EXPECT_FALSE(is_trusted(replaced("2147483647i32", "5i32"))) << "an index may be 5";
  EXPECT_FALSE(is_trusted(replaced("best.part[] = (-inf", "best.part[] = (0.0")))
      << "what is there first is no identity";
  EXPECT_FALSE(is_trusted(replaced(".second < ", ".second > "))) << "the last of equals";
}

/// The identity stays where the first element is no number, or none that is larger.
TEST(TrustOrder, TrustsNoOperatorThatMayKeepTheIdentity) {
  for (const char* condition :
       {"rhs[].first > lhs[].first || rhs[].first == lhs[].first && rhs[].second < lhs[].second",
        "rhs[].first > lhs[].first || rhs[].first != rhs[].first && rhs[].second < lhs[].second",
        "rhs[].first * 0.5 != lhs[].first || rhs[].second < lhs[].second"})
    EXPECT_FALSE(is_trusted(
        function_of("reduce k in 0..N { best.part[] best= (A[k], i32(k)) }",
                    fmt::format("operator best(lhs: (f32, i32), rhs: (f32, i32)) = select({}, "
                                "rhs[], lhs[]) identity (-inf, 2147483647i32)\n",
                                condition))))
        << condition;
}

TEST(TrustOrder, TrustsNoIntegersThatWrap) {
  KernelFunction kernel =
      unlowered(function_of("reduce k in 0..N { best.part[] best= (A[k], i32(k)) }"));
  kernel.index_bits = 64;
  trust_order(kernel);
  const std::string text = to_string(kernel.body);
  EXPECT_NE(text.find(" best= "), std::string::npos) << text;
  EXPECT_EQ(text.find(" best.later= "), std::string::npos) << text;
  EXPECT_EQ(text.find(" best.ascending= "), std::string::npos) << text;
}

TEST(TrustOrder, MakesAFunctionOfItsOwn) {
  const Module module = lower(parse_function(best_operator + std::string(R"(
func f(A: f32[256], C: (f32, i32)[]) {
  C[] = (-inf, 2147483647i32)
  reduce t in 0..32 @thread.x combine(shuffle) {
    reduce k in 0..8 { C[] best= (A[k*32 + t], i32(k*32 + t)) } } })")));
  const std::string cuda = emit_cuda(module.kernels.front());
  EXPECT_NE(cuda.find("combine_best_later(f32_i32 lhs, f32_i32 rhs) {\n"
                      "  return !(rhs.first <= lhs.first) & "),
            std::string::npos)
      << cuda;
  EXPECT_NE(cuda.find("= combine_best(C_part, shuffle_down("), std::string::npos) << cuda;
}

}  // namespace trust_order_test
}  // namespace hone
