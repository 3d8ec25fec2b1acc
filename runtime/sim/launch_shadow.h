// Which blocks touched a byte of global memory: races between blocks, which nothing orders. The
// state does not depend on the order in which blocks ran.
#pragma once

#include <array>
#include <mutex>

#include "runtime/sim/finding.h"
#include "runtime/sim/shadow.h"
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
  FirstTwo writers, readers;
};

/// The arguments of a launch that it writes, and those that share memory with one.
class LaunchShadow {
 public:
  explicit LaunchShadow(const Launch& launch);

  /// The number of the cell that holds the first byte of an argument, and bytes per cell; none
  /// where nobody writes it.
  struct Origin {
    bool is_watched = false;
    int64_t cell = 0;
    int64_t granule = 1;
  };
  const Origin& origin(int argument) const { return origins_[argument]; }

  /// Adds what a block did. Callable by several workers at once.
  void add(int64_t block, PagedShadow& touched);

  /// The races between blocks.
  void report(Findings& findings) const;

 private:
  static constexpr size_t locks = 64;
  Finding describe(int64_t number, BlockStamp writer, BlockStamp other) const;

  const Launch& launch_;
  llvm::SmallVector<Origin, 4> origins_;
  std::vector<GlobalCell> cells_;
  std::array<std::mutex, locks> mutexes_;
};

}  // namespace hone
