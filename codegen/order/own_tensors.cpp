// for t in 0..T                                      for t in 0..T
//   if (t >= 1)                                        if (t >= 1)
//     copy C[(t - 1)*8 .. +8] <- ... @bulk     =>        u = t - 1, in 0..T - 1: C[u*8 .. +8]
// for l in 0..T                                      for l in 0..T
//   if (!(l + 1 < T))                                  if (!(l + 1 < T))
//     copy C[l*8 .. +8] <- ... @bulk                     C[l*8 .. +8]
//
// Two statements that store the same boxes for equal iterations store no box twice where no
// iteration is one of both: u = l would be less than T - 1.

#include "codegen/order/wait_groups.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/site.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/MapVector.h"

namespace hone {
namespace {

using Indices = llvm::SmallVector<Expr, 4>;

/// An access over all iterations of the loops around it in its block.
struct Instances {
  Indices indices;
  llvm::SmallVector<AxisRange, 8> axes;  ///< that the indices mention
  llvm::SmallVector<Expr, 4> guards;
  TensorPtr tensor;
  bool is_repeated = false;  ///< iterations of another loop may touch the same elements

  void replace(const AxisNode* axis, const Expr& value) {
    for (Expr& index : indices) index = simplify(substitute(index, axis, value));
    for (Expr& guard : guards) guard = simplify(substitute(guard, axis, value));
  }

  Facts facts() const {
    Facts result;
    for (const auto& [axis, extent] : axes) result.add_axis(axis, extent);
    for (const Expr& guard : guards) result.assume(guard);
    return result;
  }

  MemoryAccess access() const {
    MemoryAccess result;
    result.tensor = tensor;
    result.indices = indices;
    result.inner.assign(axes.begin(), axes.end());
    result.writes = true;
    return result;
  }
};

/// The least value of an axis that a guard says: t >= 1.
std::optional<int64_t> least_of(const AxisNode* axis, const Expr& guard) {
  const auto* comparison = llvm::dyn_cast<Binary>(guard);
  if (!comparison) return std::nullopt;
  const auto is_axis = [&](const Expr& side) {
    const auto* reference = llvm::dyn_cast<AxisRef>(side);
    return reference && reference->axis.get() == axis;
  };
  if (comparison->op == BinaryOp::ge && is_axis(comparison->lhs)) return as_int(comparison->rhs);
  if (comparison->op == BinaryOp::le && is_axis(comparison->rhs)) return as_int(comparison->lhs);
  return std::nullopt;
}

/// Axes count from the least value that guards leave them.
void start_at_zero(Instances& instances) {
  for (auto& [axis, extent] : instances.axes)
    for (size_t n = 0; n < instances.guards.size(); ++n) {
      const auto least = least_of(axis.get(), instances.guards[n]);
      if (!least || *least <= 0) continue;
      instances.guards.push_back(AxisRef::make(axis) < extent);
      const AxisPtr from_zero = make_variable();
      instances.replace(axis.get(), AxisRef::make(from_zero) + *least);
      axis = from_zero;
      extent = simplify(extent - *least);
    }
}

/// A guard leaves one iteration: k == q.
bool is_fixed(const AxisNode* axis, llvm::ArrayRef<Expr> guards) {
  return llvm::any_of(guards, [&](const Expr& guard) {
    const auto* equality = llvm::dyn_cast<Binary>(guard);
    const auto* reference = equality ? llvm::dyn_cast<AxisRef>(equality->lhs) : nullptr;
    return reference && equality->op == BinaryOp::eq && reference->axis.get() == axis &&
           !mentions(equality->rhs, axis);
  });
}

Instances instances_of(const MemoryAccess& access, const Site& site) {
  Instances result{access.indices, {}, {}, access.tensor};
  for (const Stmt& stmt : site.around) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt);
        loop && loop->binding.kind != Binding::Kind::block)
      result.axes.push_back({loop->axis, loop->extent});
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      for_each_conjunct(branch->condition, [&](const Expr& condition) {
        result.guards.push_back(without_lets(condition, site.around));
      });
  }
  result.axes.append(access.inner.begin(), access.inner.end());
  for (Expr& index : result.indices) index = without_lets(index, site.around);
  llvm::erase_if(result.axes, [&](const AxisRange& range) {
    const AxisNode* axis = range.first.get();
    if (llvm::any_of(result.indices, [&](const Expr& index) { return mentions(index, axis); }))
      return false;
    result.is_repeated |= !is_int(range.second, 1) && !is_fixed(axis, result.guards);
    return true;
  });
  start_at_zero(result);
  return result;
}

/// True where different iterations touch different elements.
bool are_separate(const Instances& one) {
  if (one.is_repeated) return false;
  llvm::SmallVector<Stmt, 8> loops;
  llvm::SmallVector<const For*, 8> pointers;
  for (const auto& [axis, extent] : one.axes) {
    loops.push_back(For::make(axis, extent, {}, Seq::make({})));
    pointers.push_back(llvm::cast<For>(loops.back().get()));
  }
  const MemoryAccess access = one.access();
  return unseparated(pointers, access, access, one.facts()).empty();
}

/// True where the guards of the instances say so.
bool follows(const Expr& condition, const Instances& instances, const Facts& facts) {
  bool holds = true;
  for_each_conjunct(condition, [&](const Expr& part) {
    const auto is_it = [&](const Expr& guard) { return equal(guard, part); };
    holds = holds && (llvm::any_of(instances.guards, is_it) || proves(part, facts));
  });
  return holds;
}

/// Both touch the same elements in equal iterations, and none is one of both.
bool have_other_iterations(const Instances& one, Instances other) {
  if (one.axes.size() != other.axes.size()) return false;
  for (size_t n = 0; n < one.axes.size(); ++n)
    other.replace(other.axes[n].first.get(), AxisRef::make(one.axes[n].first));
  const Facts facts = one.facts();
  for (const auto& [left, right] : llvm::zip(one.indices, other.indices))
    if (!equal(simplify(left, facts), simplify(right, facts))) return false;
  return llvm::any_of(other.guards, [&](const Expr& guard) {
    const Expr opposite = negated(guard);
    return opposite.defined() && follows(opposite, one, facts);
  });
}

/// The number of statements that name each tensor.
llvm::DenseMap<const TensorNode*, size_t> statements_of_tensors(const Stmt& kernel) {
  llvm::DenseMap<const TensorNode*, size_t> statements;
  walk(kernel, [&](const Stmt& stmt) {
    for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse) { ++statements[tensor.get()]; });
  });
  return statements;
}

bool are_all_apart(llvm::ArrayRef<Instances> all) {
  for (size_t n = 0; n < all.size(); ++n) {
    if (!are_separate(all[n])) return false;
    for (size_t m = 0; m < n; ++m)
      if (!have_other_iterations(all[n], all[m]) && !have_other_iterations(all[m], all[n]))
        return false;
  }
  return true;
}

}  // namespace

llvm::DenseSet<const TensorNode*> tensors_of_its_own(const Stmt& kernel, const GroupKind& kind) {
  const auto statements = statements_of_tensors(kernel);
  llvm::MapVector<const TensorNode*, llvm::SmallVector<Instances, 2>> instances;
  walk(kernel, [&](const Stmt& stmt) {
    if (!kind.starts(stmt)) return;
    const Site site = *find_site(kernel, stmt.get());
    for (const MemoryAccess& access : collect_accesses(stmt))
      if (access.tensor->scope == Scope::global)
        instances[access.tensor.get()].push_back(instances_of(access, site));
  });
  llvm::DenseSet<const TensorNode*> own;
  for (const auto& [tensor, all] : instances)
    if (statements.lookup(tensor) == all.size() && are_all_apart(all)) own.insert(tensor);
  return own;
}

}  // namespace hone
