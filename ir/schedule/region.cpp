#include "ir/schedule/region.h"

#include "ir/polynomial.h"
#include "ir/printer.h"
#include "ir/simplify.h"

namespace hone {
namespace {

/// The smallest value of an index over the loops inside the statement, and how many values there
/// are from there to the largest.
struct Span {
  Polynomial low;
  std::optional<int64_t> extent;
};

std::optional<Span> span_of(const Expr& index, const MemoryAccess& access) {
  Facts inner;
  for (const auto& [axis, extent] : access.inner) inner.add_axis(axis, extent);
  const Polynomial value = Polynomial::of(index);
  const auto low = lower_bound(value, inner), high = upper_bound(value, inner);
  if (!low || !high) return std::nullopt;
  const auto last = (*high - *low).constant();
  return Span{*low, last ? std::optional(*last + 1) : std::nullopt};
}

[[noreturn]] void refuse_unbounded(const Preconditions& check, const MemoryAccess& access) {
  check.refuse(access.statement.get(),
               fmt::format("the part of {} that {} touches has no constant size",
                           access.tensor->name, access.text()),
               "loops between the axis and the access must have constant extents; split them");
}

void merge(const Preconditions& check, const MemoryAccess& first, const MemoryAccess& access,
           Box& box, size_t dim, const Facts& facts) {
  const auto span = span_of(access.indices[dim], access);
  if (!span || !span->extent) refuse_unbounded(check, access);
  if (box.base.size() == dim) {
    box.base.push_back(simplify(span->low.to_expr(), facts));
    box.extents.push_back(*span->extent);
    return;
  }
  if (!(Polynomial::of(box.base[dim]) == span->low))
    check.refuse(
        access.statement.get(),
        fmt::format("{} and {} do not start at the same element", first.text(), access.text()),
        "one tile holds accesses that start at one corner");
  box.extents[dim] = std::max(box.extents[dim], *span->extent);
}

/// A corner that is an element's value is read before the statement runs, and again after it.
void check_fixed(const Preconditions& check, const MemoryAccess& first, const Accesses& accesses,
                 const Expr& base) {
  if (!reads_tensor(base)) return;
  if (const MemoryAccess* change = find_change(base, accesses))
    check.refuse(change->statement.get(),
                 fmt::format("the part of {} that {} touches starts at {}, which {} changes",
                             first.tensor->name, first.text(), base, change->text()));
  const bool is_certain = first.guards.empty() && llvm::all_of(first.inner, [](const auto& range) {
                            return as_int(range.second).value_or(0) > 0;
                          });
  if (!is_certain)
    check.refuse(first.statement.get(),
                 fmt::format("the part of {} that {} touches starts at {}, which is read under a "
                             "condition",
                             first.tensor->name, first.text(), base),
                 "only a guard around the whole axis may stand before it");
}

}  // namespace

bool Box::is_point() const {
  return llvm::all_of(extents, [](int64_t extent) { return extent == 1; });
}

Box touched_box(const Preconditions& check, const StmtNode* stmt, const Accesses& accesses,
                const TensorPtr& tensor, const Facts& facts) {
  Box box;
  const MemoryAccess* first = nullptr;
  for (const MemoryAccess& access : accesses) {
    if (access.tensor != tensor) continue;
    if (!first) first = &access;
    for (size_t dim = 0; dim < access.indices.size(); ++dim)
      merge(check, *first, access, box, dim, facts);
  }
  if (!first) check.refuse(stmt, fmt::format("{} is not used here", tensor->name));
  for (const Expr& base : box.base) check_fixed(check, *first, accesses, base);
  return box;
}

Expr offset_in_box(const Expr& index, const Expr& base, const Facts& facts) {
  const Polynomial offset = Polynomial::of(index) - Polynomial::of(base);
  return simplify(offset.to_expr(), facts);
}

}  // namespace hone
