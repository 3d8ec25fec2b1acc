#include "examples/ladders/hgemm_shapes.h"

#include <cmath>
#include <numeric>

namespace hone {

int64_t alignment_of_rows(const NarrowMatmul& p, int64_t row) {
  return std::gcd(row * size_of(p.type()), line_bytes);
}

namespace {

/// The nanoseconds that each multiprocessor takes to get a line of a tile while all of them do:
/// more where rows start within lines of memory, and where blocks fetch it for each other, as
/// measured on an H100.
double nanoseconds_of_line(int64_t alignment, bool is_shared) {
  if (alignment >= 128) return is_shared ? 2.0 : 1.36;
  if (alignment >= 64) return is_shared ? 2.05 : 1.75;
  if (alignment >= 32) return is_shared ? 2.15 : 1.95;
  return is_shared ? 2.3 : 2.8;
}

/// The time of products grows so much where blocks wait for each other at each step.
constexpr double together = 1.03;

/// The microseconds that a copy of so many bytes takes to global memory, from there.
double microseconds_of_copy(double bytes) { return 2 * bytes / 2.2e6 + 1.5; }

/// The microseconds that it takes to add up so many parts of sums, and to round them.
double microseconds_of_sums(double sums, double parts) {
  return sums * (4 * parts + 2) / 2.2e6 + 1.5;
}

bool is_possible(const WgmmaShape& shape, const NarrowMatmul& p, int64_t parts) {
  const bool can_split = parts == 1 || (p.is_rounded() && !p.batch);
  if (shape.deferred == 0) return can_split;
  return parts == 1 && p.is_rounded() && p.stores_whole_pieces() &&
         p.expected.at("K") > (shape.columns / chunk_columns - 1) * depth_of(p);
}

/// Products of a step, with what it takes that blocks wait for each other.
TimedShape with_partners(TimedShape timed, Shared shared) {
  if (shared != Shared::none) timed.step *= together;
  return timed;
}

/// Rounds of tiles, and what goes before and after them.
double microseconds_of(const TimedShape& timed, const NarrowMatmul& p, const Preparation& how) {
  const WgmmaShape& shape = timed.shape;
  if (!is_possible(shape, p, how.parts)) return INFINITY;
  const int64_t M = p.expected.at("M"), N = p.expected.at("N"), K = p.expected.at("K");
  const int64_t batch = p.batch ? p.expected.at("batch") : 1;
  const auto tiles_along = [&](int64_t size, int64_t tile, bool has_pairs) {
    return static_cast<int64_t>(
        llvm::alignTo(llvm::divideCeil(size, tile), has_pairs ? cluster_blocks : 1));
  };
  const int64_t tiles = batch * how.parts * tiles_along(M, shape.rows(), how.shared == Shared::B) *
                        tiles_along(N, shape.columns, how.shared == Shared::A);
  const int64_t steps = llvm::divideCeil(llvm::divideCeil(K, depth_of(p)), how.parts);
  double fetch = 0, around = 0;
  const auto fetch_lines = [&](int64_t lines, int64_t rows, int64_t row, int64_t least,
                               bool is_shared) {
    const int64_t alignment = alignment_of_rows(p, row);
    const bool is_copied = alignment < least;
    fetch += microseconds_of_lines(lines, is_copied ? line_bytes : alignment, is_shared);
    const auto bytes = static_cast<double>(batch * rows * row * size_of(p.type()));
    if (is_copied) around += microseconds_of_copy(bytes);
  };
  fetch_lines(shape.rows(), M, K, how.least.A, how.shared == Shared::A);
  fetch_lines(shape.columns, p.is_transposed ? N : K, p.is_transposed ? K : N, how.least.B,
              how.shared == Shared::B);
  if (how.parts > 1)
    around += microseconds_of_sums(static_cast<double>(M * N), static_cast<double>(how.parts));
  return with_partners(timed, how.shared).microseconds(tiles, steps, fetch) + around;
}

constexpr TimedShape all_timed_shapes[] = {
    {deferred_shape, 0.645, 0.15, 1.0},
    {{.groups = 2, .columns = 256, .stages = 3}, 0.645},
    {{.groups = 3, .columns = 192, .stages = 3}, 0.72, 1.1},
    {{.groups = 4, .columns = 128, .stages = 3}, 0.67, 1.0},
    {{.groups = 2, .columns = 192, .stages = 4}, 0.5},
    {{.groups = 3, .columns = 128, .stages = 4}, 0.505},
    {{.groups = 1, .columns = 256, .stages = 4, .in_flight = 1}, 0.365},
    {{.groups = 2, .columns = 128, .stages = 5}, 0.33},
    {{.groups = 1, .columns = 192, .stages = 5, .in_flight = 1}, 0.305},
    {{.groups = 1, .columns = 128, .stages = 8, .in_flight = 1}, 0.25},
    {{.groups = 1, .columns = 64, .stages = 12, .in_flight = 1}, 0.2},
};

void for_each_preparation(llvm::function_ref<void(const Preparation&)> use) {
  for (const int64_t parts : {1, 2, 3, 4, 6, 8})
    for (const Shared shared : {Shared::none, Shared::A, Shared::B})
      for (const int64_t A : {piece_bytes, line_bytes})
        for (const int64_t B : {piece_bytes, line_bytes}) use({{A, B}, shared, parts});
}

}  // namespace

llvm::ArrayRef<TimedShape> timed_shapes() { return all_timed_shapes; }

double microseconds_of_lines(int64_t lines, int64_t alignment, bool is_shared) {
  return static_cast<double>(lines) * nanoseconds_of_line(alignment, is_shared) * 1e-3;
}

double TimedShape::microseconds(int64_t tiles, int64_t steps, double fetch) const {
  const int64_t rounds = llvm::divideCeil(tiles, multiprocessors);
  const double share = static_cast<double>(std::min(tiles, multiprocessors)) / multiprocessors;
  return static_cast<double>(rounds) *
             (static_cast<double>(steps) * std::max(step, fetch * share) + tile) +
         once;
}

WgmmaChoice fastest(const NarrowMatmul& p) {
  WgmmaChoice best = {timed_shapes().front().shape, {}};
  double least = INFINITY;
  for_each_preparation([&](const Preparation& how) {
    for (const TimedShape& timed : timed_shapes()) {
      const double time = microseconds_of(timed, p, how);
      if (time < least) best = {timed.shape, how};
      least = std::min(least, time);
    }
  });
  return best;
}

}  // namespace hone
