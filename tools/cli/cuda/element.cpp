#include "tools/cli/cuda/element.h"

#include <cmath>
#include <cstring>

#include "fmt/ranges.h"
#include "ir/scalar/narrow_float.h"
#include "ir/scalar/scalar.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"
#include "runtime/io/npy.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr ElementKind real = ElementKind::real, whole = ElementKind::signed_integer,
                      natural = ElementKind::unsigned_integer;

constexpr ElementType element_types[] = {{"f64", 8, real, DType::f64},
                                         {"f32", 4, real, DType::f32},
                                         {"f16", 2, real, DType::f16},
                                         {"bf16", 2, real, DType::f32},
                                         {"f8e4m3", 1, real, DType::f32},
                                         {"f8e5m2", 1, real, DType::f32},
                                         {"i64", 8, whole, DType::i64},
                                         {"i32", 4, whole, DType::i32},
                                         {"i16", 2, whole, DType::i32},
                                         {"i8", 1, whole, DType::i8},
                                         {"u64", 8, natural, DType::i64},
                                         {"u32", 4, natural, DType::i64},
                                         {"u16", 2, natural, DType::i32},
                                         {"u8", 1, natural, DType::u8},
                                         {"bool", 1, ElementKind::boolean, DType::boolean}};

/// Names of types in CUDA, and in what the demangler makes of them.
constexpr std::pair<StringRef, StringRef> cuda_types[] = {{"double", "f64"},
                                                          {"float", "f32"},
                                                          {"__half", "f16"},
                                                          {"half", "f16"},
                                                          {"__nv_bfloat16", "bf16"},
                                                          {"nv_bfloat16", "bf16"},
                                                          {"__nv_fp8_e4m3", "f8e4m3"},
                                                          {"__nv_fp8_e5m2", "f8e5m2"},
                                                          {"long long", "i64"},
                                                          {"long", "i64"},
                                                          {"int", "i32"},
                                                          {"short", "i16"},
                                                          {"signed char", "i8"},
                                                          {"char", "i8"},
                                                          {"unsigned long long", "u64"},
                                                          {"unsigned long", "u64"},
                                                          {"unsigned int", "u32"},
                                                          {"unsigned", "u32"},
                                                          {"unsigned short", "u16"},
                                                          {"unsigned char", "u8"},
                                                          {"bool", "bool"},
                                                          {"longlong", "i64"},
                                                          {"ulonglong", "u64"},
                                                          {"ulong", "u64"},
                                                          {"uint", "u32"},
                                                          {"ushort", "u16"},
                                                          {"uchar", "u8"},
                                                          {"int64_t", "i64"},
                                                          {"int32_t", "i32"},
                                                          {"int16_t", "i16"},
                                                          {"int8_t", "i8"},
                                                          {"uint64_t", "u64"},
                                                          {"uint32_t", "u32"},
                                                          {"uint16_t", "u16"},
                                                          {"uint8_t", "u8"},
                                                          {"size_t", "u64"}};

const ElementType* named_in_cuda(StringRef type) {
  for (const auto& [cuda, name] : cuda_types)
    if (type == cuda) return find_element_type(name);
  return nullptr;
}

template <class T>
T bits_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double read_real(const ElementType& type, const std::byte* from) {
  if (type.name == "f64") return bits_at<double>(from);
  if (type.name == "f32") return bits_at<float>(from);
  if (type.name == "f16") return f16_value(bits_at<uint16_t>(from));
  if (type.name == "bf16") return bf16_value(bits_at<uint16_t>(from));
  return type.name == "f8e4m3" ? f8e4m3_value(bits_at<uint8_t>(from))
                               : f8e5m2_value(bits_at<uint8_t>(from));
}

uint64_t bits_of_real(const ElementType& type, double value) {
  if (type.name == "f64") return std::bit_cast<uint64_t>(value);
  if (type.name == "f32") return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type.name == "f16") return f16_bits(value);
  if (type.name == "bf16") return bf16_bits(value);
  return type.name == "f8e4m3" ? f8e4m3_bits(value) : f8e5m2_bits(value);
}

/// "u16" of "u2".
const ElementType& type_of_npy(StringRef elements) {
  if (elements == "b1") return *find_element_type("bool");
  return *find_element_type(fmt::format("{}{}", elements.front(), 8 * (elements.back() - '0')));
}

int64_t most_of(const ElementType& type) {
  if (type.kind == ElementKind::boolean) return 1;
  const int bits = type.bytes * 8 - (type.kind == ElementKind::signed_integer ? 1 : 0);
  return bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
}
int64_t least_of(const ElementType& type) {
  return type.kind == ElementKind::signed_integer ? -most_of(type) - 1 : 0;
}

std::optional<ElementValue> parse_integer(const ElementType& type, StringRef text) {
  ElementValue value;
  uint64_t large = 0;
  if (type.kind == ElementKind::boolean && (text == "true" || text == "false"))
    return ElementValue{0, text == "true" ? 1 : 0};
  if (type.name == "u64" && !text.getAsInteger(0, large))
    return ElementValue{0, static_cast<int64_t>(large)};
  if (text.getAsInteger(0, value.integer)) return std::nullopt;
  const bool fits = least_of(type) <= value.integer && value.integer <= most_of(type);
  return fits ? std::optional(value) : std::nullopt;
}

}  // namespace

const ElementType* find_element_type(StringRef name) {
  for (const ElementType& type : element_types)
    if (type.name == name) return &type;
  return nullptr;
}

std::string names_of_element_types() {
  std::vector<std::string> names;
  for (const ElementType& type : element_types) names.push_back(type.name.str());
  return fmt::format("{}", fmt::join(names, ", "));
}

const ElementType* element_type_of_cuda(StringRef type) {
  if (const ElementType* known = named_in_cuda(type)) return known;
  StringRef base = type;
  if (!base.empty() && StringRef("1234").contains(base.back())) base = base.drop_back();
  return base == type || base.contains(' ') ? nullptr : named_in_cuda(base);
}

ElementValue read_element(const ElementType& type, const std::byte* from) {
  if (type.is_real()) return {read_real(type, from), 0};
  uint64_t bits = 0;
  std::memcpy(&bits, from, type.bytes);
  if (type.kind != ElementKind::signed_integer) return {0, static_cast<int64_t>(bits)};
  const int unused = 64 - 8 * type.bytes;
  return {0, static_cast<int64_t>(bits << unused) >> unused};
}

void write_element(const ElementType& type, const ElementValue& value, std::byte* to) {
  const uint64_t bits =
      type.is_real() ? bits_of_real(type, value.real) : static_cast<uint64_t>(value.integer);
  std::memcpy(to, &bits, type.bytes);
}

std::optional<ElementValue> parse_element(const ElementType& type, StringRef text) {
  if (!type.is_real()) return parse_integer(type, text);
  ElementValue value;
  const std::string digits = text.str();
  char* end = nullptr;
  value.real = std::strtod(digits.c_str(), &end);
  const bool is_number = !digits.empty() && !llvm::isSpace(digits.front()) && *end == '\0';
  return is_number ? std::optional(value) : std::nullopt;
}

std::string element_text(const ElementType& type, const ElementValue& value) {
  if (type.kind == ElementKind::boolean) return value.integer != 0 ? "true" : "false";
  if (type.name == "f64") return fmt::format("{}", value.real);
  if (type.is_real()) return fmt::format("{}", static_cast<float>(value.real));
  return type.name == "u64" ? fmt::format("{}", static_cast<uint64_t>(value.integer))
                            : fmt::format("{}", value.integer);
}

AnyArray to_file_array(const ElementArray& array) {
  AnyArray file(array.type->file, array.shape, Device::host(), Fill::uninitialized);
  const ElementType& type = *find_element_type(name(array.type->file));
  auto* to = static_cast<std::byte*>(file.data());
  for (int64_t n = 0; n < array.size(); ++n, to += type.bytes) write_element(type, array.at(n), to);
  return file;
}

ElementArray read_element_array(const std::string& path, const ElementType* type) {
  const NpyArray read = read_npy_bits(path);
  const ElementType& file = type_of_npy(read.elements);
  if (!type) type = &file;
  if (file.is_real() != type->is_real())
    throw RuntimeError("{} holds {}, and {} elements are asked for", path, file.name.str(),
                       type->name.str());
  ElementArray result{type, read.bits.shape(), {}};
  result.bytes.resize(read.bits.size() * type->bytes);
  const auto* from = static_cast<const std::byte*>(read.bits.data());
  for (int64_t n = 0; n < read.bits.size(); ++n) {
    const ElementValue value = read_element(file, from + n * file.bytes);
    result.set(n, value);
    if (result.at(n).integer != value.integer)
      throw RuntimeError("{} holds {}, which does not fit in {}", path, element_text(file, value),
                         type->name.str());
  }
  return result;
}

}  // namespace hone
