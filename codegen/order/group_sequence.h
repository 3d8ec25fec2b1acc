// What threads commit together, in order: the groups of a statement, and the conditions under which
// they are there.
#pragma once

#include "codegen/order/edges.h"
#include "codegen/order/wait_groups.h"

namespace hone {

/// Those of all branches around a place.
using Conditions = llvm::SmallVector<Expr, 2>;

/// True if all of `wanted` are among those that hold.
bool are_among(const Conditions& wanted, const Conditions& holding);

/// Work that is committed together.
struct Group {
  Accesses accesses;
  Conditions conditions;
  bool is_certain = true;  ///< each thread that has some commits it, where the conditions hold
};
using GroupSequence = std::vector<Group>;

/// Accesses, and groups, of another iteration.
void replace(Accesses& accesses, const AxisNode* axis, const Expr& value);
void replace(Group& group, const AxisNode* axis, const Expr& value);

/// The surroundings of a statement.
struct Around {
  llvm::SmallVector<Stmt, 2> lets;
  llvm::SmallVector<const For*, 2> thread_loops;
  Facts facts;
  Conditions conditions;
  bool is_certain = true;  ///< all threads come here, where the conditions hold
  int64_t iterations = 1;  ///< that are looked at one by one

  /// What is read of memory may have another value at another place.
  void enter(const If& branch);

  /// A loop over some threads alone: the others come to what all threads do in it.
  void enter(const For& thread_loop);

  /// The accesses of a statement here, of any thread.
  Accesses accesses_of(const Stmt& stmt) const;
};

/// The groups that a statement commits. Those of loops of unknown length are one that is not
/// certain.
GroupSequence groups_of(const Stmt& stmt, const Around& around, const GroupKind& kind);

}  // namespace hone
