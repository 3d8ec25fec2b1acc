// Formulas over the sizes of a launch: a language that all forms of a contract evaluate.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/interpret/buffer.h"
#include "ir/traverse/equal.h"

namespace hone {

struct ExprHash {
  size_t operator()(const Expr& expr) const { return hash(expr); }
};
struct ExprEqual {
  bool operator()(const Expr& lhs, const Expr& rhs) const { return equal(lhs, rhs); }
};
/// By the structure of expressions.
template <class Value>
using ExprMap = std::unordered_map<Expr, Value, ExprHash, ExprEqual>;

/// The value of a formula over sizes, as all forms of a contract compute it: a value beyond 64 bits
/// is the largest or the smallest number, and stays so in sums, differences and products; a
/// division by 0 is 0. A condition is 0 or 1.
int64_t value_of(const Expr& formula, const Sizes& sizes);

/// A formula that others use by its name, as if it were a size.
struct NamedFormula {
  ParamPtr name;
  Expr formula;
};

/// The sizes, and the values under their names. Each is over sizes and the ones before it.
Sizes with_values(Sizes sizes, llvm::ArrayRef<NamedFormula> values);

/// Builds formulas of named parts, of which none is there twice. Operands are constants, sizes and
/// formulas of the same builder; so large ones are no larger trees.
class Formulas {
 public:
  Expr binary(BinaryOp op, const Expr& lhs, const Expr& rhs);
  /// `if_true` where lhs < rhs.
  Expr where_less(const Expr& lhs, const Expr& rhs, const Expr& if_true, const Expr& if_false);

  /// The named parts that these formulas are made of, in order.
  std::vector<NamedFormula> parts_of(llvm::ArrayRef<Expr> formulas) const;

 private:
  Expr named(const Expr& formula);

  std::vector<NamedFormula> values_;
  ExprMap<Expr> names_;
};

}  // namespace hone
