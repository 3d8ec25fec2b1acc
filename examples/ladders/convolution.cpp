// convolution: C channels in, O channels out, each with 3 x 3 weights of its own per channel that
// it reads. The image comes with a margin of one pixel.

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

struct Convolution {
  Expr C, O, H, W;
  Tensor w, in, out;
  Axis o, y, x;
  ReduceAxis c, dy, dx;
  Program program;

  explicit Convolution(const Sizes& fixed)
      : C(size_or_param(fixed, "C")),
        O(size_or_param(fixed, "O")),
        H(size_or_param(fixed, "H")),
        W(size_or_param(fixed, "W")),
        w("w", f32, {O, C, 3, 3}),
        in("in", f32, {C, H + 2, W + 2}),
        out("out", f32, {O, H, W}),
        o("o", O),
        y("y", H),
        x("x", W),
        c("c", C),
        dy("dy", 3),
        dx("dx", 3),
        program("convolution",
                out(o, y, x) = sum({c, dy, dx}, w(o, c, dy, dx) * in(c, y + dy, x + dx))) {}
};

Convolution convolution(const Sizes& fixed, const Sizes&) { return Convolution(fixed); }

void global(Schedule& s, const Convolution& p) {
  auto [by, bx, ty, tx] =
      s.tile({p.y, p.x}, {8, 32}, {.names = {"block_row", "block_column", "row", "column"}});
  s.bind(p.o, block.z);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.out, tx);
}

/// The part of the output that a block computes, and the input channels that it stages at a time.
struct ImageTile {
  int64_t channels = 8, rows = 16, columns = 16;
  int64_t thread_rows = 1;  ///< pixels of a thread in each channel, one below the other
  int64_t step = 1;
};

/// The threads along y, each of which takes some rows.
Axis threads_of_rows(Schedule& s, const Convolution& p, const Axis& rows, const Axis& column,
                     const Axis& channel, int64_t thread_rows) {
  if (thread_rows == 1) return rows;
  auto [ty, pixel] = s.split(rows, thread_rows, {.names = {"thread_row", "pixel"}});
  s.reorder({ty, column, p.c, p.dy, p.dx, channel, pixel});
  return ty;
}

/// Per step the block stages the pixels of some input channels, with a margin, and their weights.
void staged(Schedule& s, const Convolution& p, const ImageTile& tile) {
  auto [bo, by, bx, channel, rows, tx] =
      s.tile({p.o, p.y, p.x}, {tile.channels, tile.rows, tile.columns},
             {.names = {"block_channel", "block_row", "block_column", "channel", "row", "column"}});
  s.reorder({bo, by, bx, rows, tx, p.c, p.dy, p.dx, channel});
  const Axis ty = threads_of_rows(s, p, rows, tx, channel, tile.thread_rows);
  const Axis step =
      tile.step == 1 ? Axis(p.c) : s.split(p.c, tile.step, {.names = {"step", "c"}})[0];
  s.bind(bo, block.z);
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.out, tx);
  s.cache_shared(p.in, step);
  s.cache_shared(p.w, step);
}

void shared(Schedule& s, const Convolution& p) { staged(s, p, {}); }

void shared_by_choice(Schedule& s, const Convolution& p, tune::Choices& choices) {
  ImageTile tile;
  tile.channels = choices.choice("channels", {4, 8, 16});
  tile.rows = choices.choice("rows", {8, 16});
  tile.columns = choices.choice("columns", {16, 32});
  tile.thread_rows = choices.choice("thread_rows", {1, 2, 4});
  tile.step = choices.choice("step", {1, 2, 4});
  staged(s, p, tile);
}

}  // namespace

Ladder convolution_ladder() {
  Ladder ladder;
  ladder.name = "convolution";
  ladder.title = "3 x 3 convolution of C channels into O";
  ladder.sizes = {{"C", 64}, {"O", 64}, {"H", 256}, {"W", 256}};
  ladder.program = [](const Sizes& fixed) { return Convolution(fixed).program; };
  ladder.flops = [](const Sizes& sizes) {
    return 18.0 * sizes.at("C") * sizes.at("O") * sizes.at("H") * sizes.at("W");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double c = sizes.at("C"), o = sizes.at("O"), h = sizes.at("H"), w = sizes.at("W");
    return 4.0 * (c * (h + 2.0) * (w + 2.0) + o * c * 9.0 + o * h * w);
  };
  const RungMaker rung(convolution);
  ladder.rungs = {
      rung(
          "global", "one thread per output, everything from global memory",
          "Blocks of 8 x 32 threads cover a channel of the output, and the channels lie along z. A "
          "thread runs through all channels of the input; each step reads a pixel, and a weight "
          "that all threads of the block share.",
          global),
      rung.tunable(
          rung("shared", "eight channels a thread, tiles with a margin in shared memory",
               {"A pixel is used by all channels of the output, and a weight by all pixels. Which "
                "of them can a thread use again, and which can a block?",
                "A thread computes the same pixel of eight output channels, and uses each pixel "
                "that it reads eight times. Per input channel the block stages 18 x 18 pixels, its "
                "own and their neighbours, and the weights of its eight channels."},
               shared, {.builds_on = "global"}),
          shared_by_choice),
  };
  return ladder;
}

}  // namespace hone
