// Copies that a block's threads have started and not waited for. Their elements are read at the
// start, and written as late as they may be: when the thread waits for them, or with the end of an
// mbarrier's phase that the thread has come to after them.
#pragma once

#include "runtime/sim/program.h"

namespace hone {

struct PendingCopy {
  int thread = 0;
  int64_t group = 0;    ///< of the thread
  int64_t number = 0;   ///< among all copies of the thread
  uint32_t access = 0;  ///< that writes
  int64_t element = 0;  ///< the first one
  std::optional<uint64_t> arrival =
      {};  ///< the time of the first arrival after it, by the observer
  std::byte* target = nullptr;
  std::array<std::byte, 16> bytes{};
  size_t size = 0;
};

class AsyncCopies {
 public:
  using Use = llvm::function_ref<void(const PendingCopy&)>;

  /// Of a block of so many threads, none.
  void begin(int threads);
  void start(PendingCopy copy);
  /// The copies that the thread has started since its last group are the next one.
  void commit(int thread) { ++committed_[thread]; }
  /// Ends all copies of the thread but those of its last `pending` groups and of none; calls `use`
  /// with each.
  void wait(int thread, int64_t pending, Use use);
  /// The number of copies that the thread has started.
  int64_t started(int thread) const { return started_[thread]; }
  /// The thread arrives at an mbarrier after all of them, at that time.
  void arrive(int thread, uint64_t time);
  /// Ends those of the thread's first `count` copies that go on; calls `use` with each.
  void end_first(int thread, int64_t count, Use use);

 private:
  void end_while(int thread, llvm::function_ref<bool(const PendingCopy&)> ends, Use use);

  std::vector<int64_t> committed_, started_;  ///< groups and copies, by thread
  std::vector<std::vector<PendingCopy>> pending_;
};

/// Starts a copy of each active lane; the detail is the vector.
Instruction::Execute start_copy_operation(DType type);
void commit_group(Worker& worker, const Instruction& instruction);
/// The detail is the number of groups that may be pending.
void wait_group(Worker& worker, const Instruction& instruction);

}  // namespace hone
