#include "runtime/sim/bulk_stores.h"

#include <cstring>

#include "runtime/sim/access.h"
#include "runtime/sim/bulk_boxes.h"

namespace hone {
namespace {

void read_box(PendingStore& store) {
  const TensorMap& map = store.bulk->map;
  int64_t bytes = size_of(map.type);
  for (const int64_t extent : map.box) bytes *= extent;
  const std::byte* first = store.tile + store.element * size_of(map.type);
  store.box.assign(first, first + bytes);
}

void write_box(const Worker& worker, const PendingStore& store) {
  const TensorMap& map = store.bulk->map;
  const BulkTensor tensor(worker, map);
  for_each_chunk(tensor, map, store.coordinates, [&](const BoxChunk& chunk) {
    std::memcpy(tensor.data + chunk.in_memory, store.box.data() + chunk.in_tile, chunk.bytes);
  });
}

/// The bytes of a box that lie within the ends of its tensor.
BulkBytes bytes_of(const Worker& worker, const PendingStore& store) {
  const TensorMap& map = store.bulk->map;
  BulkBytes bytes;
  for_each_chunk(BulkTensor(worker, map), map, store.coordinates,
                 [&](const BoxChunk& chunk) { bytes.in_memory += chunk.bytes; });
  bytes.in_tile = bytes.in_memory;
  return bytes;
}

}  // namespace

void start_store(Worker& worker, const Instruction& instruction) {
  const BulkDetail& bulk = worker.program.bulk_moves[instruction.detail];
  const Access& target = worker.program.accesses[bulk.target];
  const Address tile = open_access(worker, worker.program.accesses[bulk.source]);
  worker.mask->for_each([&](int lane) {
    worker.stores.push_back({&bulk, worker.thread(lane), tile.data, tile.element(lane),
                             open_box(worker, bulk, target, lane)});
    if (!worker.observer) return;
    worker.observer->move_bulk(bulk, bytes_of(worker, worker.stores.back()));
    worker.observer->start_store(worker, worker.stores.back());
  });
}

void wait_stores(Worker& worker, const Instruction& instruction) {
  worker.mask->for_each([&](int lane) {
    const auto is_mine = [&](const PendingStore& store) {
      return store.thread == worker.thread(lane);
    };
    for (PendingStore& store : worker.stores) {
      if (!is_mine(store) || store.is_read()) continue;
      read_box(store);
      if (worker.observer) worker.observer->end_store(worker, store);
    }
    if (instruction.detail == 0) return;
    for (const PendingStore& store : worker.stores)
      if (is_mine(store)) write_box(worker, store);
    llvm::erase_if(worker.stores, is_mine);
  });
}

void fence_engine(Worker& worker, const Instruction&) {
  if (worker.observer) worker.observer->fence_engine(worker);
}

void end_stores(Worker& worker) {
  for (PendingStore& store : llvm::reverse(worker.stores)) {
    if (!store.is_read()) {
      if (worker.observer) worker.observer->leave_store(worker, store);
      read_box(store);
    }
    write_box(worker, store);
  }
  worker.stores.clear();
}

}  // namespace hone
