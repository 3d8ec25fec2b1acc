#include "ir/schedule/rewrite/region.h"

#include <numeric>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/analysis/index_value.h"
#include "ir/layout.h"
#include "ir/schedule/legality/owner.h"
#include "ir/text/printer.h"
#include "ir/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// The smallest value of an index over the loops inside the statement, and how many values there
/// are from there to the largest.
struct Span {
  Polynomial low;
  std::optional<int64_t> extent;
};

/// The whole dimension, where an element that is read chooses the place in it.
std::optional<Span> whole_dimension(const MemoryAccess& access, size_t dim) {
  const auto extent = as_int(access.tensor->shape[dim]);
  if (!extent || !reads_tensor(access.indices[dim])) return std::nullopt;
  return Span{Polynomial(), extent};
}

std::optional<Span> span_of(const MemoryAccess& access, size_t dim) {
  const auto is_own = [&](const TensorPtr& tensor) {
    return tensor->scope != Scope::global && reads(access.indices[dim], tensor);
  };
  if (llvm::any_of(access.changing, is_own)) return whole_dimension(access, dim);
  Facts inner;
  for (const auto& [axis, extent] : access.inner) inner.add_axis(axis, extent);
  const Polynomial value = Polynomial::of(access.indices[dim]);
  const auto low = lower_bound(value, inner), high = upper_bound(value, inner);
  if (!low || !high) return whole_dimension(access, dim);
  const auto last = (*high - *low).constant();
  return Span{*low, last ? std::optional(*last + 1) : std::nullopt};
}

/// True of clamped and periodic indices, which go through no part of a dimension step by step.
bool has_jumps(const Expr& index) {
  return any_of(index, [](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    return binary && (binary->op == BinaryOp::min || binary->op == BinaryOp::max ||
                      binary->op == BinaryOp::mod);
  });
}

[[noreturn]] void refuse_unbounded(const Preconditions& check, const MemoryAccess& access) {
  const bool jumps = llvm::any_of(access.indices, has_jumps);
  check.refuse(
      access.statement.get(),
      fmt::format("the part of {} that {} touches has no constant size", access.tensor->name,
                  access.text()),
      jumps
          ? "an index by min, max or % is no sum of axes: choose between elements by select(...), "
            "as select(i > 0, A(i - 1), A(0))"
          : "loops between the axis and the access must have constant extents; split them, or "
            "make their sizes constants");
}

/// Makes one dimension of the box hold the access. Corners may lie a constant number of elements
/// apart, as those of A[i] and A[i + 2] do.
void merge(const Preconditions& check, const MemoryAccess& first, const MemoryAccess& access,
           Box& box, size_t dim, const Facts& facts) {
  const auto span = span_of(access, dim);
  if (!span || !span->extent) refuse_unbounded(check, access);
  if (box.base.size() == dim) {
    box.base.push_back(simplify(span->low.to_expr(), facts));
    box.extents.push_back(*span->extent);
    box.strides.push_back(1);
    return;
  }
  const auto distance = (span->low - Polynomial::of(box.base[dim])).constant();
  if (!distance)
    check.refuse(
        access.statement.get(),
        fmt::format("{} and {} do not start at the same element", first.text(), access.text()),
        fmt::format("one tile holds accesses whose corners lie a constant distance apart{}",
                    first.tensor->scope == Scope::global && check.primitive() != "compute_at"
                        ? fmt::format("; an element picks some of them: {}({}(...), ...)",
                                      check.primitive(), first.tensor->name)
                        : ""));
  const int64_t end = std::max(box.extents[dim], *distance + *span->extent);
  const int64_t start = std::min<int64_t>(0, *distance);
  if (start < 0) box.base[dim] = simplify(span->low.to_expr(), facts);
  box.extents[dim] = end - start;
}

/// A corner that is an element's value is read before the statement runs, and again after it.
void check_fixed(const Preconditions& check, const MemoryAccess& first, const Accesses& accesses,
                 const Expr& base) {
  if (!reads_tensor(base)) return;
  if (const MemoryAccess* change = find_change(base, accesses))
    check.refuse(change->statement.get(),
                 fmt::format("the part of {} that {} touches starts at {}, which {} changes",
                             first.tensor->name, first.text(), base, change->text()));
  if (!is_certain(first))
    check.refuse(first.statement.get(),
                 fmt::format("the part of {} that {} touches starts at {}, which is read under a "
                             "condition",
                             first.tensor->name, first.text(), base),
                 "only a guard around the whole axis may stand before it");
}

/// A tile moves whether or not the accesses that it is for happen.
void check_has_value(const Preconditions& check, const Accesses& accesses, const TensorPtr& tensor,
                     const Expr& base, const Facts& facts) {
  const MemoryAccess* guarded = nullptr;
  for (const MemoryAccess& access : accesses) {
    if (access.tensor != tensor) continue;
    if (is_certain(access)) return;
    guarded = &access;
  }
  if (has_value(base, facts)) return;
  check.refuse(guarded->statement.get(),
               fmt::format("the part of {} that {} touches starts at {}, which may have no value "
                           "where the access does not happen",
                           tensor->name, guarded->text(), base),
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
  for (const Expr& base : box.base) {
    check_fixed(check, *first, accesses, base);
    check_has_value(check, accesses, tensor, base, facts);
  }
  return box;
}

bool has_constant_size(const Accesses& accesses, const TensorPtr& tensor) {
  return llvm::all_of(accesses, [&](const MemoryAccess& access) {
    if (access.tensor != tensor) return true;
    for (size_t dim = 0; dim < access.indices.size(); ++dim)
      if (const auto span = span_of(access, dim); !span || !span->extent) return false;
    return true;
  });
}

/// The greatest common divisor of a number and all that an index varies by.
int64_t common_step(int64_t step, const MemoryAccess& access, size_t dim, const Expr& base) {
  const auto varies = [&](const Expr& atom) {
    return llvm::any_of(access.inner,
                        [&](const auto& range) { return mentions(atom, range.first.get()); });
  };
  const Polynomial offset = Polynomial::of(access.indices[dim]) - Polynomial::of(base);
  for (const Polynomial::Term& term : offset.terms())
    step = llvm::any_of(term.atoms, varies) || term.atoms.empty() ? std::gcd(step, term.coefficient)
                                                                  : 1;
  return step;
}

Box without_gaps(Box box, const Accesses& accesses, const TensorPtr& tensor) {
  for (size_t dim = 0; dim < box.extents.size(); ++dim) {
    int64_t step = 0;
    for (const MemoryAccess& access : accesses)
      if (access.tensor == tensor) step = common_step(step, access, dim, box.base[dim]);
    if (step <= 1 || box.extents[dim] == 1) continue;
    box.strides[dim] = step;
    box.extents[dim] = (box.extents[dim] - 1) / step + 1;
  }
  return box;
}

Box in_whole_vectors(Box box, const TensorNode& tensor, int64_t vector, const Facts& facts) {
  if (tensor.rank() == 0) return box;
  const auto dim = static_cast<size_t>(fastest_dim(tensor));
  if (box.extents[dim] == 1) return box;
  const Polynomial base = Polynomial::of(box.base[dim]);
  for (int64_t before = 0; before < vector; ++before) {
    if (!divides(vector, base - before, facts)) continue;
    box.base[dim] = simplify((base - before).to_expr(), facts);
    box.extents[dim] = llvm::alignTo(box.extents[dim] + before, vector);
    return box;
  }
  return box;
}

/// Names of indices hide that the offset is whole steps: `i.turn - i`, where i.turn is i.
Expr position_in_box(const Expr& index, const Box& box, size_t dim, const Facts& facts) {
  const Polynomial offset = Polynomial::of(index) - Polynomial::of(box.base[dim]);
  const int64_t stride = box.strides[dim];
  if (llvm::any_of(offset.terms(),
                   [&](const auto& term) { return term.coefficient % stride != 0; }))
    return simplify(offset.to_expr() / stride, facts);
  Polynomial position;
  for (const Polynomial::Term& term : offset.terms())
    position = position + Polynomial({term.coefficient / stride, term.atoms});
  return simplify(position.to_expr(), facts);
}

}  // namespace hone
