// Matrices between shared memory and the registers of a warp.

#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/unset.h"
#include "runtime/ptx/matrices/matrix.h"

namespace hone::ptx {
namespace {

constexpr int side = 8, element_bytes = 2;

/// The number of an element of 16 bits in the register of all lanes.
size_t half_of(int lane, int element) { return static_cast<size_t>(lane) * 2 + element; }

/// The row and the column of an element of the register of a lane, of 8 by 8.
struct Corner {
  int row, column;
};
Corner corner_of(int lane, int element, bool is_transposed) {
  const int line = lane / 4, along = 2 * (lane % 4) + element;
  return is_transposed ? Corner{along, line} : Corner{line, along};
}

/// Finds the rows: the first lanes have their addresses.
void find_rows(Warp& warp, const Op& op, const MemoryDetail& detail, Targets& targets) {
  const int rows = static_cast<int>(detail.values.size()) * side;
  const LaneMask needed = rows == lanes ? all_lanes : (LaneMask{1} << rows) - 1;
  const LaneMask active = warp.active;
  if ((active & needed) != needed)
    fail(warp, std::countr_zero(active),
         {FindingKind::divergent_shuffle,
          "lanes with the addresses of rows of a matrix do not take part", "moves a matrix"});
  warp.active = needed;
  find_targets(warp, op, detail, targets);
  warp.active = active;
}

/// Calls `use(lane, element, row, byte)` for the elements of a register in the active lanes.
template <class Use>
void for_each_element(const Warp& warp, size_t matrix, bool is_transposed, const Use& use) {
  for_each_lane(warp.active, [&](int lane) {
    for (int element = 0; element < 2; ++element) {
      const Corner corner = corner_of(lane, element, is_transposed);
      const size_t row = matrix * side + corner.row;
      use(lane, element, row, corner.column * element_bytes);
    }
  });
}

/// Lanes that get elements without a value.
void follow_loaded(Warp& warp, const Op& op, const MemoryDetail& detail, const Targets& targets,
                   size_t matrix, bool is_transposed) {
  Observer* const observer = warp.block->observer.get();
  if (!observer || !warp.block->run.options.check) return;
  LaneMask unset = 0;
  for_each_element(warp, matrix, is_transposed, [&](int lane, int, size_t row, int byte) {
    const Found place = shared_place(*warp.block, targets.address[row]);
    if (!observer->are_set(place.behind(byte), element_bytes)) unset |= LaneMask{1} << lane;
  });
  mark_unset(warp, detail.values[matrix], unset, op.detail);
}

template <bool is_transposed>
void run_load_matrix(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  const MemoryDetail& detail = warp.block->run.program.memory[op.detail];
  Targets targets;
  find_rows(warp, op, detail, targets);
  for (size_t matrix = 0; matrix < detail.values.size(); ++matrix) {
    auto* const result = warp.at<uint16_t>(detail.values[matrix]);
    for_each_element(warp, matrix, is_transposed, [&](int lane, int element, size_t row, int byte) {
      std::memcpy(result + half_of(lane, element), targets.data[row] + byte, element_bytes);
    });
    follow_loaded(warp, op, detail, targets, matrix, is_transposed);
  }
}

/// The lanes whose values are none where they are stored, which a sum that is not there yet is.
LaneMask unset_stored(Warp& warp, Ref value) {
  const LaneMask unset = unset_lanes(warp, value);
  if (unset == 0 || !is_of_product(origin_of_unset(warp, value))) return unset;
  warp.block->observer->use(warp, value, unset, "is written to shared memory");
  return 0;
}

template <bool is_transposed>
void run_store_matrix(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  const MemoryDetail& detail = warp.block->run.program.memory[op.detail];
  Targets targets;
  find_rows(warp, op, detail, targets);
  Observer* const observer = warp.block->observer.get();
  for (size_t matrix = 0; matrix < detail.values.size(); ++matrix) {
    const auto* const value = warp.at<uint16_t>(detail.values[matrix]);
    const LaneMask unset = unset_stored(warp, detail.values[matrix]);
    for_each_element(warp, matrix, is_transposed, [&](int lane, int element, size_t row, int byte) {
      std::memcpy(targets.data[row] + byte, value + half_of(lane, element), element_bytes);
      if (!observer) return;
      const Found place = shared_place(*warp.block, targets.address[row]);
      observer->mark_set(place.behind(byte), element_bytes, (unset >> lane & 1) == 0);
    });
  }
}

}  // namespace

Op::Execute load_matrix_op(bool is_transposed) {
  return is_transposed ? run_load_matrix<true> : run_load_matrix<false>;
}

Op::Execute store_matrix_op(bool is_transposed) {
  return is_transposed ? run_store_matrix<true> : run_store_matrix<false>;
}

void run_transpose_matrix(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  std::array<uint16_t, 2 * lanes> before;
  std::memcpy(before.data(), warp.at<uint16_t>(op.sources[0]), sizeof before);
  auto* const result = warp.at<uint16_t>(op.destination);
  const LaneMask unset = unset_lanes(warp, op.sources[0]);
  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < 2; ++element) {
      const Corner from = corner_of(lane, element, true);
      result[half_of(lane, element)] = before[static_cast<size_t>(from.row) * side + from.column];
    }
  if (unset != 0) mark_unset(warp, op.destination, all_lanes, origin_of_unset(warp, op.sources[0]));
}

}  // namespace hone::ptx
