#include "runtime/sim/engine.h"

#include <algorithm>
#include <cstring>

#include "runtime/sim/access.h"
#include "runtime/sim/boxes.h"
#include "runtime/sim/collective.h"

namespace hone {

int64_t& Engines::Queue::groups_of(Timeline timeline) {
  const auto number = static_cast<size_t>(timeline);
  if (groups.size() <= number) groups.resize(number + 1);
  return groups[number];
}

void Engines::begin(int threads) {
  queues.resize(threads);
  for (Queue& queue : queues) {
    queue.operations.clear();
    queue.groups.clear();
  }
  asked.clear();
  started = 0;
}

// ---- Bytes --------------------------------------------------------------------------------------

namespace {

/// The elements of a lane, which the thread has read.
template <DType type>
void take_values(const Worker& worker, int lane, AsyncOperation& operation) {
  for (const Slot slot : operation.detail->values) {
    const Stored<type> value = encode<type>(worker.at<Lane<type>>(slot)[lane]);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    operation.bytes.append(bytes, bytes + sizeof value);
  }
}

/// With zeros from beyond the ends of the tensor.
void read_box(const Worker& worker, AsyncOperation& operation) {
  operation.bytes.assign(operation.detail->bytes, std::byte{0});
  for_each_chunk(worker, operation, [&](const BoxChunk& chunk) {
    std::memcpy(operation.bytes.data() + chunk.in_tile, chunk.data, chunk.bytes);
  });
}

/// Reads what an operation reads at once.
void read_at_once(const Worker& worker, int lane, AsyncOperation& operation) {
  const AsyncDetail& detail = *operation.detail;
  if (!detail.values.empty())
    with_type(detail.type, [&]<DType type>() { take_values<type>(worker, lane, operation); });
  else if (detail.fills)
    read_box(worker, operation);
}

/// Writes a box, or combines it with what lies there.
void write_box(const Worker& worker, const AsyncOperation& operation) {
  const AsyncDetail& detail = *operation.detail;
  for_each_chunk(worker, operation, [&](const BoxChunk& chunk) {
    const std::byte* from = operation.bytes.data() + chunk.in_tile;
    if (!detail.update.defined()) {
      std::memcpy(chunk.data, from, chunk.bytes);
      return;
    }
    for (int64_t at = 0; at < chunk.bytes; at += size_of(detail.type))
      update_element(*llvm::cast<Store>(detail.update), chunk.data + at, from + at);
  });
}

}  // namespace

// ---- Operations ---------------------------------------------------------------------------------

namespace {

void finish_reads(Worker& worker, AsyncOperation& operation) {
  if (operation.is_read()) return;
  operation.bytes.assign(operation.shared, operation.shared + operation.detail->bytes);
  if (worker.observer) worker.observer->end_reads(worker, operation);
}

}  // namespace

void finish(Worker& worker, AsyncOperation& operation) {
  finish_reads(worker, operation);
  if (operation.detail->fills)
    std::memcpy(operation.shared, operation.bytes.data(), operation.bytes.size());
  else if (!operation.detail->reads_alone())
    write_box(worker, operation);
  if (worker.observer) worker.observer->end_writes(worker, operation);
}

void end_operations(Worker& worker, int thread, const Ending& ending) {
  std::vector<AsyncOperation>& operations = worker.engines.queues[thread].operations;
  auto kept = operations.begin();
  for (AsyncOperation& operation : operations) {
    const bool ends = operation.detail->timeline == ending.timeline &&
                      operation.group < ending.groups && operation.number < ending.operations;
    if (ends && ending.operations == Ending::all) operation.told.reset();
    if (ends && ending.writes) {
      finish(worker, operation);
      continue;
    }
    if (ends) finish_reads(worker, operation);
    if (&*kept != &operation) *kept = std::move(operation);
    ++kept;
  }
  operations.erase(kept, operations.end());
}

void end_engines(Worker& worker) {
  std::vector<AsyncOperation> left;
  for (Engines::Queue& queue : worker.engines.queues)
    std::move(queue.operations.begin(), queue.operations.end(), std::back_inserter(left));
  llvm::sort(left, [](const AsyncOperation& lhs, const AsyncOperation& rhs) {
    return lhs.number > rhs.number;
  });
  for (AsyncOperation& operation : left) {
    if (worker.observer && !operation.is_read())
      worker.observer->leave_operation(worker, operation);
    finish(worker, operation);
  }
}

// ---- Instructions -------------------------------------------------------------------------------

namespace {

AsyncOperation operation_of(const Worker& worker, const AsyncDetail& detail, const Address& shared,
                            int lane) {
  AsyncOperation operation;
  operation.detail = &detail;
  operation.thread = worker.thread(lane);
  operation.element = shared.element(lane);
  operation.shared = shared.data + operation.element * size_of(detail.type);
  if (detail.box) operation.coordinates = open_box(worker, detail, lane);
  read_at_once(worker, lane, operation);
  return operation;
}

/// Its thread ends it.
void put_in_queue(Engines& engines, AsyncOperation operation) {
  Engines::Queue& queue = engines.queues[operation.thread];
  operation.number = engines.started++;
  operation.group = queue.groups_of(operation.detail->timeline);
  queue.operations.push_back(std::move(operation));
}

}  // namespace

void start_operations(Worker& worker, const Instruction& instruction) {
  const AsyncDetail& detail = worker.program.operations[instruction.detail];
  const Address shared = open_access(worker, worker.program.accesses[detail.shared]);
  worker.mask->for_each([&](int lane) {
    AsyncOperation operation = operation_of(worker, detail, shared, lane);
    if (worker.observer) worker.observer->start_operation(worker, operation);
    if (detail.phase)
      ask(worker, lane, std::move(operation));
    else
      put_in_queue(worker.engines, std::move(operation));
  });
}

void commit_groups(Worker& worker, const Instruction& commit) {
  const Timeline timeline = worker.program.groups[commit.detail].timeline;
  worker.mask->for_each(
      [&](int lane) { ++worker.engines.queues[worker.thread(lane)].groups_of(timeline); });
}

void wait_for_groups(Worker& worker, const Instruction& wait) {
  const auto& kept = worker.program.groups[wait.detail];
  if (kept.timeline == Timeline::tensor_core && worker.observer)
    worker.observer->await_products(worker, kept.pending);
  worker.mask->for_each([&](int lane) {
    const int thread = worker.thread(lane);
    const int64_t started = worker.engines.queues[thread].groups_of(kept.timeline);
    end_operations(
        worker, thread,
        {.timeline = kept.timeline, .groups = started - kept.pending, .writes = kept.writes});
  });
}

}  // namespace hone
