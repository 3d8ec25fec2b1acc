#include "runtime/ptx/tensor_map.h"

#include <cstring>

#include "runtime/error.h"

namespace hone::ptx {
namespace {

constexpr uint64_t magic = 0x70616d2d656e6f68;  // "hone-map"
constexpr uint64_t unit_bytes = 16, most_extent = uint64_t{1} << 32,
                   most_stride = uint64_t{1} << 40;

/// The map as it lies in its bytes.
struct Packed {
  uint64_t magic = 0, address = 0;
  std::array<uint64_t, TensorMap::most_rank - 1> strides{};
  std::array<uint32_t, TensorMap::most_rank> last{};  ///< extents less 1
  std::array<uint16_t, TensorMap::most_rank> box{};
  std::array<uint8_t, TensorMap::most_rank> element_strides{};
  uint8_t rank = 0, type = 0, swizzle = 0, fills_nan = 0;
};
static_assert(sizeof(Packed) <= sizeof(EncodedTensorMap));

void require(bool holds, const std::string& what) {
  if (!holds) throw RuntimeError("a tensor map: {}", what);
}

bool is_type_of_maps(Type type) {
  switch (type) {
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::s32:
    case Type::u64:
    case Type::s64:
    case Type::f16:
    case Type::bf16:
    case Type::f32:
    case Type::f64:
    case Type::tf32:
      return true;
    default:
      return false;
  }
}

void check_map_dim(const TensorMap& map, int dim) {
  require(map.extents[dim] >= 1 && map.extents[dim] <= most_extent,
          fmt::format("an extent of {}; from 1 to 2^32 are possible", map.extents[dim]));
  require(map.box[dim] >= 1 && map.box[dim] <= 256,
          fmt::format("a box of {} elements; from 1 to 256 are possible", map.box[dim]));
  require(map.element_strides[dim] >= 1 && map.element_strides[dim] <= 8,
          fmt::format("a step of {} elements; from 1 to 8 are possible", map.element_strides[dim]));
  if (dim > 0)
    require(map.strides[dim] % unit_bytes == 0 && map.strides[dim] < most_stride,
            fmt::format("a stride of {} bytes, which is no multiple of {} below 2^40",
                        map.strides[dim], unit_bytes));
}

void check_map(const TensorMap& map) {
  require(map.rank >= 1 && map.rank <= TensorMap::most_rank,
          fmt::format("{} dimensions; from 1 to 5 are possible", map.rank));
  require(is_type_of_maps(map.type), fmt::format("no elements are {}", name_of(map.type).str()));
  require(map.address % unit_bytes == 0,
          fmt::format("the address {:#x} is no multiple of {}", map.address, unit_bytes));
  for (int dim = 0; dim < map.rank; ++dim) check_map_dim(map, dim);
  const int row = static_cast<int>(map.box[0]) * bytes_of(map.type);
  require(row % static_cast<int>(unit_bytes) == 0,
          fmt::format("rows of a box of {} bytes, which are no multiple of {}", row, unit_bytes));
  require(map.swizzle == 0 || map.swizzle == 32 || map.swizzle == 64 || map.swizzle == 128,
          fmt::format("a swizzle of {} bytes; 32, 64 and 128 are possible", map.swizzle));
  require(map.swizzle == 0 || row <= map.swizzle,
          fmt::format("rows of a box of {} bytes with a swizzle of {}", row, map.swizzle));
  require(!map.fills_nan || is_real(map.type), "NaN in place of integers");
}

}  // namespace

EncodedTensorMap encode(const TensorMap& map) {
  check_map(map);
  Packed packed;
  packed.magic = magic;
  packed.address = map.address;
  for (int dim = 0; dim < map.rank; ++dim) {
    if (dim > 0) packed.strides[dim - 1] = map.strides[dim];
    packed.last[dim] = static_cast<uint32_t>(map.extents[dim] - 1);
    packed.box[dim] = static_cast<uint16_t>(map.box[dim]);
    packed.element_strides[dim] = static_cast<uint8_t>(map.element_strides[dim]);
  }
  packed.rank = static_cast<uint8_t>(map.rank);
  packed.type = static_cast<uint8_t>(map.type);
  packed.swizzle = static_cast<uint8_t>(map.swizzle);
  packed.fills_nan = map.fills_nan ? 1 : 0;
  EncodedTensorMap bytes{};
  std::memcpy(bytes.data(), &packed, sizeof packed);
  return bytes;
}

std::optional<TensorMap> decode(const std::byte* bytes) {
  Packed packed;
  std::memcpy(&packed, bytes, sizeof packed);
  if (packed.magic != magic) return std::nullopt;
  TensorMap map;
  map.address = packed.address;
  map.rank = packed.rank;
  map.type = static_cast<Type>(packed.type);
  map.strides[0] = static_cast<uint64_t>(bytes_of(map.type));
  for (int dim = 0; dim < map.rank; ++dim) {
    if (dim > 0) map.strides[dim] = packed.strides[dim - 1];
    map.extents[dim] = uint64_t{packed.last[dim]} + 1;
    map.box[dim] = packed.box[dim];
    map.element_strides[dim] = packed.element_strides[dim];
  }
  map.swizzle = packed.swizzle;
  map.fills_nan = packed.fills_nan != 0;
  return map;
}

}  // namespace hone::ptx
