// The L1 cache as one block has it to itself: 128-byte lines of four sectors, of which the one that
// was used least recently makes room. Stores pass it by and leave what it has.
#pragma once

#include <vector>

#include "ir/memory/warp_access.h"
#include "llvm/ADT/DenseMap.h"

namespace hone::ptx {

/// Sectors of one load that the cache does not have.
struct MissedSectors {
  int sectors = 0;
  int first = 0;  ///< of these, the ones that no load has brought before
};

class L1Cache {
 public:
  /// Of so many bytes; 0 for none, which misses always.
  explicit L1Cache(int64_t bytes);

  /// Brings what it does not have. Loads that pass it by are `is_cached` false.
  MissedSectors load(const WarpAccess& access, bool is_cached = true);
  /// Of the lines that loads have brought: stretches without a gap.
  int64_t stretches() const;

 private:
  struct Line {
    int64_t number = -1;
    uint8_t sectors = 0;  ///< a bit each
    int64_t used = 0;
  };
  static constexpr int ways = 16;

  Line& line_of(int64_t number);

  std::vector<Line> lines_;  ///< `ways` for each set
  int64_t sets_ = 0, now_ = 0;
  llvm::DenseMap<int64_t, uint8_t> seen_;  ///< sectors by the number of their line
};

}  // namespace hone::ptx
