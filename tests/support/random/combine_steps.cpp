// Reduction axes over threads and blocks.
#include "ir/analysis/accesses.h"
#include "tests/support/random/step_draw.h"

namespace hone {
namespace {

/// Mostly one that the kind of index takes.
Combine::Method random_method(Random& random, Kind kind) {
  if (kind == Kind::block && !random.chance(4))
    return random.chance(60) ? Combine::last_block : Combine::atomic;
  constexpr Combine::Method methods[] = {Combine::interleaved_modulo, Combine::interleaved_strided,
                                         Combine::sequential,         Combine::shuffle,
                                         Combine::two_level,          Combine::atomic,
                                         Combine::last_block,         Combine::none};
  return methods[random.weighted({12, 12, 22, 22, 18, 14, 1, 1})];
}

/// Lists that no short name has, mostly those that threads can combine by.
CombineLevels random_levels(Random& random) {
  constexpr CombineLevel lanes = {CombineUnit::lanes, CombineMeans::shuffle},
                         atomic = {CombineUnit::grid, CombineMeans::atomic};
  constexpr CombineMeans orders[] = {CombineMeans::sequential, CombineMeans::interleaved_modulo,
                                     CombineMeans::interleaved_strided, CombineMeans::shuffle,
                                     CombineMeans::ticket};
  const CombineMeans order = orders[random.weighted({40, 20, 20, 18, 2})];
  const bool unrolled = order != CombineMeans::shuffle && random.chance(30);
  const bool in_warps = random.chance(80);
  CombineLevels levels;
  if (in_warps && !random.chance(4)) levels.add(lanes);
  if (!in_warps || random.chance(75))
    levels.add({in_warps ? CombineUnit::warps : CombineUnit::block, order, unrolled});
  if (!levels.is_full() && random.chance(35)) levels.add(atomic);
  return levels;
}

}  // namespace

CombineLevels random_combine(Random& random, Kind kind) {
  if (random.chance(Extra::levels, kind == Kind::thread ? 30 : 3)) return random_levels(random);
  Combine combine = {random_method(random, kind)};
  const bool is_tree = CombineLevels(combine).tree() || random.chance(2);
  combine.unrolled = is_tree && random.chance(30);
  const bool may_end_in_warp =
      combine.method == Combine::last_block ||
      (is_tree && (combine.method == Combine::sequential || random.chance(2)));
  combine.last_warp = may_end_in_warp && random.chance(35);
  return combine;
}

std::optional<Step> draw_combine(Draw& draw) {
  const Loops reductions =
      draw.those([](const For* loop) { return loop->is_reduction() && loop->binding.is_serial(); });
  if (reductions.empty()) return std::nullopt;
  const For* loop = reductions[draw.random.below(reductions.size())];
  const bool may_be_grid = llvm::all_of(
      draw.around(loop), [](const For* outer) { return is_device(outer, Kind::block); });
  auto step = make_step("bind", loop);
  step->binding.kind = may_be_grid && draw.random.chance(50) ? Kind::block : Kind::thread;
  step->binding.dim = free_dimension(draw, loop, step->binding.kind);
  step->binding.combine = random_combine(draw.random, step->binding.kind);
  if (step->binding.kind == Kind::thread && draw.random.chance(Extra::units, 25))
    draw_units(draw, loop, *step);
  return step;
}

}  // namespace hone
