#include "runtime/sim/async_copies.h"

#include <algorithm>
#include <cstring>

#include "runtime/sim/access.h"

namespace hone {

void AsyncCopies::begin(int threads) {
  committed_.assign(threads, 0);
  started_.assign(threads, 0);
  pending_.assign(threads, {});
}

void AsyncCopies::start(PendingCopy copy) {
  copy.group = committed_[copy.thread];
  copy.number = started_[copy.thread]++;
  pending_[copy.thread].push_back(copy);
}

void AsyncCopies::wait(int thread, int64_t pending, Use use) {
  const int64_t end = committed_[thread] - pending;
  end_while(
      thread, [&](const PendingCopy& copy) { return copy.group < end; }, use);
}

void AsyncCopies::arrive(int thread, uint64_t time) {
  for (PendingCopy& copy : pending_[thread])
    if (!copy.arrival) copy.arrival = time;
}

void AsyncCopies::end_first(int thread, int64_t count, Use use) {
  end_while(
      thread, [&](const PendingCopy& copy) { return copy.number < count; }, use);
}

/// Those of a thread lie in the order of their numbers, and so of their groups.
void AsyncCopies::end_while(int thread, llvm::function_ref<bool(const PendingCopy&)> ends,
                            Use use) {
  std::vector<PendingCopy>& copies = pending_[thread];
  const auto first_left = std::find_if_not(copies.begin(), copies.end(), ends);
  for (auto copy = copies.begin(); copy != first_left; ++copy) {
    std::memcpy(copy->target, copy->bytes.data(), copy->size);
    use(*copy);
  }
  copies.erase(copies.begin(), first_left);
}

namespace {

template <DType type>
void start_copy(Worker& worker, const Instruction& instruction) {
  const VectorDetail& vector = worker.program.vectors[instruction.detail];
  const Address to = open_access(worker, worker.program.accesses[vector.access]);
  worker.mask->for_each([&](int lane) {
    PendingCopy copy;
    copy.thread = worker.thread(lane);
    copy.access = vector.access;
    copy.element = to.element(lane);
    copy.target = to.data + copy.element * static_cast<int64_t>(sizeof(Stored<type>));
    for (const Slot slot : vector.elements) {
      const Stored<type> value = encode<type>(worker.at<Lane<type>>(slot)[lane]);
      std::memcpy(copy.bytes.data() + copy.size, &value, sizeof value);
      copy.size += sizeof value;
    }
    worker.copies.start(copy);
  });
}

}  // namespace

Instruction::Execute start_copy_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return start_copy<t>; });
}

void commit_group(Worker& worker, const Instruction&) {
  worker.mask->for_each([&](int lane) { worker.copies.commit(worker.thread(lane)); });
}

void wait_group(Worker& worker, const Instruction& instruction) {
  const auto end = [&](const PendingCopy& copy) {
    if (worker.observer) worker.observer->end_copy(worker, copy, {});
  };
  worker.mask->for_each(
      [&](int lane) { worker.copies.wait(worker.thread(lane), instruction.detail, end); });
}

}  // namespace hone
