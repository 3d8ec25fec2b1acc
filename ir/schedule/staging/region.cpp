#include "ir/schedule/staging/region.h"

#include <numeric>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/analysis/index_span.h"
#include "ir/analysis/index_value.h"
#include "ir/core/layout.h"
#include "ir/schedule/legality/owner.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// The reason why an index has no constant number of values.
std::string note_for(const MemoryAccess& access, size_t dim) {
  const Expr& index = access.indices[dim];
  for (const auto& [axis, extent] : access.inner)
    if (mentions(index, axis.get()) && !as_int(extent))
      return "loops between the axis and the access must have constant extents; split them, or "
             "make their sizes constants";
  if (reads_tensor(index))
    return fmt::format("an element chooses among {} places; make that number a constant",
                       access.tensor->shape[dim]);
  return fmt::format("{} has no bounds a constant distance apart; cache under an inner axis",
                     index);
}

[[noreturn]] void refuse_unbounded(const Preconditions& check, const MemoryAccess& access,
                                   size_t dim) {
  check.refuse(access.statement.get(),
               fmt::format("the part of {} that {} touches has no constant size",
                           access.tensor->name, access.text()),
               note_for(access, dim));
}

[[noreturn]] void refuse_apart(const Preconditions& check, const MemoryAccess& first,
                               const MemoryAccess& access) {
  const bool may_pick = first.tensor->scope == Scope::global && check.primitive() != "compute_at";
  check.refuse(
      access.statement.get(),
      fmt::format("{} and {} do not start at the same element", first.text(), access.text()),
      fmt::format("one tile holds accesses whose corners lie a constant distance apart{}",
                  may_pick ? fmt::format("; an element picks some of them: {}({}(...), ...)",
                                         check.primitive(), first.tensor->name)
                           : ""));
}

/// An instruction takes all elements of its nest, whatever guards say.
bool is_taken_whole(const StmtNode* stmt, const TensorPtr& tensor) {
  return any_of(Stmt(stmt), [&](const Stmt& part) {
    const auto* loop = llvm::dyn_cast<For>(part);
    return loop && loop->binding.opcode && touches(part, tensor);
  });
}

/// The part of one dimension that the accesses touch; `is_whole`: also where guards keep them from
/// it.
void append_span(const Preconditions& check, llvm::ArrayRef<const MemoryAccess*> accesses, Box& box,
                 bool is_whole, const Facts& facts) {
  const size_t dim = box.base.size();
  const MemoryAccess* apart = nullptr;
  const auto span = common_span(accesses, dim, facts, is_whole, apart);
  if (!span) {
    const auto own = span_of(*apart, dim);
    if (!own || !own->extent) refuse_unbounded(check, *apart, dim);
    refuse_apart(check, *accesses.front(), *apart);
  }
  box.base.push_back(simplify(span->low.to_expr(), facts));
  box.extents.push_back(*span->extent);
  box.strides.push_back(1);
}

/// True if the expression may be evaluated whatever conditions stand around it: it reads elements
/// that callers give, and that nobody changes.
bool reads_given_elements(const Preconditions& check, const Expr& expr, const Facts& facts) {
  const Function& function = check.function();
  return reads_elements_that_exist(expr, facts) && !any_of(expr, [&](const Expr& part) {
           const auto* load = llvm::dyn_cast<Load>(part);
           return load && (!llvm::is_contained(function.arguments, load->tensor) ||
                           writes(function.body, load->tensor));
         });
}

/// A corner that is an element's value is read before the statement runs, and again after it.
void check_fixed(const Preconditions& check, const MemoryAccess& first, const Accesses& accesses,
                 const Expr& base, const Facts& facts) {
  if (!reads_tensor(base)) return;
  if (const MemoryAccess* change = find_change(base, accesses))
    check.refuse(change->statement.get(),
                 fmt::format("the part of {} that {} touches starts at {}, which {} changes",
                             first.tensor->name, first.text(), base, change->text()));
  if (!is_certain(first) && !reads_given_elements(check, base, facts))
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

/// A loop may have the tensor in itself all the same.
[[noreturn]] void refuse_unused(const Preconditions& check, const StmtNode* stmt,
                                const TensorPtr& tensor) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && find_alloc(loop->body, tensor))
    check.refuse(
        stmt,
        fmt::format("{} is made anew in each iteration of {}", tensor->name, loop->axis->name),
        fmt::format("name an axis inside of {} that uses it", loop->axis->name));
  if (loop && touches(loop->body, tensor))
    check.refuse(
        stmt,
        fmt::format("of {}, only guards around all of it read {}", loop->axis->name, tensor->name),
        fmt::format("name an axis around {}", loop->axis->name));
  check.refuse(stmt, fmt::format("{} is not used here", tensor->name));
}

}  // namespace

bool Box::is_point() const {
  return llvm::all_of(extents, [](int64_t extent) { return extent == 1; });
}

Box touched_box(const Preconditions& check, const StmtNode* stmt, const Accesses& accesses,
                const TensorPtr& tensor, const Facts& facts) {
  Box box;
  llvm::SmallVector<const MemoryAccess*, 8> touching;
  for (const MemoryAccess& access : accesses)
    if (access.tensor == tensor) touching.push_back(&access);
  if (touching.empty()) refuse_unused(check, stmt, tensor);
  const bool is_whole = is_taken_whole(stmt, tensor);
  while (box.base.size() < tensor->rank()) append_span(check, touching, box, is_whole, facts);
  for (const Expr& base : box.base) {
    check_fixed(check, *touching.front(), accesses, base, facts);
    check_has_value(check, accesses, tensor, base, facts);
  }
  return box;
}

/// True of an index by bits, whose values are no sums of those of the axes.
bool has_bits(const Expr& index) {
  return any_of(index, [](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    return binary && binary->op >= BinaryOp::bit_and && binary->op <= BinaryOp::shr;
  });
}

bool has_constant_size(const Accesses& accesses, const TensorPtr& tensor) {
  return llvm::all_of(accesses, [&](const MemoryAccess& access) {
    if (access.tensor != tensor) return true;
    if (llvm::any_of(access.indices, has_bits)) return false;
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
