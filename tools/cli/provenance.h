// The steps of a schedule that the statements of its kernels come from.
#pragma once

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// The step that made each statement of a program, or last changed its effect: read off the
/// programs before and after each step, so that no primitive has to tell. A statement is known by
/// the axis of its loop, by the tensors that it writes and reads, or by the values in its
/// condition, and not by its indices.
class Provenance {
 public:
  /// The schedule outlives this.
  explicit Provenance(const Schedule& schedule);

  /// The number, from 0 on, of the step of the trace that a statement of `body` is owed to; nothing
  /// where that is the definition. `body` is the schedule's function, or a kernel that is lowered
  /// from it. It is the step that made the statement or last changed it, and
  /// - of a barrier, the shared tensors around it;
  /// - of a loop or a guard that lowering made, the statements inside;
  /// - of what combines the results of threads or blocks, the binding that asks for it;
  /// - of anything else that lowering made, or that is of the definition, the loops around it.
  ///   Loops that run on threads count for what lowering made.
  std::optional<size_t> step_of(const Stmt& body, const StmtNode* statement) const;

  /// "step 6: auto A_shared = s.cache_shared(A, k_0);" counted from 1, or "the definition".
  std::string origin_text(const Stmt& body, const StmtNode* statement) const;

 private:
  struct Known {
    std::string detail;  ///< the part that a step may change
    int count = 0;       ///< guards of the name
    size_t step = 0;     ///< from 1 on; 0: the definition
  };
  using Path = llvm::SmallVector<Stmt, 8>;  ///< from the outermost statement to one inside

  void add(const Stmt& body, size_t step);
  std::optional<size_t> step_of_name(const std::string& name) const;
  std::optional<size_t> own_step(const Stmt& stmt) const;
  std::optional<size_t> step_of_combination(const Stmt& stmt) const;
  size_t step_inside(const Stmt& stmt) const;
  size_t step_of_shared_tensors(const Path& path) const;
  size_t step_around(const Path& path, bool has_threads) const;
  size_t step_of(const Path& path) const;

  const Schedule& schedule_;
  llvm::StringMap<Known> known_;
};

}  // namespace hone
