// Maps of tensors, by which copies move boxes. A driver's own are 128 bytes that nobody else reads;
// these are the simulated device's.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "runtime/ptx/text/type.h"

namespace hone::ptx {

/// Dimensions count from the fastest on.
struct TensorMap {
  static constexpr int most_rank = 5;

  uint64_t address = 0;
  int rank = 1;
  Type type = Type::u8;  ///< of an element: u8, u16, u32, s32, u64, s64, f16, bf16, f32, f64, tf32
  std::array<uint64_t, most_rank> extents{};  ///< elements
  std::array<uint64_t, most_rank> strides{};  ///< bytes; of the fastest those of an element
  std::array<uint32_t, most_rank> box{};      ///< elements
  std::array<uint32_t, most_rank> element_strides{1, 1, 1, 1, 1};
  int swizzle = 0;         ///< bytes: 0, 32, 64 or 128
  bool fills_nan = false;  ///< in place of elements outside of the tensor; or else zeros
};

using EncodedTensorMap = std::array<std::byte, 128>;

/// Throws RuntimeError where a driver refuses such a map.
EncodedTensorMap encode(const TensorMap& map);
/// Nothing where the 128 bytes are no such map: one that a driver made, for instance.
std::optional<TensorMap> decode(const std::byte* bytes);

}  // namespace hone::ptx
