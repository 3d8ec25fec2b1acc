// Arithmetic on integers, against integers with more bits.
#include "tests/ptx/operations/operation_lanes.h"

namespace hone::ptx {
namespace integer_test {

using Wide = __int128;

template <class T>
std::string with_type(llvm::StringRef name) {
  return (name + "." + (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T))).str();
}

template <class Check>
void for_each_type(const Check& check) {
  check(uint16_t{});
  check(int16_t{});
  check(uint32_t{});
  check(int32_t{});
  check(uint64_t{});
  check(int64_t{});
}

/// The last bits of the exact value, for all pairs of critical values.
template <class T, class Result = T, class Exact>
void expect_exactly(llvm::StringRef name, const Exact& exact) {
  const std::vector<T> values = critical_integers<T>();
  expect_results(
      with_type<T>(name), [&](T a, T b) { return static_cast<Result>(exact(Wide{a}, Wide{b})); },
      values, values);
}

template <class T>
using Unsigned = std::make_unsigned_t<T>;

TEST(PtxIntegers, SumsDifferencesAndProductsWrapAround) {
  for_each_type([]<class T>(T) {
    expect_exactly<T>("add", [](Wide a, Wide b) { return a + b; });
    expect_exactly<T>("sub", [](Wide a, Wide b) { return a - b; });
    expect_exactly<T>("mul.lo", [](Wide a, Wide b) {
      return static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
    });
  });
}

template <class T>
T high_half(T a, T b) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(Wide{a} * b >> 8 * sizeof(T));
  return static_cast<T>(static_cast<unsigned __int128>(a) * b >> 8 * sizeof(T));
}

TEST(PtxIntegers, ProductsHaveAnUpperHalf) {
  for_each_type([]<class T>(T) {
    const std::vector<T> values = critical_integers<T>();
    expect_results(with_type<T>("mul.hi"), high_half<T>, values, values);
    expect_results(
        with_type<T>("mad.hi"),
        [](T a, T b, T c) { return static_cast<T>(Unsigned<T>(high_half(a, b)) + Unsigned<T>(c)); },
        values, values, values);
  });
}

TEST(PtxIntegers, ProductsAreWholeInAWiderRegister) {
  expect_exactly<uint16_t, uint32_t>("mul.wide", [](Wide a, Wide b) { return a * b; });
  expect_exactly<int16_t, int32_t>("mul.wide", [](Wide a, Wide b) { return a * b; });
  expect_exactly<uint32_t, uint64_t>("mul.wide", [](Wide a, Wide b) { return a * b; });
  expect_exactly<int32_t, int64_t>("mul.wide", [](Wide a, Wide b) { return a * b; });
  expect_results(
      "mad.wide.s32",
      [](int32_t a, int32_t b, int64_t c) { return static_cast<int64_t>(Wide{a} * b + c); },
      critical_integers<int32_t>(), critical_integers<int32_t>(), critical_integers<int64_t>());
}

TEST(PtxIntegers, SaturateWhereTheySaySo) {
  const auto nearest = [](Wide value) {
    return static_cast<int32_t>(std::clamp<Wide>(value, INT32_MIN, INT32_MAX));
  };
  expect_exactly<int32_t>("add.sat", [&](Wide a, Wide b) { return nearest(a + b); });
  expect_exactly<int32_t>("sub.sat", [&](Wide a, Wide b) { return nearest(a - b); });
  const std::vector<int32_t> values = critical_integers<int32_t>();
  expect_results(
      "mad.hi.sat.s32",
      [&](int32_t a, int32_t b, int32_t c) { return nearest(Wide{high_half(a, b)} + c); }, values,
      values, values);
}

TEST(PtxIntegers, ProductsOfTwentyFourBits) {
  const auto factor = [](Wide a, bool is_signed) {
    const Wide low = a & 0xffffff;
    return is_signed && low >= 0x800000 ? low - 0x1000000 : low;
  };
  for (const auto& [name, shift] : {std::pair("mul24.lo", 0), std::pair("mul24.hi", 16)}) {
    expect_exactly<uint32_t>(
        name, [&](Wide a, Wide b) { return factor(a, false) * factor(b, false) >> shift; });
    expect_exactly<int32_t>(
        name, [&](Wide a, Wide b) { return factor(a, true) * factor(b, true) >> shift; });
  }
  const std::vector<int32_t> values = critical_integers<int32_t>();
  expect_results(
      "mad24.hi.sat.s32",
      [&](int32_t a, int32_t b, int32_t c) {
        const Wide sum = (factor(a, true) * factor(b, true) >> 16) + c;
        return static_cast<int32_t>(std::clamp<Wide>(sum, INT32_MIN, INT32_MAX));
      },
      values, values, values);
}

TEST(PtxIntegers, QuotientsDoNotTrap) {
  for_each_type([]<class T>(T) {
    expect_exactly<T>("div", [](Wide a, Wide b) { return b == 0 ? -1 : a / b; });
    expect_exactly<T>("rem", [](Wide a, Wide b) { return b == 0 ? -1 : a % b; });
  });
}

TEST(PtxIntegers, ExtremesAndDifferences) {
  for_each_type([]<class T>(T) {
    expect_exactly<T>("min", [](Wide a, Wide b) { return std::min(a, b); });
    expect_exactly<T>("max", [](Wide a, Wide b) { return std::max(a, b); });
    const std::vector<T> values = critical_integers<T>();
    expect_results(
        with_type<T>("sad"),
        [](T a, T b, T c) { return static_cast<T>(c + (a < b ? Wide{b} - a : Wide{a} - b)); },
        values, values, values);
  });
  expect_exactly<int32_t>("min.relu",
                          [](Wide a, Wide b) { return std::max<Wide>(std::min(a, b), 0); });
  expect_exactly<int32_t>("max.relu",
                          [](Wide a, Wide b) { return std::max<Wide>(std::max(a, b), 0); });
}

TEST(PtxIntegers, SignsOfSignedNumbers) {
  const auto check = []<class T>(T) {
    const std::vector<T> values = critical_integers<T>();
    expect_results(
        with_type<T>("abs"), [](T a) { return static_cast<T>(a < 0 ? -Wide{a} : Wide{a}); },
        values);
    expect_results(
        with_type<T>("neg"), [](T a) { return static_cast<T>(-Wide{a}); }, values);
  };
  check(int16_t{});
  check(int32_t{});
  check(int64_t{});
}

struct TwoShorts {
  int16_t low, high;
};

TEST(PtxIntegers, PairsOfShorts) {
  const std::vector<uint32_t> words = critical_integers<uint32_t>();
  const auto each = [](auto function) {
    return [function](uint32_t a, uint32_t b) {
      const auto x = std::bit_cast<TwoShorts>(a), y = std::bit_cast<TwoShorts>(b);
      return std::bit_cast<uint32_t>(TwoShorts{static_cast<int16_t>(function(x.low, y.low)),
                                               static_cast<int16_t>(function(x.high, y.high))});
    };
  };
  const auto word = [](int a) { return a & 0xffff; };
  expect_results("add.s16x2", each([](int a, int b) { return a + b; }), words, words);
  expect_results("add.u16x2", each([](int a, int b) { return a + b; }), words, words);
  expect_results("min.s16x2", each([](int a, int b) { return std::min(a, b); }), words, words);
  expect_results("max.s16x2.relu", each([](int a, int b) {
                   return std::max({a, b, 0});
                 }),
                 words, words);
  expect_results("max.u16x2", each([&](int a, int b) { return std::max(word(a), word(b)); }), words,
                 words);
}

TEST(PtxIntegers, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("add.sat.u32", 3), "add.sat.u32: .sat is not known");
  EXPECT_EQ(problem_of("add.foo.u32", 3), "add.foo.u32: .foo is not known");
  EXPECT_EQ(problem_of("add.u8", 3), "add.u8: .u8 is not known");
  EXPECT_EQ(problem_of("add.u32.u32", 3), "add.u32.u32: .u32 is not known");
  EXPECT_EQ(problem_of("add", 3), "add: a form without a type is not known");
  EXPECT_EQ(problem_of("add.u32", 2), "add.u32: a form with 2 operands is not known");
  EXPECT_EQ(problem_of("mul.u32", 3), "mul.u32: a product without .lo, .hi or .wide is not known");
  EXPECT_EQ(problem_of("mul.wide.u64", 3), "mul.wide.u64: .wide is not known");
  EXPECT_EQ(problem_of("mad.lo.sat.s32", 4), "mad.lo.sat.s32: .sat is not known");
  EXPECT_EQ(problem_of("max.relu.u32", 3), "max.relu.u32: .relu is not known");
  Instruction negated = instruction_of("add.s32", 3);
  negated.operands[2].negated = true;
  EXPECT_EQ(find_operation(negated).problem, "add.s32: a negated operand is not known");
}

TEST(PtxIntegers, OtherOpcodesAreOthersMatter) {
  const Operation operation = find_operation(instruction_of("ld.global.u32", 2));
  EXPECT_EQ(operation.execute, nullptr);
  EXPECT_EQ(operation.problem, "");
}

// ---- Carries ------------------------------------------------------------------------------------

struct CarryResult {
  uint64_t value;
  bool carry;
};

/// One lane, with the flag that it finds.
CarryResult with_carry(llvm::StringRef name, const std::vector<uint64_t>& operands, bool carry) {
  const Operation operation = known_operation(name, operands.size() + 1);
  EXPECT_TRUE(operation.has_carry) << name.str();
  OperationLanes registers;
  const bool is_short = name.endswith("32");
  for (size_t n = 0; n < operands.size(); ++n)
    if (is_short)
      registers.values<uint32_t>(static_cast<int>(n) + 1)[5] = static_cast<uint32_t>(operands[n]);
    else
      registers.values<uint64_t>(static_cast<int>(n) + 1)[5] = operands[n];
  registers.mask(4) = carry ? 1u << 5 : 0;
  registers.run(operation);
  return {is_short ? registers.values<uint32_t>(0)[5] : registers.values<uint64_t>(0)[5],
          (registers.mask(4) >> 5 & 1) != 0};
}

TEST(PtxCarries, GoInAndOut) {
  for (const uint32_t a : critical_integers<uint32_t>())
    for (const uint32_t b : critical_integers<uint32_t>())
      for (const bool carry : {false, true}) {
        const uint64_t sum = uint64_t{a} + b + carry;
        const CarryResult added = with_carry("addc.cc.u32", {a, b}, carry);
        EXPECT_EQ(added.value, static_cast<uint32_t>(sum));
        EXPECT_EQ(added.carry, sum >> 32 != 0);
        const int64_t difference = int64_t{a} - b - carry;
        const CarryResult rest = with_carry("subc.cc.u32", {a, b}, carry);
        EXPECT_EQ(rest.value, static_cast<uint32_t>(difference));
        EXPECT_EQ(rest.carry, difference < 0);
      }
}

TEST(PtxCarries, OfProducts) {
  for (const uint64_t a : critical_integers<uint64_t>())
    for (const uint64_t b : critical_integers<uint64_t>()) {
      const auto product = static_cast<unsigned __int128>(a) * b;
      for (const uint64_t part :
           {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)}) {
        const bool is_high = part != static_cast<uint64_t>(product);
        const CarryResult sum =
            with_carry(is_high ? "madc.hi.cc.u64" : "madc.lo.cc.u64", {a, b, ~part}, true);
        EXPECT_EQ(sum.value, 0u);
        EXPECT_TRUE(sum.carry);
      }
    }
  EXPECT_EQ(with_carry("mad.hi.cc.s32", {0xffffffff, 1, 0}, true).value, 0xffffffff);
}

TEST(PtxCarries, AreLeftAloneWithoutCc) {
  EXPECT_TRUE(with_carry("addc.u32", {1, 1}, true).carry);
  EXPECT_EQ(with_carry("addc.u32", {1, 1}, true).value, 3u);
  EXPECT_EQ(with_carry("add.cc.u32", {1, 1}, true).value, 2u);
  EXPECT_FALSE(with_carry("add.cc.u32", {1, 1}, true).carry);
  EXPECT_EQ(with_carry("sub.cc.s64", {1, 2}, false).value, ~uint64_t{0});
  EXPECT_TRUE(with_carry("sub.cc.s64", {1, 2}, false).carry);
}

TEST(PtxCarries, OfOtherLanesStay) {
  const Operation operation = known_operation("add.cc.u32", 3);
  OperationLanes registers;
  registers.warp.active = 0x0000ffff;
  registers.mask(4) = 0xff0000ff;
  for (int lane = 0; lane < lanes; ++lane) {
    registers.values<uint32_t>(1)[lane] = ~0u;
    registers.values<uint32_t>(2)[lane] = lane % 2;
  }
  registers.run(operation);
  EXPECT_EQ(registers.mask(4), 0xff00aaaa);
}

}  // namespace integer_test
}  // namespace hone::ptx
