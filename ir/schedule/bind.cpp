// bind(axis, block.x): the iterations of the loop run on different blocks, threads or CPU cores.
//
//   for i in 0..N         =>     for i in 0..N @block.x
//     body                         body
//
// Preserves: everything; iterations touch different elements, so that their order does not matter.
//
// Several axes bind to one unit of threads, as digits of its number, the slowest first:
//
//   for y in 0..4         =>     for y in 0..4 @lane(8)        y = lane / 8
//     for x in 0..8                for x in 0..8 @lane         x = lane % 8
//       body                         body
//
// A reduction axis binds with a way to combine what its iterations have in common:
//
//   reduce k in 0..256    =>     reduce k in 0..256 @thread.x combine(sequential)
//     S[] += A[k]                  S[] += A[k]
//
// Preserves: values, up to the rounding of floats, which are combined in another order.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/clusters/cluster.h"
#include "ir/schedule/legality/combine.h"
#include "ir/schedule/legality/digits.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

bool is_kind(const For* loop, Kind kind) { return loop->binding.kind == kind; }

/// Whatever way iterations combine.
bool is_same_index(const Binding& lhs, const Binding& rhs) {
  return lhs.kind == rhs.kind && lhs.dim == rhs.dim && share_digits(lhs, rhs);
}

/// All loops on a path through `site`: around it, and inside it.
llvm::SmallVector<const For*, 8> related_loops(const Site& site) {
  auto loops = site.enclosing_loops();
  llvm::append_range(loops, loops_of(site.loop().body));
  return loops;
}

void check_axis_kind(const Preconditions& check, const Site& site, const Binding& binding) {
  if (site.loop().is_reduction()) return check_combine(check, site, binding);
  if (binding.combine)
    check.refuse(&site.loop(), fmt::format("{} is a spatial axis: there is nothing to combine",
                                           site.loop().axis->name));
}

/// The shared tensors that `stmt` writes; null where it writes anything else.
std::optional<llvm::SmallVector<TensorPtr, 2>> written_tiles(const Stmt& stmt) {
  llvm::SmallVector<TensorPtr, 2> tiles;
  for (const MemoryAccess& access : collect_accesses(stmt)) {
    if (!access.writes) continue;
    if (access.tensor->scope != Scope::shared) return std::nullopt;
    tiles.push_back(access.tensor);
  }
  return tiles;
}

/// Loops around that say nothing about who runs the loop: all threads of the block fill a tile that
/// is allocated inside of their loops together, and bind what fills it anew.
bool is_dealt_out_anew(const Site& site, const For* outer) {
  const auto tiles = written_tiles(site.loop().body);
  if (!tiles || tiles->empty() || !is_kind(outer, Kind::thread)) return false;
  return llvm::all_of(*tiles, [&](const TensorPtr& tile) { return find_alloc(outer->body, tile); });
}

/// A loop that fills a tile takes the threads that there are.
void check_has_threads(const Preconditions& check, const Site& site, const For& outer) {
  const auto extent = as_int(site.loop().extent), threads = as_int(outer.extent);
  if (!extent || !threads || *extent <= *threads) return;
  check.refuse(&site.loop(),
               fmt::format("{} has {} iterations, and the block has {} threads in {}",
                           site.loop().axis->name, *extent, *threads, to_string(outer.binding)),
               "split it first");
}

/// True of the whole number of a thread beside a digit of it.
bool takes_digits_of(const Binding& binding, const For& other) {
  return binding.kind == Kind::thread && binding.digit.is_whole() &&
         other.binding.digit.unit != ThreadUnit::thread;
}

void check_same_index(const Preconditions& check, const Site& site, const Binding& binding) {
  for (const For* other : related_loops(site)) {
    if (!is_same_index(other->binding, binding)) continue;
    if (!is_dealt_out_anew(site, other))
      check.refuse(
          other,
          fmt::format("{} is bound to {} already, and {} is in the same nest", other->axis->name,
                      to_string(other->binding), site.loop().axis->name),
          binding.is_cluster() ? "a cluster has the dimension x"
          : takes_digits_of(binding, *other)
              ? fmt::format("digits share thread.x: bind {} to lane, warp or warpgroup, too",
                            site.loop().axis->name)
          : binding.digit.is_whole() ? fmt::format("{} has the dimensions x, y and z",
                                                   binding.kind == Kind::block ? "block" : "thread")
                                     : "bind all axes of a unit in one step: s.bind({y, x}, lane)");
    check_has_threads(check, site, *other);
  }
}

/// Grid outside block, nothing between the loops of a grid, and the CPU apart from the GPU.
void check_nesting(const Preconditions& check, const Site& site, const Binding& binding) {
  const auto& axis = site.loop().axis->name;
  for (const For* outer : site.enclosing_loops())
    if (binding.kind == Kind::block && !is_kind(outer, Kind::block))
      check.refuse(
          outer,
          outer->binding.is_serial()
              ? fmt::format("{} stands inside {}, which is not bound", axis, outer->axis->name)
              : fmt::format("{} stands inside {}, which is bound to {}", axis, outer->axis->name,
                            to_string(outer->binding)),
          fmt::format("only loops bound to blocks enclose one; reorder brings {} outside of {}, or "
                      "bind from the outside in",
                      axis, outer->axis->name));
  for (const For* other : related_loops(site)) {
    const bool is_gpu = is_kind(other, Kind::block) || is_kind(other, Kind::thread);
    if (binding.kind == Kind::parallel ? is_gpu : is_kind(other, Kind::parallel))
      check.refuse(
          other,
          fmt::format("{} is bound to {}, and {} to {} would mix CPU and GPU in one nest",
                      other->axis->name, to_string(other->binding), axis, to_string(binding)));
  }
}

/// "the loop around it", "the tile C.shared around it"
std::string text_of_enclosure(const Stmt& stmt) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return fmt::format("the tile {} around it", alloc->tensor->name);
  return llvm::isa<For>(stmt) ? "the loop around it" : "the guard around it";
}

/// A kernel is one nest of blocks: a second statement beside a loop of a grid, in anything that is
/// the kernel's own, would run once per launch, or in blocks that another loop asks for.
void check_grid_is_tight(const Preconditions& check, const Site& site, const Binding& binding) {
  if (binding.kind != Kind::block) return;
  const auto is_program = [](const Stmt& stmt) {
    return llvm::isa<Seq>(stmt) || is_global_alloc(stmt);
  };
  const auto* kernel = llvm::find_if_not(site.around, is_program);
  for (const Stmt& stmt : llvm::make_range(kernel, site.around.end()))
    if (llvm::isa<Seq>(stmt))
      check.refuse(
          site.statement.get(),
          fmt::format("other statements stand between {} and {}", site.loop().axis->name,
                      text_of_enclosure(*kernel)),
          "the loops of a grid enclose one another directly; fission separates statements");
}

/// Iterations, or threads up to the end of a digit. Extents known at launch only count as 1.
int64_t constant_extent(const For& loop, const Binding& binding) {
  return binding.digit.is_whole() ? as_int(loop.extent).value_or(1) : binding.digit.end();
}

/// Threads of the kernel that the loop is part of, once it is bound: the largest extent in each
/// dimension counts.
int64_t threads_of_block(const Site& site, const Binding& binding) {
  const auto around = site.enclosing_loops();
  int64_t largest[3] = {1, 1, 1};
  largest[binding.dim] = constant_extent(site.loop(), binding);
  for (const For* loop : loops_of(Stmt(around.empty() ? &site.loop() : around.front())))
    if (is_kind(loop, Kind::thread) && !loop->binding.is_cluster())
      largest[loop->binding.dim] =
          std::max(largest[loop->binding.dim], constant_extent(*loop, loop->binding));
  return largest[0] * largest[1] * largest[2];
}

void check_limits(const Preconditions& check, const Site& site, const Binding& binding) {
  const For& loop = site.loop();
  if (binding.is_cluster()) return check_cluster_size(check, loop);
  const bool is_grid = binding.kind == Kind::block;
  const ArchitectureLimits& limits = widest_architecture();
  const int64_t limit = (is_grid ? limits.max_grid : limits.max_block)[binding.dim];
  const int64_t extent = constant_extent(loop, binding);
  if (extent > limit)
    check.refuse(&loop,
                 fmt::format("{} has the extent {}, and {} takes at most {}", loop.axis->name,
                             extent, to_string(binding), limit),
                 "split it first");
  if (is_grid) return;
  const int64_t threads = threads_of_block(site, binding);
  if (threads > limits.max_threads)
    check.refuse(&loop,
                 fmt::format("the block would have {} threads, and a block takes at most {}",
                             threads, limits.max_threads),
                 "bind smaller tiles to threads");
}

/// Threads that touch different elements have them.
bool is_dealt_out(const MemoryAccess& access, const For& loop, const Binding& binding) {
  return binding.kind == Kind::thread && llvm::any_of(access.indices, [&](const Expr& index) {
           return mentions(index, loop.axis.get());
         });
}

bool allocates_registers(const Stmt& stmt) {
  const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
  return alloc && alloc->tensor->scope == Scope::registers;
}

/// Each thread has registers of its own; those in which the threads of a loop combine have the
/// result in all threads.
void check_registers(const Preconditions& check, const Site& site, const Binding& binding) {
  if (llvm::none_of(site.around, allocates_registers)) return;
  const For& loop = site.loop();
  for (const MemoryAccess& access : collect_accesses(loop.body))
    if (access.writes && access.tensor->scope == Scope::registers &&
        !(binding.combine && access.update != Update::set) && !is_dealt_out(access, loop, binding))
      check.refuse(access.statement.get(),
                   fmt::format("{} lives outside {}, in the registers of one thread",
                               access.tensor->name, loop.axis->name),
                   "bind before caching, or cache under this axis");
}

/// A tile in shared memory is one per block.
void check_tiles(const Preconditions& check, const For& loop, const Binding& binding) {
  if (binding.kind != Kind::thread || binding.is_cluster()) return;
  if (const auto problem = problem_of_tiles(loop))
    check.refuse(problem->alloc.get(), problem->message,
                 fmt::format("bind {} before caching", loop.axis->name));
}

void check_overlap(const Preconditions& check, const Site& site) {
  if (const auto overlap = find_overlap(site))
    check.refuse(overlap->writer.statement.get(), overlap->text(site.loop()),
                 "iterations that run at the same time must not share what they write");
}

/// The dimension of a binding that somebody made of numbers.
void check_dimension(const Preconditions& check, const Binding& binding) {
  const bool is_unit = binding.digit.unit != ThreadUnit::thread;
  if (binding.is_cluster() || binding.dim < (binding.kind == Kind::parallel || is_unit ? 1 : 3))
    return;
  const std::string whole = binding.kind == Kind::parallel ? "parallel"
                            : binding.kind == Kind::block  ? "block"
                            : is_unit                      ? "a unit of threads"
                                                           : "thread";
  check.refuse(nullptr, fmt::format("{} has no dimension {}", whole, binding.dim),
               "bind takes block.x, block.y, block.z, thread.x, thread.y, thread.z, cluster.x, "
               "lane, warp, warpgroup or parallel");
}

/// Binds to a dimension, or to the digit above `inner` iterations of faster ones.
Rewrite bind_one(const Function& function, const AxisPtr& axis, Binding binding, int64_t inner) {
  // Preconditions
  const Preconditions check("bind", function);
  const Site site = check.find_serial(axis);
  if (!binding.is_parallel())
    check.refuse(site.statement.get(),
                 fmt::format("{} is not an index of a device", to_string(binding)),
                 "bind takes block.x, block.y, block.z, thread.x, thread.y, thread.z, lane, warp, "
                 "warpgroup or parallel");
  check_dimension(check, binding);
  const For& loop = site.loop();
  if (inner > 0) binding = digit_of(check, site, binding, inner);
  check_axis_kind(check, site, binding);
  if (binding.kind != Kind::parallel) check_same_index(check, site, binding);
  check_nesting(check, site, binding);
  check_grid_is_tight(check, site, binding);
  if (binding.kind != Kind::parallel) check_limits(check, site, binding);
  check_registers(check, site, binding);
  check_tiles(check, loop, binding);
  if (!binding.combine) check_overlap(check, site);

  // Rewrite
  Function bound = rebind(function, loop, binding);

  // Postcondition
  check_promises(check, function, bound, &loop);
  return {std::move(bound), {axis}, nullptr};
}

}  // namespace

Rewrite bind(const Function& function, const AxisPtr& axis, const Binding& binding) {
  return bind(function, llvm::ArrayRef<AxisPtr>(axis), binding);
}

Rewrite bind(const Function& function, llvm::ArrayRef<AxisPtr> axes, const Binding& binding) {
  const bool has_unit = binding.digit.unit != ThreadUnit::thread;
  if (axes.size() == 1) return bind_one(function, axes[0], binding, has_unit ? 1 : 0);
  const Preconditions check("bind", function);
  if (binding.kind != Kind::thread || axes.empty())
    check.refuse(nullptr,
                 fmt::format("{} axes would be bound to {}", axes.size(), to_string(binding)),
                 "several axes are digits of the number of a thread: lane, warp, warpgroup or "
                 "thread.x; fuse makes one axis of several");
  // Those that combine come last: the lanes beside them are there.
  Rewrite result = {function, {}, nullptr};
  for (const AxisKind kind : {AxisKind::spatial, AxisKind::reduction}) {
    int64_t inner = 1;
    for (const AxisPtr& axis : llvm::reverse(axes)) {
      const Site site = check.find(axis);
      Binding own = binding;
      if (axis->kind == AxisKind::spatial) own = own.without_combine();
      if (axis->kind == kind) result = bind_one(result.function, axis, own, inner);
      constexpr int64_t most = 1 << 20;  // more is refused
      inner = std::min(
          most, inner * std::clamp<int64_t>(as_int(site.loop().extent).value_or(1), 1, most));
    }
  }
  result.axes.assign(axes.begin(), axes.end());
  return result;
}

// may_alias(): two arguments may be one array, where in_place_problem finds nothing.
//
//   func f(A: ...) {       =>     func f(A: ...) @may_alias {
//
// Preserves: everything; generated pointers carry no `__restrict__`.

Rewrite may_alias(const Function& function) {
  // Preconditions
  const Preconditions check("may_alias", function);

  // Rewrite
  Function result = function;
  result.may_alias = true;

  // Postcondition: what was vectorised still is.
  check_promises(check, function, result, nullptr);
  return {std::move(result), {}, nullptr};
}

const Primitive bind_primitive = {
    .name = "bind",
    .arguments = {argument::bound_axes, argument::binding, argument::combine},
    .apply = [](const Function& f, const Step& s) { return bind(f, s.axes, s.binding); },
};

const Primitive may_alias_primitive = {
    .name = "may_alias",
    .apply = [](const Function& f, const Step&) { return may_alias(f); },
};

}  // namespace hone
