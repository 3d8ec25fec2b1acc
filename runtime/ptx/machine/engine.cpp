#include "runtime/ptx/machine/engine.h"

#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/mbarrier.h"

namespace hone::ptx {

Engines::Queue& Engines::queue_of(bool is_bulk, const Block& block, int64_t thread) {
  std::vector<Queue>& queues = is_bulk ? bulk : copies;
  if (queues.empty()) queues.resize(block.warps.size() * lanes);
  return queues[thread];
}

// ---- Bytes --------------------------------------------------------------------------------------

namespace {

void read_piece(AsyncOperation& operation, const Piece& piece) {
  if (piece.from.data) {
    operation.bytes.append(piece.from.data, piece.from.data + piece.bytes);
    return;
  }
  const auto& element = operation.fill_element;
  for (int64_t n = 0; n < piece.bytes; ++n)
    operation.bytes.push_back(element.empty() ? std::byte{operation.fill}
                                              : std::byte{element[n % element.size()]});
}

void finish_reads(AsyncOperation& operation) {
  if (operation.is_read) return;
  for (const Piece& piece : operation.pieces) read_piece(operation, piece);
  operation.is_read = true;
  if (Observer* observer = operation.block->observer.get()) observer->end_reads(operation);
}

void write_pieces(const AsyncOperation& operation) {
  const std::byte* from = operation.bytes.data();
  for (const Piece& piece : operation.pieces) {
    if (operation.combine)
      operation.combine(piece.to.data, from, piece.bytes);
    else
      std::memcpy(piece.to.data, from, piece.bytes);
    from += piece.bytes;
  }
}

void finish(AsyncOperation& operation) {
  finish_reads(operation);
  write_pieces(operation);
  if (Observer* observer = operation.block->observer.get()) observer->end_writes(operation);
  if (operation.mbarrier.data) complete_bytes(operation);
}

/// Operations of the thread's first groups, and of those the ones before `number`.
void end_operations(Engines::Queue& queue, int64_t groups, int64_t number, bool writes) {
  llvm::erase_if(queue.operations, [&](AsyncOperation& operation) {
    if (operation.group >= groups || operation.number >= number) return false;
    if (writes)
      finish(operation);
    else
      finish_reads(operation);
    if (Observer* observer = operation.block->observer.get()) observer->await(operation, writes);
    return writes;
  });
}

constexpr int64_t all = INT64_MAX;

}  // namespace

// ---- Starts and ends ----------------------------------------------------------------------------

/// Global memory is read at once, and what comes from there alone.
void start(Warp& warp, int lane, AsyncOperation operation) {
  Block& block = *warp.block;
  operation.block = &block;
  operation.thread = warp.thread(lane);
  operation.number = block.engines.started++;
  if (block.observer) block.observer->start(warp, lane, operation);
  if (!operation.reads_shared()) finish_reads(operation);
  if (operation.mbarrier.data) return block.engines.free.push_back(std::move(operation));
  Engines::Queue& queue =
      block.engines.queue_of(operation.detail->is_bulk, block, operation.thread);
  operation.group = queue.groups;
  queue.operations.push_back(std::move(operation));
}

void arrive_behind_copies(Warp& warp, int lane, const Found& mbarrier) {
  Block& block = *warp.block;
  AsyncOperation arrival;
  arrival.block = &block;
  arrival.thread = warp.thread(lane);
  arrival.number = block.engines.started++;
  arrival.mbarrier = mbarrier;
  if (block.observer) block.observer->start(warp, lane, arrival);
  block.engines.free.push_back(std::move(arrival));
}

namespace {

void end_free(Block& block, AsyncOperation& operation) {
  if (operation.detail) return finish(operation);
  Engines::Queue& queue = block.engines.queue_of(false, block, operation.thread);
  end_operations(queue, all, operation.number, true);
  arrive_for_copies(operation);
}

}  // namespace

bool advance_engines(Block& block) {
  std::vector<AsyncOperation>& free = block.engines.free;
  if (free.empty()) return false;
  const std::byte* const mbarrier = free.front().mbarrier.data;
  std::vector<AsyncOperation> ending;
  llvm::erase_if(free, [&](AsyncOperation& operation) {
    if (operation.mbarrier.data != mbarrier) return false;
    ending.push_back(std::move(operation));
    return true;
  });
  for (AsyncOperation& operation : ending) end_free(block, operation);
  return true;
}

/// A block that is over needs nothing of a copy.
void end_engines(Block& block) {
  Engines& engines = block.engines;
  for (AsyncOperation& operation : engines.free)
    if (block.observer && operation.detail) block.observer->leave(operation);
  engines.free.clear();
  for (Engines::Queue& queue : engines.bulk) {
    for (AsyncOperation& operation : queue.operations)
      if (block.observer && !operation.is_read) block.observer->leave(operation);
    end_operations(queue, all, all, true);
  }
}

// ---- Groups -------------------------------------------------------------------------------------

void run_commit_group(Warp& warp, const Op& op) {
  for_each_lane(warp.active, [&](int lane) {
    ++warp.block->engines.queue_of(op.detail != 0, *warp.block, warp.thread(lane)).groups;
  });
}

void run_wait_group(Warp& warp, const Op& op) {
  const bool is_bulk = (op.detail & GroupWait::bulk) != 0;
  const int64_t pending = op.detail & GroupWait::all;
  for_each_lane(warp.active, [&](int lane) {
    Engines::Queue& queue = warp.block->engines.queue_of(is_bulk, *warp.block, warp.thread(lane));
    const bool waits_for_all = pending == GroupWait::all;
    end_operations(queue, waits_for_all ? all : queue.groups - pending, all,
                   (op.detail & GroupWait::reads_only) == 0);
  });
}

}  // namespace hone::ptx
