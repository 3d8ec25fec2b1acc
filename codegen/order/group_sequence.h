// Groups of work that a statement commits, in order, and the conditions under which they are there.
#pragma once

#include "codegen/order/edges.h"
#include "codegen/order/wait_groups.h"

namespace hone {

/// The conditions of all branches around a place.
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

  /// Adds the condition of the branch.
  void enter(const If& branch);

  /// Adds a loop over threads. Threads that are not among them come to the instructions of all
  /// threads in it, unless it has no iteration.
  void enter(const For& thread_loop);

  /// The accesses of a statement here, of any thread.
  Accesses accesses_of(const Stmt& stmt) const;

 private:
  /// Groups are not certain where it reads memory, which may have another value later.
  void add(const Expr& condition);
};

/// The groups that a statement commits. Those of loops of unknown length are one that is not
/// certain.
GroupSequence groups_of(const Stmt& stmt, const Around& around, const GroupKind& kind);

}  // namespace hone
