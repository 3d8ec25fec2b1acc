// The update of a tensor, and the loops and guards between it and its nest.
#pragma once

#include "ir/schedule/legality/preconditions.h"
#include "ir/traverse/rename.h"

namespace hone {

/// A loop or a guard around an update. Lets are written out.
struct Level {
  const For* loop = nullptr;
  Expr guard = {};
  bool is_inside = false;  ///< of the outermost loop of the reduction, or that itself

  bool is_reduction() const { return is_inside && loop && loop->is_reduction(); }
};

/// A tensor that is reduced over loops which hold nothing but its update.
struct Accumulation {
  Stmt root;                           ///< the nest
  const For* outermost;                ///< of the loops of the reduction
  llvm::SmallVector<Level, 8> levels;  ///< from the nest inwards
  const Store* update;                 ///< as it stands
  llvm::SmallVector<Expr, 4> indices;  ///< without lets
  Expr value;

  /// The loops that are not the reduction's.
  llvm::SmallVector<const For*, 4> spatial_loops() const;
  /// True if the value of an expression differs between iterations of the reduction.
  bool varies(const Expr& expr) const;
  /// True if a loop or a guard decides which values are combined. The others decide which elements
  /// there are.
  bool is_of_value(const Level& level) const;
  /// The element: "S[i]".
  std::string element_text() const;
};

/// The update of `tensor` under the loop at `site`. Refuses a loop that holds anything else, an
/// update whose order counts, and parts of tensors.
Accumulation find_accumulation(const Preconditions& check, const Site& site,
                               const TensorNode& tensor);

/// Refuses an update of which the loops `repeated` come to an element twice, or come to one that
/// there may not be. `facts` hold around partial results, one for each iteration of `loop` and each
/// element.
void check_elements(const Preconditions& check, const Accumulation& sum,
                    llvm::ArrayRef<const For*> repeated, const Facts& facts, const For& loop);

/// Refuses an element that there may not be where the reduction has no values.
[[noreturn]] void refuse_missing_element(const Preconditions& check, const Accumulation& sum,
                                         unsigned dim);

/// `body` in the loop or under the guard.
Stmt around(const Level& level, const Stmt& body);
/// The same in a spatial loop of its own, whose axis has the old name with the suffix.
Stmt repeated(const Level& level, const Stmt& body, llvm::StringRef suffix, Names& names,
              const Binding& binding = {});

/// `body` with a tensor that lives in all of it, after those that do already.
Stmt with_temporary(const Stmt& body, const TensorPtr& tensor);

}  // namespace hone
