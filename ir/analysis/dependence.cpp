#include "ir/analysis/dependence.h"

#include "fmt/format.h"
#include "ir/polynomial.h"
#include "ir/printer.h"
#include "ir/rewriter.h"
#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

class Collector {
 public:
  Accesses run(const Stmt& stmt) {
    visit_stmt(stmt);
    return std::move(accesses_);
  }

 private:
  void visit_stmt(const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      inner_.push_back({loop->axis, loop->extent});
      visit_stmt(loop->body);
      inner_.pop_back();
      return;
    }
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      visit_expr(stmt, branch->condition);
      guards_.push_back(branch->condition);
      visit_stmt(branch->body);
      guards_.pop_back();
      return;
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      visit_expr(stmt, let->value);
      lets_.push_back({let->axis.get(), let->value});
      visit_stmt(let->body);
      lets_.pop_back();
      return;
    }
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return visit_copy(stmt, *copy);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) local_.push_back(alloc->tensor.get());
    for_each_operand(
        stmt, [&](const Expr& expr) { visit_expr(stmt, expr); },
        [&](const Stmt& nested) { visit_stmt(nested); });
    if (const auto* store = llvm::dyn_cast<Store>(stmt))
      add({store->tensor, store->indices, true, store->update, stmt, inner_, guards_});
  }

  void visit_expr(const Stmt& stmt, const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part))
        add({load->tensor, load->indices, false, Update::set, stmt, inner_, guards_});
    });
  }

  void visit_copy(const Stmt& stmt, const Copy& copy) {
    add(region_access(stmt, copy.source, false));
    add(region_access(stmt, copy.destination, true));
  }

  /// The elements of a region, as an access under one more loop per range.
  MemoryAccess region_access(const Stmt& stmt, const Region& region, bool writes) {
    MemoryAccess access{region.tensor, {}, writes, Update::set, stmt, inner_, guards_};
    for (const Range& range : region.ranges) {
      if (range.is_point()) {
        access.indices.push_back(range.offset);
        continue;
      }
      // Atoms compare by name: each dimension has its own, which no axis of a program can have.
      const AxisPtr axis =
          make_axis(fmt::format("dimension {}", access.indices.size()), AxisKind::spatial);
      access.inner.push_back({axis, range.extent});
      access.indices.push_back(range.offset + AxisRef::make(axis));
    }
    return access;
  }

  void add(MemoryAccess access) {
    if (llvm::is_contained(local_, access.tensor.get())) return;
    for (const auto& [axis, value] : llvm::reverse(lets_)) {
      for (Expr& index : access.indices) index = substitute(index, axis, value);
      for (Expr& guard : access.guards) guard = substitute(guard, axis, value);
    }
    accesses_.push_back(std::move(access));
  }

  Accesses accesses_;
  llvm::SmallVector<std::pair<AxisPtr, Expr>, 4> inner_;
  llvm::SmallVector<Expr, 2> guards_;
  llvm::SmallVector<std::pair<const AxisNode*, Expr>, 2> lets_;
  llvm::SmallVector<const TensorNode*, 4> local_;
};

/// Two index polynomials that differ wherever the elements differ.
struct Candidate {
  Polynomial lhs, rhs;
};

/// What is known about the axes between two accesses that touch the same element.
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

/// Upper bounds of an index of the access: from the ranges of the axes, and from each guard.
llvm::SmallVector<Polynomial, 4> upper_bounds(const Polynomial& value, const MemoryAccess& access,
                                              const Known& known) {
  llvm::SmallVector<Limit, 4> limits;
  for (const Expr& guard : access.guards) append_limits(guard, limits);
  llvm::SmallVector<Polynomial, 4> bounds;
  const auto append = [&](const Polynomial& candidate) {
    if (const auto bound = upper_bound(candidate, known.free)) bounds.push_back(*bound);
  };
  append(value);
  for (const Limit& limit : limits)
    if (const auto replaced = limited(value, limit, access, known)) append(*replaced);
  return bounds;
}

/// Whether an axis that may differ between the accesses occurs in it.
bool varies(const Polynomial& value, const Known& known) {
  bool found = false;
  for (const Polynomial::Term& term : value.terms())
    for (const Expr& atom : term.atoms)
      walk(atom, [&](const Expr& part) {
        const auto* reference = llvm::dyn_cast<AxisRef>(part);
        found |= reference && known.free.extent(reference->axis.get()).defined();
      });
  return found;
}

/// c*a + r on the left and c*a' + r' on the right differ for a != a' when |r - r'| < c, and c is
/// the same on both sides.
bool separates(const AxisNode* axis, const Candidate& index, const MemoryAccess& lhs_access,
               const MemoryAccess& rhs_access, const Known& known) {
  const auto lhs = index.lhs.linear_in(axis), rhs = index.rhs.linear_in(axis);
  if (!lhs || !rhs || !(lhs->coefficient == rhs->coefficient)) return false;
  if (varies(lhs->coefficient, known)) return false;
  const auto lhs_low = lower_bound(lhs->rest, known.free);
  const auto rhs_low = lower_bound(rhs->rest, known.free);
  if (!lhs_low || !rhs_low) return false;
  const auto lhs_high = upper_bounds(lhs->rest, lhs_access, known);
  const auto rhs_high = upper_bounds(rhs->rest, rhs_access, known);
  const auto below = [&](llvm::ArrayRef<Polynomial> high, const Polynomial& low,
                         const Polynomial& step) {
    return llvm::any_of(high, [&](const Polynomial& bound) {
      return proves_non_negative(step - 1 - (bound - low), known.all);
    });
  };
  const auto apart = [&](const Polynomial& step) {
    return below(lhs_high, *rhs_low, step) && below(rhs_high, *lhs_low, step);
  };
  return apart(lhs->coefficient) || apart(Polynomial(0) - lhs->coefficient);
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
  if (last == first + 1)
    if (const auto highest = upper_bound(Polynomial::of(access.indices[last]), known))
      choices.push_back({(*highest + 1).to_expr()});
  return choices;
}

}  // namespace

std::string MemoryAccess::text() const {
  std::string list;
  const auto append = [&](const std::string& index) { list += (list.empty() ? "" : ", ") + index; };
  if (const auto* copy = llvm::dyn_cast<Copy>(statement)) {
    for (const Range& range : (writes ? copy->destination : copy->source).ranges)
      append(range.is_point() ? to_string(range.offset)
                              : fmt::format("{} .. +{}", range.offset, range.extent));
  } else {
    for (const Expr& index : indices) append(to_string(index));
  }
  return fmt::format("{}[{}]", tensor->name, list);
}

Accesses collect_accesses(const Stmt& stmt) { return Collector().run(stmt); }

bool conflict(const MemoryAccess& lhs, const MemoryAccess& rhs) {
  return lhs.tensor == rhs.tensor && (lhs.writes || rhs.writes);
}

const MemoryAccess* find_change(const Expr& value, llvm::ArrayRef<MemoryAccess> accesses) {
  const MemoryAccess* found = nullptr;
  walk(value, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (!load || found) return;
    for (const MemoryAccess& access : accesses)
      if (!found && access.writes && access.tensor == load->tensor) found = &access;
  });
  return found;
}

bool commute(const MemoryAccess& lhs, const MemoryAccess& rhs) {
  return lhs.writes && rhs.writes && lhs.update == rhs.update && lhs.update != Update::set;
}

namespace {

/// Whether different values of `axis` always lead to different elements (mixed-radix uniqueness).
bool separates(const AxisNode* axis, const MemoryAccess& lhs, const MemoryAccess& rhs,
               const Known& known) {
  const size_t rank = lhs.indices.size();
  for (size_t dim = 0; dim < rank; ++dim) {
    const Candidate index{Polynomial::of(lhs.indices[dim]), Polynomial::of(rhs.indices[dim])};
    if (separates(axis, index, lhs, rhs, known)) return true;
  }
  for (size_t first = 0; first < rank; ++first)
    for (size_t last = first + 1; last < rank; ++last)
      for (const auto& radices : radices_of(lhs, first, last, known.all)) {
        const Candidate index{joined(lhs, first, radices, known.all),
                              joined(rhs, first, radices, known.all)};
        if (separates(axis, index, lhs, rhs, known)) return true;
      }
  return false;
}

using AxisRange = std::pair<AxisPtr, Expr>;

bool has_axis(llvm::ArrayRef<AxisRange> ranges, const AxisNode* axis) {
  return llvm::any_of(ranges, [&](const AxisRange& range) { return range.first.get() == axis; });
}

/// An access with the loops around it counted as its own.
MemoryAccess with_loops(const MemoryAccess& access, llvm::ArrayRef<const For*> loops) {
  MemoryAccess result = access;
  for (const For* loop : loops)
    if (!has_axis(result.inner, loop->axis.get()))
      result.inner.push_back({loop->axis, loop->extent});
  return result;
}

}  // namespace

llvm::SmallVector<const For*, 4> unseparated(llvm::ArrayRef<const For*> loops,
                                             const MemoryAccess& first, const MemoryAccess& second,
                                             const Facts& known) {
  const MemoryAccess lhs = with_loops(first, loops), rhs = with_loops(second, loops);
  Facts all = known;
  for (const MemoryAccess* access : {&lhs, &rhs})
    for (const auto& [axis, extent] : access->inner) all.add_axis(axis, extent);

  // Axes that both instances have are equal once they are found to be determined by the element.
  llvm::SmallVector<AxisRange, 8> open;
  for (const AxisRange& range : lhs.inner)
    if (has_axis(rhs.inner, range.first.get())) open.push_back(range);
  const auto is_determined = [&](const AxisRange& candidate) {
    Facts free;
    for (const MemoryAccess* access : {&lhs, &rhs})
      for (const AxisRange& range : access->inner) {
        const bool shared =
            has_axis(lhs.inner, range.first.get()) && has_axis(rhs.inner, range.first.get());
        const bool settled = shared && !has_axis(open, range.first.get());
        if (!settled && range.first != candidate.first) free.add_axis(range.first, range.second);
      }
    return separates(candidate.first.get(), lhs, rhs, {free, all});
  };
  for (auto* found = llvm::find_if(open, is_determined); found != open.end();
       found = llvm::find_if(open, is_determined))
    open.erase(found);

  llvm::SmallVector<const For*, 4> result;
  for (const For* loop : loops)
    if (has_axis(open, loop->axis.get())) result.push_back(loop);
  return result;
}

}  // namespace hone
