// Tiles in shared memory, whatever the shapes of blocks and tiles: what the kernels compute on the
// simulated device is what the loops mean, and no thread runs ahead of another.

#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "fmt/ranges.h"
#include "ir/text/parser.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace shared_tiles_test {

using Extents = std::vector<int64_t>;

/// "text(0), text(1), ..., text(count - 1)"
template <class Text>
std::string listed(size_t count, Text&& text, const char* separator = ", ") {
  std::string list;
  for (size_t n = 0; n < count; ++n) list += (n == 0 ? "" : separator) + std::string(text(n));
  return list;
}

/// Threads that turn tiles of A round, over shared memory: either a copy fills the tile and threads
/// take its elements in reverse order, or threads fill it so and a copy writes it to C.
struct TileProgram {
  Extents tile = {8, 32};      ///< one to three dimensions
  Extents block = {32, 8, 1};  ///< threads in x, y, z
  std::string type = "f32";
  std::string source_layout = "", tile_layout = "";
  std::string region = "b{0}*{1} .. +{1}";  ///< of dimension {0}, whose tiles are {1} long
  bool writes_back = false;

  /// Over A and C of the same shape N0, N1, N2.
  std::string text() const {
    const std::string shape = listed(rank(), [](size_t n) { return fmt::format("N{}", n); });
    std::string text =
        fmt::format("func f[{0}](A: {1}[{0}]{2}, C: {1}[{0}]) {{\n", shape, type, source_layout);
    for (size_t n = 0; n < rank(); ++n)
      text += fmt::format("for b{0} in 0..(N{0} + {1} - 1) / {1} @block.{2} {{\n", n, tile[n],
                          "xyz"[n]);
    text += fmt::format("alloc s: {}[{}]{} @shared\n", type, fmt::join(tile, ", "), tile_layout);
    text += writes_back ? turn() + copy("C", part(), "s", whole())
                        : copy("s", whole(), "A", part()) + turn();
    return text + std::string(rank() + 1, '}');
  }

 private:
  size_t rank() const { return tile.size(); }

  static int64_t product(llvm::ArrayRef<int64_t> extents) {
    int64_t result = 1;
    for (const int64_t extent : extents) result *= extent;
    return result;
  }

  static std::string copy(const char* to, const std::string& where, const char* from,
                          const std::string& place) {
    return fmt::format("copy {}[{}] <- {}[{}]\n", to, where, from, place);
  }
  std::string whole() const {
    return listed(rank(), [&](size_t n) { return fmt::format("0 .. +{}", tile[n]); });
  }
  std::string part() const {
    return listed(rank(), [&](size_t n) { return fmt::format(fmt::runtime(region), n, tile[n]); });
  }

  /// Index n of element e of the tile.
  std::string digit(size_t n) const {
    return fmt::format("e / {} % {}", product(llvm::ArrayRef<int64_t>(tile).drop_front(n + 1)),
                       tile[n]);
  }

  /// The loops of all threads, over elements e of the tile and their mirror images.
  std::string turn() const {
    const int64_t threads = product(block), elements = product(tile);
    const auto index = [&](size_t n) { return fmt::format("b{}*{} + {}", n, tile[n], digit(n)); };
    const std::string indices = listed(rank(), index);
    const std::string mirrored =
        listed(rank(), [&](size_t n) { return fmt::format("{} - {}", tile[n] - 1, digit(n)); });
    const std::string inside = listed(
        rank(), [&](size_t n) { return fmt::format("{} < N{}", index(n), n); }, " && ");
    const std::string move =
        writes_back ? fmt::format("s[{}] = select({}, A[{}], 0.0)", mirrored, inside, indices)
                    : fmt::format("if ({}) {{ C[{}] = s[{}] }}", inside, indices, mirrored);
    return fmt::format(
        "for tz in 0..{2} @thread.z {{ for ty in 0..{1} @thread.y {{ for tx in 0..{0} @thread.x "
        "{{\nfor r in 0..{3} {{ let e = r*{4} + (tz*{1} + ty)*{0} + tx\nif (e < {5}) {{ {6} }} }} "
        "}} }} }}\n",
        block[0], block[1], block[2], (elements + threads - 1) / threads, threads, elements, move);
  }
};

/// Sizes of as many dimensions: whole tiles, tiles that stick out, and less than a tile.
std::vector<Sizes> sizes_for(const Extents& tile) {
  std::vector<Sizes> all(4);
  for (size_t n = 0; n < tile.size(); ++n) {
    const std::string name = "N" + std::to_string(n);
    all[0][name] = tile[n] * 2;
    all[1][name] = tile[n] + 1 + static_cast<int64_t>(n);
    all[2][name] = n == 0 ? 1 : tile[n] * 2 - 1;
    all[3][name] = n == 0 ? tile[n] : 1;
  }
  return all;
}

/// The same with numbers where `text` has sizes.
std::string with_known_sizes(std::string text, const Sizes& sizes) {
  text.erase(text.find('['), text.find(']') + 1 - text.find('['));
  for (const auto& [name, size] : sizes)
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, name.size(), std::to_string(size));
  return text;
}

void expect_right(const TileProgram& program) {
  expect_as_interpreted_at(sizes_for(program.tile), parse_function(program.text()));
}

const std::vector<Extents> blocks = {{1, 1, 1},   {2, 1, 1},   {31, 1, 1},  {32, 1, 1}, {33, 1, 1},
                                     {48, 1, 1},  {96, 1, 1},  {127, 1, 1}, {32, 8, 1}, {8, 32, 1},
                                     {16, 16, 1}, {5, 3, 1},   {1, 7, 1},   {3, 5, 2},  {1, 1, 6},
                                     {4, 1, 8},   {1024, 1, 1}};

class EveryBlock : public testing::TestWithParam<Extents> {};

INSTANTIATE_TEST_SUITE_P(SharedTiles, EveryBlock, testing::ValuesIn(blocks),
                         [](const testing::TestParamInfo<Extents>& info) {
                           return fmt::format("{}", fmt::join(info.param, "_"));
                         });

TEST_P(EveryBlock, FillsRows) {
  for (const int64_t length : {1, 5, 32, 33, 100, 256}) {
    TileProgram program;
    program.tile = {length};
    program.block = GetParam();
    expect_right(program);
  }
}

TEST_P(EveryBlock, FillsRectangles) {
  for (const Extents& tile : std::vector<Extents>{{8, 32}, {5, 7}, {32, 8}, {1, 33}, {17, 33}}) {
    TileProgram program;
    program.tile = tile;
    program.block = GetParam();
    expect_right(program);
  }
}

TEST_P(EveryBlock, FillsBoxes) {
  for (const Extents& tile : std::vector<Extents>{{2, 4, 8}, {3, 5, 7}, {4, 1, 16}}) {
    TileProgram program;
    program.tile = tile;
    program.block = GetParam();
    expect_right(program);
  }
}

TEST_P(EveryBlock, FollowsTheLayoutOfTheSource) {
  TileProgram program;
  program.block = GetParam();
  program.source_layout = " @order(1, 0)";
  for (const Extents& tile : std::vector<Extents>{{32, 8}, {5, 7}, {16, 16}}) {
    program.tile = tile;
    expect_right(program);
  }
}

TEST_P(EveryBlock, FollowsTheLayoutOfTheTile) {
  TileProgram program;
  program.block = GetParam();
  program.tile = {8, 32};
  for (const char* layout :
       {" @pad(1)", " @pad(4)", " @order(1, 0)", " @order(1, 0) @pad(1)", " @swizzle(4, 8, 1)",
        " @swizzle(1, 32, 1)", " @order(1/8, 0, 1%8)", " @order(0/4, 1/8, 0%4, 1%8) @pad(1)",
        " @order(1/16, 0, 1/4%4, 1%4) @swizzle(1, 4, 2, 2 ^ 1)",
        " @order(1%4, 0, 1/4) @swizzle(1, 8, 1) @swizzle(1, 2, 1, 2 ^ 0)"}) {
    program.tile_layout = layout;
    expect_right(program);
  }
}

TEST_P(EveryBlock, WritesTilesBack) {
  TileProgram program;
  program.block = GetParam();
  program.writes_back = true;
  for (const Extents& tile : std::vector<Extents>{{33}, {8, 32}, {5, 7}, {3, 5, 7}}) {
    program.tile = tile;
    expect_right(program);
  }
}

TEST_P(EveryBlock, MovesElementsOfEveryWidth) {
  TileProgram program;
  program.block = GetParam();
  for (const char* type : {"f16", "bf16", "f64", "i8", "i32", "i64"}) {
    program.type = type;
    program.tile = {6, 20};
    expect_right(program);
  }
}

TEST_P(EveryBlock, FillsWhatLiesOutsideOnBothSides) {
  TileProgram program;
  program.block = GetParam();
  program.tile = {6, 10};
  program.region = "b{0}*{1} - 2 .. +{1}";
  expect_right(program);
}

TEST_P(EveryBlock, TakesElementsThatLieAStrideApart) {
  TileProgram program;
  program.block = GetParam();
  program.tile = {6, 10};
  program.region = "b{0}*{1} .. +{1} by 3";
  expect_right(program);
}

/// Each type with each layout and each tile, and each layout with each tile.
TEST_P(EveryBlock, MovesVectorsWhereSizesAreKnown) {
  constexpr const char* types[] = {"f32", "f16", "f64", "i8"};
  constexpr const char* layouts[] = {"", " @pad(2)", " @swizzle(4, 4, 1)"};
  const Extents tiles[] = {{8, 32}, {32, 16}, {3, 48}};
  for (size_t type = 0; type < std::size(types); ++type)
    for (size_t layout = 0; layout < std::size(layouts); ++layout) {
      TileProgram program;
      program.block = GetParam();
      program.type = types[type];
      program.tile_layout = layouts[layout];
      program.tile = tiles[(type + layout) % std::size(tiles)];
      program.writes_back = type == 0;
      for (const Sizes& sizes : sizes_for(program.tile))
        expect_as_interpreted(parse_function(with_known_sizes(program.text(), sizes)), {});
    }
}

TEST(SharedTiles, OfKnownSizesMoveInVectors) {
  TileProgram program;
  program.tile = {32, 32};
  const Sizes sizes = {{"N0", 64}, {"N1", 96}};
  const Function function = parse_function(with_known_sizes(program.text(), sizes));
  const std::string text = to_string(lower(function).kernels.front());
  EXPECT_NE(text.find("@vector(4)"), std::string::npos) << text;
}

}  // namespace shared_tiles_test
}  // namespace hone
