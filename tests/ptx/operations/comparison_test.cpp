// setp, set, selp and slct.
#include <cmath>

#include "tests/ptx/operations/exact_reals.h"

namespace hone::ptx {
namespace comparison_test {

constexpr Ref no_register{};

/// The predicates p and q of setp for one pair of operands in all lanes.
struct Predicates {
  LaneMask p, q;
};

template <class T>
Predicates compared(const Operation& operation, T a, T b, LaneMask third = 0) {
  OperationLanes registers;
  std::fill_n(registers.values<T>(1), lanes, a);
  std::fill_n(registers.values<T>(2), lanes, b);
  registers.mask(3) = third;
  registers.run(operation);
  return {registers.mask(0), registers.mask(4)};
}

template <class T, class Holds>
void expect_comparison(const std::string& name, const std::vector<T>& values, const Holds& holds) {
  const Operation operation = known_operation("setp." + name, 3);
  for (const T a : values)
    for (const T b : values) {
      const auto [p, q] = compared(operation, a, b);
      const LaneMask wanted = holds(a, b) ? all_lanes : 0;
      ASSERT_EQ(p, wanted) << name << " of " << testing::PrintToString(std::pair(a, b));
      ASSERT_EQ(q, ~wanted);
    }
}

template <class T>
void expect_integer_comparisons(const std::string& type) {
  const std::vector<T> values = critical_integers<T>();
  expect_comparison("eq" + type, values, std::equal_to<T>());
  expect_comparison("ne" + type, values, std::not_equal_to<T>());
  expect_comparison("lt" + type, values, std::less<T>());
  expect_comparison("le" + type, values, std::less_equal<T>());
  expect_comparison("gt" + type, values, std::greater<T>());
  expect_comparison("ge" + type, values, std::greater_equal<T>());
}

TEST(PtxComparisons, OfIntegers) {
  expect_integer_comparisons<int16_t>(".s16");
  expect_integer_comparisons<uint16_t>(".u16");
  expect_integer_comparisons<int32_t>(".s32");
  expect_integer_comparisons<uint32_t>(".u32");
  expect_integer_comparisons<int64_t>(".s64");
  expect_integer_comparisons<uint64_t>(".u64");
  const std::vector<uint32_t> values = critical_integers<uint32_t>();
  expect_comparison("lo.u32", values, std::less<uint32_t>());
  expect_comparison("ls.u32", values, std::less_equal<uint32_t>());
  expect_comparison("hi.u32", values, std::greater<uint32_t>());
  expect_comparison("hs.u32", values, std::greater_equal<uint32_t>());
  expect_comparison("eq.b32", values, std::equal_to<uint32_t>());
}

/// A comparison of numbers, and whether it holds for NaN.
struct RealComparison {
  const char* name;
  bool less, equal, greater, unordered;
};
constexpr RealComparison real_comparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true},
};

bool holds(const RealComparison& comparison, const llvm::APFloat& a, const llvm::APFloat& b) {
  switch (a.compare(b)) {
    case llvm::APFloat::cmpLessThan:
      return comparison.less;
    case llvm::APFloat::cmpEqual:
      return comparison.equal;
    case llvm::APFloat::cmpGreaterThan:
      return comparison.greater;
    default:
      return comparison.unordered;
  }
}

template <class T>
void expect_real_comparisons(const std::string& type, const std::vector<T>& values) {
  for (const RealComparison& comparison : real_comparisons)
    expect_comparison(comparison.name + type, values,
                      [&](T a, T b) { return holds(comparison, exact(a), exact(b)); });
}

TEST(PtxComparisons, OfReals) {
  expect_real_comparisons<float>(".f32", critical_reals<float>());
  expect_real_comparisons<double>(".f64", critical_reals<double>());
  expect_real_comparisons<F16>(".f16", critical_halves<F16>());
  expect_real_comparisons<Bf16>(".bf16", critical_halves<Bf16>());
  expect_comparison("lt.ftz.f32", critical_reals<float>(),
                    [](float a, float b) { return without_subnormals(a) < without_subnormals(b); });
  expect_comparison("eq.ftz.f16", critical_halves<F16>(), [](F16 a, F16 b) {
    return holds(real_comparisons[0], exact(without_subnormals(a)), exact(without_subnormals(b)));
  });
}

TEST(PtxComparisons, JoinAThirdPredicate) {
  constexpr LaneMask third = 0x00ff1234;
  for (const bool negates : {false, true}) {
    const auto with = [&](const char* name, uint32_t a, uint32_t b) {
      Instruction instruction = instruction_of(name, 4);
      instruction.operands[3].negated = negates;
      return compared(find_operation(instruction), a, b, third);
    };
    const LaneMask c = negates ? ~third : third;
    EXPECT_EQ(with("setp.lt.and.u32", 1, 2).p, c);
    EXPECT_EQ(with("setp.lt.and.u32", 1, 2).q, 0u);
    EXPECT_EQ(with("setp.lt.or.u32", 2, 1).p, c);
    EXPECT_EQ(with("setp.lt.or.u32", 2, 1).q, all_lanes);
    EXPECT_EQ(with("setp.lt.xor.u32", 1, 2).p, ~c);
    EXPECT_EQ(with("setp.lt.xor.u32", 1, 2).q, c);
  }
}

TEST(PtxComparisons, NeedNoSecondPredicate) {
  OperationLanes registers;
  registers.warp.active = 0xff;
  registers.mask(0) = 0xf0f0f0f0;
  Op op = OperationLanes::op_of(known_operation("setp.eq.s32", 3));
  op.sources[3] = no_register;
  op.execute(registers.warp, op);
  EXPECT_EQ(registers.mask(0), 0xf0f0f0ffu);
  EXPECT_EQ(registers.mask(4), 0u);
}

TEST(PtxComparisons, OfPairsGiveTwoPredicates) {
  const Operation operation = known_operation("setp.gtu.f16x2", 3);
  const auto [p, q] = compared<uint32_t>(operation, 0x7e004000, 0x3c003c00);  // 2 > 1, NaN
  EXPECT_EQ(p, all_lanes);
  EXPECT_EQ(q, all_lanes);
  const auto [low, high] = compared<uint32_t>(operation, 0x3c004000, 0x3c003c00);
  EXPECT_EQ(low, all_lanes);
  EXPECT_EQ(high, 0u);
}

// ---- set ----------------------------------------------------------------------------------------

TEST(PtxComparisons, SetValues) {
  const std::vector<float> values = critical_reals<float>();
  const std::vector<int32_t> integers = critical_integers<int32_t>();
  expect_results(
      "set.lt.u32.f32", [](float a, float b) { return a < b ? ~0u : 0u; }, values, values);
  expect_results(
      "set.geu.f32.f32", [](float a, float b) { return a < b ? 0.0f : 1.0f; }, values, values);
  expect_results(
      "set.eq.s32.s32", [](int a, int b) { return a == b ? -1 : 0; }, integers, integers);
  expect_results(
      "set.eq.f16.s32", [](int a, int b) { return F16(a == b ? 0x3c00 : 0); }, integers, integers);
  expect_results(
      "set.ne.bf16.bf16",
      [](Bf16 a, Bf16 b) {
        return Bf16(holds(real_comparisons[1], exact(a), exact(b)) ? 0x3f80 : 0);
      },
      critical_halves<Bf16>(), critical_halves<Bf16>());
}

TEST(PtxComparisons, SetPairs) {
  const std::vector<uint32_t> left = {0x40003c00, 0x7e003c00}, right = {0x3c003c00};
  const auto pick = [](uint32_t a, uint32_t first, uint32_t second) {
    return a == 0x40003c00 ? first : second;
  };
  expect_results(
      "set.gt.f16x2.f16x2", [&](uint32_t a, uint32_t) { return pick(a, 0x3c000000, 0); }, left,
      right);
  expect_results(
      "set.eq.u32.f16x2", [&](uint32_t a, uint32_t) { return pick(a, 0x0000ffff, 0x0000ffff); },
      left, right);
  expect_results(
      "set.gtu.bf16x2.bf16x2",
      [&](uint32_t a, uint32_t) { return pick(a, 0x3f800000, 0x3f800000); }, left, right);
}

TEST(PtxComparisons, SetWithAThirdPredicate) {
  const Operation operation = known_operation("set.eq.or.u32.u32", 4);
  OperationLanes registers;
  registers.values<uint32_t>(1)[0] = 1;
  registers.mask(3) = 1 << 1;
  registers.values<uint32_t>(1)[1] = registers.values<uint32_t>(1)[2] = 1;
  registers.run(operation);
  EXPECT_EQ(registers.values<uint32_t>(0)[0], 0u);
  EXPECT_EQ(registers.values<uint32_t>(0)[1], ~0u);
  EXPECT_EQ(registers.values<uint32_t>(0)[2], 0u);
  EXPECT_EQ(registers.values<uint32_t>(0)[3], ~0u);
}

// ---- Choices ------------------------------------------------------------------------------------

template <class T>
void expect_selection(const std::string& name, bool negates) {
  Instruction instruction = instruction_of(name, 4);
  instruction.operands[3].negated = negates;
  OperationLanes registers;
  for (int lane = 0; lane < lanes; ++lane) {
    registers.values<T>(1)[lane] = static_cast<T>(100 + lane);
    registers.values<T>(2)[lane] = static_cast<T>(200 + lane);
  }
  registers.mask(3) = 0x1234abcd;
  registers.run(find_operation(instruction));
  for (int lane = 0; lane < lanes; ++lane)
    EXPECT_EQ(registers.values<T>(0)[lane],
              static_cast<T>(((0x1234abcd >> lane & 1) != 0) != negates ? 100 + lane : 200 + lane));
}

TEST(PtxComparisons, ChooseByAPredicate) {
  expect_selection<uint16_t>("selp.b16", false);
  expect_selection<uint32_t>("selp.f32", true);
  expect_selection<uint64_t>("selp.s64", false);
}

TEST(PtxComparisons, ChooseByASign) {
  const std::vector<uint32_t> a = {1}, b = {2};
  expect_results(
      "slct.b32.s32", [](uint32_t x, uint32_t y, int c) { return c >= 0 ? x : y; }, a, b,
      critical_integers<int32_t>());
  expect_results(
      "slct.u32.f32", [](uint32_t x, uint32_t y, float c) { return c >= 0 ? x : y; }, a, b,
      critical_reals<float>());
  expect_results(
      "slct.ftz.u32.f32",
      [](uint32_t x, uint32_t y, float c) { return without_subnormals(c) >= 0 ? x : y; }, a, b,
      critical_reals<float>());
}

TEST(PtxComparisons, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("setp.u32", 3), "setp.u32: a form without a comparison is not known");
  EXPECT_EQ(problem_of("setp.ltu.u32", 3), "setp.ltu.u32: .ltu is not known");
  EXPECT_EQ(problem_of("setp.lo.f32", 3), "setp.lo.f32: .lo is not known");
  EXPECT_EQ(problem_of("setp.eq.s32", 4), "setp.eq.s32: a form with 4 operands is not known");
  EXPECT_EQ(problem_of("set.eq.u32", 3), "set.eq.u32: a comparison of this type is not known");
  EXPECT_EQ(problem_of("slct.u32.u32", 4), "slct.u32.u32: a choice by this type is not known");
  EXPECT_EQ(problem_of("slct.ftz.u32.s32", 4), "slct.ftz.u32.s32: .ftz is not known");
  EXPECT_EQ(problem_of("selp.f16", 4), "selp.f16: .f16 is not known");
}

}  // namespace comparison_test
}  // namespace hone::ptx
