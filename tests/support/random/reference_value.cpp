#include "tests/support/random/reference_value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "llvm/Support/ErrorHandling.h"
#include "tests/support/random/reference.h"

namespace hone::reference {
namespace {

// ---- Types --------------------------------------------------------------------------------------

struct Format {
  int digits, least_exponent, greatest_exponent;  ///< of the significand; of powers of two
  double most = INFINITY;                         ///< that conversions lead to
};

Format format_of(DType type) {
  if (type == f16) return {11, -14, 15};
  if (type == bf16) return {8, -126, 127};
  if (type == tf32) return {11, -126, 127};
  if (type == f8e4m3) return {4, -6, 8, 448};
  if (type == f8e5m2) return {3, -14, 15, 57344};
  return type == f32 ? Format{24, -126, 127} : Format{53, -1022, 1023};
}

/// By powers of two, which is slow and plain.
double rounded(DType type, double value) {
  const Format format = format_of(type);
  if (std::fabs(value) >= format.most) return std::copysign(format.most, value);
  if (type == f64 || value == 0 || std::isnan(value)) return value;
  const int exponent = std::max(std::ilogb(value), format.least_exponent);
  const double unit = std::ldexp(1.0, exponent - format.digits + 1);
  const double units = value / unit;
  const double result = (type == tf32 ? std::round(units) : std::nearbyint(units)) * unit;
  if (std::ilogb(result) > format.greatest_exponent) return std::copysign(INFINITY, value);
  return result;
}

int bits_of(DType type) { return static_cast<int>(8 * size_of(type)); }
Integer power_of_two(int bits) { return static_cast<Integer>(1) << bits; }

struct Limits {
  Integer lowest, highest;
};

Limits limits_of(DType type) {
  if (type == u8) return {0, 255};
  return {-power_of_two(bits_of(type) - 1), power_of_two(bits_of(type) - 1) - 1};
}

// ---- Operators ----------------------------------------------------------------------------------

[[noreturn]] void fail(const char* what) { throw ReferenceError(what); }

Value truth(bool value) { return {boolean, value, 0}; }

template <class Number>
std::optional<bool> compared(BinaryOp op, Number lhs, Number rhs) {
  switch (op) {
    case BinaryOp::eq:
      return lhs == rhs;
    case BinaryOp::ne:
      return lhs != rhs;
    case BinaryOp::lt:
      return lhs < rhs;
    case BinaryOp::le:
      return lhs <= rhs;
    case BinaryOp::gt:
      return lhs > rhs;
    case BinaryOp::ge:
      return lhs >= rhs;
    default:
      return std::nullopt;
  }
}

/// A NaN loses against a number, and -0 is below +0.
double extreme(double lhs, double rhs, bool is_max) {
  if (std::isnan(lhs)) return rhs;
  if (std::isnan(rhs)) return lhs;
  if (lhs == rhs) return std::signbit(lhs) == is_max ? rhs : lhs;
  return (lhs < rhs) == is_max ? rhs : lhs;
}

double real_result(BinaryOp op, double lhs, double rhs) {
  switch (op) {
    case BinaryOp::add:
      return lhs + rhs;
    case BinaryOp::sub:
      return lhs - rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::div:
      return lhs / rhs;
    case BinaryOp::min:
      return extreme(lhs, rhs, false);
    case BinaryOp::max:
      return extreme(lhs, rhs, true);
    default:
      fail("an operator that floats do not have");
  }
}

Integer quotient(BinaryOp op, DType type, Integer lhs, Integer rhs) {
  if (rhs == 0) fail("a division by zero");
  if (type == DType::index && (lhs < 0 || rhs < 0)) fail("a division of a negative index");
  return op == BinaryOp::div ? lhs / rhs : lhs % rhs;
}

Integer shifted(BinaryOp op, DType type, Integer lhs, Integer rhs) {
  const int bits = bits_of(type);
  if (type != DType::index) {
    const auto by = static_cast<int>((rhs % bits + bits) % bits);
    return op == BinaryOp::shl ? lhs * power_of_two(by) : lhs >> by;
  }
  if (lhs < 0 || rhs < 0 || rhs > 62) fail("a shift by too much, or of a negative index");
  return op == BinaryOp::shl ? lhs << rhs : lhs >> rhs;
}

Integer integer_result(BinaryOp op, DType type, Integer lhs, Integer rhs) {
  switch (op) {
    case BinaryOp::add:
      return lhs + rhs;
    case BinaryOp::sub:
      return lhs - rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::div:
    case BinaryOp::mod:
      return quotient(op, type, lhs, rhs);
    case BinaryOp::min:
      return std::min(lhs, rhs);
    case BinaryOp::max:
      return std::max(lhs, rhs);
    case BinaryOp::bit_and:
      return lhs & rhs;
    case BinaryOp::bit_or:
      return lhs | rhs;
    case BinaryOp::bit_xor:
      return lhs ^ rhs;
    case BinaryOp::shl:
    case BinaryOp::shr:
      return shifted(op, type, lhs, rhs);
    case BinaryOp::logical_and:
      return lhs & rhs;
    case BinaryOp::logical_or:
      return lhs | rhs;
    default:
      llvm_unreachable("comparisons are made before");
  }
}

Integer truncated(DType type, double value) {
  if (std::isnan(value)) return 0;
  const auto [lowest, highest] = limits_of(type);
  if (value <= static_cast<double>(lowest)) return lowest;
  return value >= static_cast<double>(highest) ? highest : static_cast<Integer>(value);
}

template <class Number>
Number number_at(const std::byte* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

template <class Number>
void put(std::byte* bytes, Number number) {
  std::memcpy(bytes, &number, sizeof(number));
}

/// Of floats of 16 and 8 bits: sign, exponent and significand one by one.
double decoded(DType type, uint16_t bits) {
  const int digits = format_of(type).digits - 1, bias = 1 - format_of(type).least_exponent;
  const int exponent = (bits & ~(1 << (bits_of(type) - 1))) >> digits;
  const int significand = bits & ((1 << digits) - 1);
  const double sign = bits >> (bits_of(type) - 1) != 0 ? -1 : 1;
  if (type == f8e4m3 && exponent == 15 && significand == 7) return NAN;
  if (type != f8e4m3 && exponent == 2 * bias + 1) return significand == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(significand, 1 - bias - digits);
  return sign * std::ldexp(significand + (1 << digits), exponent - bias - digits);
}

uint16_t encoded(DType type, double value) {
  const int digits = format_of(type).digits - 1, bias = 1 - format_of(type).least_exponent;
  const int sign = std::signbit(value) ? 1 << (bits_of(type) - 1) : 0;
  const int infinity = (2 * bias + 1) << digits;
  if (std::isnan(value) && size_of(type) == 1) return 0x7f;
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | 1 << (digits - 1));
  if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
  if (value == 0) return static_cast<uint16_t>(sign);
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const int scaled = static_cast<int>(std::ldexp(std::fabs(value), digits - exponent));
  return static_cast<uint16_t>(sign | (((exponent + bias - 1) << digits) + scaled));
}

}  // namespace

Value integer_value(DType type, Integer value) {
  if (type == boolean) return truth(value != 0);
  const auto [lowest, highest] = limits_of(type);
  if (type == DType::index && (value < lowest || value > highest))
    fail("an index is beyond 64 bits");
  const Integer range = power_of_two(bits_of(type));
  Integer wrapped = value % range;
  if (wrapped < lowest) wrapped += range;
  if (wrapped > highest) wrapped -= range;
  return {type, wrapped, 0};
}

Value real_value(DType type, double value) { return {type, 0, rounded(type, value)}; }

Value negated(const Value& operand) {
  return is_float(operand.type) ? real_value(operand.type, -operand.real)
                                : integer_value(operand.type, -operand.integer);
}

Value binary(BinaryOp op, const Value& lhs, const Value& rhs) {
  if (is_float(lhs.type)) {
    if (const auto result = compared(op, lhs.real, rhs.real)) return truth(*result);
    return real_value(lhs.type, real_result(op, lhs.real, rhs.real));
  }
  if (const auto result = compared(op, lhs.integer, rhs.integer)) return truth(*result);
  return integer_value(lhs.type, integer_result(op, lhs.type, lhs.integer, rhs.integer));
}

Value converted(DType type, const Value& value) {
  const bool from_float = is_float(value.type);
  if (type == boolean) return truth(from_float ? value.real != 0 : value.integer != 0);
  if (is_float(type) && !from_float && type == f32)
    return real_value(f32, static_cast<float>(value.integer));
  if (is_float(type))
    return real_value(type, from_float ? value.real : static_cast<double>(value.integer));
  return integer_value(type, from_float ? truncated(type, value.real) : value.integer);
}

Value call(Intrinsic intrinsic, llvm::ArrayRef<Value> arguments) {
  const Value& x = arguments[0];
  switch (intrinsic) {
    case Intrinsic::abs:
      if (is_float(x.type)) return real_value(x.type, std::fabs(x.real));
      return integer_value(x.type, x.integer < 0 ? -x.integer : x.integer);
    case Intrinsic::sqrt:
      return real_value(x.type, std::sqrt(x.real));
    case Intrinsic::floor:
      return real_value(x.type, std::floor(x.real));
    case Intrinsic::ceil:
      return real_value(x.type, std::ceil(x.real));
    case Intrinsic::round:
      return real_value(x.type, std::nearbyint(x.real));
    default:
      fail("a function that is not exact");
  }
}

Value tuple(DType type, std::vector<Value> components) {
  return {type, 0, 0, std::move(components)};
}

namespace {

/// As a struct in C has them.
std::vector<int64_t> offsets_in(DType tuple) {
  std::vector<int64_t> offsets;
  int64_t next = 0;
  for (unsigned n = 0; n < component_count(tuple); ++n) {
    const int64_t bytes = size_of(component_type(tuple, n));
    while (next % bytes != 0) ++next;
    offsets.push_back(next);
    next += bytes;
  }
  return offsets;
}

Value load_tuple(DType type, const std::byte* bytes) {
  std::vector<Value> components;
  for (const int64_t offset : offsets_in(type))
    components.push_back(load(component_type(type, components.size()), bytes + offset));
  return tuple(type, components);
}

}  // namespace

Value load(DType type, const std::byte* bytes) {
  if (is_tuple(type)) return load_tuple(type, bytes);
  switch (type) {
    case DType::f64:
      return {type, 0, number_at<double>(bytes)};
    case DType::f32:
      return {type, 0, number_at<float>(bytes)};
    case DType::f16:
    case DType::bf16:
      return {type, 0, decoded(type, number_at<uint16_t>(bytes))};
    case DType::tf32: {
      const uint32_t counted = number_at<uint32_t>(bytes) / 0x2000 * 0x2000;
      return {type, 0, number_at<float>(reinterpret_cast<const std::byte*>(&counted))};
    }
    case DType::f8e4m3:
    case DType::f8e5m2:
      return {type, 0, decoded(type, number_at<uint8_t>(bytes))};
    case DType::i64:
    case DType::index:
      return {type, number_at<int64_t>(bytes), 0};
    case DType::i32:
      return {type, number_at<int32_t>(bytes), 0};
    case DType::i8:
      return {type, number_at<int8_t>(bytes), 0};
    case DType::u8:
    case DType::boolean:
      return {type, number_at<uint8_t>(bytes), 0};
    default:
      break;
  }
  llvm_unreachable("unknown type");
}

void store(std::byte* bytes, const Value& value) {
  if (is_tuple(value.type)) {
    const std::vector<int64_t> offsets = offsets_in(value.type);
    for (size_t n = 0; n < offsets.size(); ++n) store(bytes + offsets[n], value.components[n]);
    return;
  }
  switch (value.type) {
    case DType::f64:
      return put(bytes, value.real);
    case DType::f32:
    case DType::tf32:
      return put(bytes, static_cast<float>(value.real));
    case DType::f16:
    case DType::bf16:
      return put(bytes, encoded(value.type, value.real));
    case DType::f8e4m3:
    case DType::f8e5m2:
      return put(bytes, static_cast<uint8_t>(encoded(value.type, value.real)));
    case DType::i64:
    case DType::index:
      return put(bytes, static_cast<int64_t>(value.integer));
    case DType::i32:
      return put(bytes, static_cast<int32_t>(value.integer));
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return put(bytes, static_cast<uint8_t>(value.integer));
    default:
      llvm_unreachable("no value of a program");
  }
}

}  // namespace hone::reference
