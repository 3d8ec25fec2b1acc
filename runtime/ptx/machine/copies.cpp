// Copies of bytes that lie side by side: cp.async, cp.async.bulk, st.async.

#include "fmt/format.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/engine.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

using AccessKind = MemoryDetail::Kind;

const AsyncDetail& copy_at(const Warp& warp, const Op& op) {
  return warp.block->run.program.copies[op.detail];
}

/// The number that a lane gives for the bytes.
int64_t bytes_in(const Warp& warp, const AsyncDetail& detail, int lane) {
  return detail.bytes.exists() ? warp.at<uint32_t>(detail.bytes)[lane] : detail.size;
}

/// Those of a copy that come from memory; zeros are written in place of the others.
int64_t read_bytes(const Warp& warp, const AsyncDetail& detail, int lane) {
  if (detail.ignored.exists()) {
    const bool holds = (warp.predicate(detail.ignored) >> lane & 1) != 0;
    return holds ? 0 : detail.size;
  }
  const int64_t bytes = bytes_in(warp, detail, lane);
  if (bytes > detail.size)
    fail(warp, lane,
         {FindingKind::invalid_operation,
          fmt::format("a copy of {} bytes that reads {}", detail.size, bytes), "starts the copy"});
  return bytes;
}

}  // namespace

void run_copy_async(Warp& warp, const Op& op) {
  const AsyncDetail& detail = copy_at(warp, op);
  for_each_lane(warp.active, [&](int lane) {
    AsyncOperation operation;
    operation.detail = &detail;
    const Found to = find_place(warp, lane, address_in(warp, detail.to, lane), detail.size,
                                detail.size, AccessKind::store);
    const int64_t bytes = read_bytes(warp, detail, lane);
    if (bytes > 0) {
      const uint64_t address = address_in(warp, detail.from, lane);
      const Found from = find_place(warp, lane, address, bytes, detail.size, AccessKind::load);
      operation.pieces.push_back({from, to, bytes});
    }
    if (bytes < detail.size)
      operation.pieces.push_back({{}, to.behind(bytes), detail.size - bytes});
    start(warp, lane, std::move(operation));
  });
}

// ---- Bulk copies --------------------------------------------------------------------------------

namespace {

constexpr int64_t bulk_alignment = 16, mbarrier_bytes = 8;

int64_t bulk_bytes(const Warp& warp, const AsyncDetail& detail, int lane) {
  const int64_t bytes = bytes_in(warp, detail, lane);
  if (bytes % bulk_alignment != 0)
    fail(
        warp, lane,
        {FindingKind::invalid_operation,
         fmt::format("a bulk copy of {} bytes, which are no multiple of {}", bytes, bulk_alignment),
         "starts the copy"});
  return bytes;
}

}  // namespace

void run_copy_bulk(Warp& warp, const Op& op) {
  const AsyncDetail& detail = copy_at(warp, op);
  for_each_lane(warp.active, [&](int lane) {
    const int64_t bytes = bulk_bytes(warp, detail, lane);
    const uint64_t from = address_in(warp, detail.from, lane);
    AsyncOperation operation;
    operation.detail = &detail;
    operation.pieces.push_back(
        {find_place(warp, lane, from, bytes, bulk_alignment, AccessKind::load),
         find_place(warp, lane, address_in(warp, detail.to, lane), bytes, bulk_alignment,
                    detail.combination.empty() ? AccessKind::store : AccessKind::atomic),
         bytes});
    if (!detail.combination.empty())
      operation.combine = combine_of(detail.combination, detail.type);
    start_in_blocks(warp, lane, std::move(operation), bytes);
  });
}

namespace {

/// The same place in another block.
Found in_block(const Found& place, Block& block) {
  return {&block, place.address, block.shared.data() + place.address};
}

void start_in_block(Warp& warp, int lane, const AsyncOperation& operation, int64_t rank) {
  Block* const block = warp.block->team.peer(*warp.block, rank);
  if (!block)
    fail(warp, lane,
         {FindingKind::invalid_operation,
          fmt::format("a copy to block {} of the cluster, which has {}", rank,
                      warp.block->run.cluster_blocks()),
          "starts the copy"});
  AsyncOperation one = operation;
  for (Piece& piece : one.pieces) piece.to = in_block(piece.to, *block);
  one.mbarrier = in_block(one.mbarrier, *block);
  start(warp, lane, std::move(one));
}

}  // namespace

void start_in_blocks(Warp& warp, int lane, AsyncOperation operation, int64_t bytes) {
  const AsyncDetail& detail = *operation.detail;
  if (detail.mbarrier) {
    operation.mbarrier = find_place(warp, lane, address_in(warp, *detail.mbarrier, lane),
                                    mbarrier_bytes, mbarrier_bytes, AccessKind::atomic);
    operation.counted = bytes;
  }
  if (!detail.blocks.exists()) return start(warp, lane, std::move(operation));
  for (uint32_t left = warp.at<uint16_t>(detail.blocks)[lane]; left != 0; left &= left - 1)
    start_in_block(warp, lane, operation, std::countr_zero(left));
}

void run_store_async(Warp& warp, const Op& op) {
  const AsyncDetail& detail = copy_at(warp, op);
  const int64_t bytes = static_cast<int64_t>(detail.values.size()) * detail.value_bytes;
  for_each_lane(warp.active, [&](int lane) {
    AsyncOperation operation;
    operation.detail = &detail;
    if (!detail.combination.empty())
      operation.combine = combine_of(detail.combination, detail.type);
    operation.pieces.push_back(
        {{},
         find_place(warp, lane, address_in(warp, detail.to, lane), bytes, bytes,
                    operation.combine ? AccessKind::atomic : AccessKind::store),
         bytes});
    for (const Ref value : detail.values) {
      const std::byte* const from =
          warp.at<std::byte>(value) + static_cast<int64_t>(lane) * detail.value_bytes;
      operation.bytes.append(from, from + detail.value_bytes);
    }
    operation.is_read = true;
    start_in_blocks(warp, lane, std::move(operation), bytes);
  });
}

}  // namespace hone::ptx
