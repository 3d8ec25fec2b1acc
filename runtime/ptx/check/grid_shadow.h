// The first blocks that touched a granule of global memory: races between blocks are found with it.
#pragma once

#include <array>
#include <mutex>

#include "llvm/ADT/DenseMap.h"
#include "runtime/ptx/machine/observer.h"
#include "runtime/sim/check/shadow.h"

namespace hone::ptx {

struct GridStamp {
  int64_t block = -1;
  Stamp stamp{};

  bool exists() const { return block >= 0; }
};

struct GridCell {
  GridStamp write, update, read;
  /// Of the writes of that block.
  uint32_t value = 0;
  bool have_values = false;  ///< several
};

/// Safe to use from several threads.
class GridShadow {
 public:
  /// Two accesses of different blocks to one granule, the second one that of the block at hand.
  using Meet =
      llvm::function_ref<void(int64_t granule, GridStamp other, GridStamp mine, bool same_value)>;

  /// Adds what a block did to a granule, and tells of what others have done there. `is_set` says
  /// that the block has written several values, or one that is not known.
  void add(int64_t block, int64_t granule, const ShadowCell& cell, Meet meet);

 private:
  static constexpr int64_t page_cells = 256;
  static constexpr size_t locks = 64;
  using Page = std::array<GridCell, page_cells>;
  struct Shard {
    std::mutex mutex;
    llvm::DenseMap<int64_t, std::unique_ptr<Page>> pages;
  };
  static void add(GridCell& known, int64_t granule, int64_t block, const ShadowCell& cell,
                  Meet meet);

  std::array<Shard, locks> shards_;
};

}  // namespace hone::ptx
