// Record mode of the simulated device: the addresses that warps ask for, and the steps of a few
// blocks one by one. Drawings are made of it.
#pragma once

#include "ir/memory/warp_access.h"
#include "runtime/sim/count/count.h"
#include "runtime/sim/count/rings.h"

namespace hone {

struct RecordOptions {
  int64_t most_blocks = 0;           ///< as of a count
  std::vector<int64_t> kept_blocks;  ///< numbers of blocks whose steps are kept
  std::vector<int64_t> read_blocks;  ///< the same, of loads from global memory alone
  int64_t most_elements = 1 << 16;   ///< of the steps of one access in one block, over all threads
};

/// Requests that cost the same for the same reason: their lanes have the same distances, and the
/// first one lies at the same place in its 128 bytes.
struct RequestPattern {
  /// The first of them, with bytes from the start of the tensor, or of the block's shared memory.
  WarpAccess request;
  std::array<int64_t, 3> block{};  ///< that made it
  int warp = 0;
  int64_t count = 0;  ///< the number of them
  MemoryCounts each;  ///< of one
};

/// True if two requests cost the same for the same reason.
bool has_same_shape(const WarpAccess& lhs, const WarpAccess& rhs);

struct RecordedAccess {
  AccessReport report;  ///< of the blocks that ran, not scaled up
  int element_bytes = 4;
  /// Of distinct shape, the most frequent one first.
  std::vector<RequestPattern> patterns;
  int64_t other_requests = 0;  ///< of patterns beyond the first thousand
  std::vector<Stmt> loops;     ///< around it, the outermost first
  bool has_all_steps = true;   ///< of the kept blocks none was left out for being too many
};

/// One execution of an access or of a shuffle by all threads of a block.
struct RecordedStep {
  enum class Kind : uint8_t { access, shuffle };

  Kind kind = Kind::access;
  int64_t block = 0;
  uint32_t access = 0;  ///< in RecordReport::accesses
  Stmt statement;
  llvm::SmallVector<int64_t, 4> iteration;  ///< of the loops around it
  /// By thread: the element that it asks for, of a vector the first one, or the thread whose value
  /// it gets; -1: none.
  std::vector<int64_t> threads;
};

struct RecordReport {
  std::array<int64_t, 3> grid{}, block{};
  int64_t recorded_blocks = 0;
  std::vector<RecordedAccess> accesses;  ///< those of CountReport::accesses
  std::vector<RecordedStep> steps;       ///< of the kept blocks, in order
  RingUse rings;                         ///< of the first kept block

  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  int64_t threads() const { return block[0] * block[1] * block[2]; }
};

/// Runs the kernel, and records. Throws what count() throws.
RecordReport record(const KernelFunction& kernel, const Sizes& sizes,
                    llvm::ArrayRef<SimArgument> arguments, const RecordOptions& options = {});

}  // namespace hone
