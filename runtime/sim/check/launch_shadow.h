// The blocks that touched a byte of global memory: they show races between blocks, which nothing
// orders but arrivals. The state does not depend on the order in which blocks ran.
#pragma once

#include <array>
#include <mutex>

#include "runtime/host_memory.h"
#include "runtime/sim/check/arrival.h"
#include "runtime/sim/finding.h"
#include "runtime/sim/worker.h"

namespace hone {

/// An access by a thread of a block; the least one is that of the first block. 0 is none.
struct BlockStamp {
  uint64_t bits = 0;

  static BlockStamp of(int64_t block, Stamp stamp);
  bool exists() const { return bits != 0; }
  int64_t block() const;
  uint32_t access() const;
  int lane() const;
};

/// The first two blocks that did something.
struct FirstTwo {
  BlockStamp first, second;
  void add(BlockStamp stamp);
};

struct GlobalCell {
  FirstTwo writers, updaters, readers;
};

/// Accesses that are ordered by one counter.
struct OrderedCell {
  int64_t counter = -1;
  GlobalCell released, acquired;
};

/// True if the program's blocks arrive at a counter.
bool has_arrivals(const SimProgram& program);

/// The arguments of a launch that it writes, those that share memory with one, and those with
/// elements that hold no value.
class LaunchShadow {
 public:
  explicit LaunchShadow(const SimLaunch& launch);

  /// The number of the cell that holds the first byte of an argument, and bytes per cell; none
  /// where nobody writes it and all of its elements hold values.
  struct Origin {
    bool is_watched = false;
    int64_t cell = 0;
    int64_t granule = 1;
  };
  const Origin& origin(int argument) const { return origins_[argument]; }

  /// Adds the accesses of a block, at its arrival and at its end. Callable by several workers at
  /// once where no block arrives anywhere.
  void add(int64_t block, const PagedShadow& touched, llvm::ArrayRef<OtherStamps> others,
           const Arrival& arrival);

  /// True if elements of the argument may hold no value.
  bool may_be_unset(int argument) const {
    return launch_.arguments[argument].uninitialised || launch_.arguments[argument].unset;
  }
  /// True if the cell held no value before the launch.
  bool was_unset(int64_t cell) const { return !unset_before_.empty() && unset_before_[cell]; }
  /// Tells the arguments which of their elements hold none now.
  void hand_on_unset() const;

  /// True if blocks wrote a value to the cell before they arrived at the counter.
  bool is_published(int64_t cell, int64_t counter) const;

  /// The races between blocks.
  void report(Findings& findings) const;

 private:
  static constexpr size_t locks = 64;
  void find_unset(int64_t cells);
  GlobalCell& cell_of(int64_t number, BlockOrder order, int64_t counter);
  Finding describe(int64_t number, BlockStamp first, BlockStamp second) const;

  const SimLaunch& launch_;
  llvm::SmallVector<Origin, 4> origins_;
  HostMemoryClaim claim_;  ///< to the cells
  std::vector<GlobalCell> cells_;
  std::vector<OrderedCell> ordered_;  ///< empty where no block arrives anywhere
  /// A flag per cell; empty where all hold values. The first ones stay.
  std::vector<uint8_t> unset_before_, unset_after_;
  std::array<std::mutex, locks> mutexes_;
};

}  // namespace hone
