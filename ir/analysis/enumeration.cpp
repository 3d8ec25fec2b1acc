#include "ir/analysis/enumeration.h"

#include <map>

#include "ir/algebra/polynomial.h"
#include "ir/scalar/scalar.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

constexpr int64_t most_iterations = 1 << 16;

using Values = llvm::DenseMap<const AxisNode*, int64_t>;

int64_t value_of(const Expr& expr, const Values& values) {
  if (const auto constant = as_int(expr)) return *constant;
  if (const auto* axis = llvm::dyn_cast<AxisRef>(expr)) return values.lookup(axis->axis.get());
  const auto& binary = *llvm::cast<Binary>(expr.get());
  return apply(binary.op, Scalar::of_int(DType::index, value_of(binary.lhs, values)),
               Scalar::of_int(DType::index, value_of(binary.rhs, values)))
      .integer;
}

struct Loop {
  const AxisNode* axis;
  int64_t extent;
};

/// An access as numbers over its loops, without the part that is the same for all of them.
struct Numbered {
  llvm::SmallVector<Loop, 6> loops;  ///< the axis that is asked about comes first
  llvm::SmallVector<Polynomial, 4> fixed;
  llvm::SmallVector<Expr, 4> moving;
};

/// True if `expr` consists of integers and the axes of `loops`.
bool is_numeric(const Expr& expr, llvm::ArrayRef<Loop> loops) {
  if (as_int(expr)) return true;
  if (const auto* axis = llvm::dyn_cast<AxisRef>(expr))
    return llvm::any_of(loops, [&](const Loop& loop) { return loop.axis == axis->axis.get(); });
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  return binary && binary->type == DType::index && is_numeric(binary->lhs, loops) &&
         is_numeric(binary->rhs, loops);
}

bool moves(const Polynomial::Term& term, llvm::ArrayRef<Loop> loops) {
  return llvm::any_of(term.atoms, [&](const Expr& atom) {
    return llvm::any_of(loops, [&](const Loop& loop) { return mentions(atom, loop.axis); });
  });
}

std::optional<Numbered> numbered(const AxisPtr& axis, int64_t extent, const MemoryAccess& access) {
  Numbered result;
  result.loops.push_back({axis.get(), extent});
  int64_t iterations = extent;
  for (const auto& [inner, inner_extent] : access.inner) {
    const auto count = as_int(inner_extent);
    if (!count || __builtin_mul_overflow(iterations, *count, &iterations)) return std::nullopt;
    result.loops.push_back({inner.get(), *count});
  }
  if (iterations > most_iterations) return std::nullopt;
  for (const Expr& index : access.indices) {
    Polynomial fixed, moving;
    const Polynomial polynomial = Polynomial::of(index);
    for (const Polynomial::Term& term : polynomial.terms()) {
      Polynomial& part = moves(term, result.loops) ? moving : fixed;
      part = part + Polynomial(term);
    }
    result.fixed.push_back(fixed);
    result.moving.push_back(moving.to_expr());
    if (!is_numeric(result.moving.back(), result.loops)) return std::nullopt;
  }
  return result;
}

/// Calls `use` with the element of every iteration until it says no.
class Enumeration {
 public:
  using Element = std::vector<int64_t>;

  explicit Enumeration(const Numbered& access) : access_(access) {}

  bool all_of(llvm::function_ref<bool(int64_t iteration, const Element&)> holds) {
    return run(0, holds);
  }

 private:
  bool run(size_t depth, llvm::function_ref<bool(int64_t, const Element&)> holds) {
    if (depth == access_.loops.size()) {
      Element element;
      for (const Expr& index : access_.moving) element.push_back(value_of(index, values_));
      return holds(values_.lookup(access_.loops.front().axis), element);
    }
    for (int64_t n = 0; n < access_.loops[depth].extent; ++n) {
      values_[access_.loops[depth].axis] = n;
      if (!run(depth + 1, holds)) return false;
    }
    return true;
  }

  const Numbered& access_;
  Values values_;
};

}  // namespace

bool enumeration_separates(const AxisPtr& axis, const Expr& extent, const MemoryAccess& lhs,
                           const MemoryAccess& rhs) {
  const auto count = as_int(extent);
  if (!count) return false;
  const auto left = numbered(axis, *count, lhs), right = numbered(axis, *count, rhs);
  if (!left || !right) return false;
  for (size_t dim = 0; dim < left->fixed.size(); ++dim)
    if (!(left->fixed[dim] == right->fixed[dim])) return false;
  try {
    std::map<Enumeration::Element, int64_t> owners;
    Enumeration(*left).all_of([&](int64_t iteration, const Enumeration::Element& element) {
      owners.try_emplace(element, iteration);
      return true;
    });
    const auto is_owner = [&](int64_t iteration, const Enumeration::Element& element) {
      const auto owner = owners.find(element);
      return owner == owners.end() || owner->second == iteration;
    };
    // An element of two iterations on the left belongs to the first, which the second finds.
    return Enumeration(*left).all_of(is_owner) && Enumeration(*right).all_of(is_owner);
  } catch (const ArithmeticError&) {
    return false;
  }
}

}  // namespace hone
