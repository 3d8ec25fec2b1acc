// Copies that a block's threads have started and not waited for. Their elements are read at the
// start, and written as late as they may be: when the thread waits for them.
#pragma once

#include "runtime/sim/program.h"

namespace hone {

struct PendingCopy {
  int thread = 0;
  int64_t group = 0;    ///< of the thread
  uint32_t access = 0;  ///< that writes
  int64_t element = 0;  ///< the first one
  std::byte* target = nullptr;
  std::array<std::byte, 16> bytes{};
  size_t size = 0;
};

class AsyncCopies {
 public:
  /// Of a block of so many threads, none.
  void begin(int threads);
  void start(PendingCopy copy);
  /// The copies that the thread has started since its last group are the next one.
  void commit(int thread) { ++committed_[thread]; }
  /// Ends all copies of the thread but those of its last `pending` groups and of none; calls `use`
  /// with each.
  void wait(int thread, int64_t pending, llvm::function_ref<void(const PendingCopy&)> use);

 private:
  std::vector<int64_t> committed_;  ///< groups, by thread
  std::vector<std::vector<PendingCopy>> pending_;
};

/// Starts a copy of each active lane; the detail is the vector.
Instruction::Execute start_copy_operation(DType type);
void commit_group(Worker& worker, const Instruction& instruction);
/// The detail is the number of groups that may be pending.
void wait_group(Worker& worker, const Instruction& instruction);

}  // namespace hone
