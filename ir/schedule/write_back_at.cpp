// write_back_at(T, g): each iteration of a loop writes back the part of a shared tile that it sets.
//
//   alloc T: f32[64, 32] @shared               alloc T: f32[64, 32] @shared
//   for g in 0..2 @thread.y                    for g in 0..2 @thread.y
//     for i in 0..32 @thread.x            =>     for i in 0..32 @thread.x
//       T[g*32 + i, j] = ...                       T[g*32 + i, j] = ...
//   copy C[y .. +64, 0 .. +32]                   copy C[y + g*32 .. +32, 0 .. +32]
//     <- T[0 .. +64, 0 .. +32]                     <- T[g*32 .. +32, 0 .. +32]
//
// In a loop over threads, those of an iteration make its copy, and wait for each other alone.
//
// Preserves: values. The iterations set all elements of the tile, each one in a single iteration,
// and nothing else sets any.

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/reach.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/region.h"
#include "ir/schedule/staging/transfer.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// The copy that writes the tile back.
const Copy& copy_back(const Preconditions& check, const Function& function, const TensorPtr& tile) {
  if (tile->scope != Scope::shared)
    check.refuse(nullptr, fmt::format("{} is no tile in shared memory", tile->name),
                 "the element of a thread is written back by itself");
  const StmtNode* found = find_copy(function, tile, Direction::write_back);
  if (!found) check.refuse(nullptr, fmt::format("no copy writes {} back", tile->name));
  return *llvm::cast<Copy>(found);
}

/// The accesses by which the iterations of the loop set the tile. Nothing else does.
Accesses writes_inside(const Preconditions& check, const For& loop, const Alloc& alloc) {
  Accesses inside = collect_accesses(loop.body);
  llvm::erase_if(inside, [&](const auto& a) { return a.tensor != alloc.tensor || !a.writes; });
  if (inside.empty())
    check.refuse(
        &loop, fmt::format("iterations of {} do not set {}", loop.axis->name, alloc.tensor->name));
  for (const MemoryAccess& access : collect_accesses(alloc.body)) {
    const auto is_it = [&](const Stmt& stmt) { return stmt.same_as(access.statement); };
    if (access.tensor != alloc.tensor || !access.writes || find_stmt(loop.body, is_it)) continue;
    check.refuse(access.statement.get(),
                 fmt::format("{} is set here, outside of {}", alloc.tensor->name, loop.axis->name));
  }
  return inside;
}

/// The tensor is touched in the tile's place by the copy back alone.
void check_only_tile(const Preconditions& check, const Alloc& alloc, const Copy& copy) {
  const TensorPtr& tensor = copy.destination.tensor;
  for (const MemoryAccess& access : collect_accesses(alloc.body))
    if (access.tensor == tensor && access.statement.get() != &copy)
      check.refuse(access.statement.get(), fmt::format("{} is touched here, beside its tile {}",
                                                       tensor->name, alloc.tensor->name));
}

/// Nothing repeats the copy back, and nothing keeps it from being made.
void check_place(const Preconditions& check, const Alloc& alloc, const Copy& copy) {
  const Site site = *find_site(alloc.body, &copy);
  for (const Stmt& outer : site.around)
    if (llvm::isa<For>(outer) || llvm::isa<If>(outer) || llvm::isa<Let>(outer))
      check.refuse(&copy, fmt::format("{} is written back in a loop or under a condition",
                                      alloc.tensor->name));
}

/// The copy of the box of the tile.
Stmt part_of(const Copy& copy, const Box& box) {
  Region to = copy.destination, from = copy.source;
  for (const auto [dim, outer_dim] : llvm::zip(copy.source.dims(), copy.destination.dims())) {
    Range &inside = from.ranges[dim], &outside = to.ranges[outer_dim];
    outside.offset = outside.offset + (box.base[dim] - inside.offset) * outside.stride;
    inside.offset = box.base[dim];
    inside.extent = outside.extent = box.extents[dim];
  }
  return copy.with_regions(to, from);
}

/// No element of the part lies beyond the tile, where a copy would not end either.
void check_inside(const Preconditions& check, const For& loop, const TensorPtr& tile,
                  const Box& part, const Facts& facts) {
  for (size_t dim = 0; dim < tile->rank(); ++dim) {
    const auto& [base, extent] = std::pair(part.base[dim], part.extents[dim]);
    if (proves(base + extent <= tile->shape[dim], facts)) continue;
    check.refuse(&loop,
                 fmt::format("the part of an iteration of {} may reach beyond {}: {} "
                             "elements from {} in dimension {}, which has {}",
                             loop.axis->name, tile->name, extent, base, dim, tile->shape[dim]));
  }
}

/// The part's elements are set in one iteration each, and are all of the tile's.
void check_parts(const Preconditions& check, const For& loop, const Site& alloc,
                 const Function& result, const StmtNode* part) {
  const TensorPtr& tile = llvm::cast<Alloc>(alloc.statement)->tensor;
  const Alloc& lifetime = *find_alloc(result.body, tile);
  Accesses accesses = collect_accesses(lifetime.body);
  const auto* read = llvm::find_if(accesses, [&](const MemoryAccess& access) {
    return access.tensor == tile && access.statement.get() == part;
  });
  Facts facts = alloc.facts();
  if (!reaches_all(*read, facts))
    check.refuse(&loop, fmt::format("iterations of {} set {}, which may be less than all of {}",
                                    loop.axis->name, read->text(), tile->name));
  const Site site = *find_site(lifetime.body, part);
  auto again = unseparated(site.enclosing_loops(), *read, *read, facts);
  llvm::erase_if(again, [](const For* around) { return is_int(around->extent, 1); });
  if (!again.empty())
    check.refuse(&loop, fmt::format("two iterations of {} may set one element: {}",
                                    again.front()->axis->name, read->text()));
}

}  // namespace

Rewrite write_back_at(const Function& function, const TensorPtr& tile, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("write_back_at", function, tile);
  const Site site = check.find(axis);
  const Copy& copy = copy_back(check, function, tile);
  const Alloc& alloc = *find_alloc(function.body, tile);
  const For& loop = site.loop();
  const Accesses writes = writes_inside(check, loop, alloc);
  check_only_tile(check, alloc, copy);
  check_place(check, alloc, copy);
  const Box box = touched_box(check, &loop, writes, tile, site.facts());
  check_inside(check, loop, tile, box, site.facts());

  // Rewrite
  const Stmt part = part_of(copy, box);
  const Stmt without = replace(function.body, &copy, Seq::make({}));
  const Stmt body = replace(without, &loop, loop.with_body(Seq::make({loop.body, part})));
  Function result = function.with_body(body);

  // Postcondition
  Site around = *find_site(function.body, &alloc);
  around.assumptions = function.assumptions;
  check_parts(check, loop, around, result, part.get());
  result = rebuild(function, body);
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, tile};
}

const Primitive write_back_at_primitive = {
    .name = "write_back_at",
    .arguments = {argument::tensor, argument::axis},
    .apply = [](const Function& f, const Step& s) { return write_back_at(f, s.tensor, s.axes[0]); },
};

}  // namespace hone
