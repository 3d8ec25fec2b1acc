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
// cache_shared(A, axis): the part of A that one iteration of the axis touches, over all threads of
// the block, lives in shared memory, which the threads fill together.
//
//   for i in 0..32 @thread.x                  for i in 0..32 @thread.x
//     reduce k.0 in 0..K / 8                    reduce k.0 in 0..K / 8
//       reduce k.1 in 0..8            =>          alloc A.shared: f32[32, 8] @shared
//         C[i] += A[b*32 + i, k.0*8 + k.1]        copy A.shared[0 .. +32, 0 .. +8]
//                                                      <- A[b*32 .. +32, k.0*8 .. +8]
//                                                 reduce k.1 in 0..8
//                                                   C[i] += A.shared[i, k.1]
//
// A tile starts from nothing where blocks add to the tensor atomically, or the last of them does:
//
//   reduce b in 0..B @block.x                 reduce b in 0..B @block.x combine(atomic)
//       combine(atomic)                         alloc H.shared: i32[256] @shared
//     reduce t in 0..32 @thread.x               for H.shared.init in 0..256
//         combine(atomic)              =>         H.shared[H.shared.init] = 0
//       H[data[b*32 + t]] += 1                  reduce t in 0..32 @thread.x combine(atomic)
//                                                 H.shared[data[b*32 + t]] += 1
//                                               for H.shared.add in 0..256
//                                                 H[H.shared.add] += H.shared[H.shared.add]
//
// A tile that moves in promised vectors, and that is only read, takes the rest of the first and the
// last vector of each row too: A[i.0*128 .. +132] for A[i] + A[i + 2].
//
// Elements that are no box of their tensor, as those along fused axes, have one place in a register
// tile for each iteration that chooses them (view.h):
//
//   for i_j.0 in 0..M*N / 4                   for i_j.0 in 0..M*N / 4
//     for i_j.1 in 0..4                         alloc C.reg: f32[4] @registers
//       C[(i_j.0*4 + i_j.1) / N, ...] = ... =>  for i_j.1 in 0..4 @unroll
//                                                 C.reg[i_j.1] = ...
//                                               for C.reg.write_back in 0..4 @unroll
//                                                 C[(i_j.0*4 + C.reg.write_back) / N, ...] = ...
//
// Of a tensor that is only read, a step may pick the accesses to one element, cache_shared(A(i, k),
// k.0), whose tile holds no others: those of A[i, k] and A[j, k] lie in two.
//
// A tile of more than one element moves by `copy`, which clips at the tensor's end. The tile is
// filled first where the iteration may read an element, or leave one as it was. Loops that index a
// register tile are unrolled: registers have no addresses. Guards that differ between threads move
// inside of what the block does together, and go where padding makes them superfluous.
//
// Preserves: values.

#include "fmt/format.h"
#include "ir/core/layout.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/element.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/owner.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/rewrite/sink.h"
#include "ir/schedule/staging/contribution.h"
#include "ir/schedule/staging/coverage.h"
#include "ir/schedule/staging/padding.h"
#include "ir/schedule/staging/registers.h"
#include "ir/schedule/staging/staged.h"
#include "ir/schedule/staging/transfer.h"
#include "ir/schedule/staging/view.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/register_owners.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// A tile may be a part of another one in shared memory, which has addresses.
void check_tensor(const Preconditions& check, const Site& site, const TensorPtr& tensor) {
  if (tensor->scope == Scope::registers)
    check.refuse(site.statement.get(), fmt::format("{} lives in registers already", tensor->name));
}

/// Registers are filled and written back by copies that other steps do not look into.
void check_no_copies(const Preconditions& check, const Accesses& accesses,
                     const TensorPtr& tensor) {
  for (const MemoryAccess& access : accesses)
    if (access.tensor == tensor && access.copy)
      check.refuse(access.statement.get(),
                   fmt::format("{} is cached inside this axis already", tensor->name));
}

/// The loops of threads down to the one at `site`, outermost first.
llvm::SmallVector<const For*, 4> thread_loops_to(const Site& site) {
  auto loops = thread_loops(site.around);
  if (is_loop_in_block(site.loop())) loops.push_back(&site.loop());
  return loops;
}

/// The sequential meaning would not show to other threads what one writes into a shared tile.
void check_only_read(const Preconditions& check, const Site& site, const Accesses& accesses,
                     const TensorPtr& tensor) {
  const auto threads = thread_loops_to(site);
  if (threads.empty()) return;
  const For& outermost = *threads.front();
  const std::string where =
      &outermost == &site.loop()
          ? fmt::format("{} is bound to {}", outermost.axis->name, to_string(outermost.binding))
          : fmt::format("{} stands inside {}, which is bound to {}", site.loop().axis->name,
                        outermost.axis->name, to_string(outermost.binding));
  for (const MemoryAccess& access : accesses)
    if (access.tensor == tensor && access.writes)
      check.refuse(access.statement.get(),
                   fmt::format("{} is written here, and {}", tensor->name, where),
                   "a tile that the block writes is cached under an axis around its threads");
}

/// Notes what the access reads in registers, of which each thread has its own.
void note_registers(MemoryAccess& access) {
  for (const Expr& index : access.indices)
    walk(index, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      if (load && load->tensor->scope == Scope::registers) access.changing.push_back(load->tensor);
    });
}

/// The accesses of all threads of the block.
Accesses over_all_threads(Accesses accesses, const Site& site) {
  llvm::SmallVector<std::pair<AxisPtr, Expr>, 4> threads;
  for (const For* loop : thread_loops_to(site)) threads.push_back({loop->axis, loop->extent});
  for (MemoryAccess& access : accesses) {
    access.inner.insert(access.inner.begin(), threads.begin(), threads.end());
    if (!threads.empty()) note_registers(access);
  }
  return accesses;
}

/// The loop and those around it that are bound.
llvm::SmallVector<const For*, 8> bound_loops(const Site& site) {
  auto loops = site.enclosing_loops();
  loops.push_back(&site.loop());
  llvm::erase_if(loops, [](const For* loop) { return !loop->binding.is_parallel(); });
  return loops;
}

/// The order in which the box lies in the tensor, of the dimensions that the tile has; empty where
/// it is row-major.
llvm::SmallVector<int, 4> order_in_tile(const TensorNode& tensor, const Box& box) {
  llvm::SmallVector<int, 4> place(box.extents.size()), order;
  int count = 0;
  for (size_t dim = 0; dim < place.size(); ++dim)
    if (box.extents[dim] != 1) place[dim] = count++;
  for (const int dim : storage_order(tensor))
    if (box.extents[dim] != 1) order.push_back(place[dim]);
  if (llvm::is_sorted(order)) order.clear();
  return order;
}

/// `body` between the moves into and out of the tile.
Stmt with_transfers(const Staged& staged, const TensorPtr& tensor, const TensorPtr& tile,
                    const Stmt& body, int64_t vector) {
  const Transfer transfer(tensor, tile, staged.box);
  const bool writes = llvm::any_of(
      staged.accesses, [&](const MemoryAccess& a) { return a.tensor == tensor && a.writes; });
  // A copy clips. An element that the code uses unconditionally exists.
  const bool clips = !staged.box.is_point() || is_used(staged.accesses, tensor);
  const auto existing = [&](Stmt stmt) {
    return clips ? stmt : where_inside(transfer.outside, stmt);
  };
  llvm::SmallVector<Stmt, 3> stmts;
  const bool is_filled = copies_from_beyond(staged, tensor) ||
                         (!is_undefined_before(staged.site, tensor) &&
                          !sets_whole_box(staged.body, tensor, staged.box, staged.moving));
  if (is_filled) stmts.push_back(existing(move(transfer.inside, transfer.outside, vector)));
  stmts.push_back(body);
  const bool is_read_later = is_filled || !is_unused_beyond(staged.site, tensor);
  if (writes && is_read_later)
    stmts.push_back(existing(move(transfer.outside, transfer.inside, vector)));
  return Alloc::make(tile, Seq::make(stmts));
}

/// `body`, which uses the tile, between what fills that and what the tensor gets from it.
Stmt with_tile(const Preconditions& check, const Staged& staged, const TensorPtr& tensor,
               const TensorPtr& tile, const Stmt& body, const Names& names, int64_t vector) {
  if (!is_combined(check, staged, tensor))
    return with_transfers(staged, tensor, tile, body, vector);
  if (vector > 1)
    check.refuse(staged.culprit,
                 fmt::format("loops around combine their updates of {}, one element at a time, and "
                             "{} cannot move at once",
                             tensor->name, vector));
  return with_contribution(check, staged, tensor, tile, body, names);
}

/// Nobody allocates a tensor whose tile has taken its place altogether.
Function without_unused(const Function& function, const TensorPtr& tensor) {
  return function.with_body(transform_stmts(function.body, [&](const Stmt& stmt) -> Stmt {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    const bool is_unused =
        alloc && alloc->tensor == tensor && !names_tensor(alloc->body, tensor.get());
    return is_unused ? alloc->body : Stmt();
  }));
}

/// Inside the axis, the tensor is touched by the transfers alone. They move whole tiles, which must
/// not overlap where iterations run at the same time.
Rewrite finish(const Preconditions& check, const Function& function, const Staged& staged,
               const TensorPtr& tensor, Stmt cached, const TensorPtr& tile) {
  const For& loop = staged.site.loop();
  for (const FilledTile& before : llvm::reverse(staged.before))
    cached = Alloc::make(before.tile, Seq::make({before.fill, cached}));
  const Stmt rewritten = loop.with_body(replace(loop.body, staged.whole.get(), cached));
  Function result = without_unused(rebuild(function, &loop, rewritten), tensor);
  for (const For* bound : bound_loops(staged.site))
    check_independent(check, result, bound->axis.get(), staged.culprit, tensor);
  check_promises(check, function, result, staged.culprit);
  return {result, {loop.axis}, tile};
}

/// Lets the elements that are no box of their tensor, or a sparse one, be one of the view.
void show(const Preconditions& check, Staged& staged, const IterationView& view,
          const CacheOptions& options) {
  const Expr& row = view.tensor()->shape.back();
  if (options.vectorize > 1 && *as_int(row) % options.vectorize != 0)
    refuse_vectors_of_view(check, staged, view.tensor()->name, options.vectorize,
                           fmt::format("the innermost loop has {}", row));
  staged.body = view.on_view(staged.body);
  staged.accesses = view.on_view(staged.accesses);
  view.assume_existence(staged.moving);
}

/// The box of elements that the tile holds.
Box box_of(const Preconditions& check, const Staged& staged, const TensorPtr& source) {
  const Box box = touched_box(check, staged.culprit, staged.accesses, source, staged.facts);
  return without_gaps(box, staged.accesses, source);
}

/// A view where the elements are no box of the tensor, or a sparse one.
std::optional<IterationView> find_view(const Preconditions& check, const Staged& staged,
                                       const TensorPtr& tensor) {
  if (auto view = IterationView::find(check, staged.site, tensor, staged.accesses, staged.facts))
    return view;
  return IterationView::find_sparse(check, staged.site, tensor, staged.accesses, staged.facts,
                                    box_of(check, staged, tensor));
}

Rewrite cache_in_registers(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                           const CacheOptions& options) {
  // Preconditions
  const Preconditions check("cache_registers", function, tensor);
  const Site site = check.find(axis);
  Staged staged{&site.loop(), site, {}, {}, {}, {}, {}, {}, {}};
  check_tensor(check, staged.site, tensor);
  check_one_thread(check, staged.site, tensor);
  staged.facts = staged.site.facts();
  staged.whole = staged.body = inside_guards(staged.site.loop().body, staged.facts);
  staged.before = take_filled_tiles(staged.body, tensor);
  staged.accesses = collect_accesses(staged.body);
  check_no_copies(check, staged.accesses, tensor);
  staged.moving = staged.facts;
  const auto view = find_view(check, staged, tensor);
  if (view) show(check, staged, *view, options);
  const TensorPtr& source = view ? view->tensor() : tensor;
  staged.box = box_of(check, staged, source);
  if (view) check_vector_of_view(check, staged, tensor->name, options.vectorize);
  if (!has_thread_loops(staged.body))
    check_register_count(check, staged.site, tensor, staged.box.extents);
  check_vector(check, staged, tensor, options.vectorize);
  if (!options.layout.is_row_major())
    check.refuse(staged.culprit, "registers have no addresses, and no layout");
  const TensorPtr tile = make_tile(function, tensor, staged.box, Scope::registers);
  const auto indexing =
      indexing_axes(check, staged.site, staged.accesses, {source, tile, staged.box});

  // Rewrite
  const Stmt unrolled = unrolled_in_full(staged.body, indexing);
  const Stmt redirected = redirect_to_tile(unrolled, source, tile, staged.box, staged.facts);
  Names names(function);
  Stmt cached = with_tile(check, staged, source, tile, redirected, names, options.vectorize);
  if (view) cached = view->on_tensor(cached, names);

  // Postcondition
  Rewrite result = finish(check, function, staged, tensor, cached, tile);
  check_unrolled(check, result.function, indexing);
  if (!has_thread_loops(staged.body)) return result;
  check_register_count(check, staged.site, tensor,
                       extents_per_thread(tile, redirected, staged.facts));
  return result;
}

Rewrite cache_in_shared_memory(const Function& original, const TensorPtr& tensor,
                               const AxisPtr& axis, const CacheOptions& options) {
  // Preconditions
  const Preconditions check("cache_shared", original, tensor);
  const Site before = check.find(axis);
  check_tensor(check, before, tensor);
  check_one_block(check, before, tensor);
  const Function function = sink_thread_guards(check, original, axis);
  Staged staged{&before.loop(), *find_site(function, axis.get()), {}, {}, {}, {}, {}, {}, {}};
  staged.facts = staged.site.facts();
  staged.whole = staged.body = body_with_tile(staged.site, tensor, staged.facts);
  staged.moving = staged.facts;
  staged.before = take_filled_tiles(staged.body, tensor);
  staged.accesses = over_all_threads(collect_accesses(staged.body), staged.site);
  check_only_read(check, staged.site, staged.accesses, tensor);
  staged.box = touched_box(check, staged.culprit, staged.accesses, tensor, staged.facts);
  check_vector(check, staged, tensor, options.vectorize);
  const auto is_write = [&](const MemoryAccess& a) { return a.tensor == tensor && a.writes; };
  if (options.vectorize > 1 && tensor->scope == Scope::global &&
      llvm::none_of(staged.accesses, is_write))
    staged.box = in_whole_vectors(staged.box, *tensor, options.vectorize, staged.facts);
  Layout layout = options.layout;
  if (layout.digits.empty()) llvm::append_range(layout.digits, order_in_tile(*tensor, staged.box));
  const TensorPtr tile =
      with_layout(*make_tile(function, tensor, staged.box, Scope::shared), layout);
  check_shared_tile(check, staged.culprit, *tile,
                    fmt::format("the part of {} that one iteration of {} touches, [{}],",
                                tensor->name, axis->name, fmt::join(staged.box.extents, ", ")),
                    "cache under an inner axis, or split into smaller tiles");

  // Rewrite
  const Stmt redirected = redirect_to_tile(staged.body, tensor, tile, staged.box, staged.facts);
  const Stmt cached =
      with_tile(check, staged, tensor, tile, redirected, Names(function), options.vectorize);

  // Postcondition
  return finish(check, function, staged, tensor, cached, tile);
}

/// Guards go last, judged by all accesses to the tensor.
Rewrite cached(const char* primitive, const Function& function, const TensorPtr& tensor,
               const AxisPtr& axis, const CacheOptions& options, CacheStep* cache) {
  Rewrite result = options.element.empty()
                       ? cache(function, tensor, axis, options)
                       : cache_picked(primitive, function, tensor, axis, options, cache);
  result.function = drop_padding_guards(result.function);
  return result;
}

}  // namespace

Rewrite cache_registers(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                        const CacheOptions& options) {
  return cached("cache_registers", function, tensor, axis, options, cache_in_registers);
}

Rewrite cache_shared(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                     const CacheOptions& options) {
  return cached("cache_shared", function, tensor, axis, options, cache_in_shared_memory);
}

const Primitive cache_registers_primitive = {
    .name = "cache_registers",
    .arguments = {argument::element, argument::axis, argument::cache},
    .apply =
        [](const Function& f, const Step& s) {
          return cache_registers(f, s.tensor, s.axes[0], {s.count, s.layout, s.element});
        },
};

const Primitive cache_shared_primitive = {
    .name = "cache_shared",
    .arguments = {argument::element, argument::axis, argument::cache},
    .made = {.tensor = true},
    .apply =
        [](const Function& f, const Step& s) {
          return cache_shared(f, s.tensor, s.axes[0], {s.count, s.layout, s.element});
        },
};

}  // namespace hone
