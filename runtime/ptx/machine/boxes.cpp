// Boxes of tensors, which copies move between global and shared memory by maps of tensors.

#include "fmt/format.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/engine.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/tensor_map.h"

namespace hone::ptx {
namespace {

using AccessKind = MemoryDetail::Kind;

constexpr int64_t chunk_bytes = 16;  ///< which stay together in a swizzle

/// One box as a lane moves it.
class Box {
 public:
  Box(Warp& warp, int lane, const AsyncDetail& detail, const TensorMap& map, const Found& tile)
      : warp_(warp), lane_(lane), map_(map), tile_(tile) {
    for (const Ref coordinate : detail.coordinates)
      first_.push_back(warp.at<int32_t>(coordinate)[lane]);
    for (int dim = 0; dim < map.rank; ++dim)
      counts_.push_back(dim == 0 ? map.box[0]
                                 : llvm::divideCeil(map.box[dim], map.element_strides[dim]));
    row_bytes_ = counts_[0] * bytes_of(map.type);
  }

  int64_t bytes() const {
    int64_t rows = 1;
    for (size_t dim = 1; dim < counts_.size(); ++dim) rows *= counts_[dim];
    return rows * row_bytes_;
  }

  /// `loads`: from the tensor to the tile, with what is outside filled; or else back.
  void add_pieces(bool loads, AsyncOperation& operation) const {
    llvm::SmallVector<int64_t, 5> at(map_.rank, 0);
    int64_t in_tile = 0;
    do {
      add_row(loads, in_tile, row_at(at), operation);
      in_tile += row_bytes_;
    } while (advance(at));
  }

 private:
  /// The begin of the row in memory, if it is in the tensor, and is not cut off at its ends.
  std::optional<uint64_t> row_at(llvm::ArrayRef<int64_t> at) const {
    uint64_t address = map_.address;
    for (int dim = 1; dim < map_.rank; ++dim) {
      const int64_t index = first_[dim] + at[dim] * map_.element_strides[dim];
      if (index < 0 || index >= static_cast<int64_t>(map_.extents[dim])) return std::nullopt;
      address += index * map_.strides[dim];
    }
    return address;
  }

  bool advance(llvm::MutableArrayRef<int64_t> at) const {
    for (size_t dim = 1; dim < at.size(); ++dim) {
      if (++at[dim] < counts_[dim]) return true;
      at[dim] = 0;
    }
    return false;
  }

  void add_row(bool loads, int64_t in_tile, std::optional<uint64_t> row,
               AsyncOperation& operation) const {
    const int64_t size = bytes_of(map_.type), extent = static_cast<int64_t>(map_.extents[0]);
    const int64_t first = row ? std::clamp<int64_t>(-first_[0], 0, counts_[0]) * size : row_bytes_;
    const int64_t end =
        row ? std::clamp<int64_t>(extent - first_[0], 0, counts_[0]) * size : row_bytes_;
    if (loads) add_bytes(in_tile, 0, first, std::nullopt, loads, operation);
    if (row) add_bytes(in_tile, first, end, *row + first_[0] * size, loads, operation);
    if (loads) add_bytes(in_tile, std::max(first, end), row_bytes_, std::nullopt, loads, operation);
  }

  /// Bytes of a row; `row` is where its first one would be in memory, which may be outside.
  void add_bytes(int64_t in_tile, int64_t first, int64_t end, std::optional<uint64_t> row,
                 bool loads, AsyncOperation& operation) const {
    if (first >= end) return;
    Found memory;
    if (row)
      memory = find_place(warp_, lane_, *row + first, end - first, 1,
                          loads ? AccessKind::load : AccessKind::store);
    for (int64_t at = first; at < end;) {
      const int64_t to_chunk_end = chunk_bytes - (in_tile + at) % chunk_bytes;
      const int64_t bytes = map_.swizzle == 0 ? end - at : std::min(end - at, to_chunk_end);
      const Found tile = in_shared(in_tile + at);
      const Found there = memory.data ? memory.behind(at - first) : Found();
      operation.pieces.push_back(loads ? Piece{there, tile, bytes} : Piece{tile, there, bytes});
      at += bytes;
    }
  }

  Found in_shared(int64_t in_tile) const {
    const uint64_t address = swizzled(tile_.address + in_tile, map_.swizzle);
    return {tile_.owner, address, tile_.owner->shared.data() + address};
  }

  Warp& warp_;
  int lane_;
  const TensorMap& map_;
  Found tile_;
  llvm::SmallVector<int64_t, 5> first_, counts_;
  int64_t row_bytes_ = 0;
};

TensorMap map_at(Warp& warp, int lane, uint64_t address, size_t coordinates) {
  constexpr int64_t map_bytes = 128, map_alignment = 64;
  const Found place = find_place(warp, lane, address, map_bytes, map_alignment, AccessKind::load);
  const auto map = decode(place.data);
  const auto refuse = [&](const std::string& what) {
    fail(warp, lane, {FindingKind::invalid_operation, what, "starts the copy"});
  };
  if (!map)
    refuse(
        "the 128 bytes of the tensor map are none of the simulated device: a map of a driver "
        "cannot be used here");
  if (map->rank != static_cast<int>(coordinates))
    refuse(fmt::format("a box with {} coordinates of a tensor with {} dimensions", coordinates,
                       map->rank));
  return *map;
}

/// A number that is not one, in place of elements outside.
void set_fill(const TensorMap& map, AsyncOperation& operation) {
  if (!map.fills_nan) return;
  operation.fill_element.assign(bytes_of(map.type), 0xff);
  operation.fill_element.back() = 0x7f;
}

}  // namespace

void run_copy_box(Warp& warp, const Op& op) {
  constexpr int64_t tile_alignment = 128;
  const AsyncDetail& detail = warp.block->run.program.copies[op.detail];
  const bool loads = detail.mbarrier.has_value();
  for_each_lane(warp.active, [&](int lane) {
    const TensorMap map =
        map_at(warp, lane, address_in(warp, loads ? detail.from : detail.to, lane),
               detail.coordinates.size());
    const uint64_t address = address_in(warp, loads ? detail.to : detail.from, lane);
    const Found start_of_tile = find_place(warp, lane, address, 1, tile_alignment,
                                           loads ? AccessKind::store : AccessKind::load);
    const Box box(warp, lane, detail, map, start_of_tile);
    find_place(warp, lane, address, box.bytes(), 1, loads ? AccessKind::store : AccessKind::load);
    AsyncOperation operation;
    operation.detail = &detail;
    set_fill(map, operation);
    if (!detail.combination.empty()) operation.combine = combine_of(detail.combination, map.type);
    box.add_pieces(loads, operation);
    start_in_blocks(warp, lane, std::move(operation), box.bytes());
  });
}

}  // namespace hone::ptx
