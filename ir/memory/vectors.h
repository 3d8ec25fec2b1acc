// Proofs that loops can run as vectors: one wide access instead of one access per iteration.
#pragma once

#include "ir/analysis/divisibility.h"
#include "ir/threads/lanes.h"

namespace hone {

/// The reason that a loop cannot be lowered to vector accesses.
struct VectorProblem {
  Stmt statement;  ///< the one at fault, the loop itself included
  std::string message, note;
};

/// Nothing where `loop` can be lowered to vector accesses: it has a constant extent, holds only
/// stores under conditions that all its iterations share, and each access to memory is one aligned
/// vector or one element for all; in a plain move the side in shared memory may lie anywhere. At
/// least one access is a vector. Registers have no addresses and may be indexed in any way. `facts`
/// hold around the loop; `may_alias`: global tensors may overlap.
std::optional<VectorProblem> vector_problem(const For& loop, const Facts& facts,
                                            bool may_alias = false);

/// The axis of `loop` and its extent, a constant.
Lanes lanes_of(const For& loop);

/// True if a store moves one element from tensor to tensor: T[...] = S[...], or a constant if a
/// condition does not hold, T[...] = select(condition, S[...], 0).
bool is_plain_move(const Store& store);
/// The load of a plain move.
const Load& moved_load(const Store& store);

/// Those of `guards` that hold for all lanes alike, without the axis of the lanes.
llvm::SmallVector<Expr, 2> uniform_guards(llvm::ArrayRef<Expr> guards, const Lanes& lanes,
                                          const Facts& facts);

/// True if `guards` are among `held`.
bool holds_all(llvm::ArrayRef<Expr> held, llvm::ArrayRef<Expr> guards);

/// True if the indices, of one tensor, are proved to be equal.
bool same_element(llvm::ArrayRef<Expr> lhs, llvm::ArrayRef<Expr> rhs);

}  // namespace hone
