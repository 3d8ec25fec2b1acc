#include "ir/threads/roles.h"

#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"

namespace hone {
namespace {

/// The statements of the body, one after the other.
llvm::SmallVector<Stmt, 2> parts_of(const Stmt& body) {
  const auto* seq = llvm::dyn_cast<Seq>(body);
  return seq ? seq->stmts : llvm::SmallVector<Stmt, 2>{body};
}

}  // namespace

const For* loop_with_roles(const Stmt& nest) {
  const auto is_it = [](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && has_roles(*loop);
  };
  return llvm::cast_or_null<For>(find_stmt(nest, is_it));
}

llvm::SmallVector<const Copy*, 2> copies_of_producers(const For& loop) {
  llvm::SmallVector<const Copy*, 2> copies;
  for (const Stmt& stmt : parts_of(loop.body)) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (!copy || !copy->is_by_producers()) break;
    copies.push_back(copy);
  }
  return copies;
}

bool copies_are_all_boxes(const For& loop) {
  return llvm::all_of(copies_of_producers(loop),
                      [](const Copy* copy) { return copy->moves_boxes(); });
}

Stmt body_of_consumers(const For& loop) {
  const auto parts = parts_of(loop.body);
  return Seq::make(llvm::ArrayRef<Stmt>(parts).drop_front(copies_of_producers(loop).size()));
}

llvm::SmallVector<TileFill, 2> take_fills_of_consumers(const For& loop, Stmt& body) {
  const auto copies = copies_of_producers(loop);
  const auto is_ring = [&](const TensorPtr& tensor) {
    return llvm::any_of(copies,
                        [&](const Copy* copy) { return copy->destination.tensor == tensor; });
  };
  return take_fills(body, [&](const TileFill& fill, const Stmt&) {
    bool reads_ring = false, is_same_before = true;
    for (const MemoryAccess& access : collect_accesses(fill.fill)) {
      if (access.writes) continue;
      reads_ring |= is_ring(access.tensor);
      is_same_before &= is_ring(access.tensor) || !writes(loop.body, access.tensor);
    }
    return fill.tile->scope == Scope::registers && reads_ring && is_same_before;
  });
}

int64_t slots_of(const For& loop) {
  const auto copies = copies_of_producers(loop);
  if (copies.empty() || copies.front()->destination.tensor->rank() == 0) return 0;
  return as_int(copies.front()->destination.tensor->shape.front()).value_or(0);
}

Expr slot_of(const For& loop) { return AxisRef::make(loop.axis) % slots_of(loop); }

llvm::SmallVector<const For*, 2> loops_that_repeat(const Site& site) {
  llvm::SmallVector<const For*, 2> loops;
  for (const For* around : site.enclosing_loops())
    if (!around->binding.is_parallel()) loops.push_back(around);
  return loops;
}

Expr iterations_before(const Site& site) {
  Expr turn;
  for (const For* around : loops_that_repeat(site)) {
    const Expr index = AxisRef::make(around->axis);
    turn = turn.defined() ? turn * around->extent + index : index;
  }
  return turn.defined() ? turn * site.loop().extent : Expr(0);
}

const For* loop_over_block_x(const Site& site) {
  for (const For* loop : site.enclosing_loops())
    if (loop->binding.kind == Binding::Kind::block && loop->binding.dim == 0) return loop;
  return nullptr;
}

int64_t ring_phase_bytes(const Stmt& body) {
  constexpr int64_t bytes = 8, kinds = 2;  // full and empty
  int64_t all = 0;
  for (const For* loop : loops_of(body))
    if (has_roles(*loop)) all += kinds * bytes * slots_of(*loop);
  return all;
}

}  // namespace hone
