// Where threads of a block must wait for one another: what they have touched since they last did,
// and what they touch next.
#pragma once

#include "codegen/pass/block_shape.h"
#include "ir/analysis/dependence.h"

namespace hone {

/// Which thread of a dimension makes an access.
struct Runner {
  enum class Kind : uint8_t { all, thread_0, loop };

  Kind kind = Kind::all;
  const For* loop = nullptr;  ///< the innermost one around the access that is bound to it
};

/// An access to memory that the threads of a block share.
struct ThreadAccess {
  MemoryAccess access;                     ///< lets spelled out; `inner` is empty
  llvm::SmallVector<const For*, 8> loops;  ///< all around it, outermost first
  std::array<Runner, 3> runners;
};
using ThreadAccesses = llvm::SmallVector<ThreadAccess, 8>;

/// Adds those that are not among `accesses` yet.
void merge(ThreadAccesses& accesses, llvm::ArrayRef<ThreadAccess> more);

/// Where two accesses are compared.
struct MeetingPoint {
  size_t depth = 0;              ///< so many of the loops around are in the same iteration,
  const For* between = nullptr;  ///< and this one, the next inner, is in different iterations
  const Facts& facts;
};

/// Whether threads of a block may touch one element, one of them writing it.
class DataExchange {
 public:
  explicit DataExchange(const std::array<Expr, 3>& block);

  bool between(llvm::ArrayRef<ThreadAccess> earlier, llvm::ArrayRef<ThreadAccess> later,
               const MeetingPoint& point) const;

 private:
  bool between(const ThreadAccess& first, const ThreadAccess& second,
               const MeetingPoint& point) const;
  bool are_on_one_thread(const ThreadAccess& first, const ThreadAccess& second) const;
  bool meet(const ThreadAccess& first, const ThreadAccess& second, const MeetingPoint& point) const;

  ThreadDims used_;
  llvm::SmallVector<Stmt, 3> threads_;  ///< a loop over the threads of each dimension
};

}  // namespace hone
