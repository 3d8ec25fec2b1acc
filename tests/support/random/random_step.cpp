#include "tests/support/random/random_step.h"

#include "fmt/format.h"
#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/dimensions.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/step_draw.h"
#include "tests/support/random/words.h"

namespace hone {

Loops Draw::those(llvm::function_ref<bool(const For*)> hold) const {
  Loops result;
  for (const For* loop : loops)
    if (hold(loop)) result.push_back(loop);
  return result;
}

const For* Draw::serial_loop() const {
  const Loops serial = those([](const For* loop) { return loop->binding.is_serial(); });
  if (serial.empty() || random.chance(3)) return any_loop();
  return serial[random.below(serial.size())];
}

Loops Draw::around(const For* loop) const {
  return find_site(function, loop->axis.get())->enclosing_loops();
}

Loops Draw::path(const For* loop) const {
  Loops result = around(loop);
  result.push_back(loop);
  return result;
}

std::optional<Step> make_step(llvm::StringRef primitive, llvm::ArrayRef<const For*> loops) {
  Step step(find_primitive(primitive));
  for (const For* loop : loops) step.axes.push_back(loop->axis);
  return step;
}

bool is_device(const For* loop, Kind kind) { return loop->binding.kind == kind; }

namespace {

/// Small numbers; now and then the param S, and what no split takes.
Expr random_factor(Random& random) {
  switch (random.weighted({60, 32, 5, 3})) {
    case 0:
      return random.between(1, 4);
    case 1:
      return random.between(5, 9);
    case 2:
      return ParamRef::make(make_param("S"));
    default:
      return random.between(-1, 0);
  }
}

Tail random_tail(Random& random) {
  constexpr Tail tails[] = {Tail::guard, Tail::peel, Tail::exact, Tail::pad};
  return tails[random.weighted({52, 16, 14, 18})];
}

std::optional<Step> draw_split(Draw& draw, llvm::StringRef primitive) {
  auto step = make_step(primitive, draw.serial_loop());
  step->factors.push_back(random_factor(draw.random));
  step->tail = random_tail(draw.random);
  return step;
}

/// Two loops that stand in one another, rarely one or three.
std::optional<Step> draw_tile(Draw& draw) {
  Loops path = draw.path(draw.serial_loop());
  const size_t wanted = 1 + draw.random.weighted({10, 75, 15});
  while (path.size() > wanted) path.erase(path.begin());
  auto step = make_step("tile", path);
  for (size_t n = 0; n < path.size(); ++n) step->factors.push_back(random_factor(draw.random));
  step->tail = random_tail(draw.random);
  return step;
}

std::optional<Step> draw_fuse(Draw& draw) {
  const Loops nested = draw.those([&](const For* loop) { return !draw.around(loop).empty(); });
  if (nested.empty()) return std::nullopt;
  const For* inner = nested[draw.random.below(nested.size())];
  const For* outer = draw.around(inner).back();
  return draw.random.chance(5) ? make_step("fuse", {inner, outer})
                               : make_step("fuse", {outer, inner});
}

/// Some of the loops around one, shuffled.
std::optional<Step> draw_reorder(Draw& draw) {
  const Loops nested = draw.those([&](const For* loop) { return !draw.around(loop).empty(); });
  if (nested.empty()) return std::nullopt;
  Loops path = draw.path(nested[draw.random.below(nested.size())]);
  while (path.size() > 2 && draw.random.chance(25))
    path.erase(path.begin() + draw.random.below(path.size()));
  for (size_t n = path.size() - 1; n > 0; --n)
    std::swap(path[n], path[n - draw.random.below(n + 1)]);
  return make_step("reorder", path);
}

/// Several statements stand in it, maybe under a guard.
bool has_parts(const Stmt& body) {
  const auto* branch = llvm::dyn_cast<If>(body);
  return branch ? has_parts(branch->body) : llvm::isa<Seq>(body);
}

std::optional<Step> draw_fission(Draw& draw) {
  const Loops several = draw.those(
      [](const For* loop) { return loop->binding.is_serial() && has_parts(loop->body); });
  if (draw.random.chance(10)) return make_step("fission", draw.serial_loop());
  if (several.empty()) return std::nullopt;
  return make_step("fission", several[draw.random.below(several.size())]);
}

/// The loop that `stmt` starts with, allocs aside; null where it starts with something else.
const For* first_loop(const Stmt& stmt) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return first_loop(alloc->body);
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return first_loop(seq->stmts.front());
  return llvm::dyn_cast<For>(stmt);
}

/// Two loops that follow each other, rarely any two.
std::optional<Step> draw_merge(Draw& draw) {
  llvm::SmallVector<Loops, 4> neighbours;
  walk(draw.function.body, [&](const Stmt& stmt) {
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    for (size_t n = 1; seq && n < seq->stmts.size(); ++n) {
      const auto* earlier = llvm::dyn_cast<For>(seq->stmts[n - 1]);
      const For* later = first_loop(seq->stmts[n]);
      if (earlier && later) neighbours.push_back({earlier, later});
    }
  });
  if (neighbours.empty() || draw.random.chance(5))
    return make_step("merge", {draw.serial_loop(), draw.serial_loop()});
  return make_step("merge", neighbours[draw.random.below(neighbours.size())]);
}

Binding random_device(Random& random) {
  const Kind kind = random.chance(50) ? Kind::block : Kind::thread;
  return {kind, static_cast<uint8_t>(random.below(3)), 0};
}

}  // namespace

uint8_t free_dimension(const Draw& draw, const For* loop, Kind kind) {
  if (draw.random.chance(Extra::indices, 12)) return static_cast<uint8_t>(draw.random.below(3));
  Loops related = draw.around(loop);
  llvm::append_range(related, loops_of(loop->body));
  for (uint8_t dim = 0; dim < 3; ++dim)
    if (llvm::none_of(related, [&](const For* other) {
          return other->binding.kind == kind && other->binding.dim == dim;
        }))
      return dim;
  return 0;
}

void draw_units(Draw& draw, const For* loop, Step& step) {
  constexpr Binding units[] = {lane, lane, warp, warpgroup, thread_x};
  const CombineLevels combine = step.binding.combine;
  step.binding = draw.random.pick(units);
  step.binding.combine = combine;
  const auto inside = loops_of(loop->body);
  const bool is_alone = inside.empty() || !inside.front()->binding.is_serial();
  if (is_alone || draw.random.chance(40)) return;
  const AxisPtr axis = inside.front()->axis;
  step.axes.insert(draw.random.chance(70) ? step.axes.end() : step.axes.begin(), axis);
}

namespace {

/// The outermost spatial loops that are not bound yet.
Loops next_to_bind(const Draw& draw) {
  return draw.those([&](const For* loop) {
    return loop->binding.is_serial() && !loop->is_reduction() &&
           llvm::none_of(draw.around(loop), [](const For* outer) {
             return outer->binding.is_serial() && !outer->is_reduction();
           });
  });
}

std::optional<Step> draw_bind(Draw& draw) {
  const Loops candidates = next_to_bind(draw);
  if (draw.random.chance(6)) {
    auto step = make_step("bind", draw.serial_loop());
    step->binding =
        draw.phase == Phase::host ? Binding{Kind::parallel, 0, 0} : random_device(draw.random);
    return step;
  }
  if (candidates.empty()) return std::nullopt;
  const For* loop = candidates[draw.random.below(candidates.size())];
  auto step = make_step("bind", loop);
  step->binding.kind = Kind::parallel;
  if (draw.phase == Phase::host) return step;
  const bool in_grid = llvm::all_of(draw.around(loop),
                                    [](const For* outer) { return is_device(outer, Kind::block); });
  step->binding.kind = in_grid && draw.random.chance(60) ? Kind::block : Kind::thread;
  step->binding.dim = free_dimension(draw, loop, step->binding.kind);
  if (step->binding.kind == Kind::thread && draw.random.chance(Extra::units, 25))
    draw_units(draw, loop, *step);
  return step;
}

std::optional<Step> draw_unroll(Draw& draw) {
  auto step = make_step("unroll", draw.serial_loop());
  step->count = draw.random.chance(40) ? draw.random.between(1, 5) : 0;
  return step;
}

std::optional<Step> draw_rename(Draw& draw) {
  auto step = make_step("rename", draw.loops[draw.random.below(draw.loops.size())]);
  step->name = fmt::format("row{}", draw.random.below(20));
  return step;
}

/// Of rfactor and reduce_at, mostly of a tensor that is reduced over the loop.
std::optional<Step> draw_partial_results(Draw& draw, llvm::StringRef primitive) {
  const Loops reductions = draw.those([](const For* loop) { return loop->is_reduction(); });
  const For* loop = reductions.empty() || draw.random.chance(3)
                        ? draw.any_loop()
                        : reductions[draw.random.below(reductions.size())];
  const Accesses accesses = collect_accesses(loop->body);
  if (accesses.empty()) return std::nullopt;
  auto step = make_step(primitive, loop);
  const bool any = draw.random.chance(3);
  const auto* written = llvm::find_if(accesses, [](const MemoryAccess& a) { return a.writes; });
  step->tensor = (any || written == accesses.end() ? accesses.front() : *written).tensor;
  return step;
}

/// Loops that a copy fills a tile in, first of all.
Loops filled_loops(const Draw& draw, llvm::function_ref<bool(const Copy&)> is_it) {
  return draw.those([&](const For* loop) {
    const auto* alloc = llvm::dyn_cast<Alloc>(loop->body);
    const auto* seq = alloc ? llvm::dyn_cast<Seq>(alloc->body) : nullptr;
    const auto* copy = seq ? llvm::dyn_cast<Copy>(seq->stmts.front()) : nullptr;
    return copy && is_it(*copy);
  });
}

/// A loop that tiles are filled in, rarely any one.
std::optional<Step> draw_pipeline(Draw& draw) {
  const Loops filled = filled_loops(draw, [](const Copy&) { return true; });
  if (filled.empty() && !draw.random.chance(5)) return std::nullopt;
  auto step = make_step(
      "pipeline", filled.empty() ? draw.serial_loop() : filled[draw.random.below(filled.size())]);
  if (step)
    step->count = draw.random.chance(4) ? draw.random.between(-1, 0) : draw.random.between(1, 4);
  return step;
}

/// A loop that copies fill tiles in, asynchronous ones unless the copy engine makes all, rarely any
/// one.
std::optional<Step> draw_specialize(Draw& draw) {
  const bool by_engine = draw.random.chance(Extra::globals, 40);
  const Loops filled =
      filled_loops(draw, [&](const Copy& copy) { return by_engine || copy.is_async(); });
  if (filled.empty() && !draw.random.chance(3)) return std::nullopt;
  auto step = make_step(
      "specialize", filled.empty() ? draw.serial_loop() : filled[draw.random.below(filled.size())]);
  if (!step) return step;
  step->count = draw.random.chance(4) ? 0 : draw.random.between(1, 4);
  step->binding.roles.producer_warps = draw.random.chance(4) ? 0 : draw.random.between(1, 3);
  if (draw.random.chance(10)) step->binding.roles = {4, 40, 232};
  if (by_engine) step->engine = CopyEngine::boxes;
  return step;
}

/// A loop with producers, rarely any one.
std::optional<Step> draw_prefetch(Draw& draw) {
  const Loops with_roles =
      draw.those([](const For* loop) { return loop->binding.kind == Binding::Kind::roles; });
  if (with_roles.empty() && !draw.random.chance(3)) return std::nullopt;
  auto step = make_step("prefetch", with_roles.empty() ? draw.serial_loop() : with_roles.front());
  if (step && draw.random.chance(50)) step->count = draw.random.between(1, 3);
  return step;
}

/// A loop and loops inside of it, mostly those that stay on one thread.
std::optional<Step> draw_serpentine(Draw& draw) {
  const For* outer = draw.serial_loop();
  Loops inner = loops_of(outer->body);
  if (inner.empty() && !draw.random.chance(5)) return std::nullopt;
  if (inner.size() > 1 && draw.random.chance(50)) inner = {inner[draw.random.below(inner.size())]};
  Loops named = {outer};
  llvm::append_range(named, inner);
  return make_step("serpentine", named);
}

/// A loop that is unrolled, rarely any one.
std::optional<Step> draw_keep_order(Draw& draw) {
  const Loops unrolled =
      draw.those([](const For* loop) { return loop->binding.is_unrolled_in_full(); });
  if (unrolled.empty() && !draw.random.chance(5)) return std::nullopt;
  return make_step("keep_order", unrolled.empty() ? draw.serial_loop()
                                                  : unrolled[draw.random.below(unrolled.size())]);
}

std::optional<Step> draw_require(Draw& draw) {
  auto step = make_step("require", {});
  step->numbers = static_cast<Numbers>(draw.random.below(numbers_words.size()));
  return step;
}

/// A loop of blocks, rarely any one.
std::optional<Step> draw_launch_bounds(Draw& draw) {
  const Loops blocks = draw.those([](const For* loop) { return is_device(loop, Kind::block); });
  if (blocks.empty() && !draw.random.chance(3)) return std::nullopt;
  auto step = make_step(
      "launch_bounds", blocks.empty() ? draw.any_loop() : blocks[draw.random.below(blocks.size())]);
  step->count = draw.random.chance(10) ? draw.random.between(-1, 40) : draw.random.between(1, 8);
  return step;
}

/// Words for axes that a step makes; `rename` has a name already.
void draw_names(Random& random, Step& step) {
  const bool makes_axes = step.primitive->made.axes > 0 && step.primitive != &rename_primitive;
  if (!makes_axes || !random.chance(Extra::names, 40)) return;
  const int64_t most = step.axes.size() == 1 ? 2 : 1;
  for (int64_t n = random.between(1, most); n > 0; --n)
    step.names.push_back(random.chance(25) ? "" : random_word(random, "row"));
}

struct Drawer {
  std::optional<Step> (*draw)(Draw&);
  uint32_t weights[7];  ///< by phase
  std::optional<Extra> extra = {};
};

constexpr Drawer drawers[] = {
    {[](Draw& d) { return draw_split(d, "split"); }, {30, 5, 15, 8, 15, 0, 12}},
    {[](Draw& d) { return draw_split(d, "split_into"); }, {8, 1, 4, 3, 6}},
    {draw_tile, {18, 1, 6, 3, 8}},
    {draw_fuse, {8, 1, 6, 5, 8}},
    {draw_reorder, {22, 4, 12, 9, 14}},
    {draw_fission, {8, 2, 6, 5, 8, 0, 15}},
    {draw_merge, {6, 1, 4, 8, 8, 0, 10}},
    {draw_bind, {0, 80, 35, 12, 20}},
    {draw_combine, {1, 18, 1, 3, 10}},
    {draw_unroll, {2, 2, 4, 9, 6}},
    {draw_rename, {2, 1, 2, 2, 4}},
    {[](Draw& d) { return draw_partial_results(d, "rfactor"); }, {10, 1, 5, 2, 8}},
    {[](Draw& d) { return draw_partial_results(d, "reduce_at"); }, {6, 1, 4, 2, 6}},
    {draw_write_out, {1, 0, 1, 3, 3, 0, 60}},
    {draw_cache_registers, {2, 3, 10, 28, 15, 0, 5}},
    {draw_cache_shared, {1, 3, 2, 28, 14, 0, 10}},
    {draw_cache_global, {8, 2, 6, 8, 8, 0, 5}, Extra::globals},
    {draw_copy_loops, {0, 1, 1, 12, 8, 0, 5}},
    {draw_layout, {0, 1, 1, 9, 6}},
    {draw_pipeline, {0, 1, 1, 12, 8, 0, 5}},
    {draw_copy_async, {0, 1, 1, 14, 10, 0, 5}},
    {draw_specialize, {0, 1, 1, 8, 6, 0, 5}},
    {draw_prefetch, {0, 0, 0, 6, 5, 0, 3}},
    {draw_serpentine, {1, 1, 2, 6, 5, 0, 4}},
    {draw_keep_order, {0, 1, 2, 8, 5, 0, 4}},
    {draw_tensorize, {1, 2, 2, 4, 4, 0, 2}, Extra::tensors},
    {draw_spread, {1, 6, 3, 2, 4, 0, 2}, Extra::tensors},
    {draw_defer, {1, 0, 0, 6, 4, 0, 2}},
    {draw_copy_bulk, {0, 0, 0, 8, 6, 0, 3}},
    {draw_vectorize, {1, 1, 3, 12, 8}},
    {draw_compute_at, {5, 6, 4, 5, 12, 60, 8}},
    {draw_inline_tensor, {3, 1, 2, 2, 4, 20}},
    {draw_fuse_epilogue, {4, 1, 2, 2, 5, 25}},
    {draw_assume, {3, 0, 1, 2, 3}},
    {draw_assume_aligned, {3, 0, 1, 2, 3}},
    {[](Draw&) { return make_step("may_alias", {}); }, {0, 0, 0, 1, 2}},
    {draw_write_back_at, {0, 1, 1, 12, 8, 0, 5}, Extra::parts},
    {draw_launch_bounds, {0, 2, 1, 4, 3}, Extra::launches},
    {[](Draw&) { return make_step("launch_early", {}); }, {0, 0, 0, 2, 2}, Extra::launches},
    {draw_require, {1, 0, 1, 1, 1}, Extra::launches},
};

}  // namespace

std::vector<Phase> random_phases(Random& random) {
  std::vector<Phase> phases;
  const auto add = [&](Phase phase, int64_t least, int64_t most) {
    phases.insert(phases.end(), static_cast<size_t>(random.between(least, most)), phase);
  };
  switch (random.weighted({70, 6, 10, 14, random.has(Extra::write_outs) ? 15u : 0u})) {
    case 0:
      add(Phase::loops, 0, 6);
      add(Phase::mapping, 2, 8);
      add(Phase::memory, 0, 7);
      break;
    case 1:
      add(Phase::loops, 0, 4);
      add(Phase::host, 1, 4);
      add(Phase::memory, 0, 4);
      break;
    case 2:
      add(Phase::loops, 0, 8);
      add(Phase::memory, 0, 8);
      break;
    case 3:
      add(Phase::any, 0, 18);
      break;
    default:
      add(Phase::loops, 0, 3);
      add(Phase::memory, 0, 3);
      add(Phase::nests, 1, 3);
      add(Phase::mapping, 2, 8);
      add(Phase::memory, 0, 3);
  }
  return phases;
}

std::optional<Step> random_step(Random& random, const Function& function, Phase phase) {
  Draw draw{random, function, phase, Loops(loops_of(function.body))};
  if (draw.loops.empty()) return std::nullopt;
  llvm::SmallVector<uint32_t, 20> weights;
  for (const Drawer& drawer : drawers) {
    const bool is_drawn = !drawer.extra || random.has(*drawer.extra);
    weights.push_back(is_drawn ? drawer.weights[static_cast<int>(phase)] : 0);
  }
  auto step = drawers[random.weighted(weights)].draw(draw);
  if (step) draw_names(random, *step);
  return step;
}

}  // namespace hone
