// What engines do for the threads of a block. An operation reads global memory at once. Whatever
// else it reads or writes, it does so as late as it may: it reads when its thread waits for the
// reads, and writes when its thread waits for its group, with the end of a phase, or behind all
// else that the block does, the last operation first.
#pragma once

#include "runtime/sim/program.h"

namespace hone {

/// An operation that a thread has started, and that is not over.
struct AsyncOperation {
  const AsyncDetail* detail = nullptr;
  int thread = 0;
  int64_t number = 0;                              ///< among those of the block
  int64_t group = 0;                               ///< among those of the thread and the timeline
  uint32_t barrier = 0;                            ///< whose phase counts the bytes, if one does
  std::optional<uint64_t> told = {};               ///< by the observer: when an arrival tells of it
  int64_t element = 0;                             ///< the first one in shared memory
  std::byte* shared = nullptr;                     ///< the same
  llvm::SmallVector<int64_t, 0> coordinates = {};  ///< of a box
  llvm::SmallVector<std::byte, 16> bytes = {};     ///< once read, as they lie in shared memory

  bool is_read() const { return !bytes.empty(); }
};

/// The operations of a block that are not over.
struct Engines {
  /// Those of a thread that its waits and its arrivals end, in order.
  struct Queue {
    std::vector<AsyncOperation> operations;
    llvm::SmallVector<int64_t, 4> groups;  ///< the numbers of committed ones, by timeline

    int64_t& groups_of(Timeline timeline);
  };
  std::vector<Queue> queues;          ///< by thread
  std::vector<AsyncOperation> asked;  ///< whose bytes a phase counts; they have not come yet
  int64_t started = 0;                ///< those that went to a queue

  /// Of a block of so many threads, none.
  void begin(int threads);
};

/// Operations of a thread that end together.
struct Ending {
  static constexpr int64_t all = INT64_MAX;

  Timeline timeline = Timeline::thread;
  int64_t groups = all;      ///< those of the first so many groups
  int64_t operations = all;  ///< those among the first so many of the block: by a phase
  bool writes = true;        ///< their writes end, and not their reads alone
};
void end_operations(Worker& worker, int thread, const Ending& ending);
/// Reads what has not been read, and writes.
void finish(Worker& worker, AsyncOperation& operation);
/// The block is over: finishes what nobody has waited for.
void end_engines(Worker& worker);

// ---- Instructions -------------------------------------------------------------------------------

/// Starts an operation in each active lane; the detail is one of SimProgram::operations.
void start_operations(Worker& worker, const Instruction& instruction);
/// What the active lanes have started since their last groups are their next ones.
/// The detail is one of SimProgram::groups, here and in the next.
void commit_groups(Worker& worker, const Instruction& commit);
/// The active lanes wait for all of their groups but the last `pending` ones: for the reads, or for
/// the writes, too.
void wait_for_groups(Worker& worker, const Instruction& wait);

}  // namespace hone
