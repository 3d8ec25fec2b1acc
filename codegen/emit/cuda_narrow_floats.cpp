#include "codegen/emit/cuda_narrow_floats.h"

#include "fmt/format.h"
#include "ir/scalar/narrow_float.h"

namespace hone {
namespace {

/// The names of a type's functions.
struct Conversions {
  std::string to_float, from_float;
};

Conversions conversions_of(DType type) {
  if (type == DType::f16) return {"__half2float", "__float2half"};
  if (type == DType::bf16) return {"__bfloat162float", "__float2bfloat16"};
  const std::string word = name(type).str();
  return {word + "_to_float", "float_to_" + word};
}

bool is_wide_integer(DType type) { return is_integer(type) && size_of(type) > 2; }

/// A float does not have all numbers of the type, so that a second rounding would show, and CUDA
/// has no function. Floats of 8 bits end before a float begins to round integers.
bool needs_odd_float(DType to, DType from) {
  if (is_half(to)) return false;
  return from == DType::f64 || (to == DType::tf32 && is_wide_integer(from));
}

/// The function for a type, f64 or i64, which reads `type` in CUDA, and cuts off by `cut`.
std::string odd_float(DType from, const char* type, const char* cut) {
  return fmt::format(R"(
// The float towards zero, whose last bit stands for all that follow it: another rounding is right.
static __device__ float odd_float_of_{0}({1} x) {{
  const float cut = {2}(x);
  return ({1})cut == x || x != x ? cut : __uint_as_float(__float_as_uint(cut) | 1);
}}
)",
                     name(from).str(), type, cut);
}

const char* odd_float_name(DType from) {
  return from == DType::f64 ? "odd_float_of_f64" : "odd_float_of_i64";
}

constexpr const char* tf32_to_float = R"(
// The value of a tf32: the lower 13 bits of the float count for nothing.
static __device__ float tf32_to_float(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xffffe000);
}
)";

constexpr const char* float_to_tf32 = R"(
// The nearest tf32, ties away from zero.
static __device__ float float_to_tf32(float x) {
  if (x != x) return __uint_as_float(0x7fffe000);
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}
)";

/// A float of 8 bits: whether numbers have the exponent of ones, too, and only one pattern is NaN.
struct ByteFloat {
  DType type;
  int mantissa, bias;
  bool is_finite;
  unsigned largest;

  int dropped() const { return 23 - mantissa; }
  /// The bits of a float are so much more than those of a normal number, at the same place.
  unsigned rebias() const { return static_cast<unsigned>(127 - bias) << 23; }
  unsigned smallest_normal() const { return rebias() + (1u << 23); }
  /// The smallest numbers in one.
  int units() const { return 1 << (bias - 1 + mantissa); }
};
constexpr ByteFloat byte_floats[] = {{DType::f8e4m3, 3, 7, true, 0x7e},
                                     {DType::f8e5m2, 2, 15, false, 0x7b}};

std::string byte_to_float(const ByteFloat& format) {
  return fmt::format(
      R"(
static __device__ float {0}_to_float(unsigned char x) {{
  const unsigned size = x & 0x7f;
  const float value = size < {1}      ? size * (1.0f / {2})
                      : size <= 0x{3:x} ? __uint_as_float((size << {4}) + 0x{5:x})
                                      : __uint_as_float({6});
  return x < 0x80 ? value : -value;
}}
)",
      name(format.type).str(), 1 << format.mantissa, format.units(), format.largest,
      format.dropped(), format.rebias(),
      format.is_finite ? "0x7fc00000" : fmt::format("0x7f800000 | size << {}", format.dropped()));
}

std::string float_to_byte(const ByteFloat& format) {
  return fmt::format(R"(
// The nearest {0}, ties to even; the largest one stands for all that is beyond.
static __device__ unsigned char float_to_{0}(float x) {{
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.{1}x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return (unsigned char)pair;
#else
  const unsigned size = __float_as_uint(x) & 0x7fffffff, sign = __float_as_uint(x) >> 31 << 7;
  if (size > 0x7f800000) return 0x7f;
  if (size < 0x{2:x}) return (unsigned char)(sign | __float2int_rn(__uint_as_float(size) * {3}.0f));
  const unsigned rounded = size - 0x{4:x} + 0x{5:x} + (size >> {6} & 1);
  return (unsigned char)(sign | min(rounded >> {6}, 0x{7:x}));
#endif
}}
)",
                     name(format.type).str(), ptx_name(format.type).str(), format.smallest_normal(),
                     format.units(), format.rebias(), (1u << (format.dropped() - 1)) - 1,
                     format.dropped(), format.largest);
}

}  // namespace

bool is_half(DType type) { return type == DType::f16 || type == DType::bf16; }

bool is_narrow_float(DType type) {
  return is_float(type) && type != DType::f64 && type != DType::f32;
}

std::string cuda_to_float(DType from, const std::string& operand) {
  return fmt::format("{}({})", conversions_of(from).to_float, operand);
}

std::string cuda_from_float(DType to, const std::string& operand) {
  return fmt::format("{}({})", conversions_of(to).from_float, operand);
}

/// Beyond the integers that a float holds, an f16 is infinite, and a bf16 is not.
std::string cuda_to_narrow_float(DType to, DType from, const std::string& operand) {
  if (from == DType::f32) return cuda_from_float(to, operand);
  if (needs_odd_float(to, from))
    return cuda_from_float(to, fmt::format("{}({})", odd_float_name(from), operand));
  if (from == DType::f64)
    return fmt::format("{}({})", to == DType::f16 ? "__double2half" : "__double2bfloat16", operand);
  if (to == DType::bf16 && is_wide_integer(from))
    return fmt::format("__{}2bfloat16_rn({})", from == DType::i64 ? "ll" : "int", operand);
  return cuda_from_float(to, fmt::format("(float)({})", operand));
}

std::string cuda_byte_constant(DType type, double value) {
  return fmt::format("0x{:02x}", type == DType::f8e4m3 ? f8e4m3_bits(value) : f8e5m2_bits(value));
}

void add_narrow_functions(DType to, DType from, std::set<std::string>& used) {
  if (is_narrow_float(from)) used.insert(conversions_of(from).to_float);
  if (!is_narrow_float(to)) return;
  used.insert(conversions_of(to).from_float);
  const DType number = from == DType::index ? DType::i64 : from;
  if (needs_odd_float(to, number)) used.insert(odd_float_name(number));
}

std::string cuda_narrow_functions(const std::set<std::string>& used) {
  std::string text;
  if (used.empty()) return text;
  const auto add = [&](const std::string& name, const std::string& definition) {
    if (used.count(name) != 0) text += definition;
  };
  add(odd_float_name(DType::f64), odd_float(DType::f64, "double", "__double2float_rz"));
  add(odd_float_name(DType::i64), odd_float(DType::i64, "long long", "__ll2float_rz"));
  add("tf32_to_float", tf32_to_float);
  add("float_to_tf32", float_to_tf32);
  for (const ByteFloat& format : byte_floats) {
    add(conversions_of(format.type).to_float, byte_to_float(format));
    add(conversions_of(format.type).from_float, float_to_byte(format));
  }
  return text;
}

}  // namespace hone
