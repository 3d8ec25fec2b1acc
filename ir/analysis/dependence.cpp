#include "ir/analysis/dependence.h"

#include <numeric>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/digits.h"
#include "ir/analysis/mixed_radix.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Two index polynomials that differ wherever the elements differ.
struct Candidate {
  Polynomial lhs, rhs;
};

/// Facts about the axes between two accesses that touch the same element.
struct Known {
  const Facts& free;  ///< ranges of the axes that may differ
  const Facts& all;   ///< ranges of all axes
};

/// Conditions `value < bound` and `value <= bound` as value <= limit.
struct Limit {
  Polynomial value, limit;
};

void append_limits(const Expr& condition, llvm::SmallVectorImpl<Limit>& limits) {
  const auto* binary = llvm::dyn_cast<Binary>(condition);
  if (!binary) return;
  if (binary->op == BinaryOp::logical_and) {
    append_limits(binary->lhs, limits);
    append_limits(binary->rhs, limits);
  }
  if (binary->lhs.type() != DType::index) return;
  if (binary->op == BinaryOp::lt)
    limits.push_back({Polynomial::of(binary->lhs), Polynomial::of(binary->rhs) - 1});
  if (binary->op == BinaryOp::le)
    limits.push_back({Polynomial::of(binary->lhs), Polynomial::of(binary->rhs)});
}

/// `value` with the part that is a multiple of the limited one replaced by the limit, at least as
/// large; nothing where there is no such part.
std::optional<Polynomial> limited(const Polynomial& value, const Limit& limit,
                                  const MemoryAccess& access, const Known& known) {
  for (const auto& [axis, extent] : access.inner) {
    const auto in_limit = limit.value.linear_in(axis.get()), in_value = value.linear_in(axis.get());
    if (!in_limit || !in_value || !(in_limit->coefficient == Polynomial(1))) continue;
    const Polynomial& factor = in_value->coefficient;
    if (factor.is_zero() || !proves_non_negative(factor, known.all)) continue;
    return value - factor * limit.value + factor * limit.limit;
  }
  return std::nullopt;
}

/// True if `suffices` is true of an upper bound of `value`, an index of the access: a bound from
/// the ranges of the axes, or from a guard.
bool any_upper_bound(const Polynomial& value, const MemoryAccess& access, const Known& known,
                     llvm::function_ref<bool(const Polynomial&)> suffices) {
  const auto helps = [&](const Polynomial& candidate) {
    const auto bound = upper_bound(candidate, known.free);
    return bound && suffices(*bound);
  };
  if (helps(value)) return true;
  llvm::SmallVector<Limit, 4> limits;
  for (const Expr& guard : access.guards) append_limits(guard, limits);
  return llvm::any_of(limits, [&](const Limit& limit) {
    const auto replaced = limited(value, limit, access, known);
    return replaced && helps(*replaced);
  });
}

/// True if an axis that may differ between the accesses occurs in the term.
bool varies(const Polynomial::Term& term, const Known& known) {
  const auto is_free = [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    return reference && known.free.extent(reference->axis.get()).defined();
  };
  return llvm::any_of(term.atoms, [&](const Expr& atom) { return any_of(atom, is_free); });
}

bool varies(const Polynomial& value, const Known& known) {
  return llvm::any_of(value.terms(),
                      [&](const Polynomial::Term& term) { return varies(term, known); });
}

/// The greatest common divisor of a number and the coefficients of those terms that vary, or of
/// those that do not.
int64_t common_divisor(int64_t divisor, const Polynomial& value, const Known& known, bool varying) {
  for (const Polynomial::Term& term : value.terms())
    if (varies(term, known) == varying) divisor = std::gcd(divisor, term.coefficient);
  return divisor;
}

/// The range of a value; nothing where that is not constant, or too large to reckon with.
std::optional<std::pair<int64_t, int64_t>> constant_range(const Polynomial& value,
                                                          const Known& known) {
  constexpr int64_t most = int64_t{1} << 40;
  const auto low = lower_bound(value, known.free), high = upper_bound(value, known.free);
  const auto lowest = low ? low->constant() : std::nullopt;
  const auto highest = high ? high->constant() : std::nullopt;
  if (!lowest || !highest || *lowest < -most || *highest > most) return std::nullopt;
  return std::pair(*lowest, *highest);
}

/// The terms that vary and are no multiples of `modulus`.
Polynomial small_part(const Polynomial& value, int64_t modulus, const Known& known) {
  Polynomial small;
  for (const Polynomial::Term& term : value.terms())
    if (varies(term, known) && term.coefficient % modulus != 0) small += Polynomial(term);
  return small;
}

/// c*a + s on the left and c*a' + s' on the right, beside multiples of m, differ for a != a' when
/// |s - s'| < c, and all of it is less than m.
bool separates_modulo(int64_t modulus, int64_t step, int64_t extent, const Polynomial::Linear& lhs,
                      const Polynomial::Linear& rhs, const Known& known) {
  const Polynomial difference = lhs.rest - rhs.rest;
  if (common_divisor(modulus, difference, known, false) != modulus) return false;
  const auto left = constant_range(small_part(lhs.rest, modulus, known), known);
  const auto right = constant_range(small_part(rhs.rest, modulus, known), known);
  if (!left || !right) return false;
  const int64_t apart =
      std::max({left->second - right->first, right->second - left->first, int64_t{0}});
  int64_t range = 0;
  return apart < step && !__builtin_mul_overflow(step, extent - 1, &range) &&
         range < modulus - apart;
}

/// c*a + r on the left and c*a' + r' on the right differ for a != a' when their remainders by some
/// modulus do: by a divisor of all that varies in r, or by the factor of a part of it.
bool separates_by_remainder(const AxisNode* axis, const Polynomial::Linear& lhs,
                            const Polynomial::Linear& rhs, const Known& known) {
  const auto step = lhs.coefficient.constant();
  const auto extent = as_int(known.all.extent(axis));
  if (!step || *step <= 0 || !extent || *extent < 1) return false;
  int64_t divisor = common_divisor(0, lhs.rest, known, true);
  divisor = common_divisor(divisor, rhs.rest, known, true);
  divisor = common_divisor(divisor, lhs.rest - rhs.rest, known, false);
  llvm::SmallVector<int64_t, 8> moduli = {divisor};
  for (const Polynomial* rest : {&lhs.rest, &rhs.rest})
    for (const Polynomial::Term& term : rest->terms())
      if (varies(term, known) && std::abs(term.coefficient) > *step)
        moduli.push_back(std::abs(term.coefficient));
  return llvm::any_of(moduli, [&](int64_t modulus) {
    return modulus > 0 && separates_modulo(modulus, *step, *extent, lhs, rhs, known);
  });
}

/// True if the accesses stand under the same guards and loops.
bool same_place(const MemoryAccess& lhs, const MemoryAccess& rhs) {
  const auto same = [](const Expr& x, const Expr& y) { return x.same_as(y); };
  return lhs.inner.size() == rhs.inner.size() &&
         std::equal(lhs.guards.begin(), lhs.guards.end(), rhs.guards.begin(), rhs.guards.end(),
                    same) &&
         llvm::all_of(llvm::zip(lhs.inner, rhs.inner), [](const auto& axes) {
           return std::get<0>(axes).first == std::get<1>(axes).first;
         });
}

/// c*a + r on the left and c*a' + r' on the right differ for a != a' when |r - r'| < c, and c is
/// the same on both sides.
bool separates(const AxisNode* axis, const Candidate& index, const MemoryAccess& lhs_access,
               const MemoryAccess& rhs_access, const Known& known) {
  const auto lhs = index.lhs.linear_in(axis), rhs = index.rhs.linear_in(axis);
  if (!lhs || !rhs || !(lhs->coefficient == rhs->coefficient)) return false;
  if (lhs->coefficient.is_zero() || varies(lhs->coefficient, known)) return false;
  if (separates_by_remainder(axis, *lhs, *rhs, known)) return true;
  const auto lhs_low = lower_bound(lhs->rest, known.free);
  const auto rhs_low = lower_bound(rhs->rest, known.free);
  if (!lhs_low || !rhs_low) return false;
  const bool is_alike = lhs->rest == rhs->rest && same_place(lhs_access, rhs_access);
  const auto below = [&](const Polynomial& value, const MemoryAccess& access, const Polynomial& low,
                         const Polynomial& step) {
    return any_upper_bound(value, access, known, [&](const Polynomial& bound) {
      return proves_non_negative(step - 1 - (bound - low), known.all);
    });
  };
  const auto apart = [&](const Polynomial& step) {
    return below(lhs->rest, lhs_access, *rhs_low, step) &&
           (is_alike || below(rhs->rest, rhs_access, *lhs_low, step));
  };
  const int64_t step = lhs->coefficient.constant().value_or(0);
  return (step >= 0 && apart(lhs->coefficient)) ||
         (step <= 0 && apart(Polynomial(0) - lhs->coefficient));
}

/// The dimensions from `first` on joined as digits of one number, one radix for each but the first.
/// Accesses joined with the same radices differ only where their elements differ.
Polynomial joined(const MemoryAccess& access, size_t first, llvm::ArrayRef<Expr> radices,
                  const Facts& known) {
  Expr value = access.indices[first];
  for (size_t n = 0; n < radices.size(); ++n)
    value = value * radices[n] + access.indices[first + 1 + n];
  return Polynomial::of(simplify(value, known));
}

/// Radices to try for the dimensions first..last: their extents, or for two dimensions one more
/// than the low digit can be.
llvm::SmallVector<llvm::SmallVector<Expr, 4>, 2> radices_of(const MemoryAccess& access,
                                                            size_t first, size_t last,
                                                            const Facts& known) {
  llvm::SmallVector<llvm::SmallVector<Expr, 4>, 2> choices(1);
  for (size_t dim = first + 1; dim <= last; ++dim) choices[0].push_back(access.tensor->shape[dim]);
  if (last != first + 1) return choices;
  if (const auto highest = upper_bound(Polynomial::of(access.indices[last]), known))
    if (const Expr radix = (*highest + 1).to_expr(); !equal(radix, choices[0].front()))
      choices.push_back({radix});
  return choices;
}

/// Numbers that are equal where two accesses touch one element: their indices, and then dimensions
/// joined as digits (mixed-radix uniqueness).
class Candidates {
 public:
  Candidates(const MemoryAccess& lhs, const MemoryAccess& rhs) : lhs_(lhs), rhs_(rhs) {
    for (size_t dim = 0; dim < lhs.indices.size(); ++dim)
      indices_.push_back({Polynomial::of(lhs.indices[dim]), Polynomial::of(rhs.indices[dim])});
  }

  llvm::ArrayRef<Candidate> indices() const { return indices_; }
  /// The facts about all axes must be the same in every call.
  llvm::ArrayRef<Candidate> joins(const Facts& all) {
    if (!joined_) join(all);
    return *joined_;
  }

 private:
  void join(const Facts& all) {
    joined_.emplace();
    for (size_t first = 0; first < indices_.size(); ++first)
      for (size_t last = first + 1; last < indices_.size(); ++last)
        for (const auto& radices : radices_of(lhs_, first, last, all))
          joined_->push_back(
              {joined(lhs_, first, radices, all), joined(rhs_, first, radices, all)});
  }

  const MemoryAccess &lhs_, &rhs_;
  llvm::SmallVector<Candidate, 4> indices_;
  std::optional<llvm::SmallVector<Candidate, 4>> joined_;
};

bool has_axis(llvm::ArrayRef<AxisRange> ranges, const AxisNode* axis) {
  return llvm::any_of(ranges, [&](const AxisRange& range) { return range.first.get() == axis; });
}

/// An access with the loops around it, outermost first, counted as its own. An outer axis is often
/// settled at once and then helps with the inner ones, so that is the order to try them in.
MemoryAccess with_loops(const MemoryAccess& access, llvm::ArrayRef<const For*> loops) {
  MemoryAccess result = access;
  result.inner.clear();
  for (const For* loop : loops)
    if (!has_axis(access.inner, loop->axis.get()))
      result.inner.push_back({loop->axis, loop->extent});
  llvm::append_range(result.inner, access.inner);
  return result;
}

/// Looks for the axes that have one value in all instances of two accesses that touch the same
/// element, one after the other: an axis that is settled helps to settle the next one. Joins take
/// long, so the caller says when it is time for them.
class Search {
 public:
  Search(llvm::ArrayRef<const For*> loops, const MemoryAccess& lhs, const MemoryAccess& rhs,
         const Facts& known, llvm::ArrayRef<Digits> digits)
      : loops_(loops), lhs_(lhs), rhs_(rhs), all_(known), candidates_(lhs, rhs), digits_(digits) {
    for (const MemoryAccess* access : {&lhs, &rhs})
      for (const auto& [axis, extent] : access->inner) all_.add_axis(axis, extent);
    for (const AxisRange& range : lhs.inner)
      if (has_axis(rhs.inner, range.first.get())) open_.push_back(range);
    settle_alone();
  }

  bool is_open(const AxisNode* axis) const { return has_axis(open_, axis); }

  /// Joins dimensions where nothing else helps.
  void settle_by_joins() {
    while (is_asked() && settle_one(candidates_.joins(all_), {})) settle_alone();
  }

 private:
  /// No one asks for the axes inside of the loops.
  bool is_asked() const {
    return llvm::any_of(loops_, [&](const For* loop) { return is_open(loop->axis.get()); });
  }

  void settle_alone() {
    while (is_asked() && settle_one(candidates_.indices(), digits_)) continue;
  }

  bool settle_one(llvm::ArrayRef<Candidate> candidates, llvm::ArrayRef<Digits> numbers) {
    auto* found = llvm::find_if(
        open_, [&](const AxisRange& range) { return separates(range, candidates, numbers); });
    if (found == open_.end()) return false;
    open_.erase(found);
    return true;
  }

  /// True if different values of the axis always lead to different elements.
  bool separates(const AxisRange& range, llvm::ArrayRef<Candidate> candidates,
                 llvm::ArrayRef<Digits> numbers) {
    std::optional<Facts> free;
    const auto helps = [&](const Candidate& candidate) {
      if (!candidate.lhs.mentions(range.first.get())) return false;
      if (!free) free = free_beside(range);
      return hone::separates(range.first.get(), candidate, lhs_, rhs_, {*free, all_});
    };
    return llvm::any_of(candidates, helps) || llvm::any_of(numbers, [&](const Digits& digits) {
             if (is_open(digits.quotient.get()) || is_open(digits.remainder.get())) return false;
             const Polynomial dividend = Polynomial::of(digits.dividend);
             return helps({dividend, dividend});
           });
  }

  /// The axes that may differ between the instances where `candidate` does.
  Facts free_beside(const AxisRange& candidate) const {
    Facts free;
    for (const MemoryAccess* access : {&lhs_, &rhs_})
      for (const AxisRange& range : access->inner) {
        const AxisNode* axis = range.first.get();
        const bool is_shared = has_axis(lhs_.inner, axis) && has_axis(rhs_.inner, axis);
        const bool is_settled = is_shared && !is_open(axis);
        if (!is_settled && range.first != candidate.first) free.add_axis(range.first, range.second);
      }
    return free;
  }

  llvm::ArrayRef<const For*> loops_;
  const MemoryAccess &lhs_, &rhs_;
  Facts all_;
  Candidates candidates_;
  llvm::ArrayRef<Digits> digits_;
  llvm::SmallVector<AxisRange, 8> open_;
};

/// Makes the access another instance, which may read other values of elements that change.
void read_other_values(MemoryAccess& access) {
  for (const TensorPtr& tensor : access.changing) {
    const TensorPtr other = make_tensor("", tensor->type, tensor->shape);
    const auto replaced = [&](const Expr& expr) {
      return transform(expr, [&](const Expr& part) -> Expr {
        const auto* load = llvm::dyn_cast<Load>(part);
        return load && load->tensor == tensor ? Load::make(other, load->indices) : Expr();
      });
    };
    for (Expr& index : access.indices) index = replaced(index);
    for (Expr& guard : access.guards) guard = replaced(guard);
  }
}

}  // namespace

llvm::SmallVector<const For*, 4> unseparated(llvm::ArrayRef<const For*> loops,
                                             const MemoryAccess& first, const MemoryAccess& second,
                                             const Facts& known) {
  if (const auto open = unseparated_by_digits(loops, first, second)) return *open;
  const MemoryAccess lhs = with_loops(first, loops);
  MemoryAccess rhs = with_loops(second, loops);
  read_other_values(rhs);
  llvm::SmallVector<const For*, 4> open(loops.begin(), loops.end());
  const auto drop_settled = [&](const Search& search) {
    llvm::erase_if(open, [&](const For* loop) { return !search.is_open(loop->axis.get()); });
    return open.empty();
  };
  Search plain(loops, lhs, rhs, known, {});
  if (drop_settled(plain)) return open;
  MemoryAccess named_lhs = lhs, named_rhs = rhs;
  const auto digits = name_digits(named_lhs, named_rhs, known);
  std::optional<Search> named;
  if (!digits.empty()) named.emplace(loops, named_lhs, named_rhs, known, digits);
  if (named && drop_settled(*named)) return open;
  plain.settle_by_joins();
  if (drop_settled(plain) || !named) return open;
  named->settle_by_joins();
  drop_settled(*named);
  return open;
}

}  // namespace hone
