// The elements of a tensor that inner loops choose, where they are no box of it.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/staging/region.h"
#include "ir/traverse/rename.h"

namespace hone {

/// These elements, one per iteration, as a tensor over the loops, of which a box is taken instead:
///
///   for i_j.1 in 0..4                                           for i_j.1 in 0..4
///     if (i_j.0*4 + i_j.1 < M*N)                          =>      if (i_j.0*4 + i_j.1 < M*N)
///       C[(i_j.0*4 + i_j.1) / N, (i_j.0*4 + i_j.1) % N]             view[i_j.1]
///
/// No two iterations have one element of a tensor that is written. An element exists under guards
/// that all accesses have.
class IterationView {
 public:
  /// The view of the elements that all accesses to `tensor` in the loop at `site` are to. Refuses
  /// accesses that loops choose in different ways. Nothing where loops without a constant number of
  /// iterations, or elements of a tensor, choose. `facts` hold around the accesses.
  static std::optional<IterationView> find(const Preconditions& check, const Site& site,
                                           const TensorPtr& tensor, const Accesses& accesses,
                                           const Facts& facts);

  /// The same where `box` holds them, and others that no access is to: those of columns 0..4 and
  /// 32..36, say. Nothing where one is chosen in several ways.
  static std::optional<IterationView> find_sparse(const Preconditions& check, const Site& site,
                                                  const TensorPtr& tensor, const Accesses& accesses,
                                                  const Facts& facts, const Box& box);

  const TensorPtr& tensor() const { return view_; }
  /// Adds the guards under which an element exists, over the axes of the first access.
  void assume_existence(Facts& facts) const;

  Accesses on_view(Accesses accesses) const;
  Stmt on_view(const Stmt& body) const;
  /// Stores that touch the view, and the loops of copies, touch the tensor where elements exist.
  Stmt on_tensor(const Stmt& stmt, Names& names) const;

 private:
  using Exprs = llvm::SmallVector<Expr, 4>;

  IterationView(const Preconditions& check, const MemoryAccess& first, const Facts& facts);
  /// The first access that loops choose in another way; null if there is none.
  const MemoryAccess* match(const Accesses& accesses);
  void check_match(const Accesses& accesses);
  std::optional<Exprs> position_of(const MemoryAccess& access) const;
  void take_guards(const Accesses& accesses);
  bool is_within() const;
  bool is_shared(const Expr& guard, const Accesses& accesses) const;
  void guard_bounds();
  /// A loop of which two iterations may have one element; null if there is none.
  AxisPtr find_shared() const;
  void check_distinct() const;
  Expr at(const Expr& expr, llvm::ArrayRef<Expr> position) const;
  Stmt loops_of_copy(const Copy& copy, Names& names) const;
  Stmt moved(const Store& store) const;

  const Preconditions& check_;
  const Facts facts_;
  MemoryAccess first_;
  llvm::SmallVector<AxisRange, 4> loops_;  ///< of the first access; they choose
  llvm::SmallVector<Expr, 4> guards_;      ///< under which an element exists, outermost first
  TensorPtr view_;
  struct Known {
    Exprs indices, position;
  };
  llvm::SmallVector<Known, 4> known_;  ///< in the accesses
};

}  // namespace hone
