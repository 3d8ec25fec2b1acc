#include "ir/analysis/digits.h"

#include "ir/algebra/polynomial.h"
#include "ir/order.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// More would be an index that no schedule makes.
constexpr size_t most_digits = 8;

bool is_inner(const AxisNode* axis, const MemoryAccess& access) {
  return llvm::any_of(access.inner, [&](const auto& range) { return range.first.get() == axis; });
}

bool has_inner_axis(const Expr& expr, const MemoryAccess& access) {
  return any_of(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    return reference && is_inner(reference->axis.get(), access);
  });
}

const Binary* as_quotient(const Expr& expr) {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (!binary || binary->type != DType::index) return nullptr;
  return binary->op == BinaryOp::div || binary->op == BinaryOp::mod ? binary : nullptr;
}

/// An innermost quotient or remainder of a varying value by a fixed one; null if there is none.
const Binary* find_quotient(const MemoryAccess& access) {
  const Binary* found = nullptr;
  for (const Expr& index : access.indices)
    walk(index, [&](const Expr& part) {
      const Binary* quotient = found ? nullptr : as_quotient(part);
      if (quotient && has_inner_axis(quotient->lhs, access) && !reads_tensor(quotient->lhs) &&
          !has_inner_axis(quotient->rhs, access) && !reads_tensor(quotient->rhs))
        found = quotient;
    });
  return found;
}

/// The access with the digits' axes in the place of the quotient and the remainder.
void put(const Digits& digits, const Expr& divisor, MemoryAccess& access) {
  const auto replace = [&](const Expr& part) -> Expr {
    const Binary* binary = as_quotient(part);
    if (!binary || compare(binary->lhs, digits.dividend) != 0 || compare(binary->rhs, divisor) != 0)
      return {};
    return AxisRef::make(binary->op == BinaryOp::div ? digits.quotient : digits.remainder);
  };
  for (Expr& index : access.indices) index = transform(index, replace);
  for (Expr& guard : access.guards) guard = transform(guard, replace);
}

}  // namespace

llvm::SmallVector<Digits, 2> name_digits(MemoryAccess& lhs, MemoryAccess& rhs, const Facts& known) {
  llvm::SmallVector<Digits, 2> result;
  while (result.size() < most_digits) {
    const Binary* quotient = find_quotient(lhs);
    if (!quotient) break;
    const Expr dividend = quotient->lhs, divisor = quotient->rhs;
    Facts facts = known;
    for (const auto& [axis, extent] : lhs.inner) facts.add_axis(axis, extent);
    const auto highest = upper_bound(Polynomial::of(dividend / divisor), facts);
    if (!highest) break;
    const Digits digits{dividend, make_variable(), make_variable()};
    for (MemoryAccess* access : {&lhs, &rhs}) {
      put(digits, divisor, *access);
      access->inner.push_back({digits.quotient, (*highest + 1).to_expr()});
      access->inner.push_back({digits.remainder, divisor});
    }
    result.push_back(digits);
  }
  return result;
}

}  // namespace hone
