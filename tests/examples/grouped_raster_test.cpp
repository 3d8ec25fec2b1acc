// Blocks that take the tiles of a result in groups of rows of tiles.

#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "examples/ladders/matmul_tiles.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace grouped_raster_test {

using testing::HasSubstr;
using testing::Not;

/// Tiles of 4 x 4 elements in groups of two rows.
TEST(GroupedRaster, GoesColumnByColumnThroughAGroup) {
  const Param M("M"), N("N");
  const Tensor C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  Schedule s(Program("ones", C(i, j) = 1.0));
  s.assume(M % 4 == 0);
  s.assume(N % 4 == 0);
  auto [by, bx, y, x] = s.tile({i, j}, {4, 4});
  grouped_raster(s, by, bx, 2);
  EXPECT_EQ(fmt::format("{}", s),
            R"(func ones[M, N](C: f32[M, N]) where M % 4 == 0, N % 4 == 0 {
  for group in 0..(M / 4 + 1) / 2 @block.y {
    for tile in 0..(N / 4)*2 @block.x {
      if (group*2 + tile % 2 < M / 4) {
        for i.1 in 0..4 {
          for j.1 in 0..4 {
            C[group*8 + (tile % 2)*4 + i.1, (tile / 2)*4 + j.1] = 1.0
          }
        }
      }
    }
  }
})");
}

/// Tiles of 64 x 128 elements, in groups of so many rows of them.
BlockTiles small_tiles(int64_t group_rows) {
  BlockTiles tiles = {"grouped", small_warp_tiles, 3, {.producer_warps = 1}};
  tiles.shape.group_rows = group_rows;
  return tiles;
}

std::string cuda_of(const Schedule& s) { return emit_cuda(lower(s.function()).kernels.front()); }

/// The last group has a guard of its own: blocks beyond the last row of tiles have nothing to do.
TEST(GroupedRaster, LeavesOutRowsThatTheLastGroupLacks) {
  const BlockTiles tiles = small_tiles(8);
  const Sizes sizes = {{"M", 64 * 9}, {"N", 256}, {"K", 64}};
  const std::string text = cuda_of(matmul_rung_of({&tiles}).build({}, sizes));
  EXPECT_THAT(text, HasSubstr("  const int group = blockIdx.y;\n"
                              "  const int tile = blockIdx.x;\n"));
  EXPECT_THAT(text, HasSubstr("  if (128 <= threadIdx.x) {\n"
                              "    if (group * 8 + tile % 8 < M / 64) {\n"));
  EXPECT_THAT(text, HasSubstr("  if (group * 8 + tile % 8 < M / 64) {\n"
                              "    float C_reg[8][2][4] = {};\n"));
  EXPECT_THAT(text, HasSubstr("launch: grid ((N / 128)*8, (M / 64 + 7) / 8, 1)"));
}

TEST(GroupedRaster, HasNoGuardWhereItsGroupsAreWhole) {
  const BlockTiles tiles = small_tiles(8);
  const Sizes sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  const std::string text = cuda_of(matmul_rung_of({&tiles}).build(sizes, sizes));
  EXPECT_THAT(text, HasSubstr("launch: grid (256, 8, 1)"));
  EXPECT_THAT(text, Not(HasSubstr("tile % 8 <")));
  EXPECT_THAT(text, HasSubstr("group * 512 + tile % 8 * 64"));
}

/// Groups that are whole, a last one with fewer rows, one that is larger than the result, and tiles
/// that stick out.
TEST(GroupedRaster, IsRight) {
  const PlainProgram plain(matmul_ladder());
  const std::vector<Sizes> sizes = {{{"M", 128}, {"N", 256}, {"K", 32}},
                                    {{"M", 192}, {"N", 256}, {"K", 16}},
                                    {{"M", 131}, {"N", 260}, {"K", 36}},
                                    {{"M", 321}, {"N", 67}, {"K", 19}},
                                    {{"M", 1}, {"N", 1}, {"K", 1}}};
  for (const int64_t rows : {2, 3, 8}) {
    const BlockTiles tiles = small_tiles(rows);
    for (const int64_t parts : {1, 3})
      plain.expect_same(matmul_rung_of({&tiles, parts}), sizes, Device::simulated());
  }
}

/// The product of matmul's rungs.
Matmul product(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f32, {p.M, p.K}), B("B", f32, {p.K, p.N}), C("C", f32, {p.M, p.N});
  const Program program("matmul", C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.i, p.j, program, expected};
}

/// Without producers: barriers of the whole block stand under the guard.
Rung without_producers() {
  return RungMaker(product)("grouped", "", "", [](Schedule& s, const Matmul& p) {
    WarpShape shape = small_warp_tiles;
    shape.group_rows = 2;
    pipelined_warp_tiles(s, p, shape, 2);
  });
}

TEST(GroupedRaster, IsRightForWarpsThatCopyThemselves) {
  PlainProgram(matmul_ladder())
      .expect_same(without_producers(),
                   {{{"M", 192}, {"N", 256}, {"K", 32}}, {{"M", 131}, {"N", 68}, {"K", 20}}},
                   Device::simulated());
}

/// The guard of the last group is the only one, if callers promise whole tiles.
TEST(GroupedRaster, CopiesWholeTilesWithoutAGuard) {
  const Sizes sizes = {{"M", 192}, {"N", 256}, {"K", 32}};
  const std::string text = cuda_of(without_producers().build({}, sizes));
  EXPECT_THAT(text, HasSubstr("  if (group * 2 + tile % 2 < M / 64) {\n"));
  EXPECT_THAT(text, Not(HasSubstr("< N")));
  EXPECT_THAT(text, Not(HasSubstr("< M)")));
}

TEST(GroupedRaster, Compiles) {
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  const BlockTiles tiles = small_tiles(8);
  for (const int64_t M : {4096, 64 * 9, 4095}) {
    const Sizes sizes = {{"M", M}, {"N", 4096}, {"K", 4096}};
    const Module module = lower(matmul_rung_of({&tiles}).build({}, sizes));
    const Compiled result = compiled_for_sm_90(module.kernels.front());
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_EQ(result.kernels.front().spill_store_bytes, 0) << M;
  }
}

}  // namespace grouped_raster_test
}  // namespace hone
