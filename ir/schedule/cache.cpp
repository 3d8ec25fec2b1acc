// cache_registers(C, axis): the part of C that one iteration of the axis touches lives in
// registers.
//
//   for j in 0..N                             for j in 0..N
//     C[i, j] = 0                               alloc C.reg: f32[] @registers
//     reduce k in 0..K                =>        C.reg[] = 0
//       C[i, j] += A[i, k] * B[k, j]            reduce k in 0..K
//                                                 C.reg[] += A[i, k] * B[k, j]
//                                               C[i, j] = C.reg[]
//
// A tile of more than one element moves by `copy`, which clips at the tensor's end. The registers
// are filled first where the iteration may read an element, or leave one as it was.
//
// Preserves: values.

#include "fmt/format.h"
#include "ir/analysis/dependence.h"
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/schedule/primitives.h"
#include "ir/schedule/rebuild.h"
#include "ir/schedule/region.h"
#include "ir/schedule/site.h"
#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Guards that are the only statement are left outside: what they exclude does not touch the tile.
Stmt inside_guards(Stmt stmt, Facts& facts) {
  while (const auto* branch = llvm::dyn_cast<If>(stmt)) {
    facts.assume(branch->condition);
    stmt = branch->body;
  }
  return stmt;
}

void check_tensor(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  if (tensor->scope == Scope::registers)
    check.refuse(site.statement.get(), fmt::format("{} lives in registers already", tensor->name));
}

/// Registers belong to one thread.
void check_one_thread(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.is_parallel())
      check.refuse(inner,
                   fmt::format("{} is bound to {} inside {}: a tile of {} would belong to several "
                               "threads",
                               inner->axis->name, to_string(inner->binding), site.loop().axis->name,
                               tensor->name),
                   fmt::format("cache under {} or inside it", inner->axis->name));
}

/// The copies of a tensor's elements that other steps made are not redirected.
void check_no_copies(const Preconditions& check, const Accesses& accesses,
                     const TensorPtr& tensor) {
  for (const MemoryAccess& access : accesses)
    if (access.tensor == tensor && llvm::isa<Copy>(access.statement))
      check.refuse(access.statement.get(),
                   fmt::format("{} is cached inside this axis already", tensor->name));
}

/// Whether the first statement of `stmt` that touches `tensor` sets every element of the box that
/// lies inside the tensor.
bool sets_whole_box(const Stmt& stmt, const TensorPtr& tensor, const Box& box, Facts facts) {
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    for (const Stmt& part : seq->stmts) {
      const Accesses accesses = collect_accesses(part);
      const auto touches = [&](const MemoryAccess& a) { return a.tensor == tensor; };
      if (llvm::any_of(accesses, touches)) return sets_whole_box(part, tensor, box, facts);
    }
    return false;
  }
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
    if (as_int(loop->extent).value_or(0) < 1) return false;
    facts.add_axis(loop->axis, loop->extent);
    return sets_whole_box(loop->body, tensor, box, facts);
  }
  if (const auto* branch = llvm::dyn_cast<If>(stmt))
    return proves(branch->condition, facts) && sets_whole_box(branch->body, tensor, box, facts);
  const auto* store = llvm::dyn_cast<Store>(stmt);
  return store && store->tensor == tensor && store->update == Update::set;
}

/// As above, with the loops in between: their iterations must cover the box, one element each.
bool covers_box(const Stmt& stmt, const TensorPtr& tensor, const Box& box, Facts facts) {
  const Accesses accesses = collect_accesses(stmt);
  const auto* first =
      llvm::find_if(accesses, [&](const MemoryAccess& a) { return a.tensor == tensor; });
  if (!first->writes || first->update != Update::set) return false;
  for (size_t dim = 0; dim < first->indices.size(); ++dim)
    facts.assume(first->indices[dim] < tensor->shape[dim]);
  if (!sets_whole_box(stmt, tensor, box, facts)) return false;

  llvm::SmallVector<int64_t, 4> covered;
  int64_t iterations = 1;
  for (const auto& [axis, extent] : first->inner) iterations *= as_int(extent).value_or(0);
  int64_t elements = 1;
  for (const int64_t extent : box.extents) elements *= extent;
  if (iterations != elements) return false;
  // As many iterations as elements: distinct iterations that set distinct elements set them all.
  Facts known = facts;
  llvm::SmallVector<Stmt, 4> keep_alive;
  llvm::SmallVector<const For*, 4> loops;
  for (const auto& [axis, extent] : first->inner) {
    keep_alive.push_back(For::make(axis, extent, {}, Seq::make({})));
    loops.push_back(llvm::cast<For>(keep_alive.back().get()));
  }
  MemoryAccess alone = *first;
  alone.inner.clear();
  return unseparated(loops, alone, alone, known).empty();
}

/// The box within the tensor, and the whole of the register tile.
struct Transfer {
  Region outside, inside;
};

Transfer make_transfer(const TensorPtr& tensor, const TensorPtr& tile, const Box& box) {
  Transfer transfer{{tensor, {}}, {tile, {}}};
  for (size_t dim = 0; dim < box.base.size(); ++dim) {
    const bool is_point = box.extents[dim] == 1;
    transfer.outside.ranges.push_back({box.base[dim], is_point ? Expr() : Expr(box.extents[dim])});
    if (!is_point) transfer.inside.ranges.push_back({0, box.extents[dim]});
  }
  return transfer;
}

/// The conditions under which an element of a global or shared tensor exists.
Stmt where_inside(const Region& region, Stmt stmt) {
  for (size_t dim = 0; dim < region.ranges.size(); ++dim) {
    const Expr& index = region.ranges[dim].offset;
    stmt = If::make(index >= 0 && index < region.tensor->shape[dim], stmt);
  }
  return stmt;
}

/// A tile moves by a copy, which clips; one element by a store.
Stmt move(const Region& to, const Region& from) {
  const auto is_point = [](const Range& range) { return range.is_point(); };
  if (!llvm::all_of(to.ranges, is_point) || !llvm::all_of(from.ranges, is_point))
    return Copy::make(to, from);
  llvm::SmallVector<Expr, 4> to_indices, from_indices;
  for (const Range& range : to.ranges) to_indices.push_back(range.offset);
  for (const Range& range : from.ranges) from_indices.push_back(range.offset);
  return Store::make(to.tensor, to_indices, Update::set, Load::make(from.tensor, from_indices));
}

TensorPtr make_tile(const Function& function, const TensorPtr& tensor, const Box& box) {
  llvm::SmallVector<Expr, 4> shape;
  for (const int64_t extent : box.extents)
    if (extent != 1) shape.push_back(extent);
  return make_tensor(Names(function).fresh(tensor->name + ".reg"), tensor->type, shape,
                     Scope::registers);
}

}  // namespace

Rewrite cache_registers(const Function& function, const TensorPtr& tensor, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("cache_registers", function);
  const Site site = check.find(axis);
  check_tensor(check, site, tensor);
  check_one_thread(check, site, tensor);
  Facts facts = site.facts();
  const Stmt body = inside_guards(site.loop().body, facts);
  const Accesses accesses = collect_accesses(body);
  check_no_copies(check, accesses, tensor);
  const Box box = touched_box(check, &site.loop(), accesses, tensor, facts);

  // Rewrite
  const TensorPtr tile = make_tile(function, tensor, box);
  const Stmt redirected = redirect_accesses(body, tensor.get(), [&](llvm::ArrayRef<Expr> indices) {
    Access access{tile, {}};
    for (size_t dim = 0; dim < indices.size(); ++dim)
      if (box.extents[dim] != 1)
        access.indices.push_back(offset_in_box(indices[dim], box.base[dim], facts));
    return access;
  });
  const Transfer transfer = make_transfer(tensor, tile, box);
  const bool writes =
      llvm::any_of(accesses, [&](const MemoryAccess& a) { return a.tensor == tensor && a.writes; });
  // A box that is set in full has an element that the code uses unconditionally: it exists.
  const bool is_set = covers_box(body, tensor, box, facts);
  const bool clips = is_set || !box.is_point();
  const auto existing = [&](Stmt stmt) {
    return clips ? stmt : where_inside(transfer.outside, stmt);
  };
  llvm::SmallVector<Stmt, 3> stmts;
  if (!is_set) stmts.push_back(existing(move(transfer.inside, transfer.outside)));
  stmts.push_back(redirected);
  if (writes) stmts.push_back(existing(move(transfer.outside, transfer.inside)));
  const Stmt cached = Alloc::make(tile, Seq::make(stmts));

  // Postcondition: inside the axis, the tensor is touched by the transfers alone.
  return {rebuild(function, body.get(), cached), {axis}, tile};
}

}  // namespace hone
