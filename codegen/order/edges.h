// Dependences between what different threads of a block do, as data: pairs of accesses of which one
// must see the other. Waits are placed where an edge would be unmet.
#pragma once

#include "codegen/order/ordering.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/families.h"
#include "ir/threads/thread_nest.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {

/// The thread of a digit that makes an access.
struct ExecutingThread {
  enum class Kind : uint8_t { all, thread_0, loop };

  Kind kind = Kind::all;
  const For* loop = nullptr;  ///< the innermost one around the access that is bound to it
};

/// An access to memory that the threads of a block share.
struct ThreadAccess {
  MemoryAccess access;                            ///< lets spelled out; `inner` is empty
  llvm::SmallVector<const For*, 8> loops;         ///< all around it, outermost first
  llvm::SmallVector<ExecutingThread, 3> threads;  ///< one per digit
  Ordering ordering = {};                         ///< that has come since
};

/// Accesses that stand in the same loops down to some depth, each once: where they are compared, it
/// does not matter which of two alike loops inside of these one stands in.
class ThreadAccesses {
 public:
  void add(const ThreadAccess& access);
  void add(const ThreadAccesses& more);
  void clear() { *this = {}; }
  /// Those that are not to registers.
  ThreadAccesses in_memory() const;
  /// The same accesses after a wait.
  ThreadAccesses behind(const Ordering& ordering) const;
  /// Those to the tensors.
  ThreadAccesses to(const llvm::DenseSet<const TensorNode*>& tensors) const;

  size_t families() const { return families_.size(); }
  /// All accesses of the family as one.
  ThreadAccess whole(size_t family) const;
  /// True of a family of one access, which is the whole of it.
  bool is_single(size_t family) const { return members_[family].size() == 1; }
  /// True if `is_it` is, of an access of the family.
  bool any_of(size_t family, llvm::function_ref<bool(const ThreadAccess&)> is_it) const;

 private:
  std::vector<std::vector<ThreadAccess>> members_;  ///< of each family
  AccessFamilies families_;
};

/// The loops and iterations in which two accesses are compared.
struct ComparisonPoint {
  size_t depth = 0;              ///< so many of the loops around are in the same iteration,
  const For* between = nullptr;  ///< and this one, the next inner, is in different iterations
  const Facts& facts;
};

/// Two accesses of different threads, or of different timelines of one, to one element, of which
/// one writes, the consumer behind the producer.
struct Edge {
  MemoryAccess producer, consumer;
  const For* carried_by = nullptr;  ///< the loop whose iterations lie between; null within one
  Reach reach = Reach::block;       ///< `thread`: in its registers

  /// The consumer does not see the producer's write else.
  bool needs_fence() const;
  /// "A.shared[i.1, j.1] is written, then read as A.shared[i.1, k.1]"
  std::string text() const;
};
using Edges = llvm::SmallVector<Edge, 2>;

/// True if an index of one is always larger than that of the other, or in another slot of a ring.
bool never_meet(const MemoryAccess& lhs, MemoryAccess rhs, Facts facts);

/// The edges between accesses of the threads of a block.
class DataExchange {
 public:
  explicit DataExchange(const ThreadSpace& space);

  /// An edge for each two families of accesses that have one.
  Edges between(const ThreadAccesses& earlier, const ThreadAccesses& later,
                const ComparisonPoint& point) const;
  /// True unless one of the accesses may come to the shared memory of another block.
  bool are_in_own_blocks(const ThreadAccesses& accesses) const;
  /// The reach of an edge between any threads of the kernel.
  Reach widest() const { return used_.meets(space_.of_cluster()) ? Reach::cluster : Reach::block; }

 private:
  Reach between(const ThreadAccess& first, const ThreadAccess& second,
                const ComparisonPoint& point) const;
  Reach in_registers(const ThreadAccess& first, const ThreadAccess& second,
                     const ComparisonPoint& point) const;
  bool is_in_own_block(const ThreadAccess& access) const;
  bool are_on_one_thread(const ThreadAccess& first, const ThreadAccess& second) const;
  bool meet_on_one_thread(const ThreadAccess& first, const ThreadAccess& second,
                          const ComparisonPoint& point) const;
  Reach meet(const ThreadAccess& first, const ThreadAccess& second,
             const ComparisonPoint& point) const;
  /// The reach of an edge between threads which may differ in these digits.
  Reach over(llvm::ArrayRef<const For*> digits) const;
  bool are_thread_0(const ThreadAccess& any, const ThreadAccess& zero,
                    const ComparisonPoint& point) const;

  /// Writes the access with one axis per digit in place of that of the loop over threads.
  void rename_to_digits(MemoryAccess& access, const For& thread_loop) const;

  const ThreadSpace& space_;
  const ThreadDigits used_;
  llvm::SmallVector<Stmt, 3> threads_;  ///< a loop over the threads of each digit
};

}  // namespace hone
