// Blocks that leave one result each, which the last of them to finish combines.
#pragma once

#include "codegen/kernel.h"
#include "ir/analysis/accesses.h"
#include "ir/traverse/rename.h"

namespace hone {

/// True if `init` sets to the identity what `nest` combines by last_block, and does nothing else:
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
///
/// A block that may update an element not at all, or more than once, has its parts set to the
/// identity first:
///
///   body: S[e] += v     =>     body's loops over e: S.parts[g, e] = 0
///                              body: S.parts[g, e] += v
///
/// Where the element is one that the update chooses, as in H[bin[k]] += 1, e is any.
class LastBlock {
 public:
  /// Adds the tensors of partial results and of arrivals to the arguments of `kernel`. Where
  /// `is_absorbed`, the result is what the blocks have, without what it was before.
  /// `updates` are those that the blocks share, `around` are the loops over blocks that enclose the
  /// loop, each with a last block of its own.
  LastBlock(KernelFunction& kernel, const For& loop, llvm::ArrayRef<const For*> around,
            const Accesses& updates, Names& names, bool is_absorbed);

  /// Loop IR that is still to be combined: the block's own result, in S, and the sum over all
  /// blocks, in S too.
  Stmt contribution() const { return inside_; }
  Stmt finish();
  /// The whole loop, of these two with their threads combined.
  Stmt assemble(const Stmt& contribution, const Stmt& finish);

 private:
  void choose_element(llvm::ArrayRef<bool> scattered);
  llvm::SmallVector<Expr, 4> place(const Expr& block, llvm::ArrayRef<Expr> indices) const;
  Stmt threads_of_sum(const For& combining) const;
  Stmt sum_over_blocks(const For& combining);
  Stmt sum_of_thread(const Expr& thread, const Expr& threads);
  static int64_t lanes_of(const For& combining);
  Stmt sum_by_one_thread();
  bool can_sum(const For& combining) const;
  Stmt for_each_element(llvm::StringRef suffix, const Stmt& stmt);
  bool is_about_element(const Expr& guard) const;
  llvm::SmallVector<Expr, 4> guards_of_elements() const;
  bool is_one_result(const Stmt& contribution) const;
  Stmt as_parts(const Stmt& contribution);
  Stmt as_result(const Stmt& finish) const;
  Expr blocks() const;
  const Store& store() const { return *llvm::cast<Store>(update_.statement); }

  KernelFunction& kernel_;
  const For& loop_;
  const MemoryAccess update_;
  Names& names_;
  const bool is_absorbed_;
  const Stmt body_;                          ///< of the loop, other loops over blocks first
  llvm::SmallVector<const For*, 4> around_;  ///< loops over blocks around
  llvm::SmallVector<const For*, 4> grid_;    ///< and right inside, outermost first
  Stmt inside_;                              ///< of all of them
  llvm::SmallVector<const For*, 8> path_;    ///< the loops in there around the update
  /// The element: indices of the update, or any index, by axes of its own.
  llvm::SmallVector<Expr, 4> element_;
  llvm::SmallVector<const For*, 4> over_elements_;      ///< those of the path that choose it
  llvm::SmallVector<std::pair<AxisPtr, Expr>, 2> any_;  ///< axes and extents
  TensorPtr parts_, arrivals_, flag_;
};

}  // namespace hone
