#include "ir/analysis/reach.h"

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/digits.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace {

/// An axis that takes all values of 0..count, whatever the other ones are.
struct Counter {
  AxisPtr axis;
  Polynomial count;
  bool is_used = false;  ///< in a number, or an index: in another one it would not be free
};

/// stride * (0..count)
struct Part {
  Polynomial stride, count;
};

class Reach {
 public:
  Reach(const MemoryAccess& access, const Facts& known)
      : access_(access), named_(access), known_(known), is_cut_(access.guards.size()) {}

  bool all() {
    for (const auto& [axis, extent] : access_.inner)
      counters_.push_back({axis, Polynomial::of(extent)});
    return name_all_digits() && reaches_shape() && guards_keep_all();
  }

 private:
  /// Gives quotients and remainders counters of their own.
  bool name_all_digits() {
    MemoryAccess other = access_;
    digits_ = name_digits(named_, other, known_);
    for (const Digits& digits : digits_) {
      const auto is_remainder = [&](const auto& range) { return range.first == digits.remainder; };
      const Expr divisor = llvm::find_if(named_.inner, is_remainder)->second;
      if (!add_digits(digits, divisor)) return false;
    }
    return true;
  }

  bool add_digits(const Digits& digits, const Expr& divisor) {
    auto dividends = count_of(digits.dividend);
    const Polynomial base = Polynomial::of(divisor);
    if (!dividends || !is_no_zero(divisor)) return false;
    *dividends = cut(digits.dividend, *dividends);
    const Expr count = dividends->to_expr();
    const bool has_all = proves_non_negative(*dividends - base, known_);
    const bool has_few = proves_non_negative(base - *dividends, known_);
    if (is_mentioned(digits.remainder)) {
      if (is_mentioned(digits.quotient))
        counters_.push_back({digits.quotient, simplified(count / divisor)});
      else if (!has_all && !has_few)
        return false;
      const bool is_short = !is_mentioned(digits.quotient) && !has_all;
      counters_.push_back({digits.remainder, is_short ? *dividends : base});
    } else {
      counters_.push_back({digits.quotient, simplified((count + (divisor - 1)) / divisor)});
    }
    return true;
  }

  /// True if the divisor is not 0. If it is also an extent of the tensor, 0 means no elements at
  /// all.
  bool is_no_zero(const Expr& divisor) {
    const auto is_it = [&](const Expr& extent) { return equal(extent, divisor); };
    if (llvm::any_of(access_.tensor->shape, is_it)) known_.assume(divisor >= 1);
    return proves_non_negative(Polynomial::of(divisor) - 1, known_);
  }

  Polynomial simplified(const Expr& expr) const { return Polynomial::of(simplify(expr, known_)); }

  /// Fewer values where a guard says so.
  Polynomial cut(const Expr& value, Polynomial count) {
    for (size_t n = 0; n < named_.guards.size(); ++n) {
      const auto* guard = llvm::dyn_cast<Binary>(named_.guards[n]);
      if (!guard || guard->op != BinaryOp::lt || guard->lhs.type() != DType::index) continue;
      const Polynomial bound = Polynomial::of(guard->rhs);
      if (!(Polynomial::of(guard->lhs) == Polynomial::of(value)) || varies(bound) ||
          !proves_non_negative(count - bound, known_))
        continue;
      count = bound;
      is_cut_[n] = true;
    }
    return count;
  }

  /// In an index, or by digits of its own.
  bool is_mentioned(const AxisPtr& axis) const {
    const auto mentions_it = [&](const Expr& expr) { return mentions(expr, axis.get()); };
    return llvm::any_of(named_.indices, mentions_it) ||
           llvm::any_of(digits_, [&](const Digits& one) { return mentions_it(one.dividend); });
  }

  bool varies(const Polynomial& value) const {
    return llvm::any_of(named_.inner,
                        [&](const auto& range) { return value.mentions(range.first.get()); });
  }

  /// The number of values that `value` takes, from 0 on; nothing if it may leave one out.
  std::optional<Polynomial> count_of(const Expr& value) {
    Polynomial rest = Polynomial::of(value);
    llvm::SmallVector<Part, 4> parts;
    for (Counter& counter : counters_) {
      if (!rest.mentions(counter.axis.get())) continue;
      const auto linear = rest.linear_in(counter.axis.get());
      if (!linear || counter.is_used || varies(linear->coefficient)) return std::nullopt;
      counter.is_used = true;
      rest = linear->rest;
      if (counter.count == Polynomial(1)) continue;  // it is always 0
      parts.push_back({linear->coefficient, counter.count});
    }
    return rest.is_zero() ? values_of(parts) : std::nullopt;
  }

  /// Each part continues, or overlaps, those with smaller strides.
  std::optional<Polynomial> values_of(llvm::SmallVectorImpl<Part>& parts) const {
    Polynomial count = 1;
    while (!parts.empty()) {
      auto* next = llvm::find_if(parts, [&](const Part& part) { return part.stride == count; });
      const bool continues = next != parts.end();
      if (!continues)
        next = llvm::find_if(parts, [&](const Part& part) { return overlaps(part, count); });
      if (next == parts.end()) return std::nullopt;
      count = continues ? count * next->count : count + next->stride * (next->count - 1);
      parts.erase(next);
    }
    return count;
  }

  bool overlaps(const Part& part, const Polynomial& count) const {
    return proves_non_negative(count - part.stride, known_) &&
           proves_non_negative(part.stride - 1, known_) &&
           proves_non_negative(part.count - 1, known_);
  }

  bool reaches_shape() {
    for (const auto& [index, extent] : llvm::zip(named_.indices, access_.tensor->shape)) {
      if (is_int(extent, 1) && is_int(index, 0)) continue;
      const auto count = count_of(index);
      if (!count || !proves_non_negative(*count - Polynomial::of(extent), known_)) return false;
    }
    return true;
  }

  /// Elements that exist pass the guards.
  bool guards_keep_all() const {
    Facts facts = known_;
    for (const auto& [axis, extent] : access_.inner) facts.add_axis(axis, extent);
    for (const auto& [index, extent] : llvm::zip(access_.indices, access_.tensor->shape))
      facts.assume(index < extent);
    for (size_t n = 0; n < access_.guards.size(); ++n)
      if (!is_cut_[n] && !proves(access_.guards[n], facts)) return false;
    return true;
  }

  const MemoryAccess& access_;
  MemoryAccess named_;  ///< with axes for quotients and remainders
  llvm::SmallVector<Digits, 2> digits_;
  Facts known_;
  llvm::SmallVector<Counter, 8> counters_;
  llvm::SmallVector<bool, 4> is_cut_;  ///< guards that counts take into account
};

}  // namespace

bool reaches_all(const MemoryAccess& access, const Facts& known) {
  return Reach(access, known).all();
}

}  // namespace hone
