#include "ir/scalar/type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <map>
#include <mutex>
#include <string>

namespace hone {
namespace {

struct TypeInfo {
  DType type;
  llvm::StringRef name;
  int64_t size;
};

constexpr std::array<TypeInfo, 17> types = {{
    {DType::f64, "f64", 8},
    {DType::f32, "f32", 4},
    {DType::f16, "f16", 2},
    {DType::bf16, "bf16", 2},
    {DType::tf32, "tf32", 4},
    {DType::f8e4m3, "f8e4m3", 1},
    {DType::f8e5m2, "f8e5m2", 1},
    {DType::ring64, "ring64", 8},
    {DType::ring32, "ring32", 4},
    {DType::ring16, "ring16", 2},
    {DType::ring8, "ring8", 1},
    {DType::i64, "i64", 8},
    {DType::i32, "i32", 4},
    {DType::i8, "i8", 1},
    {DType::u8, "u8", 1},
    {DType::boolean, "bool", 1},
    {DType::index, "index", 8},
}};

const TypeInfo& info(DType type) {
  const size_t number = static_cast<size_t>(type) - 1;
  assert(number < types.size() && "no type that stands alone");
  return types[number];
}

constexpr unsigned component_mask = (1 << component_bits) - 1;

/// The first multiple of `alignment`, a power of two, from `bytes` on.
int64_t aligned(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

std::string tuple_name(DType type) {
  std::string text;
  for (unsigned n = 0; n < component_count(type); ++n)
    text += (n == 0 ? "(" : ", ") + name(component_type(type, n)).str();
  return text + ")";
}

}  // namespace

/// Names of tuples are made when they are first asked for, and stay.
llvm::StringRef name(DType type) {
  if (!is_tuple(type)) return info(type).name;
  static std::mutex mutex;
  static std::map<DType, std::string> names;
  const std::scoped_lock lock(mutex);
  std::string& known = names[type];
  if (known.empty()) known = tuple_name(type);
  return known;
}

llvm::StringRef ptx_name(DType type) {
  if (type == DType::i8) return "s8";
  llvm::StringRef word = name(type);
  word.consume_front("f8");
  return word;
}

std::string names_of_numbers() {
  std::string text;
  for (const TypeInfo& type : types) {
    if (is_ring(type.type)) continue;
    if (type.type >= DType::boolean) break;
    text += (text.empty() ? "" : type.type == DType::u8 ? " and " : ", ") + type.name.str();
  }
  return text;
}

int64_t size_of(DType type) {
  if (!is_tuple(type)) return info(type).size;
  const unsigned last = component_count(type) - 1;
  const int64_t end = component_offset(type, last) + size_of(component_type(type, last));
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(end)));
}

int64_t alignment_of(DType type) { return std::min<int64_t>(size_of(type), 16); }

std::optional<DType> parse_dtype(llvm::StringRef name) {
  for (const TypeInfo& candidate : types)
    if (candidate.name == name && !is_ring(candidate.type)) return candidate.type;
  return std::nullopt;
}

bool is_float(DType type) { return type <= DType::ring8; }

bool is_integer(DType type) { return type >= DType::i64 && type <= DType::u8; }

unsigned component_count(DType type) {
  return (std::bit_width(static_cast<unsigned>(type)) + component_bits - 1) / component_bits;
}

DType component_type(DType tuple, unsigned position) {
  assert(is_tuple(tuple) && position < component_count(tuple) && "a tuple has its components");
  return static_cast<DType>(static_cast<unsigned>(tuple) >> (position * component_bits) &
                            component_mask);
}

int64_t component_offset(DType tuple, unsigned position) {
  int64_t offset = 0;
  for (unsigned n = 0; n <= position; ++n) {
    const int64_t bytes = size_of(component_type(tuple, n));
    offset = aligned(offset, bytes);
    if (n < position) offset += bytes;
  }
  return offset;
}

}  // namespace hone
