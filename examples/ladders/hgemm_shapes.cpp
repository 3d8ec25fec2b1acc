#include "examples/ladders/hgemm_shapes.h"

#include <cmath>
#include <numeric>

namespace hone {

int64_t alignment_of_rows(const NarrowMatmul& p, int64_t row) {
  return std::gcd(row * size_of(p.type()), line_bytes);
}

namespace {

/// Of a batch, where there is one.
int64_t products_of(const NarrowMatmul& p) {
  const auto batch = p.expected.find("batch");
  return batch == p.expected.end() ? 1 : batch->second;
}

}  // namespace

int64_t TileGrid::rows_of_group() const {
  const int64_t unit = has_pairs ? cluster_blocks : 1;
  const int64_t units = std::max<int64_t>(rows / unit, 1);
  int64_t best = std::min<int64_t>(8, units) * unit;
  const auto take_if_better = [&](int64_t group) {
    if (rounds_of(group) < rounds_of(best)) best = group;
  };
  for (int64_t group = 1; group <= std::min<int64_t>(16, units); ++group)
    take_if_better(group * unit);
  take_if_better(units * unit);
  return best;
}

double TileGrid::share() const {
  return static_cast<double>(std::min(rows * columns, multiprocessors)) / multiprocessors;
}

double TileGrid::use() const {
  const int64_t turns = std::max<int64_t>(rounds(), 1) * multiprocessors;
  return static_cast<double>(rows * columns) / static_cast<double>(turns);
}

int64_t TileGrid::count(int64_t group) const {
  return static_cast<int64_t>(llvm::alignTo(rows, group)) * columns;
}

TileGrid grid_of(const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how) {
  const auto along = [&](const char* size, int64_t tile, Shared pairs) {
    const int64_t count = llvm::divideCeil(p.expected.at(size), tile);
    return static_cast<int64_t>(llvm::alignTo(count, how.shared == pairs ? cluster_blocks : 1));
  };
  return {along("M", shape.rows(), Shared::B),
          products_of(p) * how.parts * along("N", shape.columns, Shared::A),
          how.shared == Shared::B};
}

namespace {

/// The nanoseconds that each multiprocessor takes to get a line of a tile while all of them do:
/// more where rows start within lines of memory, and where blocks fetch it for each other. All
/// times here are those that make the model agree best with measurements on an H200
/// (docs/measurements.md).
double nanoseconds_of_line(int64_t alignment, bool is_shared) {
  if (alignment >= 64) return is_shared ? 0.89 : 0.78;
  if (alignment >= 32) return is_shared ? 2.13 : 1.97;
  return is_shared ? 2.13 : 2.69;
}

/// The time of products grows so much where blocks wait for each other at each step.
constexpr double together = 1.03;

/// Multiprocessors that have no tile leave power to the others.
constexpr double gain_of_idle_ones = 0.26;

/// The microseconds that a copy of so many bytes takes to global memory, from there.
double microseconds_of_copy(double bytes) { return 2 * bytes / 2.2e6 + 1.2; }

/// The microseconds that it takes to add up so many parts of sums, and to round them.
double microseconds_of_sums(double sums, double parts) {
  return sums * (4 * parts + 2) / 2.2e6 + 1.8;
}

/// The time of two things that go on at once, and hinder each other where they take as long.
double time_of_both(double x, double y) {
  return std::pow(std::pow(x, 6) + std::pow(y, 6), 1.0 / 6);
}

/// Microseconds that operands cost: those of a step's lines, and of copies before the first one.
struct FetchTimes {
  double step = 0, copies = 0;
};

FetchTimes fetch_times(const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how) {
  FetchTimes times;
  const auto add = [&](int64_t lines, const char* rows, const char* row, int64_t least,
                       bool is_shared) {
    const int64_t length = p.expected.at(row), alignment = alignment_of_rows(p, length);
    const bool is_copied = alignment < least;
    times.step += microseconds_of_lines(lines, is_copied ? line_bytes : alignment, is_shared);
    const int64_t bytes = products_of(p) * p.expected.at(rows) * length * size_of(p.type());
    if (is_copied) times.copies += microseconds_of_copy(static_cast<double>(bytes));
  };
  add(shape.rows(), "M", "K", how.least.A, how.shared == Shared::A);
  add(shape.columns, p.is_transposed ? "N" : "K", p.right_row(), how.least.B,
      how.shared == Shared::B);
  return times;
}

bool is_possible(const WgmmaShape& shape, const NarrowMatmul& p, int64_t parts) {
  const bool can_split = parts == 1 || (p.is_rounded() && !p.batch && !p.scales);
  if (shape.deferred == 0) return can_split;
  return parts == 1 && p.is_rounded() && p.stores_whole_pieces() &&
         p.expected.at("K") > (shape.columns / chunk_columns - 1) * depth_of(p);
}

/// Of tiles, of copies before them, and of what adds up parts of sums behind.
double microseconds_of(const TimedShape& timed, const NarrowMatmul& p, const Preparation& how) {
  if (!is_possible(timed.shape, p, how.parts)) return INFINITY;
  const FetchTimes operands = fetch_times(p, timed.shape, how);
  const int64_t steps = llvm::divideCeil(p.expected.at("K"), depth_of(p) * how.parts);
  const int64_t sums = p.expected.at("M") * p.expected.at("N");
  const double behind = how.parts == 1 ? 0
                                       : microseconds_of_sums(static_cast<double>(sums),
                                                              static_cast<double>(how.parts));
  return timed.microseconds(grid_of(p, timed.shape, how), steps, operands.step,
                            how.shared != Shared::none) +
         operands.copies + behind;
}

constexpr TimedShape all_timed_shapes[] = {
    {deferred_shape, 0.64, 1.1, 0.8},
    {{.groups = 2, .columns = 256, .stages = 3}, 0.657, 1.3},
    {{.groups = 3, .columns = 192, .stages = 3}, 0.723, 2.66},
    {{.groups = 4, .columns = 128, .stages = 3}, 0.652, 1.72},
    {{.groups = 2, .columns = 192, .stages = 4}, 0.511, 0.95},
    {{.groups = 3, .columns = 128, .stages = 4}, 0.549, 0.55},
    {{.groups = 1, .columns = 256, .stages = 4, .in_flight = 1}, 0.439, 1.15},
    {{.groups = 2, .columns = 128, .stages = 5}, 0.326, 1.17},
    {{.groups = 1, .columns = 192, .stages = 5, .in_flight = 1}, 0.386, 0.49},
    {{.groups = 1, .columns = 128, .stages = 8, .in_flight = 1}, 0.239, 0.65},
    {{.groups = 2, .columns = 64, .stages = 8}, 0.229, 1.0},
    {{.groups = 1, .columns = 64, .stages = 12, .in_flight = 1}, 0.173, 0.49},
};

/// Products with scales in blocks take these tiles alone.
constexpr TimedShape timed_scaled_shape = {scaled_shape, 0.36, 1.2};

llvm::ArrayRef<TimedShape> shapes_for(const NarrowMatmul& p) {
  return p.scales ? llvm::ArrayRef<TimedShape>(timed_scaled_shape) : timed_shapes();
}

void for_each_preparation(llvm::function_ref<void(const Preparation&)> use) {
  for (const int64_t parts : {1, 2, 3, 4, 5, 6, 8})
    for (const Shared shared : {Shared::none, Shared::A, Shared::B})
      for (const int64_t A : {piece_bytes, line_bytes})
        for (const int64_t B : {piece_bytes, line_bytes}) use({{A, B}, shared, parts});
}

}  // namespace

llvm::ArrayRef<TimedShape> timed_shapes() { return all_timed_shapes; }

double microseconds_of_lines(int64_t lines, int64_t alignment, bool is_shared) {
  return static_cast<double>(lines) * nanoseconds_of_line(alignment, is_shared) * 1e-3;
}

/// Rounds of tiles, whose steps take as long as their products, or as their lines take to come.
double TimedShape::microseconds(const TileGrid& grid, int64_t steps, double fetch,
                                bool is_shared) const {
  const double products =
      step * (1 - gain_of_idle_ones * (1 - grid.use())) * (is_shared ? together : 1);
  const double of_step = time_of_both(products, fetch * grid.share());
  return static_cast<double>(grid.rounds()) * (static_cast<double>(steps) * of_step + tile) + once;
}

WgmmaChoice fastest(const NarrowMatmul& p) {
  WgmmaChoice best = {shapes_for(p).front().shape, {}};
  double least = INFINITY;
  for_each_preparation([&](const Preparation& how) {
    for (const TimedShape& timed : shapes_for(p)) {
      const double time = microseconds_of(timed, p, how);
      if (time < least) best = {timed.shape, how};
      least = std::min(least, time);
    }
  });
  return best;
}

}  // namespace hone
