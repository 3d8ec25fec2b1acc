// Bits and their fields, bit by bit as PTX describes them.
#include "tests/ptx/operations/operation_lanes.h"

namespace hone::ptx {
namespace bits_test {

template <class T>
bool bit(T value, uint32_t number) {
  return (value >> number & 1) != 0;
}

const std::vector<uint32_t> shift_counts = {0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 200, ~0u};

TEST(PtxBits, LogicOfRegisters) {
  const auto check = []<class T>(T, const std::string& type) {
    const std::vector<T> values = critical_integers<T>();
    expect_results(
        "and." + type, [](T a, T b) -> T { return a & b; }, values, values);
    expect_results(
        "or." + type, [](T a, T b) -> T { return a | b; }, values, values);
    expect_results(
        "xor." + type, [](T a, T b) -> T { return a ^ b; }, values, values);
    expect_results(
        "not." + type, [](T a) -> T { return ~a; }, values);
    expect_results(
        "cnot." + type, [](T a) -> T { return a == 0; }, values);
  };
  check(uint16_t{}, "b16");
  check(uint32_t{}, "b32");
  check(uint64_t{}, "b64");
}

TEST(PtxBits, LogicOfPredicates) {
  constexpr LaneMask a = 0x0ff0a5c3, b = 0x1234fedc, before = 0xdeadbeef, active = 0xffff00ff;
  const auto result = [&](llvm::StringRef name, size_t operands, bool negates) {
    Instruction instruction = instruction_of(name, operands);
    instruction.operands.back().negated = negates;
    OperationLanes registers;
    registers.warp.active = active;
    registers.mask(0) = before;
    registers.mask(1) = a;
    registers.mask(2) = b;
    registers.run(find_operation(instruction));
    return registers.mask(0);
  };
  const auto merged = [&](LaneMask mask) { return (mask & active) | (before & ~active); };
  EXPECT_EQ(result("and.pred", 3, false), merged(a & b));
  EXPECT_EQ(result("and.pred", 3, true), merged(a & ~b));
  EXPECT_EQ(result("or.pred", 3, true), merged(a | ~b));
  EXPECT_EQ(result("xor.pred", 3, false), merged(a ^ b));
  EXPECT_EQ(result("not.pred", 2, false), merged(~a));
  EXPECT_EQ(result("mov.pred", 2, false), merged(a));
  EXPECT_EQ(result("mov.pred", 2, true), merged(~a));
}

Instruction lop3_of(llvm::StringRef name, int64_t table, bool with_predicate) {
  Instruction instruction = instruction_of(name, with_predicate ? 6 : 5);
  instruction.operands[4] = {.kind = Operand::Kind::integer, .integer = table};
  if (with_predicate) {
    Operand& pair = instruction.operands[0];
    pair = {.kind = Operand::Kind::pair, .parts = {register_operand(0), register_operand(5)}};
  }
  return instruction;
}

TEST(PtxBits, TablesOfThreeBits) {
  constexpr uint32_t a = 0xf0f0f0f0, b = 0xcccccccc, c = 0xaaaaaaaa;
  for (int64_t table = 0; table < 256; ++table) {
    const Operation operation = find_operation(lop3_of("lop3.b32", table, false));
    ASSERT_EQ(operation.types.size(), 5u);
    EXPECT_EQ(operation.types[4], Type::none);
    const auto results = results_of<uint32_t>(operation, std::vector{std::tuple(a, b, c)});
    EXPECT_EQ(results[0], static_cast<uint32_t>(table * 0x01010101));
  }
}

TEST(PtxBits, TablesWithAPredicate) {
  for (const bool by_or : {false, true}) {
    Instruction instruction = lop3_of(by_or ? "lop3.or.b32" : "lop3.and.b32", 0xc0, true);
    instruction.operands[5].negated = true;
    const Operation operation = find_operation(instruction);
    ASSERT_EQ(operation.problem, "");
    OperationLanes registers;
    registers.values<uint32_t>(1)[3] = 6;
    registers.values<uint32_t>(2)[3] = 3;
    registers.mask(4) = ~LaneMask{0b11000};  // negated: lanes 3 and 4
    registers.run(operation);
    EXPECT_EQ(registers.values<uint32_t>(0)[3], 2u);
    EXPECT_EQ(registers.values<uint32_t>(0)[4], 0u);
    EXPECT_EQ(registers.mask(5), by_or ? 0b11000u : 0b01000u);
  }
}

TEST(PtxBits, ShiftsBeyondTheWidth) {
  const auto check = []<class T>(T) {
    using Signed = std::make_signed_t<T>;
    const std::string size = std::to_string(8 * sizeof(T));
    const auto exact = [](auto a, uint32_t count) { return __int128{a} >> std::min(count, 100u); };
    expect_results(
        "shl.b" + size,
        [](T a, uint32_t n) {
          return static_cast<T>(n > 63 ? 0 : static_cast<unsigned __int128>(a) << n);
        },
        critical_integers<T>(), shift_counts);
    expect_results(
        "shr.u" + size, [&](T a, uint32_t n) { return static_cast<T>(exact(a, n)); },
        critical_integers<T>(), shift_counts);
    expect_results(
        "shr.s" + size, [&](Signed a, uint32_t n) { return static_cast<Signed>(exact(a, n)); },
        critical_integers<Signed>(), shift_counts);
  };
  check(uint16_t{});
  check(uint32_t{});
  check(uint64_t{});
}

TEST(PtxBits, FunnelShifts) {
  const std::vector<uint32_t> words = critical_integers<uint32_t>();
  const auto whole = [](uint32_t a, uint32_t b) {
    return static_cast<unsigned __int128>(b) << 32 | a;
  };
  for (const bool wraps : {false, true}) {
    const auto count = [wraps](uint32_t c) { return wraps ? c % 32 : std::min(c, 32u); };
    const std::string mode = wraps ? "wrap.b32" : "clamp.b32";
    expect_results(
        "shf.l." + mode,
        [&](uint32_t a, uint32_t b, uint32_t c) {
          return static_cast<uint32_t>(whole(a, b) << count(c) >> 32);
        },
        words, words, shift_counts);
    expect_results(
        "shf.r." + mode,
        [&](uint32_t a, uint32_t b, uint32_t c) {
          return static_cast<uint32_t>(whole(a, b) >> count(c));
        },
        words, words, shift_counts);
  }
}

TEST(PtxBits, PermutedBytes) {
  const uint32_t a = 0x83828180, b = 0x07060504;
  const auto permuted = [&](llvm::StringRef name, uint32_t selector) {
    return results_of<uint32_t>(known_operation(name, 4),
                                std::vector{std::tuple(a, b, selector)})[0];
  };
  EXPECT_EQ(permuted("prmt.b32", 0x3210), a);
  EXPECT_EQ(permuted("prmt.b32", 0x7654), b);
  EXPECT_EQ(permuted("prmt.b32", 0xffff0147), 0x80810407u);
  EXPECT_EQ(permuted("prmt.b32", 0x8c9f), 0xff00ff00u);  // signs of bytes 0, 4, 1 and 7
  const auto row = [&](llvm::StringRef mode) {
    std::vector<uint32_t> results;
    for (uint32_t n = 0; n < 4; ++n) results.push_back(permuted(("prmt.b32." + mode).str(), n + 4));
    return results;
  };
  using Row = std::vector<uint32_t>;
  EXPECT_EQ(row("f4e"), (Row{0x83828180, 0x04838281, 0x05048382, 0x06050483}));
  EXPECT_EQ(row("b4e"), (Row{0x05060780, 0x06078081, 0x07808182, 0x80818283}));
  EXPECT_EQ(row("rc8"), (Row{0x80808080, 0x81818181, 0x82828282, 0x83838383}));
  EXPECT_EQ(row("ecl"), (Row{0x83828180, 0x83828181, 0x83828282, 0x83838383}));
  EXPECT_EQ(row("ecr"), (Row{0x80808080, 0x81818180, 0x82828180, 0x83828180}));
  EXPECT_EQ(row("rc16"), (Row{0x81808180, 0x83828382, 0x81808180, 0x83828382}));
}

// ---- Counts and fields --------------------------------------------------------------------------

template <class T>
constexpr uint32_t size_of = 8 * sizeof(T);

TEST(PtxFields, Counts) {
  const auto check = []<class T>(T) {
    const std::string type = ".b" + std::to_string(size_of<T>);
    const std::vector<T> values = critical_integers<T>();
    const auto ones = [](T a) {
      uint32_t count = 0;
      for (uint32_t n = 0; n < size_of<T>; ++n) count += bit(a, n);
      return count;
    };
    const auto zeros = [](T a) {
      uint32_t count = 0;
      while (count < size_of<T> && !bit(a, size_of<T> - 1 - count)) ++count;
      return count;
    };
    const auto reversed = [](T a) {
      T result = 0;
      for (uint32_t n = 0; n < size_of<T>; ++n)
        if (bit(a, n)) result |= T{1} << (size_of<T> - 1 - n);
      return result;
    };
    expect_results("popc" + type, ones, values);
    expect_results("clz" + type, zeros, values);
    expect_results("brev" + type, reversed, values);
  };
  check(uint32_t{});
  check(uint64_t{});
}

TEST(PtxFields, TheFirstBitThatIsNotLikeTheSign) {
  const auto check = []<class T>(T, const std::string& type) {
    const auto position = [](T a) {
      for (uint32_t n = size_of<T>; n-- > 0;)
        if (bit(a, n) != (a < 0)) return n;
      return ~0u;
    };
    expect_results("bfind." + type, position, critical_integers<T>());
    expect_results(
        "bfind.shiftamt." + type,
        [&](T a) { return position(a) == ~0u ? ~0u : size_of<T> - 1 - position(a); },
        critical_integers<T>());
  };
  check(uint32_t{}, "u32");
  check(int32_t{}, "s32");
  check(uint64_t{}, "u64");
  check(int64_t{}, "s64");
}

template <class T>
T field_of(T a, uint32_t b, uint32_t c) {
  const uint32_t start = b & 0xff, length = c & 0xff, last = size_of<T> - 1;
  const bool sign = std::is_signed_v<T> && length > 0 && bit(a, std::min(start + length - 1, last));
  std::make_unsigned_t<T> result = 0;
  for (uint32_t n = 0; n <= last; ++n)
    if (n < length && start + n <= last ? bit(a, start + n) : sign)
      result |= std::make_unsigned_t<T>{1} << n;
  return static_cast<T>(result);
}

template <class T>
T with_field(T a, T b, uint32_t c, uint32_t d) {
  const uint32_t start = c & 0xff, length = d & 0xff;
  for (uint32_t n = 0; n < length && start + n < size_of<T>; ++n) {
    b &= ~(T{1} << (start + n));
    b |= (a >> n & 1) << (start + n);
  }
  return b;
}

TEST(PtxFields, AreTakenOutAndPutIn) {
  expect_results("bfe.u32", field_of<uint32_t>, critical_integers<uint32_t>(), shift_counts,
                 shift_counts);
  expect_results("bfe.s32", field_of<int32_t>, critical_integers<int32_t>(), shift_counts,
                 shift_counts);
  expect_results("bfe.u64", field_of<uint64_t>, critical_integers<uint64_t>(), shift_counts,
                 shift_counts);
  expect_results("bfe.s64", field_of<int64_t>, critical_integers<int64_t>(), shift_counts,
                 shift_counts);
  expect_results("bfi.b32", with_field<uint32_t>, critical_integers<uint32_t>(),
                 critical_integers<uint32_t>(), shift_counts, shift_counts);
  expect_results("bfi.b64", with_field<uint64_t>, critical_integers<uint64_t>(),
                 critical_integers<uint64_t>(), shift_counts, shift_counts);
}

TEST(PtxFields, TheNthBitThatIsSet) {
  const auto nth = [](uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == 0) return bit(mask, base) ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    int64_t count = std::abs(int64_t{offset}) - 1;
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
      if (bit(mask, static_cast<uint32_t>(at)) && count-- == 0) return static_cast<uint32_t>(at);
    return ~0u;
  };
  expect_results("fns.b32", nth, critical_integers<uint32_t>(),
                 std::vector<uint32_t>{0, 1, 8, 30, 31},
                 std::vector<int32_t>{0, 1, -1, 2, -2, 7, -9, 31, 32, 33, -33, INT32_MIN});
}

TEST(PtxFields, Masks) {
  const auto mask = [](bool clamps) {
    return [clamps](uint32_t start, uint32_t length) {
      if (!clamps) {
        start %= 32;
        length %= 32;
      }
      uint32_t result = 0;
      for (uint32_t n = 0; n < 32; ++n)
        if (n >= start && n - start < length) result |= 1u << n;
      return result;
    };
  };
  expect_results("bmsk.clamp.b32", mask(true), shift_counts, shift_counts);
  expect_results("bmsk.wrap.b32", mask(false), shift_counts, shift_counts);
}

TEST(PtxFields, SignsAreExtended) {
  const auto extended = [](bool clamps, bool is_signed) {
    return [=](uint32_t a, uint32_t length) {
      const uint32_t size = clamps ? std::min(length, 32u) : length % 32;
      uint32_t result = 0;
      for (uint32_t n = 0; n < 32; ++n)
        if (n < size ? bit(a, n) : is_signed && size > 0 && bit(a, size - 1)) result |= 1u << n;
      return result;
    };
  };
  const std::vector<uint32_t> words = critical_integers<uint32_t>();
  expect_results("szext.clamp.s32", extended(true, true), words, shift_counts);
  expect_results("szext.clamp.u32", extended(true, false), words, shift_counts);
  expect_results("szext.wrap.s32", extended(false, true), words, shift_counts);
  expect_results("szext.wrap.u32", extended(false, false), words, shift_counts);
}

// ---- Sums of products ---------------------------------------------------------------------------

/// A part of a word, as a number.
int64_t part_of_word(uint32_t word, int bits, int number, bool is_signed) {
  const int64_t part = word >> (bits * number) & ((1u << bits) - 1);
  return is_signed && part >= int64_t{1} << (bits - 1) ? part - (int64_t{1} << bits) : part;
}

TEST(PtxFields, SumsOfProducts) {
  const std::vector<uint32_t> words = critical_integers<uint32_t>();
  for (const bool a_signed : {false, true})
    for (const bool b_signed : {false, true}) {
      const std::string types =
          std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32");
      const auto dot = [=](int parts, int a_bits, int first) {
        return [=](uint32_t a, uint32_t b, uint32_t c) {
          int64_t sum = c;
          for (int n = 0; n < parts; ++n)
            sum += part_of_word(a, a_bits, n, a_signed) * part_of_word(b, 8, first + n, b_signed);
          return static_cast<uint32_t>(sum);
        };
      };
      expect_results("dp4a" + types, dot(4, 8, 0), words, words, words);
      expect_results("dp2a.lo" + types, dot(2, 16, 0), words, words, words);
      expect_results("dp2a.hi" + types, dot(2, 16, 2), words, words, words);
    }
}

TEST(PtxFields, WhatIsNotKnown) {
  EXPECT_EQ(problem_of("lop3.b32", 5), "lop3.b32: a table that is no number is not known");
  EXPECT_EQ(problem_of("shf.l.b32", 4),
            "shf.l.b32: a shift without its direction and mode is not known");
  EXPECT_EQ(problem_of("bmsk.b32", 3), "bmsk.b32: a mask without .clamp or .wrap is not known");
  EXPECT_EQ(problem_of("szext.u32", 3),
            "szext.u32: an extension without .clamp or .wrap is not known");
  EXPECT_EQ(problem_of("dp4a.s32", 4), "dp4a.s32: a product of these types is not known");
  EXPECT_EQ(problem_of("dp2a.s32.s32", 4),
            "dp2a.s32.s32: a product without .lo or .hi is not known");
  EXPECT_EQ(problem_of("prmt.b64", 4), "prmt.b64: .b64 is not known");
}

}  // namespace bits_test
}  // namespace hone::ptx
