#include "ir/order.h"

#include <cstring>
#include <functional>

#include "ir/visit.h"

namespace hone {
namespace {

template <class Value>
int compare_values(const Value& lhs, const Value& rhs) {
  return lhs < rhs ? -1 : rhs < lhs;
}

uint64_t bits(double value) {
  uint64_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

int compare_axes(const AxisPtr& lhs, const AxisPtr& rhs) {
  if (lhs == rhs) return 0;
  if (const int order = lhs->name.compare(rhs->name)) return order;
  return std::less<const AxisNode*>()(lhs.get(), rhs.get()) ? -1 : 1;
}

/// What a node holds besides its operands, against another node of the same kind.
int compare_data(const Expr& lhs, const Expr& rhs) {
  return visit(
      lhs,
      [&](const IntConst& n) { return compare_values(n.value, llvm::cast<IntConst>(rhs)->value); },
      [&](const FloatConst& n) {
        return compare_values(bits(n.value), bits(llvm::cast<FloatConst>(rhs)->value));
      },
      [&](const AxisRef& n) { return compare_axes(n.axis, llvm::cast<AxisRef>(rhs)->axis); },
      [&](const ParamRef& n) {
        return n.param->name.compare(llvm::cast<ParamRef>(rhs)->param->name);
      },
      [&](const ThreadIndex& n) {
        const auto* other = llvm::cast<ThreadIndex>(rhs);
        return compare_values(std::pair(n.space, n.dim), std::pair(other->space, other->dim));
      },
      [&](const Load& n) { return n.tensor->name.compare(llvm::cast<Load>(rhs)->tensor->name); },
      [&](const Unary& n) { return compare_values(n.op, llvm::cast<Unary>(rhs)->op); },
      [&](const Binary& n) { return compare_values(n.op, llvm::cast<Binary>(rhs)->op); },
      [](const Select&) { return 0; }, [](const Cast&) { return 0; },
      [&](const Call& n) { return compare_values(n.intrinsic, llvm::cast<Call>(rhs)->intrinsic); });
}

llvm::SmallVector<const Expr*, 4> operands(const Expr& expr) {
  llvm::SmallVector<const Expr*, 4> result;
  for_each_operand(expr, [&](const Expr& operand) { result.push_back(&operand); });
  return result;
}

int compare_operands(const Expr& lhs, const Expr& rhs) {
  const auto left = operands(lhs), right = operands(rhs);
  for (auto [l, r] : llvm::zip(left, right))
    if (const int order = compare(*l, *r)) return order;
  return compare_values(left.size(), right.size());
}

}  // namespace

int compare(const Expr& lhs, const Expr& rhs) {
  if (lhs.same_as(rhs)) return 0;
  if (const int order = compare_values(lhs.kind(), rhs.kind())) return order;
  if (const int order = compare_values(lhs.type(), rhs.type())) return order;
  if (const int order = compare_data(lhs, rhs)) return order;
  return compare_operands(lhs, rhs);
}

}  // namespace hone
