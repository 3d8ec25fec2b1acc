#include "ir/threads/warps.h"

#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// True if the loops around run on all `rows` rows of the block.
bool are_all_around(llvm::ArrayRef<const For*> around, int64_t rows) {
  int64_t count = 1;
  for (const For* loop : around) count *= as_int(loop->extent).value_or(0);
  return count == rows;
}

/// True if rows shorter than a warp lie side by side in it, and the block has all of them.
bool fill_warps(const For& loop, const std::array<Expr, 3>& block,
                llvm::ArrayRef<const For*> around) {
  const auto row = as_int(block[0]), rows = as_int(block[1]), layers = as_int(block[2]);
  const int64_t count = *as_int(loop.extent);
  if (row != count || count >= warp_size || warp_size % count != 0) return false;
  if (loop.binding.combine.ends_in_warp() || !rows || !layers) return false;
  const int64_t threads = count * *rows * *layers;
  return are_all_around(around, *rows * *layers) &&
         (threads % warp_size == 0 || threads < warp_size);
}

/// Lanes of full warps, where all partners are there.
std::string problem_of_digit(const For& loop, const std::array<Expr, 3>& block,
                             llvm::ArrayRef<const For*> around) {
  const ThreadDigit& digit = loop.binding.digit;
  const auto threads = as_int(block[0]);
  const std::string method = to_string(loop.binding.combine);
  const bool is_in_one = warp_size % digit.end() == 0 || is_int(block[0], digit.end());
  if (digit.end() > warp_size || !is_in_one)
    return fmt::format("combine({}) exchanges values between lanes of a warp, and {} goes over {}",
                       method, loop.axis->name, to_string_with_count(loop.binding));
  if (!llvm::isPowerOf2_64(digit.count) || !is_int(loop.extent, digit.count))
    return fmt::format("combine({}) exchanges values between halves of lanes, and {} has {} of {}",
                       method, loop.axis->name, loop.extent, to_string(loop.binding));
  const bool is_full = threads && (*threads % warp_size == 0 || digit.end() == *threads ||
                                   (*threads < warp_size && *threads % digit.end() == 0));
  int64_t lanes = digit.count;
  for (const For* other : around) {
    const ThreadDigit& own = other->binding.digit;
    if (own.stride >= warp_size || other->binding.is_cluster()) continue;
    if (!is_int(other->extent, own.count))
      return fmt::format("combine({}) exchanges values within warps, and {} leaves lanes idle",
                         method, other->axis->name);
    lanes *= std::min(own.count, warp_size / own.stride);
  }
  if (threads && lanes < std::min(*threads, warp_size))
    return fmt::format(
        "combine({}) exchanges values within warps, and loops go over {} of the "
        "lanes of each",
        method, lanes);
  if (is_full) return "";
  return fmt::format(
      "combine({}) exchanges values within warps, and a block of {} threads has a "
      "last one that lacks lanes",
      method, block[0]);
}

}  // namespace

std::string problem_of_warps(const For& loop, const std::array<Expr, 3>& block,
                             llvm::ArrayRef<const For*> around) {
  const bool is_digit = !loop.binding.digit.is_whole();
  if (is_digit && loop.binding.combine.uses_warps()) return problem_of_digit(loop, block, around);
  const auto row = as_int(block[0]);
  const bool has_one_row = is_int(block[1], 1) && is_int(block[2], 1);
  if (!loop.binding.combine.uses_warps() || has_one_row || (row && *row % warp_size == 0) ||
      fill_warps(loop, block, around))
    return "";
  return fmt::format(
      "combine({}) exchanges values within warps, and the rows of thread.x, {} threads long in a "
      "block of ({}, {}, {}), do not each begin with a warp, nor fill warps together",
      to_string(loop.binding.combine), block[0], block[0], block[1], block[2]);
}

}  // namespace hone
