#include "ir/analysis/index_span.h"

#include "ir/algebra/assumptions.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/order.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// More would take long, and are no clamp.
constexpr size_t most_cases = 8, most_corners = 4;

/// The whole dimension, where an element that is read chooses the place in it.
std::optional<IndexSpan> whole_dimension(const MemoryAccess& access, size_t dim) {
  const auto extent = as_int(access.tensor->shape[dim]);
  if (!extent || !reads_tensor(access.indices[dim])) return std::nullopt;
  return IndexSpan{Polynomial(), extent};
}

Facts with_loops(Facts facts, const MemoryAccess& access) {
  for (const auto& [axis, extent] : access.inner) facts.add_axis(axis, extent);
  return facts;
}

// ---- Choices ------------------------------------------------------------------------------------

/// A choice, and the condition under which its first operand is the value.
struct Choice {
  Expr expr, condition, first, second;
};

std::optional<Choice> as_choice(const Expr& expr) {
  if (expr.type() != DType::index) return std::nullopt;
  if (const auto* select = llvm::dyn_cast<Select>(expr))
    return Choice{expr, select->condition, select->if_true, select->if_false};
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (!binary) return std::nullopt;
  const Expr &lhs = binary->lhs, &rhs = binary->rhs;
  if (binary->op == BinaryOp::min) return Choice{expr, lhs <= rhs, lhs, rhs};
  if (binary->op == BinaryOp::max) return Choice{expr, lhs >= rhs, lhs, rhs};
  return std::nullopt;
}

std::optional<Choice> find_choice(const Expr& expr) {
  std::optional<Choice> found;
  walk(expr, [&](const Expr& part) {
    if (!found) found = as_choice(part);
  });
  return found;
}

/// The index of an access, under further guards.
struct Case {
  const MemoryAccess* access;
  Expr index;
  std::optional<IndexSpan> span;
  llvm::SmallVector<Expr, 2> guards;  ///< those of the access among them
};

/// The same with `value` in the place of the choice.
Case chosen(const Case& of, const Choice& choice, const Expr& value, const Expr& condition) {
  Case result = of;
  result.index = transform(
      of.index, [&](const Expr& part) { return compare(part, choice.expr) == 0 ? value : Expr(); });
  if (condition.defined()) result.guards.push_back(condition);
  return result;
}

void append_cases(const Case& one, llvm::SmallVectorImpl<Case>& cases) {
  const auto choice = cases.size() < most_cases ? find_choice(one.index) : std::nullopt;
  if (!choice) return cases.push_back(one);
  append_cases(chosen(one, *choice, choice->first, choice->condition), cases);
  append_cases(chosen(one, *choice, choice->second, negated(choice->condition)), cases);
}

IndexSpan span_between(const Polynomial& low, const Polynomial& high) {
  const auto last = (high - low).constant();
  return {low, last ? std::optional(*last + 1) : std::nullopt};
}

std::optional<IndexSpan> span_of_value(const Expr& index, const MemoryAccess& access) {
  const Facts inner = with_loops({}, access);
  const Polynomial value = Polynomial::of(index);
  const auto low = lower_bound(value, inner), high = upper_bound(value, inner);
  if (!low || !high) return std::nullopt;
  return span_between(*low, *high);
}

/// The access as it is where its index has a constant number of values; else case by case.
llvm::SmallVector<Case, 2> cases_of(const MemoryAccess& access, size_t dim) {
  const Case whole{&access, access.indices[dim], span_of(access, dim), access.guards};
  if (whole.span && whole.span->extent) return {whole};
  llvm::SmallVector<Case, 2> cases;
  append_cases(whole, cases);
  if (cases.size() > 1)
    for (Case& one : cases) one.span = span_of_value(one.index, access);
  return cases;
}

// ---- Corners ------------------------------------------------------------------------------------

/// The places from the first to the last, counted from a corner.
struct Places {
  int64_t first, last;
};

/// Nothing tells more about the index than its span does.
bool is_plain(const Case& one) {
  const auto is_constant = [](const AxisRange& range) { return as_int(range.second).has_value(); };
  return one.span && one.guards.empty() && !reads_tensor(one.index) &&
         llvm::all_of(one.access->inner, is_constant);
}

/// A case with what holds there, beside the facts around.
struct GuardedCase {
  explicit GuardedCase(const Case& one)
      : access(*one.access), index(one.index), inner(with_loops({}, access)), facts(inner) {
    for (const Expr& guard : one.guards) facts.assume(guard);
    assumptions = assumptions_of(facts);
  }

  const MemoryAccess& access;
  Expr index;
  Facts inner, facts;  ///< those of loops alone, and those of guards, too
  Assumptions assumptions;
};

class Corner {
 public:
  Corner(const Polynomial& base, const Facts& around) : base_(base), around_(around) {}

  /// Of a case whose span has a constant extent, as many places from the corner.
  std::optional<Places> places(const IndexSpan& span) const {
    const auto first = span.extent ? (span.low - base_).constant() : std::nullopt;
    return first ? std::optional(Places{*first, *first + *span.extent - 1}) : std::nullopt;
  }

  /// The places of a case that its guards tell, or that lie within `known`.
  std::optional<Places> guarded_places(const Case& one, std::optional<Places> known) const {
    if (const auto own = is_plain(one) ? places(*one.span) : std::nullopt) return own;
    const GuardedCase guarded(one);
    const auto first = bound(guarded, -1, known ? std::optional(known->first) : std::nullopt);
    const auto last = bound(guarded, 1, known ? std::optional(known->last) : std::nullopt);
    if (!first || !last) return std::nullopt;
    return Places{*first, *last};
  }

 private:
  /// The last place (with a side of 1), or the first one (-1), that the index may have: the best of
  /// what a bound of it, or of it and what a guard leaves, says; or `known`, where that is proved.
  std::optional<int64_t> bound(const GuardedCase& one, int64_t side,
                               std::optional<int64_t> known) const {
    const Polynomial index = Polynomial::of(one.index);
    std::optional<int64_t> best;
    const auto take = [&](const Polynomial& value) {
      const auto end = side > 0 ? upper_bound(value, one.inner) : lower_bound(value, one.inner);
      const auto place = end ? (*end - base_).constant() : std::nullopt;
      if (place && (!best || *place * side < *best * side)) best = place;
    };
    take(index);
    for (const auto* list : {&one.assumptions.general, &one.assumptions.over_params})
      for (const Polynomial& slack : *list) take(index + slack * side);
    const bool is_within = best && known && *best * side <= *known * side;
    if (known && !is_within && proves_within(one, *known, side)) return known;
    return best;
  }

  bool proves_within(const GuardedCase& one, int64_t place, int64_t side) const {
    Facts facts = with_loops(around_, one.access);
    for (const Expr& condition : one.facts.conditions()) facts.assume(condition);
    const Expr end = (base_ + place).to_expr();
    return proves(side > 0 ? one.index <= end : one.index >= end, facts);
  }

  const Polynomial base_;
  const Facts& around_;
};

Places hull(const Places& lhs, const Places& rhs) {
  return {std::min(lhs.first, rhs.first), std::max(lhs.last, rhs.last)};
}

/// The span of all cases from the corner of one; the first access that has no place there, where
/// there is one.
const MemoryAccess* collect(llvm::ArrayRef<Case> cases, const Corner& corner, Places& all) {
  llvm::SmallVector<const Case*, 4> others;
  for (const Case& one : cases) {
    const auto places = one.span ? corner.places(*one.span) : std::nullopt;
    if (places)
      all = hull(all, *places);
    else
      others.push_back(&one);
  }
  for (const Case* one : others) {
    const auto places = corner.guarded_places(*one, all);
    if (!places) return one->access;
    all = hull(all, *places);
  }
  return nullptr;
}

/// `span` without the places in it that guards and the ends of the tensor keep the cases from,
/// where these are half of it or more. Fewer stay: values beyond the ends of a tensor save guards.
IndexSpan without_unused(const IndexSpan& span, llvm::ArrayRef<Case> cases, size_t dim,
                         const Facts& facts) {
  const Corner corner(span.low, facts);
  std::optional<Places> used;
  for (const Case& one : cases) {
    const auto places = corner.guarded_places(one, std::nullopt);
    if (!places) return span;
    used = used ? hull(*used, *places) : *places;
  }
  used = Places{std::max<int64_t>(used->first, 0), std::min(used->last, *span.extent - 1)};
  const auto start = span.low.constant(), size = as_int(cases.front().access->tensor->shape[dim]);
  if (start) used->first = std::max(used->first, -*start);
  if (start && size) used->last = std::min(used->last, *size - 1 - *start);
  const int64_t extent = used->last - used->first + 1;
  if (extent < 1 || extent * 2 > *span.extent) return span;
  return {span.low + used->first, extent};
}

/// True of a span of elements that are read one by one.
bool may_shrink(const IndexSpan& span, llvm::ArrayRef<const MemoryAccess*> accesses) {
  const auto changes = [](const MemoryAccess* access) { return access->writes || access->copy; };
  return *span.extent != 1 && accesses.size() <= most_cases && llvm::none_of(accesses, changes);
}

}  // namespace

std::optional<IndexSpan> span_of(const MemoryAccess& access, size_t dim) {
  const auto is_own = [&](const TensorPtr& tensor) {
    return tensor->scope != Scope::global && reads(access.indices[dim], tensor);
  };
  if (llvm::any_of(access.changing, is_own)) return whole_dimension(access, dim);
  const auto span = span_of_value(access.indices[dim], access);
  return span ? span : whole_dimension(access, dim);
}

std::optional<IndexSpan> common_span(llvm::ArrayRef<const MemoryAccess*> accesses, size_t dim,
                                     const Facts& facts, bool is_whole,
                                     const MemoryAccess*& apart) {
  llvm::SmallVector<Case, 8> cases;
  for (const MemoryAccess* access : accesses) llvm::append_range(cases, cases_of(*access, dim));
  llvm::SmallVector<Polynomial, 4> tried;
  apart = accesses.front();
  for (const Case& one : cases) {
    if (!one.span || !one.span->extent) continue;
    const Polynomial& base = one.span->low;
    const auto is_same = [&](const Polynomial& corner) {
      return (corner - base).constant().has_value();
    };
    if (llvm::any_of(tried, is_same)) continue;
    if (tried.size() == most_corners) break;
    tried.push_back(base);
    Places all{0, *one.span->extent - 1};
    const MemoryAccess* outside = collect(cases, Corner(base, facts), all);
    if (!outside) {
      const IndexSpan span{base + all.first, all.last - all.first + 1};
      const bool shrinks = !is_whole && may_shrink(span, accesses);
      return shrinks ? without_unused(span, cases, dim, facts) : span;
    }
    if (tried.size() == 1) apart = outside;
  }
  return std::nullopt;
}

}  // namespace hone
