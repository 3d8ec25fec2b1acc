// conv2d-nhwc: a convolution with 3 x 3 weights and a margin of zeros, of images of bf16 whose
// channels lie side by side. It is a product of matrices of which the left one is never made: its
// rows are the pixels of the output, and its columns the weights of a pixel by the input's
// channels.

#include <cmath>

#include "examples/ladders/wgmma_tiles.h"

namespace hone {
namespace {

constexpr int64_t taps = 3;  ///< weights along each side of a pixel's neighbourhood

struct Conv2d {
  Expr N, H, W, C, O;  ///< N images: the size "batch"
  Tensor in, w, out;
  Axis n, y, x, o;
  ReduceAxis r, s, c;

  explicit Conv2d(const Sizes& fixed)
      : N(size_or_param(fixed, "batch")),
        H(size_or_param(fixed, "H")),
        W(size_or_param(fixed, "W")),
        C(size_or_param(fixed, "C")),
        O(size_or_param(fixed, "O")),
        in("in", bf16, {N, H, W, C}),
        w("w", bf16, {O, taps, taps, C}),
        out("out", bf16, {N, H, W, O}),
        n("n", N),
        y("y", H),
        x("x", W),
        o("o", O),
        r("r", taps),
        s("s", taps),
        c("c", C) {}

  /// Zeros lie around an image.
  Expr pixel() const {
    return select(y + r >= 1 && y + r <= H && x + s >= 1 && x + s <= W,
                  in(n, y + r - 1, x + s - 1, c), cast(bf16, 0));
  }
  Definition definition() const {
    return out(n, y, x, o) =
               cast(bf16, sum({r, s, c}, cast(f32, pixel()) * cast(f32, w(o, r, s, c))));
  }
};

/// With the product that it is, of N*H*W by O elements and C products for each pair of taps.
struct ImplicitProduct : Conv2d {
  NarrowMatmul product;
  Program program;
  Sizes expected;
};

ImplicitProduct conv2d(const Sizes& fixed, const Sizes& expected) {
  const Conv2d p(fixed);
  const Definition rounded = p.definition();
  const Program program("conv2d_nhwc", rounded);
  const Sizes sizes = {{"M", expected.at("batch") * expected.at("H") * expected.at("W")},
                       {"N", expected.at("O")},
                       {"K", expected.at("C")}};
  NarrowMatmul product = {
      {MatmulShape(sizes), p.in, p.w, Tensor(rounded.reduced()), p.y, p.o, program, sizes},
      p.out,
      true};
  product.N = p.O;
  product.K = p.C;
  product.k = p.c;
  return {p, product, program, expected};
}

void global(Schedule& s, const ImplicitProduct& p) {
  auto [bx, bo, tx, to] =
      s.tile({p.x, p.o}, {8, 32}, {.names = {"block_x", "block_channel", "pixel", "channel"}});
  s.bind(s.fuse(p.n, p.y), block.x);
  s.bind(bx, block.y);
  s.bind(bo, block.z);
  s.bind(tx, thread.y);
  s.bind(to, thread.x);
  s.cache_registers(p.product.result, to);
}

/// The pixels that a warpgroup multiplies: 64, of some images.
struct PixelTile {
  int64_t images, height, width;
};

/// The tiles of a block's warpgroups lie one below the other in an image, or in one image each.
struct ConvShape {
  WgmmaShape shape;
  PixelTile pixels;
  bool is_high = false;

  int64_t images() const { return pixels.images * (is_high ? 1 : shape.groups); }
  int64_t height() const { return pixels.height * (is_high ? shape.groups : 1); }
};

/// Rows of tiles are pixels, and their steps the pairs of taps by 64 channels each.
TileLoops pixel_loops(Schedule& s, const ImplicitProduct& p, const ConvShape& conv) {
  const auto& [shape, pixels, is_high] = conv;
  auto [tn, ty, tx, bx, images, ys, px, column] = s.tile(
      {p.n, p.y, p.x, p.o}, {conv.images(), conv.height(), pixels.width, shape.columns},
      {Tail::pad, {"tile_n", "tile_y", "tile_x", "tile_column", "images", "ys", "px", "column"}});
  auto [chunk, channel] =
      s.split(p.c, depth_of(p.product), {.tail = Tail::pad, .names = {"chunk", "channel"}});
  auto [group, rest] = is_high ? s.split(ys, pixels.height, {.names = {"consumer", "py"}})
                               : s.split(images, pixels.images, {.names = {"consumer", "image"}});
  const Axis image = is_high ? images : rest, py = is_high ? rest : ys;
  if (is_high) s.reorder({group, image});
  const Axis row = s.fuse(image, s.fuse(py, px), {.name = "row"});
  s.bind(group, warpgroup);
  s.reorder({tn, ty, tx, bx, p.r, p.s, chunk, group, row, column, channel});
  const Axis step = s.fuse(p.r, s.fuse(p.s, chunk), {.name = "step"});
  const Axis by = s.fuse(s.fuse(tn, ty), tx, {.name = "tile_pixels"});
  return {by, bx, step, group, row, column, TileOrder::across, conv.images() > 1 ? 3 : 2};
}

OperandVectors vectors_of(Schedule& s, const ImplicitProduct& p) {
  const int64_t channels = p.expected.at("C");
  return {promise_vectors(s, p.in, p.C, channels), promise_vectors(s, p.w, p.C, channels)};
}

/// All threads fill tiles where channels are no whole pieces of 16 bytes.
WgmmaTiles tiles_of_pixels(Schedule& s, const ImplicitProduct& p, const ConvShape& conv) {
  const OperandVectors vectors = vectors_of(s, p);
  const TileLoops loops = pixel_loops(s, p, conv);
  return wgmma_tiles(s, p.product, loops, conv.shape,
                     p.product.has_whole_pieces() ? OperandVectors() : vectors);
}

/// Producers of boxes of pixels have more to count than those of boxes of rows.
void fill(Schedule& s, const ImplicitProduct& p, const WgmmaTiles& tiles, WgmmaShape shape) {
  shape.least_registers = 40;
  if (p.product.has_whole_pieces())
    fill_by_engine(s, tiles, shape);
  else
    fill_by_threads(s, tiles);
}

void wgmma(Schedule& s, const ImplicitProduct& p) {
  constexpr ConvShape conv = {{.groups = 2, .columns = 64, .stages = 4}, {1, 8, 8}};
  const WgmmaTiles tiles = tiles_of_pixels(s, p, conv);
  s.bind(tiles.by, block.x);
  s.bind(tiles.bx, block.y);
  fill(s, p, tiles, conv.shape);
  if (promise_vectors(s, p.out, p.O, p.expected.at("O")) > 1) s.vectorize(tiles.pair);
}

void persistent_tiles(Schedule& s, const ImplicitProduct& p, const ConvShape& conv) {
  promise_vectors(s, p.out, p.O, p.expected.at("O"));
  const WgmmaTiles tiles = tiles_of_pixels(s, p, conv);
  const Axis turn = persistent_blocks(s, tiles.by, tiles.bx, multiprocessors);
  fill(s, p, tiles, conv.shape);
  store_from_tile(s, p.product, tiles, conv.shape.columns, turn);
}

constexpr ConvShape pairs_of_images = {{.groups = 2, .columns = 64, .stages = 6}, {1, 8, 8}};

void persistent(Schedule& s, const ImplicitProduct& p) { persistent_tiles(s, p, pairs_of_images); }

/// Ways to lay 64 pixels out.
constexpr PixelTile pixel_tiles[] = {{1, 8, 8}, {4, 4, 4}};

/// Rounds of tiles, whose steps take as long as their products, or as their lines take to come.
double microseconds_of(const ConvShape& conv, const ImplicitProduct& p) {
  const auto tiles_along = [&](const char* size, int64_t tile) {
    return static_cast<int64_t>(llvm::divideCeil(p.expected.at(size), tile));
  };
  const int64_t tiles = tiles_along("batch", conv.images()) * tiles_along("H", conv.height()) *
                        tiles_along("W", conv.pixels.width) * tiles_along("O", conv.shape.columns);
  const int64_t steps = taps * taps * tiles_along("C", depth_of(p.product));
  const auto lines = static_cast<double>(conv.shape.rows() + conv.shape.columns);
  const double fetch =
      microseconds_of_lines(lines, alignment_of_rows(p.product, p.expected.at("C")));
  return microseconds_of_tiles(conv.shape, {tiles, 1}, steps,
                               {lines, lines_read(conv.shape), fetch});
}

void for_each_shape(llvm::function_ref<void(const ConvShape&)> use) {
  for (const WgmmaShape& shape : tile_shapes())
    for (const PixelTile& pixels : pixel_tiles)
      for (const bool is_high : {false, true})
        if (shape.deferred == 0 && shape.columns % chunk_columns == 0 &&
            (!is_high || pixels.images == 1))
          use({shape, pixels, is_high});
}

ConvShape fastest(const ImplicitProduct& p) {
  ConvShape best = pairs_of_images;
  double least = INFINITY;
  for_each_shape([&](const ConvShape& conv) {
    const double time = microseconds_of(conv, p);
    if (time < least) best = conv;
    least = std::min(least, time);
  });
  return best;
}

/// The shape by the sizes. A launch overlaps with the one before.
void tuned(Schedule& s, const ImplicitProduct& p) {
  s.launch_early();
  persistent_tiles(s, p, p.product.has_whole_pieces() ? fastest(p) : pairs_of_images);
}

}  // namespace

Ladder conv2d_nhwc_ladder() {
  Ladder ladder;
  ladder.name = "conv2d-nhwc";
  ladder.title = "3 x 3 convolution of bf16, channels last, with zeros around";
  ladder.sizes = {{"batch", 32}, {"H", 56}, {"W", 56}, {"C", 64}, {"O", 64}};
  ladder.program = [](const Sizes& fixed) {
    return Program("conv2d_nhwc", Conv2d(fixed).definition());
  };
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * taps * taps * sizes.at("batch") * sizes.at("H") * sizes.at("W") * sizes.at("C") *
           sizes.at("O");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double pixels = static_cast<double>(sizes.at("batch")) * sizes.at("H") * sizes.at("W");
    const double c = sizes.at("C"), o = sizes.at("O");
    return 2.0 * (pixels * (c + o) + taps * taps * c * o);
  };
  const RungMaker rung(conv2d);
  ladder.rungs = {
      rung(
          "global", "one thread per output, sums in a register",
          "Blocks of 8 pixels by 32 channels; a warp reads one element of the image at a time, and "
          "32 weights. Each product is converted and added on CUDA cores.",
          global),
      rung("wgmma", "warpgroups multiply tiles of pixels in shared memory",
           {"Tensor cores multiply matrices. Where are the matrices in a convolution?",
            "A block has 8 x 8 pixels of two images, 128 rows of a product of matrices. For each "
            "of the nine taps, the copy engine fetches the tile that lies so far to the side as "
            "one box; what lies outside of the image comes as zeros. No matrix of neighbourhoods "
            "is made, in memory or elsewhere."},
           wgmma, {.builds_on = "global"}),
      rung(
          "persistent", "blocks stay, and the copy engine stores tiles",
          {"The start and the end of each block leave the tensor cores idle. What could fill them?",
           "A block for each multiprocessor takes every 132nd tile. Producers fetch the first taps "
           "of the next tile during the last ones of this."},
          persistent, {.builds_on = "wgmma"}),
      rung("tuned", "the shape of tiles chosen by the sizes",
           {"Tiles of 8 x 8 pixels do not divide images of 28 x 28. Which shape does?",
            "Tiles of 4 x 4 pixels of four images fit 28 x 28, as those of 8 x 8 fit 56 x 56. "
            "Where there are few images, warpgroups take neighbouring tiles of one. Where the "
            "output has more channels, tiles are wider."},
           tuned, {.builds_on = "persistent"}),
  };
  return ladder;
}

}  // namespace hone
