// The computation of a tensor of the program, and its reads.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// The nest of a tensor as it was defined: one loop per dimension around the code for an element.
struct Producer {
  TensorPtr tensor;
  llvm::SmallVector<Stmt, 3> stmts;  ///< the nest; of a tensor without dimensions, maybe several
  llvm::SmallVector<const For*, 4> loops;  ///< by dimension
  Stmt body;                               ///< computes the element that the loops' axes index

  bool has_loop(const AxisNode* axis) const;
  /// The outermost loop goes over the blocks of a cluster.
  bool has_parts() const;
};

/// The statements of a program one after the other: its nests, without the allocs of temporaries.
llvm::SmallVector<Stmt, 4> statements_of(const Stmt& body);

/// Refuses a tensor that is not a temporary, and lists those that are.
void check_temporary(const Preconditions& check, const Function& function, const TensorPtr& tensor);

/// The nest of a tensor that the function computes. Refuses one that other steps have changed, so
/// that elements are no longer computed by one loop per dimension.
Producer find_producer(const Preconditions& check, const Function& function,
                       const TensorPtr& tensor);

/// Refuses a nest with loops that run on devices, and loops of dimensions that are not serial: it
/// becomes part of another one. `may_have_parts`: its outermost loop may go over the blocks of a
/// cluster.
void check_unscheduled(const Preconditions& check, const Producer& producer,
                       bool may_have_parts = false);

/// Accesses to the tensor by anything but its producer, in the order of the text.
Accesses uses_of(const Function& function, const Producer& producer);

/// Refuses a function that caches the tensor: values that a copy reads beyond the end are part of
/// its meaning.
void check_not_cached(const Preconditions& check, const Accesses& uses);

/// Refuses a function in which something that the producer reads changes after it and before, or
/// while, the tensor is read.
void check_operands_stay(const Preconditions& check, const Function& function,
                         const Producer& producer);

/// `body`, that of a function, without the producer and the alloc of its tensor.
Stmt without_producer(Stmt body, const Producer& producer);

/// The tensors that live outside of a statement and that it writes, in the order of the text.
llvm::SmallVector<TensorPtr, 2> tensors_written(const Stmt& stmt);

}  // namespace hone
