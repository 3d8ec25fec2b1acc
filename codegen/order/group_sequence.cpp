#include "codegen/order/group_sequence.h"

#include "ir/algebra/simplify.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Iterations of loops in full, one in another, whose groups are looked at one by one.
constexpr int64_t most_iterations = 32;

/// Mbarriers order the copies of producers.
bool is_of_producers(const MemoryAccess& access) {
  const auto* copy = llvm::dyn_cast<Copy>(access.statement);
  return copy && copy->is_by_producers();
}

/// The groups that a statement commits, in order.
class GroupList {
 public:
  static GroupSequence of(const Stmt& stmt, const Around& around, const GroupKind& kind) {
    GroupList list(kind);
    list.visit(stmt, around);
    return std::move(list.groups_);
  }

 private:
  explicit GroupList(const GroupKind& kind) : kind_(kind) {}

  void visit(const Stmt& stmt, const Around& around) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return visit_loop(*loop, around);
    if (kind_.starts(stmt)) open_.accesses.append(around.accesses_of(stmt));
    if (as(stmt, *kind_.commit)) {
      open_.conditions = around.conditions;
      open_.is_certain = around.is_certain;
      groups_.push_back(std::exchange(open_, {}));
    }
    Around inside = around;
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) inside.enter(*branch);
    if (llvm::isa<Let>(stmt)) inside.lets.push_back(stmt);
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& part) { visit(part, inside); });
  }

  void visit_loop(const For& loop, const Around& around) {
    Around inside = around;
    if (is_thread_loop(loop)) {
      inside.enter(loop);
      return visit(loop.body, inside);
    }
    if (!any_of(loop.body, [&](const Stmt& part) { return as(part, *kind_.commit); })) return;
    const auto trips = as_int(loop.extent);
    if (!trips || *trips > most_iterations / inside.iterations) {
      groups_.push_back({all_in(loop, around), {}, false});
      return;
    }
    inside.iterations *= std::max<int64_t>(*trips, 1);
    for (int64_t n = 0; n < *trips; ++n)
      visit(substitute(loop.body, loop.axis.get(), Expr(n)), inside);
  }

  /// The accesses of the groups of all iterations.
  Accesses all_in(const For& loop, const Around& around) const {
    Accesses accesses = around.accesses_of(Stmt(&loop));
    llvm::erase_if(accesses, [&](const auto& access) { return !kind_.starts(access.statement); });
    return accesses;
  }

  const GroupKind& kind_;
  GroupSequence groups_;
  Group open_;
};

}  // namespace

bool are_among(const Conditions& wanted, const Conditions& holding) {
  return llvm::all_of(wanted, [&](const Expr& one) {
    return llvm::any_of(holding, [&](const Expr& other) { return equal(one, other); });
  });
}

void replace(Accesses& accesses, const AxisNode* axis, const Expr& value) {
  for (MemoryAccess& access : accesses)
    for (Expr& index : access.indices) index = simplify(substitute(index, axis, value));
}

void replace(Group& group, const AxisNode* axis, const Expr& value) {
  replace(group.accesses, axis, value);
  for (Expr& condition : group.conditions) condition = simplify(substitute(condition, axis, value));
}

void Around::enter(const If& branch) { add(branch.condition); }

void Around::enter(const For& thread_loop) {
  thread_loops.push_back(&thread_loop);
  if (!as_int(thread_loop.extent)) add(thread_loop.extent >= 1);
}

void Around::add(const Expr& condition) {
  conditions.push_back(without_lets(condition, lets));
  is_certain &= !any_of(conditions.back(), [](const Expr& part) { return llvm::isa<Load>(part); });
}

Accesses Around::accesses_of(const Stmt& stmt) const {
  Accesses accesses = collect_accesses(stmt);
  llvm::erase_if(accesses, is_of_producers);
  for (MemoryAccess& access : accesses) {
    for (Expr& index : access.indices) index = without_lets(index, lets);
    for (const For* loop : thread_loops) access.inner.push_back({loop->axis, loop->extent});
  }
  return accesses;
}

GroupSequence groups_of(const Stmt& stmt, const Around& around, const GroupKind& kind) {
  return GroupList::of(stmt, around, kind);
}

}  // namespace hone
