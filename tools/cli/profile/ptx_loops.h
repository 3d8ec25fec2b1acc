// The loops of a kernel's PTX: what lies between a label and a jump back to it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/text/module.h"

namespace hone {

class PtxLoops {
 public:
  explicit PtxLoops(const ptx::Module& module, llvm::StringRef kernel);

  /// True if a loop jumps back on one of these lines of the CUDA text.
  bool have(llvm::ArrayRef<unsigned> lines) const;
  /// Bytes that a thread loads from global memory in a trip of an innermost loop, of the one that
  /// loads most; of a kernel that loads in no loop, all that it loads.
  double bytes_in_flight() const { return bytes_in_flight_; }

 private:
  struct Loop {
    size_t first = 0, last = 0;  ///< instructions
    unsigned line = 0;
  };

  int innermost(size_t instruction) const;
  double loaded_bytes(const ptx::Function& function) const;

  std::vector<Loop> loops_;
  double bytes_in_flight_ = 0;
};

}  // namespace hone
