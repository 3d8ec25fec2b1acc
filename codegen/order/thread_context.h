// The threads that come to a statement, while a pass goes through a kernel.
#pragma once

#include "codegen/order/edges.h"
#include "ir/algebra/facts.h"
#include "ir/threads/thread_nest.h"

namespace hone {

/// The place of a statement.
struct ThreadContext {
  const ThreadSpace* space = nullptr;
  llvm::SmallVector<const For*, 8> loops;  ///< around it, outermost first
  llvm::SmallVector<Expr, 2> guards;       ///< lets spelled out
  llvm::SmallVector<Stmt, 8> around;       ///< loops, branches and lets
  ThreadDigits covered;                    ///< digits that a thread loop around has dealt with
  bool is_on_thread_0 = false;             ///< of the digits that none has
  bool is_divergent = false;               ///< under a condition that differs between threads
  /// The innermost loop around that is not one over threads, unless a condition of all threads
  /// stands in it around the statement.
  const For* loop_of_all = nullptr;
  Facts facts;

  void enter(const For& loop);
  void enter(const If& branch);
  void enter(const Let& let);

  /// The thread of a digit that runs a statement here.
  ExecutingThread thread_of(size_t digit) const;
  /// The expression without the axes of lets.
  Expr spelled_out(Expr expr) const;
};

/// A whole statement without thread loops that writes memory which threads share runs on thread 0
/// of the digits that no loop around it has dealt with.
bool runs_on_one_thread(const Stmt& stmt, const ThreadContext& context);

/// Loops inside take the place of this one where all threads run them, those that it has no
/// iterations for too.
bool has_inner_loop_over_same_threads(const For& loop, const ThreadSpace& space);

}  // namespace hone
