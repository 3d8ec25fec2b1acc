#include "ir/analysis/digits.h"

#include <array>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/algebra/sum.h"
#include "ir/traverse/order.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// More would be an index that no schedule makes.
constexpr size_t most_digits = 32;

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

/// The quotients and remainders of a varying value by a fixed one that have none in them.
llvm::SmallVector<const Binary*, 8> innermost_quotients(const MemoryAccess& access) {
  const auto is_one = [&](const Expr& part) {
    const Binary* quotient = as_quotient(part);
    return quotient && has_inner_axis(quotient->lhs, access) && !reads_tensor(quotient->lhs) &&
           !has_inner_axis(quotient->rhs, access) && !reads_tensor(quotient->rhs);
  };
  llvm::SmallVector<const Binary*, 8> found;
  for (const Expr& index : access.indices)
    walk(index, [&](const Expr& part) {
      if (is_one(part) && !any_of(as_quotient(part)->lhs, is_one))
        found.push_back(as_quotient(part));
    });
  return found;
}

/// number / low % (high / low): the digits between two radices, of which `low` divides `high`.
struct Slice {
  Product low = {};
  std::optional<Product> high = {};  ///< nothing: all digits above `low`
};

/// The digits of `number` that `expr` is: x % (m*n) / n are those of x from n to m*n.
std::optional<Slice> slice_of(const Expr& expr, const Expr& number) {
  const Binary* binary = as_quotient(expr);
  if (!binary) return std::nullopt;
  auto slice =
      compare(binary->lhs, number) == 0 ? std::optional(Slice()) : slice_of(binary->lhs, number);
  const auto radix =
      slice ? multiplied(slice->low, Sum::of(binary->rhs).as_product()) : std::nullopt;
  if (!radix || (slice->high && !divided(*slice->high, *radix))) return std::nullopt;
  if (binary->op == BinaryOp::div)
    slice->low = *radix;
  else
    slice->high = *radix;
  return slice;
}

/// A number in the place of all of its digits that lie on one side of `radix`.
class Cut : public Rewriter {
 public:
  Cut(const Expr& number, const Product& radix, const Expr& quotient, const Expr& remainder)
      : number_(number), radix_(radix), quotient_(quotient), remainder_(remainder) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& expr) override {
    const auto slice = slice_of(expr, number_);
    const Expr cut = slice ? cut_of(*slice) : Expr();
    return cut.defined() ? cut : rewrite_operands(expr);
  }

 private:
  /// Null where the radix divides neither end.
  Expr cut_of(const Slice& slice) const {
    const auto high = slice.high ? divided(*slice.high, radix_) : std::nullopt;
    if (slice.high && !high) return {};
    if (!slice.low.is_one()) {
      const auto low = divided(slice.low, radix_);
      return low ? above(*low, high) : Expr();
    }
    return high->is_one() ? remainder_ : above({}, high) * radix_.to_expr() + remainder_;
  }

  /// The digits of the quotient from `low` to `high`.
  Expr above(const Product& low, const std::optional<Product>& high) const {
    const Expr value = low.is_one() ? quotient_ : quotient_ / low.to_expr();
    return high ? value % divided(*high, low)->to_expr() : value;
  }

  const Expr& number_;
  const Product& radix_;
  const Expr &quotient_, &remainder_;
};

/// The smallest radix by which the indices take digits of the number of `quotient`: one that
/// divides the divisor there, and that no other one divides.
Product lowest_radix(const Binary& quotient, llvm::ArrayRef<MemoryAccess*> accesses) {
  Product lowest = Sum::of(quotient.rhs).as_product();
  const auto take = [&](const Product& radix) {
    if (!radix.is_one() && divided(lowest, radix)) lowest = radix;
  };
  for (const MemoryAccess* access : accesses)
    for (const Expr& index : access->indices)
      walk(index, [&](const Expr& part) {
        const auto slice = slice_of(part, quotient.lhs);
        if (!slice) return;
        take(slice->low);
        if (slice->high) take(*slice->high);
      });
  return lowest;
}

/// Names the digits of numbers one after the other.
class Naming {
 public:
  Naming(MemoryAccess& lhs, MemoryAccess& rhs, const Facts& known)
      : accesses_{&lhs, &rhs}, facts_(known) {
    for (const auto& [axis, extent] : lhs.inner) facts_.add_axis(axis, extent);
  }

  llvm::SmallVector<Digits, 2> run() {
    for (size_t n = 0; n < most_digits; ++n) {
      const auto quotients = innermost_quotients(*accesses_[0]);
      if (quotients.empty()) break;
      const auto vanishes = [&](const Binary* quotient) { return take_apart(*quotient); };
      if (!llvm::any_of(quotients, vanishes) && !name(*quotients.front())) break;
    }
    return std::move(digits_);
  }

 private:
  /// Puts what is known of the digits in their place; false where that is nothing. Other numbers'
  /// radices may tell: x*64 + y in front of y % 4 has the digits of x*16 + y / 4 and of y % 4.
  bool take_apart(const Binary& found) {
    if (is_one_digit(found.lhs)) return false;
    const Product lowest = lowest_radix(found, accesses_);
    llvm::SmallVector<Product, 8> radices = {lowest};
    for (const Binary* other : innermost_quotients(*accesses_[0])) {
      const Product radix = Sum::of(other->rhs).as_product();
      if (!radix.is_one() && divided(lowest, radix)) radices.push_back(radix);
    }
    const Expr number = found.lhs;
    return llvm::any_of(radices, [&](const Product& radix) { return take_apart(number, radix); });
  }

  /// An axis that stands for no other value: its quotients are simplified already.
  bool is_one_digit(const Expr& number) const {
    const auto* reference = llvm::dyn_cast<AxisRef>(number);
    return reference && !facts_.value(reference->axis.get()).defined();
  }

  bool take_apart(const Expr& number, const Product& radix) {
    const Expr quotient = simplify(number / radix.to_expr(), facts_);
    const Expr remainder = simplify(number % radix.to_expr(), facts_);
    if (has_digits_of(quotient, number) || has_digits_of(remainder, number)) return false;
    cut(number, radix, quotient, remainder);
    return true;
  }

  static bool has_digits_of(const Expr& expr, const Expr& number) {
    return any_of(expr, [&](const Expr& part) {
      const Binary* quotient = as_quotient(part);
      return quotient && compare(quotient->lhs, number) == 0;
    });
  }

  /// False where the quotient has no bound.
  bool name(const Binary& found) {
    const Expr number = found.lhs;
    const Product radix = lowest_radix(found, accesses_);
    const Expr divisor = radix.to_expr();
    const auto highest = upper_bound(Polynomial::of(number / divisor), facts_);
    if (!highest) return false;
    const Digits digits{number, make_variable(), make_variable()};
    add_axis(digits.quotient, (*highest + 1).to_expr());
    add_axis(digits.remainder, divisor);
    cut(number, radix, AxisRef::make(digits.quotient), AxisRef::make(digits.remainder));
    digits_.push_back(digits);
    return true;
  }

  void add_axis(const AxisPtr& axis, const Expr& extent) {
    facts_.add_axis(axis, extent);
    for (MemoryAccess* access : accesses_) access->inner.push_back({axis, extent});
  }

  void cut(const Expr& number, const Product& radix, const Expr& quotient, const Expr& remainder) {
    Cut cut(number, radix, quotient, remainder);
    for (MemoryAccess* access : accesses_) {
      for (Expr& index : access->indices) index = cut.rewrite(index);
      for (Expr& guard : access->guards) guard = cut.rewrite(guard);
    }
  }

  std::array<MemoryAccess*, 2> accesses_;
  Facts facts_;
  llvm::SmallVector<Digits, 2> digits_;
};

}  // namespace

llvm::SmallVector<Digits, 2> name_digits(MemoryAccess& lhs, MemoryAccess& rhs, const Facts& known) {
  return Naming(lhs, rhs, known).run();
}

}  // namespace hone
