// Element types. `index` is the type of loop variables and subscripts: exact and non-negative
// where it is divided; code generation decides whether it becomes 32 or 64 bits. An element may be
// a pair of numbers, so that a reduction keeps two values together: a maximum and where it is.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace hone {

enum class DType : uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i8,
  u8,
  boolean,
  index,
  f32_f32,
  f32_i32,
};

inline constexpr DType f64 = DType::f64, f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16,
                       i64 = DType::i64, i32 = DType::i32, i8 = DType::i8, u8 = DType::u8,
                       boolean = DType::boolean, f32_f32 = DType::f32_f32, f32_i32 = DType::f32_i32;

/// The name as it stands in IR text: "f32", "bool", "index", "(f32, i32)".
llvm::StringRef name(DType type);
std::optional<DType> parse_dtype(llvm::StringRef name);

/// Bytes of one element in memory (`index` counts as 8).
int64_t size_of(DType type);

bool is_float(DType type);
/// i64, i32, i8, u8; not `index`, not `bool`.
bool is_integer(DType type);
/// Elements of 8 bytes with a first and a second number. They have no arithmetic of their own.
bool is_pair(DType type);
/// The type of the first (0) or the second (1) number of a pair.
DType component_type(DType pair, unsigned position);
/// The pair of these two; nothing where there is none.
std::optional<DType> pair_of(DType first, DType second);

}  // namespace hone
