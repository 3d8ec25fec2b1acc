// Which threads the elements of a register tensor belong to that is allocated outside of their
// loops.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/analysis/accesses.h"

namespace hone {

/// Runs of elements along one dimension go round the threads: element e is thread
/// e / run % threads's, and there the element e / (run*threads)*run + e % run.
struct Dealing {
  unsigned dim = 0;  ///< of the tensor
  int64_t run = 1;
  int64_t threads = 1;
  uint8_t thread_dim = 0;

  bool operator==(const Dealing&) const = default;
  /// The thread that has the element, and where it has it.
  Expr owner(const Expr& index) const { return index / run % threads; }
  Expr place(const Expr& index) const { return index / (run * threads) * run + index % run; }
  /// How many of `elements` a thread has at most.
  int64_t per_thread(int64_t elements) const {
    return (elements + run * threads - 1) / (run * threads) * run;
  }
};

struct RegisterOwners {
  /// At most one per dimension of the block, and per dimension of the tensor. Where there is none,
  /// each thread has the whole tensor.
  llvm::SmallVector<Dealing, 3> dealings;
  /// Why the elements cannot lie with threads: accesses of several threads to the same ones, or two
  /// dealings of one dimension. Empty where they can.
  std::string conflict;
};

/// The owners of the elements of `tensor`, of registers, that `body` touches inside and outside of
/// thread loops. Copies outside of them are dealt out as the other accesses say. `known` holds the
/// ranges of the axes around.
RegisterOwners register_owners(const TensorPtr& tensor, const Stmt& body, const Facts& known);

}  // namespace hone
