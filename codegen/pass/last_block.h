// Blocks that leave one result each, which the last of them to finish combines.
#pragma once

#include "codegen/kernel.h"
#include "ir/analysis/accesses.h"
#include "ir/rename.h"

namespace hone {

/// Whether `init` sets to the identity what `nest` combines by last_block, and does nothing else:
/// the last block can do that on the way.
bool sets_up_last_block(const Stmt& init, const Stmt& nest);

/// The same where `nest` is one loop whose threads combine, in a block of its own.
bool sets_up_only_block(const Stmt& init, const Stmt& nest);

/// A loop over blocks, taken apart.
///
///   reduce g in 0..G @block.x combine(last_block)
///     body: S[e] += v
///
///   =>  for g in 0..G @block.x
///         body: S.parts[g, e] = v                                contribution
///         arrive S.is_last[] at S.arrivals[] of G after S.parts
///         if (S.is_last[])
///           body's loops over e and over threads:                finish
///             S[e] += S.parts[...]
class LastBlock {
 public:
  /// Adds the tensors of partial results and of arrivals to the arguments of `kernel`. Where
  /// `is_absorbed`, the result is what the blocks have, without what it was before.
  /// `around` are the loops over blocks that enclose it, each with a last block of its own.
  LastBlock(KernelFunction& kernel, const For& loop, llvm::ArrayRef<const For*> around,
            const MemoryAccess& update, Names& names, bool is_absorbed);

  /// Loop IR that is still to be combined: the block's own result, in S, and the sum over all
  /// blocks, in S too.
  Stmt contribution() const { return inside_; }
  Stmt finish();
  /// The whole loop, of these two with their threads combined. Throws ScheduleError where a block
  /// has more than one result for an element.
  Stmt assemble(const Stmt& contribution, const Stmt& finish) const;

 private:
  llvm::SmallVector<Expr, 4> place(const Expr& block, llvm::ArrayRef<Expr> indices) const;
  Stmt sum_over_blocks(const For* combining);
  int64_t lanes_of(const For& combining) const;
  Stmt sum_by_one_thread();
  Stmt again(const For& loop, const Stmt& body);
  Stmt as_part(const Stmt& contribution) const;
  Stmt as_result(const Stmt& finish) const;
  Expr blocks() const;
  const Store& store() const { return *llvm::cast<Store>(update_.statement); }
  [[noreturn]] void refuse(const StmtNode* culprit) const;

  KernelFunction& kernel_;
  const For& loop_;
  const MemoryAccess update_;
  Names& names_;
  const bool is_absorbed_;
  llvm::SmallVector<const For*, 3> around_;  ///< loops over blocks around
  llvm::SmallVector<const For*, 3> grid_;    ///< and right inside, outermost first
  Stmt inside_;                              ///< of all of them
  llvm::SmallVector<const For*, 8> path_;    ///< the loops in there around the update
  TensorPtr parts_, arrivals_, flag_;
};

}  // namespace hone
