#include "ir/traverse/order.h"

#include <cstring>

#include "ir/traverse/visit.h"

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

/// Of two axes, or of two tensors.
template <class Node>
int compare_things(const Node& lhs, const Node& rhs) {
  if (lhs.id == rhs.id) return 0;
  if (const int order = lhs.name.compare(rhs.name)) return order;
  return lhs.id < rhs.id ? -1 : 1;
}

int compare_lists(llvm::ArrayRef<Expr> lhs, llvm::ArrayRef<Expr> rhs) {
  for (auto [left, right] : llvm::zip(lhs, rhs))
    if (const int order = compare(left, right)) return order;
  return compare_values(lhs.size(), rhs.size());
}

int first_of(int major, llvm::function_ref<int()> minor) { return major ? major : minor(); }

/// Two nodes of one kind and type.
int compare_nodes(const Expr& lhs, const Expr& rhs) {
  const auto as = [&]<class Node>(const Node&) -> const Node& {
    return *llvm::cast<Node>(rhs.get());
  };
  return visit(
      lhs, [&](const IntConst& n) { return compare_values(n.value, as(n).value); },
      [&](const FloatConst& n) { return compare_values(bits(n.value), bits(as(n).value)); },
      [&](const AxisRef& n) { return compare_things(*n.axis, *as(n).axis); },
      [&](const ParamRef& n) { return n.param->name.compare(as(n).param->name); },
      [&](const ThreadIndex& n) {
        return compare_values(std::pair(n.space, n.dim), std::pair(as(n).space, as(n).dim));
      },
      [&](const Load& n) {
        return first_of(compare_things(*n.tensor, *as(n).tensor),
                        [&] { return compare_lists(n.indices, as(n).indices); });
      },
      [&](const Unary& n) {
        return first_of(compare_values(n.op, as(n).op),
                        [&] { return compare(n.operand, as(n).operand); });
      },
      [&](const Binary& n) {
        if (const int order = compare_values(n.op, as(n).op)) return order;
        return first_of(compare(n.lhs, as(n).lhs), [&] { return compare(n.rhs, as(n).rhs); });
      },
      [&](const Select& n) {
        if (const int order = compare(n.condition, as(n).condition)) return order;
        return first_of(compare(n.if_true, as(n).if_true),
                        [&] { return compare(n.if_false, as(n).if_false); });
      },
      [&](const Cast& n) { return compare(n.operand, as(n).operand); },
      [&](const Call& n) {
        return first_of(compare_values(n.intrinsic, as(n).intrinsic),
                        [&] { return compare_lists(n.arguments, as(n).arguments); });
      },
      [&](const MakeTuple& n) { return compare_lists(n.components, as(n).components); },
      [&](const Component& n) {
        return first_of(compare_values(n.position, as(n).position),
                        [&] { return compare(n.tuple, as(n).tuple); });
      },
      [&](const Shuffle& n) {
        if (const int order = compare_values(n.mode, as(n).mode)) return order;
        return compare_lists({n.value, n.offset, n.lanes},
                             {as(n).value, as(n).offset, as(n).lanes});
      },
      [](const Named&) -> int { llvm_unreachable("compares by its value"); });
}

}  // namespace

int compare(const Expr& lhs, const Expr& rhs) {
  if (lhs.same_as(rhs)) return 0;
  if (const auto* named = llvm::dyn_cast<Named>(lhs)) return compare(named->value, rhs);
  if (const auto* named = llvm::dyn_cast<Named>(rhs)) return compare(lhs, named->value);
  if (const int order = compare_values(lhs.kind(), rhs.kind())) return order;
  if (const int order = compare_values(lhs.type(), rhs.type())) return order;
  return compare_nodes(lhs, rhs);
}

bool is_same(const Expr& lhs, const Expr& rhs) {
  const auto *left = llvm::dyn_cast<AxisRef>(lhs), *right = llvm::dyn_cast<AxisRef>(rhs);
  return left && right ? left->axis->id == right->axis->id : compare(lhs, rhs) == 0;
}

}  // namespace hone
