// The tiles that matmul/tuned chooses among: each of them is right, and the table chooses.

#include "examples/ladders/matmul_tiles.h"

#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "tests/support/examples/rungs.h"

namespace hone {

static void PrintTo(const BlockTiles& tiles, std::ostream* out) { *out << tiles.name; }

namespace matmul_tiles_test {

class Tiles : public testing::TestWithParam<BlockTiles> {};

std::string tiles_name(const testing::TestParamInfo<BlockTiles>& info) {
  return "of_" + std::string(info.param.name);
}

INSTANTIATE_TEST_SUITE_P(Matmul, Tiles, testing::ValuesIn(block_tiles()), tiles_name);

/// Rows of A, of B, of both and of neither hold whole vectors; tiles stick out, and trips are fewer
/// than stages.
TEST_P(Tiles, AreRight) {
  const std::vector<Sizes> sizes = {{{"M", 131}, {"N", 260}, {"K", 36}},
                                    {{"M", 257}, {"N", 67}, {"K", 132}},
                                    {{"M", 65}, {"N", 196}, {"K", 17}},
                                    {{"M", 193}, {"N", 193}, {"K", 35}}};
  const PlainProgram plain(matmul_ladder());
  for (const int64_t parts : {1, 3})
    plain.expect_same(matmul_rung_of({&GetParam(), parts}), sizes, Device::simulated());
}

TEST_P(Tiles, AreRightOfCopies) {
  const Sizes sizes = {{"M", 131}, {"N", 67}, {"K", 35}};
  const PlainProgram plain(matmul_ladder());
  for (const TileChoice& choice :
       {TileChoice{&GetParam(), 1, {true, true}}, TileChoice{&GetParam(), 2, {.B = true}}})
    plain.expect_same(matmul_rung_of(choice), {sizes}, Device::simulated());
}

/// Producers that have few registers may spill some of their addresses.
constexpr int few_bytes = 16;

TEST_P(Tiles, Compile) {
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  for (const int64_t K : {4096, 4095})
    for (const int64_t N : {4096, 4095}) {
      const Sizes sizes = {{"M", 4096}, {"N", N}, {"K", K}};
      const Module module = lower(matmul_rung_of({&GetParam()}).build({}, sizes));
      const Compiled result = compiled_for_sm_90(module.kernels.front());
      EXPECT_TRUE(result.warnings.empty());
      EXPECT_LE(result.kernels.front().spill_store_bytes, few_bytes) << N << " " << K;
    }
}

const BlockTiles& tiles_named(llvm::StringRef name) {
  return *llvm::find_if(block_tiles(), [&](const BlockTiles& tiles) { return tiles.name == name; });
}

/// A warp's first row may be any multiple of 4. What the swizzle of A makes of it is computed once.
TEST(TilesOfA, FlipTheBitsOfAWarpOutsideTheLoops) {
  const Sizes sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  const Module module = lower(matmul_rung_of({&tiles_named("144x64")}).build({}, sizes));
  EXPECT_THAT(emit_cuda(module.kernels.front()),
              testing::HasSubstr(
                  "const unsigned A_shared_flip = (warp_row * 18 + lane_row / 2) % 4 * 16;"));
}

/// A tuner takes the tiles one after the other, as they are and with copies of the operands whose
/// rows hold no whole vectors.
TEST(TilesByChoice, AreThoseOfTheRungs) {
  const Ladder ladder = matmul_ladder();
  const Rung& tuned = ladder.rungs.back();
  ASSERT_EQ(tuned.name, "tuned");
  for (const auto& [N, copied] : {std::pair<int64_t, Operands>{67, {true, true}},
                                  std::pair<int64_t, Operands>{68, {.A = true}}}) {
    const Sizes sizes = {{"M", 131}, {"N", N}, {"K", 35}};
    tune::Choices choices;
    for (const Operands& one : {Operands(), copied}) {
      const TileChoice choice = {&block_tiles().front(), 1, one};
      EXPECT_EQ(tuned.space({}, sizes, choices).trace_text(),
                matmul_rung_of(choice).build({}, sizes).trace_text());
      ASSERT_TRUE(choices.expectation().has_value());
      EXPECT_EQ(choices.expectation()->seconds,
                *expected_microseconds(tile_table(), choice, sizes) * 1e-6);
      EXPECT_TRUE(choices.advance());
    }
  }
}

/// D = max(alpha A B + bias, 0)
Matmul layer(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor alpha("alpha", f32, {}), bias("bias", f32, {p.N});
  const Tensor A("A", f32, {p.M, p.K}), B("B", f32, {p.K, p.N}), D("D", f32, {p.M, p.N});
  const Program program(
      "layer", D(p.i, p.j) = max(alpha() * sum(p.k, A(p.i, p.k) * B(p.k, p.j)) + bias(p.j), 0.0));
  return {p, A, B, D, p.i, p.j, program, expected};
}

/// The epilogue is computed in the registers of the sums.
TEST(TilesOfALayer, HaveAnEpilogue) {
  const Ladder ladder = matmul_family("layer", "", layer);
  const Rung rung = RungMaker(layer)("tiles", "", "", [](Schedule& s, const Matmul& p) {
    schedule_tiles(s, p, {&tiles_named("128x192")});
  });
  const Sizes large = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  const Module module = lower(rung.build({}, large));
  ASSERT_EQ(module.kernels.size(), 1);
  EXPECT_EQ(compiled_for_sm_90(module.kernels.front()).kernels.front().spill_store_bytes, 0);
  PlainProgram(ladder).expect_same(
      rung, {{{"M", 131}, {"N", 260}, {"K", 36}}, {{"M", 65}, {"N", 67}, {"K", 35}}},
      Device::simulated());
}

// ---- The table ----------------------------------------------------------------------------------

/// Four multiprocessors; times of a product in nanoseconds, without a start.
TileTable table_of(std::initializer_list<std::tuple<const char*, int64_t, double>> rounds) {
  TileTable table;
  table.multiprocessors = 4;
  for (const auto& [tiles, blocks, product] : rounds)
    table.rounds.push_back({tiles, {true, true}, blocks, 0, product});
  return table;
}

TEST(TileTables, CountRounds) {
  const TileTable table = table_of({{"128x128", 1, 10}, {"64x128", 1, 6}, {"64x128", 2, 10}});
  const auto time = [&](const char* tiles, int64_t M) {
    const Sizes sizes = {{"M", M}, {"N", 128}, {"K", 1000}};
    return expected_microseconds(table, {&tiles_named(tiles)}, sizes);
  };
  EXPECT_EQ(time("128x128", 1), 10);
  EXPECT_EQ(time("128x128", 4 * 128), 10);
  EXPECT_EQ(time("128x128", 4 * 128 + 1), 20);
  EXPECT_EQ(time("64x128", 4 * 64), 6) << "one block for each multiprocessor";
  EXPECT_EQ(time("64x128", 8 * 64), 10) << "two";
  EXPECT_EQ(time("64x128", 9 * 64), 16) << "two, and one";
  EXPECT_EQ(time("64x128", 10 * 64), 20) << "two, and two where two have ended";
  EXPECT_EQ(time("128x256", 1), std::nullopt);
}

TEST(TileTables, SpreadLastRoundsEvenlyWhereNoEngineFills) {
  const auto time = [&](const Operands& bulk, int64_t M) {
    TileTable table = table_of({{"64x128", 1, 6}, {"64x128", 2, 10}});
    for (TileRound& round : table.rounds) round.bulk = bulk;
    const Sizes sizes = {{"M", M}, {"N", bulk.B ? 128 : 127}, {"K", bulk.A ? 1000 : 999}};
    return *expected_microseconds(table, {&tiles_named("64x128")}, sizes);
  };
  EXPECT_DOUBLE_EQ(time({}, 12 * 64), 9.99 + 5.994) << "two, and one of each";
  EXPECT_DOUBLE_EQ(time({}, 13 * 64), 2 * 9.99);
  EXPECT_DOUBLE_EQ(time({.A = true}, 12 * 64), 20) << "two, and two of some";
  EXPECT_DOUBLE_EQ(time({.B = true}, 12 * 64), 2 * 9.99);
}

TEST(TileTables, HaveRoundsOfTheirOwnForEachKindOfRows) {
  const TileTable table = table_of({{"128x128", 1, 10}});
  for (const auto& [N, K] : {std::pair(127, 128), std::pair(128, 127), std::pair(127, 127)})
    EXPECT_EQ(
        expected_microseconds(table, {&tiles_named("128x128")}, {{"M", 128}, {"N", N}, {"K", K}}),
        std::nullopt);
}

TEST(TileTables, ChooseTheFastest) {
  const TileTable table = table_of({{"128x256", 1, 19}, {"128x128", 1, 10}});
  const auto chosen = [&](int64_t N) {
    return fastest_choice(table, {{"M", 128}, {"N", N}, {"K", 64}}).name();
  };
  EXPECT_EQ(chosen(4 * 128), "128x128");
  EXPECT_EQ(chosen(5 * 128), "128x256");
  const Sizes one = {{"M", 1}, {"N", 1}, {"K", 1}};
  EXPECT_EQ(fastest_choice({}, one).name(), block_tiles().front().name);
}

TEST(TileTables, AddTheTimeThatItTakesToAddUpParts) {
  TileTable table = table_of({{"128x128", 1, 10}});
  table.sum = {3, 1024};
  const Sizes long_sums = {{"M", 128}, {"N", 128}, {"K", 64000}};
  const BlockTiles& tiles = tiles_named("128x128");
  EXPECT_EQ(expected_microseconds(table, {&tiles, 1}, long_sums), 640);
  EXPECT_EQ(expected_microseconds(table, {&tiles, 4}, long_sums),
            160 + 3 + 5.0 * 128 * 128 * 4 / 1024 / 1000);
  EXPECT_EQ(fastest_choice(table, long_sums).name(), "128x128 of 4 parts");
  EXPECT_EQ(tile_choices(tiles, long_sums).size(), 16);
  EXPECT_EQ(tile_choices(tiles, {{"M", 128}, {"N", 128}, {"K", 400}}).size(), 3)
      << "whole, 208 and 192, 144 and 144 and 112";
}

TEST(TileTables, AddTheTimesOfCopies) {
  TileTable table = table_of({{"128x128", 1, 10}});
  table.copy = {2, 1024};
  const Sizes odd = {{"M", 128}, {"N", 127}, {"K", 1001}};
  const BlockTiles& tiles = tiles_named("128x128");
  EXPECT_EQ(expected_microseconds(table, {&tiles, 1, {.A = true}}, odd), std::nullopt);
  EXPECT_EQ(expected_microseconds(table, {&tiles, 1, {true, true}}, odd),
            1001 * 10 / 1000.0 + 2 + 2 * 128 * 1001 * 4 / 1024.0 / 1000 + 2 +
                2 * 127 * 1001 * 4 / 1024.0 / 1000);
  EXPECT_EQ(fastest_choice(table, odd, 1).name(), "128x128, A and B copied");
  const auto named = [&](const Sizes& sizes) {
    std::string names;
    for (const TileChoice& choice : tile_choices(tiles, sizes, 1)) names += choice.name() + "; ";
    return names;
  };
  EXPECT_EQ(named(odd), "128x128; 128x128, A copied; 128x128, B copied; 128x128, A and B copied; ");
  EXPECT_EQ(named({{"M", 1}, {"N", 4}, {"K", 3}}), "128x128; 128x128, A copied; ");
  EXPECT_EQ(named({{"M", 1}, {"N", 3}, {"K", 4}}), "128x128; 128x128, B copied; ");
  EXPECT_EQ(named({{"M", 1}, {"N", 4}, {"K", 4}}), "128x128; ");
}

TEST(TileTables, AreTextAndBack) {
  const TileTable& table = tile_table();
  EXPECT_EQ(table.multiprocessors, 132);
  EXPECT_GE(table.rounds.size(), 4 * block_tiles().size());
  EXPECT_EQ(to_json(parse_tile_table(to_json(table))), to_json(table));
}

TEST(TileTables, SayWhatIsWrongWithATable) {
  const auto refusal = [](llvm::StringRef text) -> std::string {
    try {
      parse_tile_table(text);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refusal("{"), "a table of tiles: [1:1, byte=1]: Expected object key");
  EXPECT_EQ(refusal("[]"), "a table of tiles: expected object");
  std::string text = to_json(tile_table());
  const std::string key = "\"product_ps\"";
  text.replace(text.find(key), key.size(), "\"product\"");
  EXPECT_EQ(refusal(text), "a table of tiles: missing value at (root).rounds[0].product_ps");
}

}  // namespace matmul_tiles_test
}  // namespace hone
