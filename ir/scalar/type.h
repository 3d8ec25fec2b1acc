// Element types. `index` is the type of loop variables and subscripts: exact and non-negative
// where it is divided; code generation decides whether it becomes 32 or 64 bits. An element may be
// a tuple of two to four numbers or bools, so that a reduction keeps several values together: a
// maximum and where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace hone {

/// Five bits for each component: the enumerators for one that stands alone, tuple_of for several,
/// the first in the lowest bits.
enum class DType : uint32_t {
  f64 = 1,
  f32,
  f16,
  bf16,
  tf32,
  f8e4m3,
  f8e5m2,
  ring64,  ///< of so many bits, in the place of floats that have as many: ir/scalar/ring.h
  ring32,
  ring16,
  ring8,
  i64,
  i32,
  i8,
  u8,
  boolean,
  index,
};

inline constexpr DType f64 = DType::f64, f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16,
                       tf32 = DType::tf32, f8e4m3 = DType::f8e4m3, f8e5m2 = DType::f8e5m2,
                       i64 = DType::i64, i32 = DType::i32, i8 = DType::i8, u8 = DType::u8,
                       boolean = DType::boolean;

inline constexpr unsigned most_components = 4, component_bits = 5;
/// Bytes of the largest tuple.
inline constexpr int64_t widest_element = 32;

/// Operators and functions take numbers of the type. Only tensor cores compute with tf32 and floats
/// of 8 bits; programs cast them to f32 first. A tuple has components instead.
constexpr bool has_arithmetic(DType type) {
  const bool is_for_tensor_cores = DType::tf32 <= type && type <= DType::f8e5m2;
  return type <= DType::index && !is_for_tensor_cores;
}

/// Types of components of tuples: bools, and numbers with arithmetic.
constexpr bool is_component_type(DType type) { return type < DType::index && has_arithmetic(type); }

/// The tuple of these types, two to four: `tuple_of({f32, f32, i32})`. Throws std::invalid_argument
/// where there are fewer or more, or one is no type of a component.
constexpr DType tuple_of(const DType* components, size_t count) {
  if (count < 2 || count > most_components)
    throw std::invalid_argument("a tuple has two to four components");
  unsigned bits = 0;
  for (size_t n = 0; n < count; ++n) {
    if (!is_component_type(components[n]))
      throw std::invalid_argument(
          "the components of a tuple are bools and numbers with arithmetic");
    bits |= static_cast<unsigned>(components[n]) << (component_bits * n);
  }
  return static_cast<DType>(bits);
}
constexpr DType tuple_of(std::initializer_list<DType> components) {
  return tuple_of(components.begin(), components.size());
}

inline constexpr DType f32_f32 = tuple_of({f32, f32}), f32_i32 = tuple_of({f32, i32});

/// The name as it stands in IR text: "f32", "bool", "index", "(f32, i32)".
llvm::StringRef name(DType type);
/// The name in PTX of an operand of tensor cores: "bf16", "s8", "e4m3".
llvm::StringRef ptx_name(DType type);
/// "f64, f32, f16, ... and u8": all types of numbers in memory.
std::string names_of_numbers();
/// Of a type that is no tuple. No text has elements of a ring.
std::optional<DType> parse_dtype(llvm::StringRef name);

/// Bytes of one element in memory (`index` counts as 8): a power of two. A tf32 lies there as an
/// f32 does, whose lower 13 bits count for nothing.
int64_t size_of(DType type);
/// An element lies at a multiple of as many bytes: its size, and of a tuple at most 16.
int64_t alignment_of(DType type);

/// An array of `given` may be passed for one of `wanted`: of f32 for one of tf32.
constexpr bool stands_for(DType given, DType wanted) {
  return given == wanted || (given == DType::f32 && wanted == DType::tf32);
}

/// Of numbers with fractions, and elements of a ring in their place.
bool is_float(DType type);
constexpr bool is_ring(DType type) { return DType::ring64 <= type && type <= DType::ring8; }
/// i64, i32, i8, u8; not `index`, not `bool`.
bool is_integer(DType type);
/// Elements of several components. They have no arithmetic of their own. In memory the components
/// follow each other as those of a struct in C, and the element takes the next power of two of
/// bytes.
constexpr bool is_tuple(DType type) { return type > DType::index; }
/// The number of components of a tuple; 1 for any other type.
unsigned component_count(DType type);
DType component_type(DType tuple, unsigned position);
/// Bytes from the start of the element to the component.
int64_t component_offset(DType tuple, unsigned position);

}  // namespace hone
