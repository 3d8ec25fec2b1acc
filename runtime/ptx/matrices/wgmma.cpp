// Products of a warpgroup: wgmma. Each of its warps computes its own 16 rows.

#include "fmt/format.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/engine.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/unset.h"
#include "runtime/ptx/matrices/matrix.h"

namespace hone::ptx {
namespace {

constexpr int64_t chunk_size = 16;  ///< bytes that stay together
constexpr int warp_rows = 16, warps_of_group = 4, core_lines = 8;

/// A tile in shared memory, as a descriptor has it. Its lines run along k, or across.
struct Tile {
  uint64_t start = 0, leading = 0, stride = 0;  ///< bytes
  int swizzle = 0;                              ///< bytes of a line
  bool is_turned = false;

  /// PTX ISA, "Matrix descriptor format".
  Tile(uint64_t descriptor, bool is_turned) : is_turned(is_turned) {
    constexpr uint64_t field = 0x3fff;
    constexpr std::array<int, 4> swizzles = {0, 128, 64, 32};
    start = (descriptor & field) << 4;
    leading = (descriptor >> 16 & field) << 4;
    stride = (descriptor >> 32 & field) << 4;
    swizzle = swizzles[descriptor >> 62];
  }

  /// The address of 16 bytes of a line.
  uint64_t chunk(int64_t line, int64_t number) const {
    const int64_t group = line / core_lines, in_group = line % core_lines;
    if (swizzle == 0) {
      const uint64_t along = is_turned ? stride : leading, across = is_turned ? leading : stride;
      return start + group * across + number * along + in_group * chunk_size;
    }
    const int64_t in_line = swizzle / chunk_size;
    return swizzled(start + group * stride + in_group * swizzle + number % in_line * chunk_size +
                        number / in_line * leading,
                    swizzle);
  }
};

/// A part of a tile: `lines` of so many elements, from one on.
struct Part {
  Tile tile;
  Type type;
  int64_t first_line, lines, first_element, elements;

  int64_t element_bytes() const { return bytes_of(type); }
  int64_t in_chunk() const { return chunk_size / element_bytes(); }
};

/// Of A the rows of a warp, and of B all columns.
Part part_of(const Tile& tile, const Spread& matrix, int64_t first, int64_t count) {
  if (tile.is_turned) return {tile, matrix.type, 0, matrix.elements() / count, first, count};
  return {tile, matrix.type, first, count, 0, matrix.elements() / count};
}

/// Calls `use(line, element, place)` for the chunks, with the numbers in the part.
template <class Use>
void for_each_chunk(Warp& warp, const Part& part, const Use& use) {
  Block& block = *warp.block;
  for (int64_t line = 0; line < part.lines; ++line)
    for (int64_t element = 0; element < part.elements; element += part.in_chunk()) {
      const uint64_t address =
          part.tile.chunk(part.first_line + line, (part.first_element + element) / part.in_chunk());
      if (address + chunk_size > block.shared_bytes())
        fail(warp, std::countr_zero(warp.active),
             {FindingKind::out_of_bounds,
              fmt::format("byte {} of shared memory, of which the block has {}", address,
                          block.shared_bytes()),
              "multiplies a tile there"});
      use(line, element, Found{&block, address, block.shared.data() + address});
    }
}

/// `values` has the matrix row by row: `line_step` from one line to the next.
template <class Value>
void read_part(Warp& warp, const Part& part, int64_t line_step, int64_t element_step,
               bool is_negated, Value* values) {
  with_element(part.type, [&]<DType type>() {
    for_each_chunk(warp, part, [&](int64_t line, int64_t element, const Found& place) {
      for (int64_t n = 0; n < part.in_chunk(); ++n) {
        Stored<type> stored;
        std::memcpy(&stored, place.data + n * static_cast<int64_t>(sizeof stored), sizeof stored);
        const auto value = static_cast<Value>(decode<type>(stored));
        values[line * line_step + (element + n) * element_step] = is_negated ? -value : value;
      }
    });
  });
}

uint64_t descriptor_of(const Warp& warp, Ref ref) {
  return warp.at<uint64_t>(ref)[std::countr_zero(warp.active)];
}

Part left_part(const Warp& warp, const WarpgroupDetail& detail) {
  const Tile tile(descriptor_of(warp, detail.left), detail.is_left_turned);
  return part_of(tile, detail.product.left, int64_t{warp.number} % warps_of_group * warp_rows,
                 warp_rows);
}

Part right_part(const Warp& warp, const WarpgroupDetail& detail) {
  const Tile tile(descriptor_of(warp, detail.right), detail.is_right_turned);
  return part_of(tile, detail.product.right, 0, detail.product.columns);
}

template <class Value>
std::vector<Value> left_values(Warp& warp, const WarpgroupDetail& detail) {
  std::vector<Value> values(detail.product.left.elements());
  if (detail.left.exists()) {
    const int64_t depth = detail.product.depth;
    read_part(warp, left_part(warp, detail), detail.is_left_turned ? 1 : depth,
              detail.is_left_turned ? depth : 1, detail.is_left_negated, values.data());
    return values;
  }
  gather_elements(warp, detail.product.left, values.data());
  if (detail.is_left_negated)
    for (Value& value : values) value = -value;
  return values;
}

template <class Value>
std::vector<Value> right_values(Warp& warp, const WarpgroupDetail& detail) {
  std::vector<Value> values(detail.product.right.elements());
  const int64_t columns = detail.product.columns;
  read_part(warp, right_part(warp, detail), detail.is_right_turned ? columns : 1,
            detail.is_right_turned ? 1 : columns, detail.is_right_negated, values.data());
  return values;
}

template <class Value>
void multiply_tiles(Warp& warp, const WarpgroupDetail& detail) {
  if (warp.block->run.options.skips_products) return;
  const ProductDetail& product = detail.product;
  const auto left = left_values<Value>(warp, detail), right = right_values<Value>(warp, detail);
  std::vector<Value> sums(product.result.elements());
  const LaneMask adds = warp.predicate(detail.adds);
  if ((adds & warp.active) != 0) gather_elements(warp, product.result, sums.data());
  add_product(product, left.data(), right.data(), sums.data());
  if constexpr (std::is_same_v<Value, int64_t>)
    for (Value& sum : sums) sum = rounded_sum(sum, product.saturates);
  scatter_elements(warp, product.result, sums.data());
}

Engines::Queue& products_of(const Warp& warp) {
  Engines& engines = warp.block->engines;
  if (engines.products.empty()) engines.products.resize(warp.block->warps.size());
  return engines.products[warp.number];
}

int64_t bytes_of(const Part& part) {
  return part.lines * part.elements / part.in_chunk() * chunk_size;
}

/// Of the tiles that the warp reads; the four of a warpgroup share the right one.
int64_t bytes_in_memory(const Warp& warp, const WarpgroupDetail& detail) {
  const int64_t left = detail.left.exists() ? bytes_of(left_part(warp, detail)) : 0;
  return left + bytes_of(right_part(warp, detail)) / warps_of_group;
}

/// The tiles are read until it has been waited for, and the sums are there from then on.
void start_watching(Warp& warp, const WarpgroupDetail& detail) {
  AsyncOperation operation;
  operation.detail = &detail.async;
  operation.is_of_warp = true;
  operation.block = warp.block;
  operation.thread = warp.thread(std::countr_zero(warp.active));
  operation.number = warp.block->engines.started++;
  const auto add = [&](int64_t, int64_t, const Found& place) {
    operation.pieces.push_back({place, {}, chunk_size});
  };
  if (detail.left.exists()) for_each_chunk(warp, left_part(warp, detail), add);
  for_each_chunk(warp, right_part(warp, detail), add);
  warp.block->observer->start(warp, std::countr_zero(warp.active), operation);
  operation.pieces.clear();
  Engines::Queue& queue = products_of(warp);
  operation.group = queue.groups;
  const auto number = static_cast<uint32_t>(operation.number) & (origin_is_product - 1);
  for (const Ref ref : detail.product.result.registers)
    mark_unset(warp, ref, all_lanes, origin_is_product | number);
  queue.operations.push_back(std::move(operation));
}

}  // namespace

void run_warpgroup_product(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  const WarpgroupDetail& detail = warp.block->run.program.warpgroup_products[op.detail];
  if (detail.product.result.type == Type::s32)
    multiply_tiles<int64_t>(warp, detail);
  else
    multiply_tiles<float>(warp, detail);
  if (!warp.block->observer) return;
  warp.block->observer->multiply(detail, bytes_in_memory(warp, detail));
  if (warp.block->run.options.check) start_watching(warp, detail);
}

void run_commit_products(Warp& warp, const Op&) { ++products_of(warp).groups; }

void run_wait_for_products(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  Engines::Queue& queue = products_of(warp);
  llvm::erase_if(queue.operations, [&](const AsyncOperation& operation) {
    if (operation.group >= queue.groups - int64_t{op.detail}) return false;
    warp.block->observer->await(operation, false);
    release_products(warp, static_cast<uint32_t>(operation.number + 1));
    return true;
  });
}

}  // namespace hone::ptx
