#include "ir/analysis/families.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/analysis/site.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace families_test {

/// The accesses of the loop over i, around these statements.
Accesses accesses_of(const std::string& statements) {
  const Function f = parse_function("func f[N](A: f32[N, N], C: f32[N, N]) { for i in 0..N { " +
                                    statements + " } }");
  return collect_accesses(loops_of(f.body).front()->body);
}

/// With names for the variables that stand for constants, in order: "constant 0".
MemoryAccess with_names(MemoryAccess access) {
  size_t number = 0;
  for (auto& [axis, extent] : access.inner) {
    if (!axis->name.empty()) continue;
    const AxisPtr named = make_axis(fmt::format("constant {}", number++), AxisKind::spatial);
    for (Expr& index : access.indices) index = substitute(index, axis.get(), AxisRef::make(named));
    for (Expr& guard : access.guards) guard = substitute(guard, axis.get(), AxisRef::make(named));
    axis = named;
  }
  return access;
}

/// "C[i, j]", and the axes that have no loop in the text with their extents.
std::string text_of(const MemoryAccess& access) {
  std::vector<std::string> parts;
  for (const Expr& index : access.indices) parts.push_back(to_string(index));
  std::string text = fmt::format("{}[{}]", access.tensor->name, fmt::join(parts, ", "));
  for (const Expr& guard : access.guards) text += fmt::format(" if {}", guard);
  for (const auto& [axis, extent] : access.inner)
    text += fmt::format(" for {} in 0..{}", axis->name, extent);
  return text;
}

std::vector<std::string> wholes_of(const std::string& statements) {
  const Accesses accesses = accesses_of(statements);
  const AccessFamilies families(accesses);
  std::vector<std::string> texts;
  for (size_t n = 0; n < families.size(); ++n)
    texts.push_back(text_of(with_names(families.whole(n))));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Families, RunThroughTheirConstants) {
  EXPECT_EQ(wholes_of("C[i, 4] = 0.0 C[i, 6] = 0.0 C[i, 10] = 0.0"),
            Texts{"C[i, constant 0*2 + 4] for constant 0 in 0..4"});
}

TEST(Families, AreOfOneWhereNothingVaries) {
  EXPECT_EQ(wholes_of("C[i, 4] = A[i, 3]"), (Texts{"A[i, 3]", "C[i, 4]"}));
}

TEST(Families, HaveOneAxisForConstantsInStep) {
  EXPECT_EQ(wholes_of("C[1, 7] = 0.0 C[3, 6] = 0.0 C[5, 5] = 0.0"),
            Texts{"C[constant 0*2 + 1, constant 0*-1 + 7] for constant 0 in 0..3"});
}

TEST(Families, HaveTwoAxesForConstantsThatAreNotInStep) {
  EXPECT_EQ(wholes_of("C[0, 1] = 0.0 C[1, 2] = 0.0 C[2, 2] = 0.0"),
            Texts{"C[constant 0*1 + 0, constant 1*1 + 1] for constant 0 in 0..3 for constant 1 in "
                  "0..2"});
}

TEST(Families, ReachDownToTheLeastConstant) {
  EXPECT_EQ(wholes_of("C[i, 7] = 0.0 C[i, 9] = 0.0 C[i, 1] = 0.0"),
            Texts{"C[i, constant 0*2 + 1] for constant 0 in 0..5"});
}

TEST(Families, VaryInTheirGuards) {
  EXPECT_EQ(wholes_of("if (i*8 + 1 < N) { C[0, i*8 + 1] = 0.0 } "
                      "if (i*8 + 2 < N) { C[0, i*8 + 2] = 0.0 }"),
            Texts{"C[0, i*8 + (constant 0*1 + 1)] if i*8 + (constant 0*1 + 1) < N for constant 0 "
                  "in 0..2"});
}

TEST(Families, KnowLoopsByTheirPlace) {
  EXPECT_EQ(wholes_of("for j in 0..4 { C[i, j*2] = 0.0 } for k in 0..4 { C[i, k*3] = 0.0 }"),
            Texts{"C[i, j*(constant 0*1 + 2)] for j in 0..4 for constant 0 in 0..2"});
  EXPECT_EQ(wholes_of("for j in 0..4 { C[i, j] = 0.0 } for k in 0..5 { C[i, k] = 0.0 }").size(), 2);
}

TEST(Families, KeepApartWhatIsNotAlike) {
  EXPECT_EQ(wholes_of("C[i, 1] = 0.0 C[i, 2] += 1.0 C[1, i] = 0.0 C[2, i / 2] = 0.0 C[3, i / 4] = "
                      "0.0")
                .size(),
            5);
}

/// Values that instances of an access find in other places are not the same for both.
TEST(Families, KeepApartWhatReadsOtherChangingElements) {
  Accesses accesses = accesses_of("C[i, 1] = 0.0 C[i, 2] = 0.0");
  accesses.back().changing.push_back(accesses.back().tensor);
  EXPECT_EQ(AccessFamilies(accesses).size(), 2u);
}

// ---- Pairs --------------------------------------------------------------------------------------

/// So many writes of C in different columns.
std::string columns(int count) {
  std::string text;
  for (int n = 0; n < count; ++n) text += fmt::format("C[i, {}] = 0.0 ", n);
  return text;
}

TEST(FindHarm, AsksOnceAboutAFamily) {
  const Accesses accesses = accesses_of(columns(4096));
  size_t questions = 0;
  EXPECT_FALSE(find_harm(accesses, accesses, [&](const auto&, const auto&) {
    ++questions;
    return true;
  }));
  EXPECT_EQ(questions, 1u);
}

TEST(FindHarm, AsksAboutEachAccessWhereAFamilyIsNotHarmless) {
  const Accesses accesses = accesses_of(columns(64));
  size_t questions = 0;
  EXPECT_FALSE(find_harm(accesses, accesses, [&](const auto& lhs, const auto&) {
    ++questions;
    return lhs.inner.empty();
  }));
  EXPECT_LE(questions, 65u);
}

TEST(FindHarm, FindsTheFirstPairInTheOrderOfTheText) {
  const Accesses accesses = accesses_of("C[i, 0] = 0.0 C[i, 1] = 0.0 C[1, i] = 0.0 C[i, 2] = 0.0");
  const auto is_column = [](const MemoryAccess& access, int64_t column) {
    return is_int(access.indices[1], column);
  };
  const auto found = find_harm(accesses, accesses, [&](const auto& lhs, const auto& rhs) {
    if (!lhs.inner.empty() || !rhs.inner.empty()) return false;  // "not proved" of a family
    return !(is_column(lhs, 1) && is_column(rhs, 2)) && !(is_column(lhs, 2) && is_column(rhs, 2));
  });
  EXPECT_EQ(found, AccessPair(1, 3));
}

TEST(FindHarm, LooksAtPairsOfTwoListsBothWays) {
  const Accesses first = accesses_of("C[i, 1] = 0.0"), second = accesses_of("C[i, 0] = 0.0");
  EXPECT_EQ(find_harm(first, second, [](const auto&, const auto&) { return false; }),
            AccessPair(0, 0));
}

}  // namespace families_test
}  // namespace hone
