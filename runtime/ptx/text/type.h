// The types of PTX, as they stand in the modifiers of instructions and declarations.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

enum class Type : uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  u16x2,
  s16x2,
};

/// The type of a modifier without its dot: "u32"; none where it is no type.
std::optional<Type> type_named(llvm::StringRef name);
/// "u32"
llvm::StringRef name_of(Type type);
/// Of a value in a register or in memory; of a predicate 0.
int bytes_of(Type type);
bool is_signed(Type type);
/// Of floating point, packed or not.
bool is_real(Type type);

}  // namespace hone::ptx
