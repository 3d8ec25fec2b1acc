#include "ir/analysis/dependence.h"
#include "ir/core/layout.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/step_draw.h"

namespace hone {
namespace {

int64_t random_power(Random& random, int64_t most) { return int64_t{1} << random.between(0, most); }

/// Mostly one that a tile may have.
int64_t random_alignment(Random& random) {
  return random.chance(5) ? random.between(0, 3000) : random_power(random, 7) * 16;
}

llvm::SmallVector<TensorPtr, 4> tiles_of(const Function& function) {
  llvm::SmallVector<TensorPtr, 4> tiles;
  walk(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope != Scope::global) tiles.push_back(alloc->tensor);
  });
  return tiles;
}

llvm::SmallVector<const Copy*, 4> copies_of(const Function& function) {
  llvm::SmallVector<const Copy*, 4> copies;
  walk(function.body, [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) copies.push_back(copy);
  });
  return copies;
}

/// A tile of any tensor that is touched inside of the loop; of an own layout now and then.
std::optional<Step> cache_step(Draw& draw, llvm::StringRef primitive, const For* loop) {
  const Accesses accesses = collect_accesses(loop->body);
  if (accesses.empty()) return std::nullopt;
  auto step = make_step(primitive, loop);
  const MemoryAccess& access = accesses[draw.random.below(accesses.size())];
  step->tensor = access.tensor;
  if (!access.writes && !llvm::isa<Copy>(access.statement) &&
      draw.random.chance(Extra::elements, 25))
    step->element = declared_element(access);
  step->count = random_width(draw.random);
  const bool is_shared = primitive == "cache_shared";
  if (draw.random.chance(is_shared ? 30 : 5))
    step->layout = random_layout(draw.random, step->tensor->rank());
  return step;
}

}  // namespace

llvm::SmallVector<Expr, 4> declared_element(const MemoryAccess& access) {
  llvm::SmallVector<Expr, 4> element;
  for (const Expr& index : access.indices) {
    Expr sum = 0;
    walk(index, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      if (!reference) return;
      for (const std::string& root : reference->axis->roots)
        sum = sum + AxisRef::make(make_axis(root, AxisKind::spatial));
    });
    element.push_back(sum);
  }
  return element;
}

namespace {

/// Dimensions in any order, and at times one of them in two digits.
void draw_order(Random& random, unsigned rank, Layout& layout) {
  for (unsigned dim = 0; dim < rank; ++dim) layout.digits.push_back(static_cast<int>(dim));
  if (rank > 0 && random.chance(50)) {
    IndexDigit& slow = layout.digits[random.below(rank)];
    const int64_t values = 2 * random_power(random, 3);
    layout.digits.push_back(slow % values);
    slow = slow / values;
  }
  for (size_t n = layout.digits.size(); n-- > 1;)
    std::swap(layout.digits[n], layout.digits[n - random.below(n + 1)]);
}

Swizzle draw_swizzle(Random& random, const Layout& layout) {
  Swizzle swizzle = {.chunk = random_power(random, 3),
                     .period = random_power(random, 4),
                     .rows = random_power(random, 2)};
  if (layout.digits.size() > 1 && random.chance(30)) {
    swizzle.digit = static_cast<int>(random.below(layout.digits.size()));
    swizzle.by = static_cast<int>(random.below(layout.digits.size()));
  }
  return swizzle;
}

}  // namespace

Layout random_layout(Random& random, unsigned rank) {
  Layout layout;
  if (random.chance(40)) draw_order(random, rank, layout);
  if (random.chance(35)) layout = layout.pad(random.chance(70) ? random_power(random, 3) : 3);
  for (int chance = 35; random.chance(chance); chance /= 2)
    layout = layout.swizzle(draw_swizzle(random, layout));
  return layout;
}

int64_t random_width(Random& random) {
  constexpr int64_t widths[] = {0, 2, 4, 8, 3};
  return widths[random.weighted({66, 14, 14, 4, 2})];
}

/// Mostly under the thread loops.
std::optional<Step> draw_cache_registers(Draw& draw) {
  const Loops threads = draw.those([](const For* loop) { return is_device(loop, Kind::thread); });
  const For* loop = !threads.empty() && draw.random.chance(50)
                        ? threads[draw.random.below(threads.size())]
                        : draw.any_loop();
  return cache_step(draw, "cache_registers", loop);
}

/// Mostly at a pitch of whole pieces.
std::optional<Step> draw_cache_global(Draw& draw) {
  const auto& arguments = draw.function.arguments;
  auto step = make_step("cache_global", {});
  step->tensor = arguments[draw.random.below(arguments.size())];
  if (step->tensor->rank() == 0 || draw.random.chance(20)) return step;
  if (draw.random.chance(5)) {
    step->layout = random_layout(draw.random, step->tensor->rank());
    return step;
  }
  if (draw.random.chance(25)) draw_order(draw.random, step->tensor->rank(), step->layout);
  const int64_t piece = int64_t{1} << draw.random.between(0, 6);
  const Expr row = row_pitch(*with_layout(*step->tensor, step->layout));
  step->layout = step->layout.pitch((row + (piece - 1)) / piece * piece);
  return step;
}

/// Mostly of the loops between blocks and threads, and of the serial loops inside of threads.
std::optional<Step> draw_cache_shared(Draw& draw) {
  const Loops places = draw.those([&](const For* loop) {
    return llvm::any_of(draw.path(loop),
                        [](const For* outer) { return is_device(outer, Kind::block); });
  });
  const For* loop = !places.empty() && draw.random.chance(80)
                        ? places[draw.random.below(places.size())]
                        : draw.any_loop();
  return cache_step(draw, "cache_shared", loop);
}

std::optional<Step> draw_copy_loops(Draw& draw) {
  const auto copies = copies_of(draw.function);
  if (copies.empty()) return std::nullopt;
  const Copy& copy = *copies[draw.random.below(copies.size())];
  auto step = make_step("copy_loops", {});
  const bool fills = copy.source.tensor->scope == Scope::global ||
                     (copy.destination.tensor->scope != Scope::global && draw.random.chance(50));
  step->direction = fills ? Direction::fill : Direction::write_back;
  step->tensor = (fills ? copy.destination : copy.source).tensor;
  return step;
}

/// The copy of a shared tile, and a loop that sets the tile; rarely any loop.
std::optional<Step> draw_write_back_at(Draw& draw) {
  auto copies = copies_of(draw.function);
  llvm::erase_if(copies,
                 [](const Copy* copy) { return copy->source.tensor->scope != Scope::shared; });
  if (copies.empty()) return std::nullopt;
  const TensorPtr& tile = copies[draw.random.below(copies.size())]->source.tensor;
  const Loops setting = draw.those([&](const For* loop) {
    return llvm::any_of(collect_accesses(loop->body), [&](const MemoryAccess& access) {
      return access.tensor == tile && access.writes;
    });
  });
  const bool any = setting.empty() || draw.random.chance(5);
  auto step = make_step("write_back_at",
                        any ? draw.any_loop() : setting[draw.random.below(setting.size())]);
  step->tensor = tile;
  return step;
}

/// Of a tile that such copies fill, rarely of any tile.
std::optional<Step> draw_copy_step(Draw& draw, const char* primitive,
                                   llvm::function_ref<bool(const Copy&)> is_it) {
  std::vector<TensorPtr> filled;
  walk(draw.function.body, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && is_it(*copy)) filled.push_back(copy->destination.tensor);
  });
  const auto tiles = tiles_of(draw.function);
  if (tiles.empty() || (filled.empty() && !draw.random.chance(5))) return std::nullopt;
  auto step = make_step(primitive, {});
  step->tensor = filled.empty() ? tiles[draw.random.below(tiles.size())]
                                : filled[draw.random.below(filled.size())];
  return step;
}

std::optional<Step> draw_copy_async(Draw& draw) {
  return draw_copy_step(draw, "copy_async", [](const Copy& copy) {
    return copy.destination.tensor->scope == Scope::shared;
  });
}

std::optional<Step> draw_copy_bulk(Draw& draw) {
  return draw_copy_step(draw, "copy_bulk", [](const Copy& copy) { return copy.is_by_producers(); });
}

std::optional<Step> draw_layout(Draw& draw) {
  const auto tiles = tiles_of(draw.function);
  if (tiles.empty()) return std::nullopt;
  if (draw.random.chance(30)) {
    auto step = make_step("swizzle", {});
    step->tensor = tiles[draw.random.below(tiles.size())];
    return step;
  }
  const bool aligns = draw.random.chance(Extra::alignments, 40);
  auto step = make_step(aligns ? "align" : "layout", {});
  step->tensor = tiles[draw.random.below(tiles.size())];
  if (aligns) step->count = random_alignment(draw.random);
  if (aligns) return step;
  step->layout = random_layout(draw.random, step->tensor->rank());
  return step;
}

/// Mostly an innermost loop of a few iterations, which a step may have unrolled.
std::optional<Step> draw_vectorize(Draw& draw) {
  const Loops fitting = draw.those([](const For* loop) {
    const auto extent = as_int(loop->extent);
    const bool is_free = loop->binding.is_serial() || is_device(loop, Kind::unroll);
    const bool is_width = extent == 2 || extent == 4 || extent == 8 || extent == 16;
    return is_free && is_width && !loop->is_reduction() && loops_of(loop->body).empty();
  });
  if (fitting.empty() || draw.random.chance(8)) return make_step("vectorize", draw.any_loop());
  return make_step("vectorize", fitting[draw.random.below(fitting.size())]);
}

std::optional<Step> draw_write_out(Draw& draw) {
  const Loops fitting = draw.those([](const For* loop) {
    const auto extent = as_int(loop->extent);
    return loop->binding.is_serial() && extent && *extent <= 6;
  });
  if (fitting.empty() || draw.random.chance(8)) return make_step("write_out", draw.any_loop());
  return make_step("write_out", fitting[draw.random.below(fitting.size())]);
}

std::optional<Step> draw_assume(Draw& draw) {
  if (draw.function.params.empty()) return std::nullopt;
  const ParamPtr& param = draw.function.params[draw.random.below(draw.function.params.size())];
  const Expr size = ParamRef::make(param);
  auto step = make_step("assume", {});
  switch (draw.random.weighted({80, 10, 10})) {
    case 0:
      step->factors.push_back(size % (draw.random.chance(60) ? 4 : 2) == 0);
      break;
    case 1:
      step->factors.push_back(size >= draw.random.between(1, 4));
      break;
    default:
      step->factors.push_back(size <= draw.random.between(4, 16));
  }
  return step;
}

std::optional<Step> draw_assume_aligned(Draw& draw) {
  auto step = make_step("assume_aligned", {});
  const auto& arguments = draw.function.arguments;
  step->tensor = arguments[draw.random.below(arguments.size())];
  constexpr int64_t bytes[] = {16, 8, 4, 2, 12};
  step->count = bytes[draw.random.weighted({60, 20, 10, 5, 5})];
  return step;
}

}  // namespace hone
