// Index expressions read from text, with the loops and guards around them, and their values for
// all small sizes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/algebra/facts.h"

namespace hone {

/// The values of params and axes by name.
using Assignment = std::map<std::string, int64_t>;

class IndexScope {
 public:
  /// `around` holds the heads of loops, guards and lets: "for i in 0..N", "if (i < M)",
  /// "let j = i / 4". `exprs` may mention their axes, the params K, M, N and P, and the tensor
  /// A: i32[64].
  IndexScope(const std::vector<std::string>& around, const std::vector<std::string>& exprs);

  const Facts& facts() const { return facts_; }
  const Expr& operator[](size_t n) const { return exprs_[n]; }
  const AxisNode* axis(llvm::StringRef name) const;

  /// Calls `use` for all iterations at which the guards hold, with the params that are mentioned
  /// from 0 to `largest`.
  void for_each_assignment(int64_t largest,
                           const std::function<void(const Assignment&)>& use) const;

 private:
  void enumerate(const Stmt& stmt, Assignment& values,
                 const std::function<void(const Assignment&)>& use) const;

  Function function_;
  Facts facts_;
  std::vector<Expr> exprs_;
};

/// The value of an operator that is neither && nor ||, which it has: a divisor is not 0.
int64_t value_of(BinaryOp op, int64_t lhs, int64_t rhs);

/// The value of an index or a bool; nothing where a division by less than 1 or of less than 0 is
/// evaluated, or where the expression reads a tensor.
std::optional<int64_t> value_of(const Expr& expr, const Assignment& values);

}  // namespace hone
