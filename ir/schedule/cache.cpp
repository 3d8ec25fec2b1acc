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
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/schedule/independence.h"
#include "ir/schedule/primitives.h"
#include "ir/schedule/rebuild.h"
#include "ir/schedule/region.h"
#include "ir/schedule/site.h"
#include "ir/simplify.h"
#include "llvm/Support/MathExtras.h"

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

bool touches(const Stmt& stmt, const TensorPtr& tensor) {
  return llvm::any_of(collect_accesses(stmt),
                      [&](const MemoryAccess& access) { return access.tensor == tensor; });
}

/// Whether the first statement of `stmt` that touches `tensor` is a plain store which every
/// iteration of the loops around it runs. `facts` say that its element exists.
bool sets_each_time(const Stmt& stmt, const TensorPtr& tensor, Facts facts) {
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    const auto* part =
        llvm::find_if(seq->stmts, [&](const Stmt& part) { return touches(part, tensor); });
    return part != seq->stmts.end() && sets_each_time(*part, tensor, facts);
  }
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
    facts.add_axis(loop->axis, loop->extent);
    return sets_each_time(loop->body, tensor, facts);
  }
  if (const auto* branch = llvm::dyn_cast<If>(stmt))
    return proves(branch->condition, facts) && sets_each_time(branch->body, tensor, facts);
  const auto* store = llvm::dyn_cast<Store>(stmt);
  return store && store->tensor == tensor && store->update == Update::set;
}

/// The loops around an access, without bodies, and what keeps them alive.
struct OwnLoops {
  llvm::SmallVector<Stmt, 4> stmts;
  llvm::SmallVector<const For*, 4> loops;

  explicit OwnLoops(const MemoryAccess& access) {
    for (const auto& [axis, extent] : access.inner) {
      stmts.push_back(For::make(axis, extent, {}, Seq::make({})));
      loops.push_back(llvm::cast<For>(stmts.back().get()));
    }
  }
};

/// Whether `access` touches only what the iteration of `first` around both has set: different
/// iterations of the loops that they have in common lead to different elements.
bool stays_beside(const MemoryAccess& first, const MemoryAccess& access, const Facts& facts) {
  OwnLoops common(first);
  llvm::erase_if(common.loops, [&](const For* loop) {
    return llvm::none_of(access.inner,
                         [&](const auto& range) { return range.first == loop->axis; });
  });
  return common.loops.empty() || unseparated(common.loops, first, access, facts).empty();
}

std::optional<int64_t> iterations_of(const MemoryAccess& access) {
  int64_t product = 1;
  for (const auto& [axis, extent] : access.inner) {
    const auto count = as_int(extent);
    if (!count || llvm::MulOverflow(product, *count, product)) return std::nullopt;
  }
  return product;
}

std::optional<int64_t> elements_of(const Box& box) {
  int64_t product = 1;
  for (const int64_t extent : box.extents)
    if (llvm::MulOverflow(product, extent, product)) return std::nullopt;
  return product;
}

/// Whether every element of the box that lies inside the tensor is set before it is used.
bool sets_whole_box(const Stmt& stmt, const TensorPtr& tensor, const Box& box, Facts facts) {
  Accesses accesses = collect_accesses(stmt);
  llvm::erase_if(accesses, [&](const MemoryAccess& access) { return access.tensor != tensor; });
  const MemoryAccess& first = accesses.front();
  if (!first.writes || first.update != Update::set) return false;
  for (size_t dim = 0; dim < first.indices.size(); ++dim)
    facts.assume(first.indices[dim] < tensor->shape[dim]);
  if (!sets_each_time(stmt, tensor, facts)) return false;
  // As many iterations as elements, no two of which set the same one, set them all.
  const auto iterations = iterations_of(first);
  return iterations && iterations == elements_of(box) &&
         llvm::all_of(accesses, [&](const MemoryAccess& access) {
           return stays_beside(first, access, facts);
         });
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

/// The loop and those around it that are bound.
llvm::SmallVector<const For*, 8> bound_loops(const Site& site) {
  auto loops = site.enclosing_loops();
  loops.push_back(&site.loop());
  llvm::erase_if(loops, [](const For* loop) { return !loop->binding.is_parallel(); });
  return loops;
}

/// Whether the first access to `tensor` happens whenever the code runs.
bool is_used(const Accesses& accesses, const TensorPtr& tensor) {
  const auto* first =
      llvm::find_if(accesses, [&](const MemoryAccess& a) { return a.tensor == tensor; });
  return first->guards.empty() && llvm::all_of(first->inner, [](const auto& range) {
           return as_int(range.second).value_or(0) > 0;
         });
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
  const bool is_set = sets_whole_box(body, tensor, box, facts);
  // A copy clips. An element that the code uses unconditionally exists.
  const bool clips = !box.is_point() || is_used(accesses, tensor);
  const auto existing = [&](Stmt stmt) {
    return clips ? stmt : where_inside(transfer.outside, stmt);
  };
  llvm::SmallVector<Stmt, 3> stmts;
  if (!is_set) stmts.push_back(existing(move(transfer.inside, transfer.outside)));
  stmts.push_back(redirected);
  if (writes) stmts.push_back(existing(move(transfer.outside, transfer.inside)));
  const Stmt cached = Alloc::make(tile, Seq::make(stmts));
  const For& loop = site.loop();
  const Stmt rewritten = loop.with_body(replace(loop.body, body.get(), cached));

  // Postcondition: inside the axis, the tensor is touched by the transfers alone. They move whole
  // tiles, which must not overlap where iterations run at the same time.
  Function result = rebuild(function, &loop, rewritten);
  for (const For* bound : bound_loops(site))
    check_independent(check, result, bound->axis.get(), &loop);
  return {std::move(result), {axis}, tile};
}

}  // namespace hone
