// The threads that own the elements of a register tensor that is allocated outside of their
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
  Binding binding = {};  ///< of loops over these threads

  bool operator==(const Dealing&) const = default;
  /// The thread that has the element, and where it has it.
  Expr owner(const Expr& index) const { return index / run % threads; }
  Expr place(const Expr& index) const { return index / (run * threads) * run + index % run; }
  /// The most of `elements` that one thread has.
  int64_t per_thread(int64_t elements) const {
    return (elements + run * threads - 1) / (run * threads) * run;
  }
};

struct RegisterOwners {
  /// At most one per digit of the number of a thread. Of those of one dimension of the tensor, the
  /// first deals out the longest runs, and each of the others what the ones before it leave to a
  /// thread: the element (w*4 + y)*2 + v of threads (w, y) is their element v. Without any of them,
  /// each thread has the whole tensor.
  llvm::SmallVector<Dealing, 3> dealings;
  /// Of a thread's part: the values that instructions take together lie side by side.
  Layout layout = {};
  /// The reason that the elements cannot lie with threads: several threads access the same ones.
  /// Empty if they can.
  std::string conflict;
  std::string note;  ///< the way out, where it is a special one
};

/// The owners of the elements of `tensor`, of registers, that `body` touches inside and outside of
/// thread loops. Copies outside of them are dealt out as the other accesses say. `known` holds the
/// ranges of the axes around.
RegisterOwners register_owners(const TensorPtr& tensor, const Stmt& body, const Facts& known);

}  // namespace hone
