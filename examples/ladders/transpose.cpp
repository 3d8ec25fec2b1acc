// transpose: B = A^T. Each byte moves once, and one of the two sides goes against the grain.

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

struct Transpose {
  Expr M, N;
  Tensor A, B;
  Axis i, j;
  Program program;
  Sizes expected;

  Transpose(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        A("A", f32, {M, N}),
        B("B", f32, {N, M}),
        i("i", M),
        j("j", N),
        program("transpose", B(j, i) = A(i, j)),
        expected(expected) {}
};

Transpose transpose(const Sizes& fixed, const Sizes& expected) { return {fixed, expected}; }

void naive(Schedule& s, const Transpose& p) {
  auto [by, bx, ty, tx] =
      s.tile({p.i, p.j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

/// Blocks of 32 x 8 threads stage a tile of 32 x 32 elements, and write it in the order of B.
Cache tiled(Schedule& s, const Transpose& p) {
  auto [bx, by, columns, tx] =
      s.tile({p.j, p.i}, {32, 32}, {.names = {"block_column", "block_row", nullptr, "row"}});
  auto [step, ty] = s.split(columns, 8, {.names = {"part", "column"}});
  s.bind(bx, block.x);
  s.bind(by, block.y);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  return s.cache_shared(p.A, by);
}

void plain_tile(Schedule& s, const Transpose& p) { tiled(s, p); }

void padded(Schedule& s, const Transpose& p) { s.layout(tiled(s, p), Layout().pad(1)); }

void swizzled(Schedule& s, const Transpose& p) {
  s.layout(tiled(s, p), Layout().swizzle({.chunk = 1, .period = 32}));
}

/// The distribution of micro tiles, the squares of elements that each thread takes.
struct Dealing {
  int64_t tile = 64;    ///< rows and columns of a block's tile
  int64_t lanes_x = 8;  ///< micro tiles of a warp along a row
  bool in_output_order = false;
  int64_t micro = 4;  ///< rows and columns of a micro tile
  bool has_swizzle = true;
};

/// One axis of threads for micro tiles in rows and columns: a warp is lanes_x wide, and warps
/// follow each other along a row.
Axis deal_out(Schedule& s, const Axis& row, const Axis& column, const Dealing& dealing,
              const std::vector<const char*>& names) {
  if (dealing.lanes_x * dealing.micro == dealing.tile) return s.fuse(row, column);
  auto [warp_y, warp_x, y, x] =
      s.tile({row, column}, {32 / dealing.lanes_x, dealing.lanes_x}, {.names = names});
  return s.fuse(s.fuse(warp_y, warp_x), s.fuse(y, x));
}

/// Vectors on both sides, of four as a rule. A thread takes 4 x 4 elements: four vectors of rows
/// come in, four vectors of columns go to shared memory, whose chunks are swizzled to keep the
/// banks apart. Sizes that are no multiples of four move element by element.
void micro_tiles(Schedule& s, const Transpose& p, const Dealing& dealing) {
  const int64_t micro = dealing.micro;
  const bool has_vectors = p.expected.at("M") % micro == 0 && p.expected.at("N") % micro == 0;
  if (has_vectors) {
    s.assume_aligned(p.A, 4 * micro);
    s.assume_aligned(p.B, 4 * micro);
  }
  auto [block_column, block_row, columns, rows] =
      s.tile({p.j, p.i}, {dealing.tile, dealing.tile},
             {.names = {"block_column", "block_row", nullptr, nullptr}});
  s.bind(block_column, dealing.in_output_order ? block.y : block.x);
  s.bind(block_row, dealing.in_output_order ? block.x : block.y);
  Layout by_columns = Layout::column_major();
  if (dealing.has_swizzle)
    by_columns = by_columns.swizzle({.chunk = micro, .period = 32 / micro, .rows = micro});
  const Cache A_shared = s.cache_shared(p.A, block_row, {.layout = by_columns});

  const std::vector<Axis> copy = s.copy_loops(A_shared);
  auto [row, column, r, c] =
      s.tile({copy[0], copy[1]}, {micro, micro},
             {.names = {"load_tile_row", "load_tile_column", "load_row", "load_column"}});
  const Axis loader =
      deal_out(s, row, column, dealing,
               {"load_warp_row", "load_warp_column", "load_lane_row", "load_lane_column"});
  s.bind(loader, thread.x);
  s.reorder({c, r});
  s.cache_registers(p.A, loader, {.vectorize = has_vectors ? micro : 0});
  s.vectorize(r);

  auto [out_row, out_column, element, vector] = s.tile(
      {columns, rows}, {micro, micro}, {.names = {"tile_column", "tile_row", "column", "row"}});
  const Axis storer = deal_out(s, out_row, out_column, dealing,
                               {"warp_column", "warp_row", "lane_column", "lane_row"});
  s.bind(storer, thread.x);
  s.unroll(element);
  if (has_vectors) s.vectorize(vector);
}

void micro_tiles_by_choice(Schedule& s, const Transpose& p, tune::Choices& choices) {
  Dealing dealing;
  dealing.tile = choices.choice("tile", {32, 64, 128});
  dealing.lanes_x = choices.choice("lanes_x", {4, 8, 16, 32});
  dealing.in_output_order = choices.choice("in_output_order", {0, 1}) == 1;
  dealing.micro = choices.choice("micro", {2, 4});
  dealing.has_swizzle = choices.choice("has_swizzle", {0, 1}) == 1;
  micro_tiles(s, p, dealing);
}

auto with(const Dealing& dealing) {
  return [=](Schedule& s, const Transpose& p) { micro_tiles(s, p, dealing); };
}

/// A tile whose elements threads take one by one.
std::vector<Rung> tile_rungs(const RungMaker<Transpose>& rung) {
  return {
      rung("naive", "one thread per element, reads coalesced",
           "Neighbouring threads read neighbouring elements of a row of A. They belong to a column "
           "of B: each of a warp's 32 stores is a separate sector, of which it writes an eighth.",
           naive),
      rung("tiled", "tiles of 32 x 32 through shared memory",
           {"Rows of A are columns of B, so one side always takes a sector for each element. Where "
            "could a block turn a tile around?",
            "A block reads a tile in the order of A, and writes it in the order of B: both sides "
            "move whole rows of 128 bytes. A warp that writes reads a column of the tile, and all "
            "32 elements of it lie in one bank."},
           plain_tile, {.builds_on = "naive"}),
      rung("padded", "rows of 33 elements",
           {"All elements of a column lie in one bank. Which length of the rows spreads them?",
            "One element between the rows, and the elements of a column lie in 32 banks."},
           padded, {.builds_on = "tiled"}),
      rung("swizzled", "elements change places",
           {"Can the elements of a column be spread without unused memory?",
            "Element c of row r lies at c ^ r: the 32 elements of a column lie in 32 banks, and "
            "the tile has no unused element."},
           swizzled, {.builds_on = "tiled"}),
  };
}

std::vector<Rung> micro_tile_rungs(const RungMaker<Transpose>& rung) {
  return {
      rung("vectorized", "vectors of four on both sides",
           {"Each access moves four bytes. How can both sides move sixteen, though rows of A are "
            "columns of B?",
            "A thread takes 4 x 4 elements: four vectors of four rows come in, and go to shared "
            "memory as four vectors of four columns. There the tile lies transposed, in chunks of "
            "four elements that change places from column to column."},
           with({.tile = 32}), {.builds_on = "swizzled"}),
      rung("tile-64", "tiles of 64 x 64",
           {"A row of a tile is 128 bytes. Do longer rows help?",
            "A tile of 64 x 64 elements has rows of 256 bytes. Its block has 256 threads in place "
            "of 64, each still with one micro tile."},
           with({.tile = 64}), {.builds_on = "vectorized"}),
      rung("raster", "blocks in the order of the output",
           {"Blocks that follow each other read A in order, and write B in strides. What if it "
            "were the other way round?",
            "Blocks that follow each other go down the rows of A, and write B in order."},
           with({.tile = 64, .in_output_order = true}), {.builds_on = "tile-64"}),
      rung.tunable(
          rung("lanes-16x2", "warps of 16 x 2 micro tiles",
               {"A warp has 8 x 4 micro tiles. Which shape moves longer pieces of a row?",
                "With 16 x 2 micro tiles, a warp moves 256 bytes of a row at once, on both sides."},
               with({.tile = 64, .lanes_x = 16, .in_output_order = true}), {.builds_on = "raster"}),
          micro_tiles_by_choice),
  };
}

}  // namespace

Ladder transpose_ladder() {
  Ladder ladder;
  ladder.name = "transpose";
  ladder.title = "B = A^T in single precision";
  ladder.sizes = {{"M", 4096}, {"N", 4096}};
  ladder.program = [](const Sizes& fixed) { return Transpose(fixed, {}).program; };
  ladder.bytes = [](const Sizes& sizes) { return 8.0 * sizes.at("M") * sizes.at("N"); };
  const RungMaker rung(transpose);
  ladder.rungs = tile_rungs(rung);
  llvm::append_range(ladder.rungs, micro_tile_rungs(rung));
  return ladder;
}

}  // namespace hone
