// Accesses of PTX that machine code makes together, as one wide access.
#pragma once

#include <map>

#include "ir/memory/warp_access.h"
#include "runtime/ptx/count/as_compiled.h"
#include "runtime/sim/count/count.h"

namespace hone::ptx {

/// An access of the program; by generic addresses it may be one of two classes.
using AccessKey = std::pair<uint32_t, AccessClass>;

/// The accesses of a warp that may still become part of a wider one.
class Merging {
 public:
  /// Called with accesses that are complete, and the first one of those that each has become of.
  using Complete = llvm::function_ref<void(AccessKey first, const WarpAccess&)>;

  void add(const CompiledAccess& fate, AccessKey first, const WarpAccess& access,
           Complete complete);
  /// No more come that could join.
  void end(Complete complete);

 private:
  struct Open {
    AccessKey first;
    int width = 0;       ///< of the piece, whose addresses the access has
    uint32_t bytes = 0;  ///< of the piece that are asked for, a bit each
    WarpAccess access;
  };

  static void finish(const Open& open, Complete complete);

  std::map<int, std::vector<Open>> open_;  ///< by group
};

}  // namespace hone::ptx
