// Element types. `index` is the type of loop variables and subscripts: exact and non-negative
// where it is divided; code generation decides whether it becomes 32 or 64 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace hone {

enum class DType : uint8_t { f64, f32, f16, bf16, i64, i32, i8, u8, boolean, index };

inline constexpr DType f64 = DType::f64, f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16,
                       i64 = DType::i64, i32 = DType::i32, i8 = DType::i8, u8 = DType::u8,
                       boolean = DType::boolean;

/// The name as it stands in IR text: "f32", "bool", "index".
llvm::StringRef name(DType type);
std::optional<DType> parse_dtype(llvm::StringRef name);

/// Bytes of one element in memory (`index` counts as 8).
int64_t size_of(DType type);

bool is_float(DType type);
/// i64, i32, i8, u8; not `index`, not `bool`.
bool is_integer(DType type);

}  // namespace hone
