// The accesses of statements to tensors that threads share, with the threads that make them.
#pragma once

#include <deque>

#include "codegen/kernel.h"
#include "codegen/order/thread_context.h"
#include "ir/traverse/rename.h"

namespace hone {

/// The tiles that the copy engine stores.
llvm::DenseSet<const TensorNode*> tiles_of_stores(const Stmt& stmt);

/// `body` on thread 0 of those that share the copy, which the engine makes.
Stmt on_thread_0(const Copy& copy, Stmt body, Names& names);

class AccessCollector {
 public:
  /// `exchanged`: the tensors whose accesses need an order.
  AccessCollector(const KernelFunction& kernel, const ThreadSpace& space,
                  llvm::DenseSet<const TensorNode*> exchanged)
      : space_(space), exchanged_(std::move(exchanged)), names_(as_function(kernel)) {}

  ThreadAccesses of(const Stmt& stmt, const ThreadContext& context) const {
    return of(stmt, context, nullptr);
  }
  /// Those of the loops that the copy stands for. They last as long as this: accesses point at
  /// loops. The thread that asks the engine makes its accesses.
  ThreadAccesses of_copy(const Copy& copy, const ThreadContext& context);

 private:
  ThreadAccesses of(const Stmt& stmt, const ThreadContext& context, const Copy* copy) const;
  Stmt nest_of(const Copy& copy);
  void collect(const Stmt& stmt, const ThreadContext& context, const Copy& copy,
               ThreadAccesses& accesses) const;

  const ThreadSpace& space_;
  const llvm::DenseSet<const TensorNode*> exchanged_;
  Names names_;
  std::deque<Stmt> nests_;
};

}  // namespace hone
