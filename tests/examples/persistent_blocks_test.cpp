// Blocks that take the tiles of a result in turn.

#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "examples/ladders/matmul_tiles.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace persistent_blocks_test {

using testing::HasSubstr;

/// Tiles of 64 x 128 elements, which so many blocks share.
BlockTiles shared_among(int64_t blocks) {
  BlockTiles tiles = {"persistent", small_warp_tiles, 3, {.producer_warps = 1}};
  tiles.shape.blocks = blocks;
  return tiles;
}

std::string cuda_of(const BlockTiles& tiles, const Sizes& sizes) {
  return emit_cuda(lower(matmul_rung_of({&tiles}).build({}, sizes).function()).kernels.front());
}

/// Both roles have a loop over the tiles, and slots go on through it.
TEST(PersistentBlocks, TakeTilesInTurn) {
  const std::string text = cuda_of(shared_among(132), {{"M", 4096}, {"N", 4096}, {"K", 4096}});
  EXPECT_THAT(text, HasSubstr("launch: grid (132, 1, 1)"));
  EXPECT_THAT(text, HasSubstr("  const int block = blockIdx.x;\n"));
  EXPECT_THAT(text, HasSubstr("int step_ahead_slot = (long long)turn_ahead * (K / 16) % 3, "
                              "step_ahead_parity = (long long)turn_ahead * (K / 16) / 3 % 2;\n"));
  EXPECT_THAT(text, HasSubstr("int step_slot = (long long)turn * (K / 16) % 3, "
                              "step_parity = (long long)turn * (K / 16) / 3 % 2;\n"));
}

/// More blocks than tiles, as many, a last turn that some leave out, and tiles that stick out.
TEST(PersistentBlocks, AreRight) {
  const PlainProgram plain(matmul_ladder());
  const std::vector<Sizes> sizes = {{{"M", 128}, {"N", 256}, {"K", 32}},
                                    {{"M", 192}, {"N", 256}, {"K", 80}},
                                    {{"M", 131}, {"N", 260}, {"K", 36}},
                                    {{"M", 321}, {"N", 67}, {"K", 19}},
                                    {{"M", 1}, {"N", 1}, {"K", 1}}};
  for (const int64_t blocks : {1, 2, 4, 5}) {
    const BlockTiles tiles = shared_among(blocks);
    for (const int64_t parts : {1, 3})
      plain.expect_same(matmul_rung_of({&tiles, parts}), sizes, Device::simulated());
  }
}

TEST(PersistentBlocks, Compile) {
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  for (const int64_t N : {4096, 4095}) {
    const BlockTiles tiles = shared_among(132);
    const Module module =
        lower(matmul_rung_of({&tiles}).build({}, {{"M", 4096}, {"N", N}, {"K", 4096}}));
    const Compiled result = compiled_for_sm_90(module.kernels.front());
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_EQ(result.kernels.front().spill_store_bytes, 0) << N;
  }
}

}  // namespace persistent_blocks_test
}  // namespace hone
