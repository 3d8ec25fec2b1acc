// compute_at(m, i.Y): the part of a temporary that one iteration of an axis reads is computed at
// the start of that iteration, into a tile that takes its name. The nest that computed all of it
// before is gone.
//
//   alloc m: f32[M] @global                    for i.Y in 0..M
//   for i in 0..M                                alloc m: f32[] @registers
//     m[i] = -inf                                m[] = -inf
//     reduce k in 0..N                           reduce k in 0..N
//       m[i] max= X[i, k]               =>         m[] max= X[i.Y, k]
//   for i.Y in 0..M                              for j in 0..N
//     for j in 0..N                                Y[i.Y, j] = X[i.Y, j] - m[]
//       Y[i.Y, j] = X[i.Y, j] - m[i.Y]
//
// A part of several elements has a loop per dimension, whose axis counts from the corner of the
// part, and guards where the part may reach beyond what was computed. Elements that several
// iterations read, each computes for itself:
//
//   alloc T: f32[M + 2] @global                for i.0 in 0..M / 8
//   for n in 0..M + 2                            alloc T: f32[10] @shared
//     T[n] = f(n)                                for n in 0..10
//   for i.0 in 0..M / 8                 =>         T[n] = f(i.0*8 + n)
//     for i.1 in 0..8                            for i.1 in 0..8
//       Y[i.0*8 + i.1] =                           Y[i.0*8 + i.1] = T[i.1] + T[i.1 + 2]
//         T[i.0*8 + i.1] + T[i.0*8 + i.1 + 2]
//
// Loops that index a tile in registers are unrolled: registers have no addresses.
//
// If the outermost loop goes over the blocks of a cluster, each block has a part of the tile in its
// shared memory, and comes to all parts:
//
//   alloc T: f32[2, M] @global                 for i.0 in 0..M / 8
//   for p in 0..2 @cluster.x                     alloc T: f32[2, 8] @cluster
//     for n in 0..M                                for p in 0..2 @cluster.x
//       T[p, n] = f(p, n)                =>          for n in 0..8
//   for i.0 in 0..M / 8                                T[p, n] = f(p, i.0*8 + n)
//     for i.1 in 0..8                              for i.1 in 0..8
//       Y[i.0*8 + i.1] =                             Y[i.0*8 + i.1] = T[0, i.1] + T[1, i.1]
//         T[0, i.0*8 + i.1] + ...
//
// Preserves: values.

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/owner.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/rewrite/sink.h"
#include "ir/schedule/staging/producer.h"
#include "ir/schedule/staging/registers.h"
#include "ir/schedule/staging/transfer.h"
#include "ir/text/printer.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

// ---- Where a temporary can be computed ----------------------------------------------------------

/// "it is read by the nests of S and Y; compute S there first"
std::string why_nowhere(const Function& function, const Producer& producer) {
  const std::string& name = producer.tensor->name;
  llvm::SmallVector<std::string, 2> readers, temporaries;
  for (const Stmt& stmt : statements_of(function.body)) {
    if (!touches(stmt, producer.tensor)) continue;
    for (const TensorPtr& written : tensors_written(stmt)) {
      if (written == producer.tensor || llvm::is_contained(readers, written->name)) continue;
      readers.push_back(written->name);
      if (find_alloc(function.body, written)) temporaries.push_back(written->name);
    }
  }
  if (readers.size() < 2) return fmt::format("no loop encloses all that reads {}", name);
  if (temporaries.size() == readers.size()) temporaries.pop_back();
  const std::string first =
      temporaries.empty() ? "" : fmt::format("; compute {} there first", join_names(temporaries));
  return fmt::format("none: {} is read by the nests of {}{}", name, join_names(readers), first);
}

/// The loops that enclose all `count` uses of the tensor.
std::string legal_places(const Function& function, const Producer& producer, size_t count) {
  llvm::SmallVector<std::string, 4> places;
  for (const For* loop : loops_of(function.body))
    if (!producer.has_loop(loop->axis.get()) &&
        count_accesses(loop->body, producer.tensor) == count)
      places.push_back(loop->axis->name);
  if (places.empty()) return why_nowhere(function, producer);
  return fmt::format("{} can be computed at {}", producer.tensor->name, fmt::join(places, " or "));
}

/// All uses stand inside the loop.
void check_place(const Preconditions& check, const Function& function, const Producer& producer,
                 const Accesses& uses, const Site& site) {
  const For& loop = site.loop();
  const std::string& tensor = producer.tensor->name;
  if (uses.empty())
    check.refuse(producer.stmts.front().get(), fmt::format("nothing reads {}", tensor));
  if (producer.has_loop(loop.axis.get()))
    check.refuse(&loop,
                 fmt::format("{} is a loop of the nest that computes {}", loop.axis->name, tensor),
                 legal_places(function, producer, uses.size()));
  for (const MemoryAccess& use : uses) {
    const auto is_it = [&](const Stmt& stmt) { return stmt.same_as(use.statement); };
    if (find_stmt(loop.body, is_it)) continue;
    check.refuse(use.statement.get(),
                 fmt::format("{} is read here, outside of {}", use.text(), loop.axis->name),
                 legal_places(function, producer, uses.size()));
  }
}

// ---- Where its elements live --------------------------------------------------------------------

bool runs_on_one_thread(const For& loop) {
  return loop.binding.kind == Binding::Kind::thread || loop.binding.kind == Binding::Kind::parallel;
}

/// Registers where one thread, or one core, computes the part; shared memory where it is for
/// several threads, or too much for one.
Scope default_scope(const Site& site, const Box& box) {
  auto around = site.enclosing_loops();
  around.push_back(&site.loop());
  if (llvm::any_of(around, [](const For* loop) { return runs_on_one_thread(*loop); }))
    return Scope::registers;
  const bool is_for_threads = llvm::any_of(
      loops_of(site.loop().body), [](const For* loop) { return loop->binding.is_parallel(); });
  return box.is_point() && !is_for_threads ? Scope::registers : Scope::shared;
}

/// A tile that each thread computes is its own.
void check_around_threads(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  auto path = site.around;
  path.push_back(site.statement);
  const auto threads = thread_loops(path);
  if (!threads.empty())
    check.refuse(site.statement.get(),
                 fmt::format("each thread of {} would compute its own part of {}, and a block has "
                             "its shared memory together",
                             threads.front()->axis->name, tensor->name),
                 fmt::format("compute it around {}, or in registers", threads.front()->axis->name));
}

void check_scope(const Preconditions& check, const Site& site, const TensorPtr& tensor,
                 const Box& box, Scope scope) {
  switch (scope) {
    case Scope::global:
      check.refuse(
          site.statement.get(),
          fmt::format("{} lives in global memory now, and its part would be a tile", tensor->name),
          "tiles live in registers or in shared memory");
    case Scope::registers:
      check_one_thread(check, site, tensor);
      return check_register_count(check, site, tensor, box.extents);
    case Scope::shared:
      check_around_threads(check, site, tensor);
      return check_one_block(check, site, tensor);
  }
  llvm_unreachable("unknown scope");
}

/// Blocks of a cluster have a part each in their shared memory, and all parts are needed.
void check_parts(const Preconditions& check, const Site& site, const Producer& producer,
                 const Box& box, Scope scope) {
  const For& parts = *producer.loops.front();
  const std::string& name = parts.axis->name;
  if (scope != Scope::shared)
    check.refuse(
        &parts,
        fmt::format("{} goes over the blocks of a cluster, and the part of {} would lie in "
                    "registers",
                    name, producer.tensor->name),
        "say {.scope = Scope::shared}");
  if (!is_int(parts.extent, box.extents.front()))
    check.refuse(site.statement.get(),
                 fmt::format("an iteration of {} reads {} of the {} parts of {}, and {} goes over "
                             "the blocks of a cluster",
                             site.loop().axis->name, box.extents.front(), parts.extent,
                             producer.tensor->name, name),
                 "compute it at an axis whose iterations read all parts");
  auto around = site.enclosing_loops();
  around.push_back(&site.loop());
  for (const For* loop : around)
    if (loop->binding.is_cluster())
      check.refuse(loop, fmt::format("{} is bound to cluster.x already, and {} would stand inside",
                                     loop->axis->name, name));
}

/// The temporary as a tile.
TensorPtr tile_of(const Producer& producer, const Box& box, Scope scope) {
  llvm::SmallVector<Expr, 4> shape;
  for (const int64_t extent : box.extents)
    if (extent != 1) shape.push_back(extent);
  const TensorPtr tile = make_form(*producer.tensor, shape, scope);
  const bool has_parts = producer.has_parts() && box.extents.front() > 1;
  return has_parts ? in_parts(*tile) : tile;
}

// ---- The part -----------------------------------------------------------------------------------

/// True of a dimension whose loop stays: it has several elements in the box, or never had more than
/// one, and schedules name its axis.
bool has_loop(const Producer& producer, const Box& box, size_t dim) {
  return box.extents[dim] != 1 || is_int(producer.loops[dim]->extent, 1);
}

/// The axes of dimensions that have more than one element in the box.
AxisSet axes_of_box(const Producer& producer, const Box& box) {
  AxisSet axes;
  for (size_t dim = 0; dim < box.extents.size(); ++dim)
    if (box.extents[dim] != 1) axes.push_back(producer.loops[dim]->axis);
  return axes;
}

/// Computes the elements of the box, in the tensor. `is_certain`: they all exist.
Stmt nest_of_box(const Producer& producer, const Box& box, bool is_certain) {
  Stmt nest = producer.body;
  llvm::SmallVector<Expr, 2> guards;
  for (size_t dim = 0; dim < box.extents.size(); ++dim) {
    const For& loop = *producer.loops[dim];
    const Expr offset = AxisRef::make(loop.axis) * box.strides[dim];
    const Expr index = has_loop(producer, box, dim) ? box.base[dim] + offset : box.base[dim];
    nest = substitute(nest, loop.axis.get(), index);
    guards.push_back(index >= 0 && index < loop.extent);
  }
  if (!is_certain) nest = guarded(guards, nest);
  for (size_t dim = box.extents.size(); dim-- > 0;)
    if (has_loop(producer, box, dim))
      nest = For::make(producer.loops[dim]->axis, box.extents[dim], producer.loops[dim]->binding,
                       nest);
  return nest;
}

/// Guards around all of the body stay outside: behind them the part is needed.
void check_guards(const Preconditions& check, const Site& site, const Stmt& body,
                  const Accesses& uses) {
  const TensorPtr& tensor = uses.front().tensor;
  if (count_accesses(body, tensor) < uses.size())
    check.refuse(
        &site.loop(),
        fmt::format("a guard around all of {} reads {}", site.loop().axis->name, tensor->name),
        "compute it at a loop around that one");
}

}  // namespace

Rewrite compute_at(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                   const ComputeAtOptions& options) {
  // Preconditions
  const Preconditions check("compute_at", function, tensor);
  check_temporary(check, function, tensor);
  const Producer producer = find_producer(check, function, tensor);
  const Site site = check.find(axis);
  const Accesses uses = uses_of(function, producer);
  check_place(check, function, producer, uses, site);
  check_unscheduled(check, producer, /*may_have_parts=*/true);
  check_not_cached(check, uses);
  check_operands_stay(check, function, producer);
  const For& loop = site.loop();
  Facts facts = site.facts();
  const Stmt body = inside_guards(loop.body, facts);
  check_guards(check, site, body, uses);
  const Accesses accesses = collect_accesses(body);
  const Box box =
      without_gaps(touched_box(check, &loop, accesses, tensor, facts), accesses, tensor);
  const Scope scope =
      options.scope.value_or(producer.has_parts() ? Scope::shared : default_scope(site, box));
  check_scope(check, site, tensor, box, scope);
  if (producer.has_parts()) check_parts(check, site, producer, box, scope);
  const TensorPtr tile = tile_of(producer, box, scope);
  AxisSet unrolled;
  if (scope == Scope::shared)
    check_shared_tile(check, &loop, *tile,
                      fmt::format("the part of {} that one iteration of {} reads, [{}],",
                                  tensor->name, axis->name, fmt::join(box.extents, ", ")),
                      "compute it at an inner axis, or split into smaller tiles");
  if (scope == Scope::registers) {
    unrolled = indexing_axes(check, site, accesses, {tensor, tile, box});
    llvm::append_range(unrolled, axes_of_box(producer, box));
  }

  // Rewrite
  const bool is_certain = box.is_point() && is_used(accesses, tensor);
  const Stmt whole = Seq::make({nest_of_box(producer, box, is_certain), body});
  const Stmt redirected =
      redirect_to_tile(unrolled_in_full(whole, unrolled), tensor, tile, box, facts);
  const Stmt placed = replace(loop.body, body.get(), Alloc::make(tile, redirected));
  const Stmt moved = replace(function.body, &loop, loop.with_body(placed));

  // Postcondition
  Function result = rebuild(function, without_producer(moved, producer));
  check_unrolled(check, result, unrolled);
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, tile};
}

const Primitive compute_at_primitive = {
    .name = "compute_at",
    .arguments = {argument::tensor, argument::axis, argument::scope},
    .apply = [](const Function& f,
                const Step& s) { return compute_at(f, s.tensor, s.axes[0], {s.scope}); },
};

}  // namespace hone
