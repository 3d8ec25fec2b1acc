// stencil: each pixel becomes a weighted sum of the 3 x 3 around it. The image comes with a margin
// of one pixel, so that every output has all of its neighbours.

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

struct Stencil {
  Expr H, W;
  Tensor w, in, out;
  Axis y, x;
  ReduceAxis dy, dx;
  Program program;

  explicit Stencil(const Sizes& fixed)
      : H(size_or_param(fixed, "H")),
        W(size_or_param(fixed, "W")),
        w("w", f32, {3, 3}),
        in("in", f32, {H + 2, W + 2}),
        out("out", f32, {H, W}),
        y("y", H),
        x("x", W),
        dy("dy", 3),
        dx("dx", 3),
        program("stencil", out(y, x) = sum({dy, dx}, w(dy, dx) * in(y + dy, x + dx))) {}
};

Stencil stencil(const Sizes& fixed, const Sizes&) { return Stencil(fixed); }

/// One thread per pixel, its sum in a register. Returns the axis of the threads along x.
Axis pixels(Schedule& s, const Stencil& p) {
  auto [by, bx, ty, tx] =
      s.tile({p.y, p.x}, {8, 32}, {.names = {"block_row", "block_column", "row", "column"}});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.out, tx);
  return tx;
}

void global(Schedule& s, const Stencil& p) { pixels(s, p); }

/// The block's pixels with their neighbours, 10 x 34, go through shared memory.
void shared(Schedule& s, const Stencil& p) { s.cache_shared(p.in, pixels(s, p)); }

}  // namespace

Ladder stencil_ladder() {
  Ladder ladder;
  ladder.name = "stencil";
  ladder.title = "3 x 3 weighted sums of an image";
  ladder.sizes = {{"H", 8192}, {"W", 8192}};
  ladder.program = [](const Sizes& fixed) { return Stencil(fixed).program; };
  ladder.flops = [](const Sizes& sizes) { return 18.0 * sizes.at("H") * sizes.at("W"); };
  ladder.bytes = [](const Sizes& sizes) {
    const double h = sizes.at("H"), w = sizes.at("W");
    return 4.0 * ((h + 2.0) * (w + 2.0) + h * w);
  };
  const RungMaker rung(stencil);
  ladder.rungs = {
      rung(
          "global", "one thread per pixel, neighbours from global memory",
          "Blocks of 8 x 32 threads cover the image. Each pixel is read by the nine threads around "
          "it; the caches serve all but the first of them.",
          global),
      rung("shared", "the block's pixels and their neighbours in shared memory",
           {"Each pixel is an operand of nine results. How can a block load it once?",
            "What a block reads is its 8 x 32 pixels and a margin of one on each side. The threads "
            "stage these 10 x 34 pixels together, each pixel once."},
           shared, {.builds_on = "global"}),
  };
  return ladder;
}

}  // namespace hone
