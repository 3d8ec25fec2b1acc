// Computed swizzles against all that there are: small tiles, and every matrix over two elements.
#include "ir/memory/conflict_free.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/core/layout_problem.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace conflict_free_test {

/// The reads of a tile by warps w of lanes t: a row and a column each.
struct Reads {
  const char *row, *column;
};

WarpTraffic traffic_of(const TensorPtr& tile, int64_t warps, llvm::ArrayRef<Reads> reads) {
  std::string text =
      fmt::format("func f(C: {0}[64, 32]) {{ alloc s: {0}[{1}, {2}] @shared\n",
                  name(tile->type).str(), *as_int(tile->shape[0]), *as_int(tile->shape[1]));
  text += fmt::format("for w in 0..{} @thread.y {{ for t in 0..32 @thread.x {{\n", warps);
  for (const Reads& read : reads)
    text += fmt::format("C[w, t] = s[{}, {}]\n", read.row, read.column);
  WarpTraffic traffic;
  for_each_shared_access(parse_function(text + "} } }").body, {{32, warps, 1}, {}, {}},
                         [&](const SharedAccess& access) { traffic.add(access); });
  return traffic;
}

/// The columns change places by a matrix: bit n of the row changes the bits of the column that are
/// in masks[n].
Layout by_matrix(llvm::ArrayRef<int64_t> masks) {
  Layout layout;
  for (size_t bit = 0; bit < masks.size(); ++bit)
    for (int64_t column = 1; column <= masks[bit]; column *= 2)
      if ((masks[bit] & column) != 0) layout = layout.swizzle({column, 2, int64_t{1} << bit});
  return layout;
}

/// Over all matrices.
int64_t fewest_wavefronts(const TensorNode& tile, const WarpTraffic& traffic) {
  const int64_t rows = *as_int(tile.shape[0]), columns = *as_int(tile.shape[1]);
  llvm::SmallVector<int64_t, 5> masks;
  for (int64_t row = 1; row < rows; row *= 2) masks.push_back(0);
  int64_t fewest = INT64_MAX;
  for (bool is_done = false; !is_done;) {
    const TensorPtr laid_out = with_layout(tile, by_matrix(masks));
    fewest = std::min(fewest, traffic.counts(*laid_out, fewest).wavefronts);
    is_done = true;
    for (int64_t& mask : masks) {
      mask = (mask + 1) % columns;
      is_done &= mask == 0;
      if (mask != 0) break;
    }
  }
  return fewest;
}

TEST(FewestConflicts, AreFoundAmongAllMatrices) {
  struct Case {
    int64_t rows, columns, warps;
    std::vector<Reads> reads;
  };
  const Case cases[] = {
      {8, 8, 2, {{"(t + w*32) / 8", "t % 8"}, {"t % 8", "(t + w*32) / 8"}}},
      {16, 8, 4, {{"(t + w*32) / 8", "t % 8"}, {"t % 16", "(t + w*32) / 16"}}},
      {16, 8, 4, {{"t % 16", "w*2 + t / 16"}}},
      {16, 8, 2, {{"t / 2", "w*4 + t % 2"}, {"t / 4 + w*8", "t % 4*2"}}},
      {4, 32, 2, {{"w", "t"}, {"t % 4", "t / 4*4 + w"}, {"t / 16 + w*2", "t % 16*2"}}},
      {8, 16, 2, {{"t / 4", "t % 4*4 + w"}, {"t % 8", "t / 8 + w*4"}}},
      {12, 8, 2, {{"t % 12", "w*4"}, {"w*3 + t / 8", "t % 8"}}},
  };
  for (const Case& c : cases) {
    const TensorPtr tile = make_tensor("s", f32, {c.rows, c.columns}, Scope::shared);
    const WarpTraffic traffic = traffic_of(tile, c.warps, c.reads);
    const SwizzledLayout found =
        fewest_conflicts(*tile, [&](int64_t, const Layout&) { return &traffic; });
    EXPECT_LE(found.counts.wavefronts, fewest_wavefronts(*tile, traffic))
        << c.rows << " x " << c.columns << " " << c.reads[0].row << to_string(found.layout);
    EXPECT_EQ(found.counts, traffic.counts(*with_layout(*tile, found.layout)));
  }
}

std::string found_for(const TensorPtr& tile, int64_t warps, llvm::ArrayRef<Reads> reads) {
  const WarpTraffic traffic = traffic_of(tile, warps, reads);
  const SwizzledLayout found =
      fewest_conflicts(*tile, [&](int64_t, const Layout&) { return &traffic; });
  return fmt::format("{} wavefronts,{}", found.counts.wavefronts, to_string(found.layout));
}

TEST(FewestConflicts, AreOfTheSimplestSwizzleWithTheWidestVectors) {
  const TensorPtr square = make_tensor("s", f32, {32, 32}, Scope::shared);
  EXPECT_EQ(found_for(square, 32, {{"w", "t"}, {"t", "w"}}), "64 wavefronts, @swizzle(1, 32, 1)");
  EXPECT_EQ(found_for(square, 8, {{"t % 8", "t / 8 + w*4"}}), "8 wavefronts, @swizzle(4, 8, 1)");
  const TensorPtr halves = make_tensor("s", f16, {64, 64}, Scope::shared);
  EXPECT_EQ(found_for(halves, 8, {{"w*8 + t / 4", "t % 4*16"}, {"t", "w*2"}}),
            "16 wavefronts, @swizzle(2, 32, 1)");
}

TEST(FewestConflicts, NeedNoSwizzleWhereThereAreNone) {
  const TensorPtr square = make_tensor("s", f32, {32, 32}, Scope::shared);
  EXPECT_EQ(found_for(square, 32, {{"w", "t"}}), "32 wavefronts,");
}

TEST(BankSwizzles, ChangeBanks) {
  const auto count = [](llvm::ArrayRef<Expr> shape, DType type, const Layout& layout = {}) {
    const TensorPtr tile = make_tensor("s", type, shape, Scope::shared, layout);
    const auto swizzles = bank_swizzles(*tile);
    for (const Swizzle& swizzle : swizzles)
      EXPECT_EQ(layout_problem(*with_layout(*tile, layout.swizzle(swizzle))), std::nullopt);
    return swizzles.size();
  };
  EXPECT_EQ(count({32, 33}, f32), 0u);
  EXPECT_EQ(count({1, 32}, f32), 0u);
  EXPECT_EQ(count({2, 2}, f32), 2u);
  EXPECT_EQ(count({4, 2}, f32), 4u);
  EXPECT_GT(count({8, 128}, f32, Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64})), 20u);
}

}  // namespace conflict_free_test
}  // namespace hone
