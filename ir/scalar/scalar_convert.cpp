// The half of ir/scalar/scalar.h that brings values into types and into memory.
#include <cmath>
#include <cstring>

#include "fmt/format.h"
#include "ir/scalar/integer_limits.h"
#include "ir/scalar/narrow_float.h"
#include "ir/scalar/ring.h"
#include "ir/scalar/scalar.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

int64_t truncate(DType type, double value) {
  const auto [least, greatest] = integer_limits(type);
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(least)) return least;
  // 2^63 - 1 becomes 2^63, the first value that is too large.
  if (value >= static_cast<double>(greatest)) return greatest;
  return static_cast<int64_t>(value);
}

/// The value as a double from which one rounding leads to the nearest `type`: beyond 2^53 the last
/// bit stands for all that follow it.
double widen(DType type, int64_t value) {
  constexpr int64_t exact_up_to = int64_t{1} << 53;
  constexpr int surplus = 11;
  if (type == f64 || (-exact_up_to <= value && value <= exact_up_to))
    return static_cast<double>(value);
  const bool is_inexact = (value & ((1 << surplus) - 1)) != 0;
  return std::ldexp(static_cast<double>(value >> surplus | int64_t{is_inexact}), surplus);
}

/// A float that is known to be a value of the type.
Scalar exact_float(DType type, double value) {
  Scalar result;
  result.type = type;
  result.real = value;
  return result;
}

template <class Element>
Element read_as(const std::byte* bytes) {
  Element element;
  std::memcpy(&element, bytes, sizeof element);
  return element;
}

template <class Element>
void write_as(std::byte* bytes, Element element) {
  std::memcpy(bytes, &element, sizeof element);
}

}  // namespace

Scalar Scalar::of_int(DType type, int64_t value) {
  Scalar result;
  result.type = type;
  result.integer = wrap_to(type, value);
  return result;
}

Scalar Scalar::of_float(DType type, double value) {
  return exact_float(type, round_to(type, value));
}

Scalar Scalar::zero(DType type) {
  Scalar result;
  result.type = type;
  if (is_tuple(type)) result.bytes = {};
  return result;
}

Scalar Scalar::of_tuple(llvm::ArrayRef<Scalar> components) {
  llvm::SmallVector<DType, 4> types;
  for (const Scalar& component : components) types.push_back(component.type);
  Scalar result = zero(tuple_of(types.data(), types.size()));
  for (unsigned n = 0; n < components.size(); ++n) result.set_component(n, components[n]);
  return result;
}

Scalar Scalar::component(unsigned position) const {
  return read_element(component_type(type, position),
                      bytes.data() + component_offset(type, position));
}

void Scalar::set_component(unsigned position, const Scalar& value) {
  assert(value.type == component_type(type, position) && "a component of another type");
  write_element(bytes.data() + component_offset(type, position), value);
}

double round_to(DType type, double value) {
  switch (type) {
    case DType::f64:
      return value;
    case DType::f32:
      return static_cast<float>(value);
    case DType::f16:
      return f16_value(f16_bits(value));
    case DType::bf16:
      return bf16_value(bf16_bits(value));
    case DType::tf32:
      return tf32_nearest(value);
    case DType::f8e4m3:
      return f8e4m3_value(f8e4m3_bits(value));
    case DType::f8e5m2:
      return f8e5m2_value(f8e5m2_bits(value));
    case DType::ring64:
    case DType::ring32:
    case DType::ring16:
      return ring_element(value);
    case DType::ring8:
      return byte_ring_element(value);
    default:
      llvm_unreachable("not a float type");
  }
}

int64_t wrap_to(DType type, int64_t value) {
  switch (type) {
    case DType::i64:
    case DType::index:
      return value;
    case DType::i32:
      return static_cast<int32_t>(value);
    case DType::i8:
      return static_cast<int8_t>(value);
    case DType::u8:
      return static_cast<uint8_t>(value);
    case DType::boolean:
      return value != 0;
    default:
      llvm_unreachable("a float type has no width to wrap at");
  }
}

Scalar convert(DType type, const Scalar& value) {
  assert((!is_tuple(type) && !is_tuple(value.type)) && "a conversion of tuples");
  const bool from_float = is_float(value.type);
  if (is_ring(type) && !from_float) return Scalar::of_float(type, ring_element(value.integer));
  if (is_float(type))
    return Scalar::of_float(type, from_float ? value.real : widen(type, value.integer));
  if (!from_float) return Scalar::of_int(type, value.integer);
  if (type == DType::boolean) return Scalar::of_int(type, value.real != 0);
  return Scalar::of_int(type, truncate(type, value.real));
}

Scalar read_element(DType type, const std::byte* bytes) {
  if (is_tuple(type)) {
    Scalar result = Scalar::zero(type);
    std::memcpy(result.bytes.data(), bytes, size_of(type));
    return result;
  }
  switch (type) {
    case DType::f64:
      return exact_float(type, read_as<double>(bytes));
    case DType::f32:
      return exact_float(type, read_as<float>(bytes));
    case DType::f16:
      return exact_float(type, f16_value(read_as<uint16_t>(bytes)));
    case DType::bf16:
      return exact_float(type, bf16_value(read_as<uint16_t>(bytes)));
    case DType::tf32:
      return exact_float(type, tf32_value(read_as<float>(bytes)));
    case DType::f8e4m3:
      return exact_float(type, f8e4m3_value(read_as<uint8_t>(bytes)));
    case DType::f8e5m2:
      return exact_float(type, f8e5m2_value(read_as<uint8_t>(bytes)));
    case DType::ring64:
      return exact_float(type, read_as<double>(bytes));
    case DType::ring32:
      return exact_float(type, read_as<float>(bytes));
    case DType::ring16:
      return exact_float(type, ring_value(read_as<uint16_t>(bytes)));
    case DType::ring8:
      return exact_float(type, ring_value(read_as<uint8_t>(bytes)));
    case DType::i64:
    case DType::index:
      return Scalar::of_int(type, read_as<int64_t>(bytes));
    case DType::i32:
      return Scalar::of_int(type, read_as<int32_t>(bytes));
    case DType::i8:
      return Scalar::of_int(type, read_as<int8_t>(bytes));
    case DType::u8:
    case DType::boolean:
      return Scalar::of_int(type, read_as<uint8_t>(bytes));
  }
  llvm_unreachable("unknown type");
}

void write_element(std::byte* bytes, const Scalar& value) {
  if (is_tuple(value.type)) {
    std::memcpy(bytes, value.bytes.data(), size_of(value.type));
    return;
  }
  switch (value.type) {
    case DType::f64:
      return write_as(bytes, value.real);
    case DType::f32:
      return write_as(bytes, static_cast<float>(value.real));
    case DType::f16:
      return write_as(bytes, f16_bits(value.real));
    case DType::bf16:
      return write_as(bytes, bf16_bits(value.real));
    case DType::tf32:
      return write_as(bytes, tf32_nearest(value.real));
    case DType::f8e4m3:
      return write_as(bytes, f8e4m3_bits(value.real));
    case DType::f8e5m2:
      return write_as(bytes, f8e5m2_bits(value.real));
    case DType::ring64:
      return write_as(bytes, value.real);
    case DType::ring32:
      return write_as(bytes, static_cast<float>(value.real));
    case DType::ring16:
      return write_as(bytes, ring_bits<uint16_t>(value.real));
    case DType::ring8:
      return write_as(bytes, ring_bits<uint8_t>(value.real));
    case DType::i64:
    case DType::index:
      return write_as(bytes, value.integer);
    case DType::i32:
      return write_as(bytes, static_cast<int32_t>(value.integer));
    case DType::i8:
      return write_as(bytes, static_cast<int8_t>(value.integer));
    case DType::u8:
    case DType::boolean:
      return write_as(bytes, static_cast<uint8_t>(value.integer));
  }
  llvm_unreachable("unknown type");
}

std::optional<Scalar> as_scalar(const Expr& expr) {
  if (const auto* real = llvm::dyn_cast<FloatConst>(expr))
    return Scalar::of_float(real->type, real->value);
  if (const auto* integer = llvm::dyn_cast<IntConst>(expr))
    return Scalar::of_int(integer->type, integer->value);
  const auto* tuple = llvm::dyn_cast<MakeTuple>(expr);
  if (!tuple || !is_constant(expr)) return std::nullopt;
  Scalar result = Scalar::zero(tuple->type);
  for (unsigned n = 0; n < tuple->components.size(); ++n)
    result.set_component(n, *as_scalar(tuple->components[n]));
  return result;
}

Expr constant_of(const Scalar& value) {
  if (is_tuple(value.type)) {
    llvm::SmallVector<Expr, 4> components;
    for (unsigned n = 0; n < component_count(value.type); ++n)
      components.push_back(constant_of(value.component(n)));
    return MakeTuple::make(components);
  }
  return is_float(value.type) ? FloatConst::make(value.real, value.type)
                              : IntConst::make(value.integer, value.type);
}

std::string to_string(const Scalar& value) {
  if (value.type == DType::boolean) return value.integer ? "true" : "false";
  if (is_tuple(value.type)) {
    std::string text;
    for (unsigned n = 0; n < component_count(value.type); ++n)
      text += (n == 0 ? "(" : ", ") + to_string(value.component(n));
    return text + ")";
  }
  return is_float(value.type) ? fmt::format("{}", value.real) : fmt::format("{}", value.integer);
}

}  // namespace hone
