#include "ir/analysis/warps.h"

#include "fmt/format.h"
#include "ir/gpu_limits.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

/// Whether the loops around run on all of so many rows of the block.
bool are_all_around(llvm::ArrayRef<const For*> around, int64_t rows) {
  int64_t count = 1;
  for (const For* loop : around) count *= as_int(loop->extent).value_or(0);
  return count == rows;
}

/// Whether rows shorter than a warp lie side by side in it, all of them there.
bool fill_warps(const For& loop, const std::array<Expr, 3>& block,
                llvm::ArrayRef<const For*> around) {
  const auto row = as_int(block[0]), rows = as_int(block[1]), layers = as_int(block[2]);
  const int64_t count = *as_int(loop.extent);
  if (row != count || count >= warp_size || warp_size % count != 0) return false;
  if (loop.binding.combine.last_warp || !rows || !layers) return false;
  const int64_t threads = count * *rows * *layers;
  return are_all_around(around, *rows * *layers) &&
         (threads % warp_size == 0 || threads < warp_size);
}

}  // namespace

std::string problem_of_warps(const For& loop, const std::array<Expr, 3>& block,
                             llvm::ArrayRef<const For*> around) {
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
