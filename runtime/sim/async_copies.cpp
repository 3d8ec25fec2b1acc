#include "runtime/sim/async_copies.h"

#include <cstring>

#include "runtime/sim/access.h"

namespace hone {

void AsyncCopies::begin(int threads) {
  committed_.assign(threads, 0);
  pending_.assign(threads, {});
}

void AsyncCopies::start(PendingCopy copy) {
  copy.group = committed_[copy.thread];
  pending_[copy.thread].push_back(copy);
}

/// Those of a thread lie in the order of their groups.
void AsyncCopies::wait(int thread, int64_t pending,
                       llvm::function_ref<void(const PendingCopy&)> use) {
  std::vector<PendingCopy>& copies = pending_[thread];
  const int64_t end = committed_[thread] - pending;
  const auto* const first_left =
      std::find_if(copies.data(), copies.data() + copies.size(),
                   [&](const PendingCopy& copy) { return copy.group >= end; });
  for (const PendingCopy* copy = copies.data(); copy != first_left; ++copy) {
    std::memcpy(copy->target, copy->bytes.data(), copy->size);
    use(*copy);
  }
  copies.erase(copies.begin(), copies.begin() + (first_left - copies.data()));
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
    if (worker.observer) worker.observer->end_copy(worker, copy);
  };
  worker.mask->for_each(
      [&](int lane) { worker.copies.wait(worker.thread(lane), instruction.detail, end); });
}

}  // namespace hone
