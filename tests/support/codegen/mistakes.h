// Kernels with a mistake in what orders their warps.
#pragma once

#include "codegen/kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rewriter.h"

namespace hone {

/// A change of a statement; undefined where it has nothing to change.
using Change = Stmt(const Stmt& stmt);

/// The kernel with another statement in the place of number `n` of those that `change` is about.
KernelFunction with_mistake(const KernelFunction& kernel, int n, llvm::function_ref<Change> change);

template <bool (*is_it)(const Stmt&)>
Stmt dropped(const Stmt& stmt) {
  return is_it(stmt) ? Seq::make({}) : Stmt();
}

Stmt with_other_parity(const Stmt& stmt);

/// An mbarrier whose phases need so many arrivals more.
template <int64_t more>
Stmt counting_more(const Stmt& stmt) {
  const Instr* init = as(stmt, op::init_mbarrier);
  return init ? init->with_constants(init->constants[0] + more) : Stmt();
}

struct Mistake {
  const char* what;
  Change* change;
  int count;  ///< of the places where it can be made
};

}  // namespace hone
