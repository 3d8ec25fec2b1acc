// The order in which the terms of sums are added, which decides the bits of a float's sum.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// A loop around an update whose iterations bring terms, or parts, of one element.
struct OrderLevel {
  Stmt loop;
  const Opcode* opcode = nullptr;  ///< an instruction that adds up the terms in an order of its own
  const Let* turn = nullptr;       ///< the value that the loop's axis stands for: not its own order

  const For& node() const { return *llvm::cast<For>(loop); }
  /// The way in which iterations that run at once put their parts together.
  const CombineLevels& combine() const { return node().binding.combine; }
  bool is_in_order() const { return !combine() && !opcode && !turn; }
};

/// An update of a tensor whose result depends on the order of terms: no integer, and neither a
/// maximum nor a minimum.
struct SumOrder {
  Stmt update;                              ///< the Store
  llvm::SmallVector<OrderLevel, 4> levels;  ///< from the innermost loop outwards
  llvm::SmallVector<Expr, 2> conditions;    ///< on params: other sizes run other updates

  const Store& store() const { return *llvm::cast<Store>(update); }
  /// A product is added without being rounded, as compilers of CUDA make it.
  bool is_fused() const;
  /// The loop whose parts are added as they come, in an order that differs from run to run; null
  /// where there is none.
  const For* by_arrival() const;
};

/// The updates of a function, in the order of the text. A tensor that is allocated in a loop has
/// sums of its own in each iteration, which that loop is no level of.
std::vector<SumOrder> sum_orders(const Function& function);

/// The names of the params that orders depend on, each once: those of extents and conditions.
std::vector<std::string> params_of_orders(llvm::ArrayRef<SumOrder> orders);

/// The update, and below it a line for each level:
///
///   C.reg += A * B, in f32, products not rounded
///     k.1: 16 terms in order
///     k.0: (K + 15) / 16 terms in order
std::string to_string(const SumOrder& order);

}  // namespace hone
