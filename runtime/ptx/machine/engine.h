// Operations that go on beside the threads of a block. An operation reads global memory at once.
// Whatever else it reads or writes, it does so as late as it may: when its thread waits for its
// group, or, where an mbarrier counts its bytes, when nobody else can go on, or after a while.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/access.h"

namespace hone::ptx {

/// Bytes that lie side by side where they come from and where they go to.
struct Piece {
  Found from{}, to{};  ///< `from` has no data where bytes are filled
  int64_t bytes = 0;
};

/// An operation that a thread has started, and that is not over.
struct AsyncOperation {
  const AsyncDetail* detail = nullptr;  ///< null: an arrival behind the copies of the thread
  Block* block = nullptr;               ///< of the thread
  int64_t thread = 0;                   ///< in the block
  int64_t number = 0;                   ///< among those of the block
  int64_t group = 0;                    ///< among those of the thread
  llvm::SmallVector<Piece, 1> pieces{};
  uint8_t fill = 0;
  llvm::SmallVector<uint8_t, 2> fill_element{};  ///< in place of `fill`, again and again
  llvm::SmallVector<std::byte, 16> bytes{};      ///< once read, piece by piece
  bool is_read = false;
  AsyncDetail::Combine combine = nullptr;  ///< with what lies there; null: it copies
  bool is_of_warp = false;                 ///< all of its lanes have started it
  Found mbarrier{};
  int64_t counted = 0;                                   ///< bytes that the mbarrier is told of
  uint64_t time = 0;                                     ///< of the observer's
  std::shared_ptr<const std::vector<uint64_t>> known{};  ///< what comes before it; the observer's

  bool reads_shared() const {
    return llvm::any_of(pieces, [](const Piece& piece) { return piece.from.owner != nullptr; });
  }
};

/// The operations of a block that are not over.
struct Engines {
  /// Those that the waits of a thread end, in order.
  struct Queue {
    std::vector<AsyncOperation> operations;
    int64_t groups = 0;  ///< that have been committed
  };
  std::vector<Queue> copies, bulk;   ///< by thread: of cp.async, and of bulk groups
  std::vector<Queue> products;       ///< by warp: of wgmma
  std::vector<AsyncOperation> free;  ///< those that end by themselves, in order
  int64_t started = 0;

  Queue& queue_of(bool is_bulk, const Block& block, int64_t thread);
};

/// The place of bytes of a tile in shared memory, by the one that they have without the swizzle:
/// the number of 16 bytes in a row of so many is combined with that of the row of 128.
inline uint64_t swizzled(uint64_t address, int swizzle) {
  if (swizzle == 0) return address;
  const auto chunks = static_cast<uint64_t>(swizzle) / 16;
  return address ^ (address >> 7 & (chunks - 1)) << 4;
}

/// Starts it: in the queue of its thread, or among the free ones.
void start(Warp& warp, int lane, AsyncOperation operation);
/// The same of a bulk copy of so many bytes: with its mbarrier, and in all blocks that it is for.
void start_in_blocks(Warp& warp, int lane, AsyncOperation operation, int64_t bytes);
/// An arrival at an mbarrier as soon as all copies of the thread so far are over.
void arrive_behind_copies(Warp& warp, int lane, const Found& mbarrier);
/// The oldest free operation ends, with the others of its mbarrier. Returns false if there is none.
bool advance_engines(Block& block);
/// The block is over: what nobody has waited for ends.
void end_engines(Block& block);

// ---- Ops: the detail is one of Program::copies --------------------------------------------------

/// cp.async: the sources are none.
void run_copy_async(Warp& warp, const Op& op);
void run_copy_bulk(Warp& warp, const Op& op);
/// st.async and red.async: registers, to shared memory of the cluster.
void run_store_async(Warp& warp, const Op& op);
/// A box of a tensor, to or from shared memory.
void run_copy_box(Warp& warp, const Op& op);
/// The detail is 1 for bulk groups.
void run_commit_group(Warp& warp, const Op& op);

/// Waits for all groups of the thread but the last `pending`; the detail of the op has these.
struct GroupWait {
  static constexpr uint32_t bulk = 1u << 30, reads_only = 1u << 29, all = reads_only - 1;
};
void run_wait_group(Warp& warp, const Op& op);

}  // namespace hone::ptx
