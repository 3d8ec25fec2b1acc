// The values of a kernel in the simulated device: one contiguous array over the threads (lanes) of
// a block per value, of the type that computes fastest.
//
//   f64 double    f32 and narrower float    i64, index int64_t    i32, i8, u8 int32_t
//   bool uint8_t  tuples as they lie in memory    elements of a ring double
//
// Lanes of a narrow type hold values of that type only: every operation ends in `narrow`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ir/scalar/narrow_float.h"
#include "ir/scalar/ring.h"
#include "ir/scalar/type.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {

inline constexpr int warp_lanes = 32;

/// Warps of a block, or of the blocks of a cluster, which run together: a bit each.
using WarpBits = uint64_t;
inline constexpr int most_warps_together = 64;

/// A tuple of any type that takes so many bytes.
template <size_t size>
struct alignas(std::min<size_t>(size, 16)) TupleBytes {
  std::array<std::byte, size> bytes;
};

template <DType type>
struct LaneTraits {
  using Lane = int64_t;
  using Stored = int64_t;
};
template <>
struct LaneTraits<DType::f64> {
  using Lane = double;
  using Stored = double;
};
template <>
struct LaneTraits<DType::f32> {
  using Lane = float;
  using Stored = float;
};
template <>
struct LaneTraits<DType::f16> {
  using Lane = float;
  using Stored = uint16_t;
};
template <>
struct LaneTraits<DType::bf16> : LaneTraits<DType::f16> {};
template <>
struct LaneTraits<DType::tf32> {
  using Lane = float;
  using Stored = uint32_t;  // of which decode drops bits
};
template <>
struct LaneTraits<DType::f8e4m3> {
  using Lane = float;
  using Stored = uint8_t;
};
template <>
struct LaneTraits<DType::f8e5m2> : LaneTraits<DType::f8e4m3> {};
template <>
struct LaneTraits<DType::ring64> {
  using Lane = double;
  using Stored = double;
};
template <>
struct LaneTraits<DType::ring32> {
  using Lane = double;
  using Stored = float;
};
template <>
struct LaneTraits<DType::ring16> {
  using Lane = double;
  using Stored = uint16_t;
};
template <>
struct LaneTraits<DType::ring8> {
  using Lane = double;
  using Stored = uint8_t;
};
template <>
struct LaneTraits<DType::i32> {
  using Lane = int32_t;
  using Stored = int32_t;
};
template <>
struct LaneTraits<DType::i8> {
  using Lane = int32_t;
  using Stored = int8_t;
};
template <>
struct LaneTraits<DType::u8> {
  using Lane = int32_t;
  using Stored = uint8_t;
};
template <>
struct LaneTraits<DType::boolean> {
  using Lane = uint8_t;
  using Stored = uint8_t;
};

template <size_t size>
struct TupleTraits {
  using Lane = TupleBytes<size>;
  using Stored = TupleBytes<size>;
};

/// Tuples of one size are alike: one of each size stands for all.
inline constexpr DType tuple_of_2 = tuple_of({i8, i8}), tuple_of_4 = tuple_of({i8, i8, i8}),
                       tuple_of_8 = tuple_of({i32, i32}), tuple_of_16 = tuple_of({i64, i64}),
                       tuple_of_32 = tuple_of({i64, i64, i64});
template <>
struct LaneTraits<tuple_of_2> : TupleTraits<2> {};
template <>
struct LaneTraits<tuple_of_4> : TupleTraits<4> {};
template <>
struct LaneTraits<tuple_of_8> : TupleTraits<8> {};
template <>
struct LaneTraits<tuple_of_16> : TupleTraits<16> {};
template <>
struct LaneTraits<tuple_of_32> : TupleTraits<32> {};

/// The type of a value in its lane, and of an element in memory.
template <DType type>
using Lane = typename LaneTraits<type>::Lane;
template <DType type>
using Stored = typename LaneTraits<type>::Stored;

template <DType type>
inline constexpr bool is_byte_float = type == DType::f8e4m3 || type == DType::f8e5m2;

/// Elements of a ring that take less memory than the infinities and NaN of floats do.
template <DType type>
inline constexpr bool is_packed_ring = type == DType::ring16 || type == DType::ring8;

template <DType type>
inline constexpr bool is_float_lane = std::is_floating_point_v<Lane<type>>;

/// Calls `use.operator()<type>()`, for a type that is no tuple.
template <class Use>
decltype(auto) with_number_type(DType type, Use&& use) {
  switch (type) {
    case DType::f64:
      return use.template operator()<DType::f64>();
    case DType::f32:
      return use.template operator()<DType::f32>();
    case DType::f16:
      return use.template operator()<DType::f16>();
    case DType::bf16:
      return use.template operator()<DType::bf16>();
    case DType::tf32:
      return use.template operator()<DType::tf32>();
    case DType::f8e4m3:
      return use.template operator()<DType::f8e4m3>();
    case DType::f8e5m2:
      return use.template operator()<DType::f8e5m2>();
    case DType::ring64:
      return use.template operator()<DType::ring64>();
    case DType::ring32:
      return use.template operator()<DType::ring32>();
    case DType::ring16:
      return use.template operator()<DType::ring16>();
    case DType::ring8:
      return use.template operator()<DType::ring8>();
    case DType::i64:
      return use.template operator()<DType::i64>();
    case DType::i32:
      return use.template operator()<DType::i32>();
    case DType::i8:
      return use.template operator()<DType::i8>();
    case DType::u8:
      return use.template operator()<DType::u8>();
    case DType::boolean:
      return use.template operator()<DType::boolean>();
    case DType::index:
      return use.template operator()<DType::index>();
  }
  llvm_unreachable("unknown type");
}

/// Calls `use.operator()<tuple>()`, with the tuple that stands for those of its size.
template <class Use>
decltype(auto) with_tuple_type(DType type, Use&& use) {
  switch (size_of(type)) {
    case 2:
      return use.template operator()<tuple_of_2>();
    case 4:
      return use.template operator()<tuple_of_4>();
    case 8:
      return use.template operator()<tuple_of_8>();
    case 16:
      return use.template operator()<tuple_of_16>();
    case 32:
      return use.template operator()<tuple_of_32>();
  }
  llvm_unreachable("no tuple has that many bytes");
}

template <class Use>
decltype(auto) with_type(DType type, Use&& use) {
  return is_tuple(type) ? with_tuple_type(type, use) : with_number_type(type, use);
}

/// Bytes of a value in its lane: 1, 4 or 8, and of a tuple those of the element.
inline int lane_bytes(DType type) {
  return with_type(type, []<DType t>() { return static_cast<int>(sizeof(Lane<t>)); });
}

// ---- Narrow types -------------------------------------------------------------------------------

/// The nearest f16, ties to even, as a float.
inline float round_to_f16(float value) {
  constexpr uint32_t dropped = 13, smallest_normal = 113u << 23, overflow = 0x477ff000;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  // The sum with 1/2, whose last bit is worth the smallest subnormal, rounds there.
  const float subnormal = (std::bit_cast<float>(magnitude) + 0.5f) - 0.5f;
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> dropped & 1)) >> dropped << dropped;
  const uint32_t finite = magnitude < smallest_normal ? std::bit_cast<uint32_t>(subnormal) : normal;
  const uint32_t large = magnitude > 0x7f800000 ? magnitude | 0x400000 : 0x7f800000u;
  return std::bit_cast<float>((bits & 0x80000000) | (magnitude >= overflow ? large : finite));
}

/// The nearest bf16, ties to even, as a float.
inline float round_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
  return std::bit_cast<float>((is_nan ? bits | 0x400000 : rounded) & 0xffff0000);
}

/// Of all patterns of a float of 8 bits.
template <DType type>
inline const std::array<float, 256> values_of_bytes = [] {
  std::array<float, 256> values;
  for (int bits = 0; bits < 256; ++bits)
    values[bits] =
        static_cast<float>(type == DType::f8e4m3 ? f8e4m3_value(bits) : f8e5m2_value(bits));
  return values;
}();

/// The value of an element in memory; a bool is whether its byte is not 0.
template <DType type>
inline Lane<type> decode(Stored<type> element) {
  if constexpr (type == DType::boolean) return element != 0;
  if constexpr (type == DType::bf16) return std::bit_cast<float>(uint32_t{element} << 16);
  if constexpr (type == DType::f16) {
    const uint32_t sign = uint32_t{element} >> 15 << 31, magnitude = element & 0x7fffu;
    // Shifted into place the exponent is too small by 112; for infinity and NaN it must be 255.
    const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const uint32_t bits =
        magnitude >= 0x7c00 ? magnitude << 13 | 0x7f800000 : std::bit_cast<uint32_t>(finite);
    return std::bit_cast<float>(sign | bits);
  }
  if constexpr (type == DType::tf32) return tf32_value(std::bit_cast<float>(element));
  if constexpr (is_byte_float<type>) return values_of_bytes<type>[element];
  if constexpr (is_packed_ring<type>) return ring_value(element);
  return static_cast<Lane<type>>(element);
}

template <DType type>
inline Stored<type> encode(std::type_identity_t<Lane<type>> value) {
  if constexpr (type == DType::f16) return f16_bits(value);
  if constexpr (type == DType::bf16) return std::bit_cast<uint32_t>(value) >> 16;
  if constexpr (type == DType::tf32) return std::bit_cast<uint32_t>(value);
  if constexpr (type == DType::f8e4m3) return f8e4m3_bits(value);
  if constexpr (type == DType::f8e5m2) return f8e5m2_bits(value);
  if constexpr (is_packed_ring<type>) return ring_bits<Stored<type>>(value);
  return static_cast<Stored<type>>(value);
}

/// Brings the result of an operation on lanes back to the values of the type.
template <DType type>
inline Lane<type> narrow(std::type_identity_t<Lane<type>> value) {
  if constexpr (type == DType::f16) return round_to_f16(value);
  if constexpr (type == DType::bf16) return round_to_bf16(value);
  if constexpr (type == DType::tf32) return tf32_nearest(value);
  if constexpr (is_byte_float<type>) return decode<type>(encode<type>(value));
  if constexpr (type == DType::ring8) return byte_ring_element(ring_remainder(value));
  if constexpr (is_ring(type)) return ring_remainder(value);
  if constexpr (type == DType::i8) return static_cast<int8_t>(value);
  if constexpr (type == DType::u8) return static_cast<uint8_t>(value);
  return value;
}

/// A value that nobody should read: NaN, or -1; components of a tuple are such values.
template <DType type>
inline Lane<type> poison() {
  if constexpr (is_float_lane<type>) return std::numeric_limits<Lane<type>>::quiet_NaN();
  if constexpr (is_tuple(type)) {
    Lane<type> value;
    value.bytes.fill(std::byte{0xff});
    return value;
  } else {
    return type == DType::boolean ? 1 : narrow<type>(-1);
  }
}

// ---- Over lanes ---------------------------------------------------------------------------------

/// Arrays of lanes are padded to a multiple of this and aligned to 64 bytes.
inline constexpr int lane_chunk = 16;

/// result[l] = function(operands[l]...) for all lanes, a chunk at a time by way of a local array:
/// so it becomes vector code although `result` may be one of the operands.
template <class Result, class Function, class... Operands>
inline void map_lanes(int padded_lanes, Result* result, const Function& function,
                      const Operands*... operands) {
  for (int start = 0; start < padded_lanes; start += lane_chunk) {
    Result chunk[lane_chunk];
    for (int lane = 0; lane < lane_chunk; ++lane) chunk[lane] = function(operands[start + lane]...);
    std::memcpy(result + start, chunk, sizeof chunk);
  }
}

}  // namespace hone
