#include "ir/type.h"

#include <array>
#include <cassert>

namespace hone {
namespace {

struct TypeInfo {
  DType type;
  llvm::StringRef name;
  int64_t size;
};

constexpr std::array<TypeInfo, 12> types = {{
    {DType::f64, "f64", 8},
    {DType::f32, "f32", 4},
    {DType::f16, "f16", 2},
    {DType::bf16, "bf16", 2},
    {DType::i64, "i64", 8},
    {DType::i32, "i32", 4},
    {DType::i8, "i8", 1},
    {DType::u8, "u8", 1},
    {DType::boolean, "bool", 1},
    {DType::index, "index", 8},
    {DType::f32_f32, "(f32, f32)", 8},
    {DType::f32_i32, "(f32, i32)", 8},
}};

const TypeInfo& info(DType type) { return types[static_cast<size_t>(type)]; }

}  // namespace

llvm::StringRef name(DType type) { return info(type).name; }

int64_t size_of(DType type) { return info(type).size; }

std::optional<DType> parse_dtype(llvm::StringRef name) {
  for (const TypeInfo& candidate : types)
    if (candidate.name == name) return candidate.type;
  return std::nullopt;
}

bool is_float(DType type) { return type <= DType::bf16; }

bool is_integer(DType type) { return type >= DType::i64 && type <= DType::u8; }

bool is_pair(DType type) { return type == f32_f32 || type == f32_i32; }

DType component_type(DType pair, unsigned position) {
  assert(is_pair(pair) && position < 2 && "a pair has two components");
  return position == 1 && pair == f32_i32 ? i32 : f32;
}

std::optional<DType> pair_of(DType first, DType second) {
  for (const DType pair : {f32_f32, f32_i32})
    if (component_type(pair, 0) == first && component_type(pair, 1) == second) return pair;
  return std::nullopt;
}

}  // namespace hone
