// The words of global memory that atomic updates come to: updates of one word wait for each other.
#pragma once

#include "ir/memory/warp_access.h"
#include "llvm/ADT/DenseMap.h"
#include "runtime/sim/count/scale.h"

namespace hone::ptx {

/// Those of a block, or of several.
class UpdatedWords {
 public:
  void add(const WarpAccess& access);
  void add(const UpdatedWords& block);
  /// Of the word that has most. A word of several blocks is one of all that were not counted.
  int64_t most_of_all(const Scale& scale) const;

 private:
  struct Word {
    int64_t updates = 0, blocks = 0;
  };
  llvm::DenseMap<int64_t, Word> words_;  ///< by address
};

}  // namespace hone::ptx
