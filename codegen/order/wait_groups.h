// Work that goes on while its threads do, and ends in groups: those of a thread in the order in
// which it has committed them.
#pragma once

#include "codegen/kernel.h"
#include "ir/core/instr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {

/// Work that is committed and waited for by the same instructions.
struct GroupKind {
  Timeline timeline = Timeline::thread;
  const Opcode* commit = nullptr;
  /// Its constant: the number of the latest groups that may be pending.
  const Opcode* wait = nullptr;
  /// The accesses that the wait ends. Where one is for reads alone, another one is for writes.
  bool is_for_reads = true, is_for_writes = true;

  /// True of a statement that starts such work. That of producers is no thread's to wait for.
  bool starts(const Stmt& stmt) const;
};

/// Those whose work a kernel has, one for each wait.
llvm::SmallVector<GroupKind, 2> groups_in(const Stmt& kernel);
/// Threads wait for no other work in this way.
bool ends_in_groups(Timeline timeline);
/// Tensors of such work that it alone touches, each element once: nobody has to wait for it there.
llvm::DenseSet<const TensorNode*> tensors_of_its_own(const Stmt& kernel, const GroupKind& kind);

/// No group has to be there: the wait is not needed.
inline constexpr int64_t all_pending = INT64_MAX;

/// For each wait of this kind in the kernel, the number of the latest groups that no statement
/// between it and the next one needs; all_pending where it needs none. Groups that are not known
/// for certain, as those in loops of unknown length, are needed.
llvm::DenseMap<const StmtNode*, int64_t> pending_groups(const Stmt& kernel, const GroupKind& kind);
/// True unless the kernel's waits have ended all such work before its blocks end.
bool may_be_pending_at_end(const Stmt& kernel, const GroupKind& kind);

}  // namespace hone
