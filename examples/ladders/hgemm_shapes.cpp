#include "examples/ladders/hgemm_shapes.h"

#include <cmath>
#include <numeric>

namespace hone {

int64_t alignment_of_rows(const NarrowMatmul& p, int64_t row) {
  return std::gcd(row * size_of(p.type()), line_bytes);
}

SharesOfSums shares_of_sums(const NarrowMatmul& p, const WgmmaShape& shape) {
  const int64_t width = std::gcd(p.expected.at("N"), 4);
  const int64_t threads = std::gcd(shape.columns / width, warp_size);
  return {width, threads, shape.groups * warpgroup_size / threads};
}

namespace {

/// Of a batch, where there is one.
int64_t products_of(const NarrowMatmul& p) {
  const auto batch = p.expected.find("batch");
  return batch == p.expected.end() ? 1 : batch->second;
}

constexpr int64_t most_rows_of_group = 16;

}  // namespace

int64_t TileGrid::rows_of_square() const {
  return std::clamp<int64_t>(std::llround(std::sqrt(multiprocessors * width)), cluster,
                             most_rows_of_group);
}

int64_t TileGrid::rows_of_group() const {
  const int64_t unit = is_of_rows ? cluster : 1, units = std::max<int64_t>(rows / unit, 1);
  const bool has_rounds = rows * columns > blocks_at_once(cluster);
  int64_t best = std::min(has_rounds ? rows_of_square() / unit : 8, units) * unit;
  const auto take_if_better = [&](int64_t group) {
    if (rounds_of(group) < rounds_of(best)) best = group;
  };
  for (int64_t group = 1; group <= std::min(most_rows_of_group, units); ++group)
    take_if_better(group * unit);
  take_if_better(units * unit);
  return best;
}

double TileGrid::share() const {
  return static_cast<double>(std::min(rows * columns, blocks_at_once(cluster))) / multiprocessors;
}

double TileGrid::use() const {
  const int64_t turns = std::max<int64_t>(rounds(), 1) * multiprocessors;
  return static_cast<double>(rows * columns) / static_cast<double>(turns);
}

int64_t TileGrid::count(int64_t group) const {
  return static_cast<int64_t>(llvm::alignTo(rows, group)) * columns;
}

int64_t TileGrid::rounds_of(int64_t group) const {
  return llvm::divideCeil(count(group), blocks_at_once(cluster));
}

TileGrid grid_of(const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how) {
  const auto along = [&](const char* size, int64_t tile, Shared operand) {
    const int64_t count = llvm::divideCeil(p.expected.at(size), tile);
    return static_cast<int64_t>(llvm::alignTo(count, how.shared == operand ? how.blocks : 1));
  };
  return {along("M", shape.rows(), Shared::B),
          products_of(p) * how.parts * along("N", shape.columns, Shared::A),
          how.in_cluster ? how.parts : how.blocks, how.shared == Shared::B,
          static_cast<double>(shape.columns) / static_cast<double>(shape.rows())};
}

namespace {

// All times here are those that make the model agree best with measurements on an H200
// (docs/measurements.md).

/// The nanoseconds that each multiprocessor waits for a line of a tile while all of them do: more
/// where rows start within lines of memory, and less where blocks fetch it for each other.
double nanoseconds_of_line(int64_t alignment, int64_t blocks) {
  const auto by_blocks = [&](double alone, double in_two, double in_four) {
    return blocks == 1 ? alone : blocks == 2 ? in_two : in_four;
  };
  if (alignment >= 128) return 1.11;
  if (alignment >= 64) return 1.37;
  if (alignment >= 32) return by_blocks(1.78, 1.27, 0.47);
  return by_blocks(2.6, 1.52, 0.69);
}

/// Shared memory takes a line, or gives one to tensor cores, in each clock of so many GHz.
constexpr double lines_of_shared = 2.05;

/// Panels that are no whole lines take so many times as long.
constexpr double time_of_narrow_panels = 1.62;

/// Products of a step, 2048 in a clock of so many GHz, which falls where all tensor cores are at
/// work. Blocks of a cluster wait for each other at each step.
double microseconds_of_products(const WgmmaShape& shape, const TileGrid& grid) {
  constexpr double per_clock = 2048, gain_of_idle_ones = 0.53, together = 1.03;
  const double gigahertz = shape.groups == 1 ? 2.05 : 1.71;
  constexpr int64_t elements = row_bytes / 2;  // of two bytes; smaller ones are as much faster
  const auto products = static_cast<double>(shape.rows() * shape.columns * elements);
  return products / per_clock / gigahertz * 1e-3 * (grid.cluster > 1 ? together : 1) *
         (1 - gain_of_idle_ones * (1 - grid.use()));
}

/// The microseconds that a tile takes beside its steps: less where results leave during the next
/// one.
double microseconds_of_tile(const WgmmaShape& shape, int64_t rounds) {
  const double results = 4e-5 * static_cast<double>(shape.rows() * shape.columns);
  return shape.deferred > 0 && rounds > 1 ? 0.7 * results : results;
}

/// The microseconds until blocks have begun, and the last ones have ended.
double microseconds_of_launch(int64_t cluster) {
  return cluster == 1 ? 1.86 : cluster == 2 ? 2.63 : cluster <= 4 ? 3.55 : 3.9;
}

/// The microseconds that a copy of so many bytes takes to global memory, from there.
double microseconds_of_copy(double bytes) { return 2 * bytes / 4.5e6 + 1.9; }

/// The microseconds that it takes to add up so many parts of sums, and to round them.
double microseconds_of_sums(double sums, double parts) {
  return sums * (4 * parts + 2) / 3.6e6 + 2.74;
}

/// The same within clusters, whose blocks have the parts of a tile in shared memory; a part of it
/// is in the time of their launch.
double microseconds_in_cluster(const WgmmaShape& shape, int64_t parts) {
  const auto sums = static_cast<double>(shape.rows() * shape.columns);
  return 1.65e-4 * sums + 0.37 * std::log2(static_cast<double>(parts)) - 1.1;
}

/// The time of things that go on at once, and hinder each other where they take as long.
double time_of_all(llvm::ArrayRef<double> times) {
  double sum = 0;
  for (const double time : times) sum += std::pow(time, 6);
  return std::pow(sum, 1.0 / 6);
}

/// The costs of operands: of a step, and the microseconds of copies before the first one.
struct OperandTimes {
  StepTraffic step;
  double copies = 0;
};

OperandTimes operand_times(const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how) {
  OperandTimes times;
  const auto add = [&](double lines, const char* rows, const char* row, int64_t least,
                       Shared operand) {
    const int64_t length = p.expected.at(row), alignment = alignment_of_rows(p, length);
    const bool is_copied = alignment < least;
    const int64_t blocks = how.shared == operand ? how.blocks : 1;
    times.step.lines += lines;
    times.step.fetch += microseconds_of_lines(lines, is_copied ? line_bytes : alignment, blocks);
    const int64_t bytes = products_of(p) * p.expected.at(rows) * length * size_of(p.type());
    if (is_copied) times.copies += microseconds_of_copy(static_cast<double>(bytes));
  };
  const bool is_narrow = !p.is_transposed && shape.columns % chunk_columns != 0;
  const auto columns = static_cast<double>(shape.columns);
  add(static_cast<double>(shape.rows()), p.is_left_transposed ? "K" : "M", p.left_row(),
      how.least.A, Shared::A);
  add(is_narrow ? columns * time_of_narrow_panels : columns, p.is_transposed ? "N" : "K",
      p.right_row(), how.least.B, Shared::B);
  times.step.reads = lines_read(shape, p.is_left_transposed);
  return times;
}

/// Blocks fetch parts of a tile for each other that are multiples of so many rows.
constexpr int64_t rows_of_box = 8;

/// Blocks of a cluster add up as many rows each, of whole panels: others were not measured.
bool can_share_sums(const WgmmaShape& shape, const NarrowMatmul& p, int64_t parts) {
  const int64_t rows_at_once = shares_of_sums(p, shape).rows_at_once;
  return shape.columns % chunk_columns == 0 && shape.rows() % (rows_at_once * parts) == 0;
}

/// Blocks fetch tiles for each other whose rows start within lines of memory; with those of whole
/// lines, or of halves, they were slower than alone. So were two blocks with panels of A.
bool may_share(const WgmmaShape& shape, const NarrowMatmul& p, const Preparation& how) {
  if (how.shared == Shared::none) return true;
  const bool is_left = how.shared == Shared::A;
  const int64_t row = p.expected.at(is_left ? p.left_row() : p.right_row());
  const bool is_copied = (is_left ? how.least.A : how.least.B) == line_bytes;
  if (is_copied || alignment_of_rows(p, row) >= line_bytes / 2) return false;
  if (is_left) return !p.is_left_transposed || how.blocks > 2;
  return !p.is_transposed || shape.columns % (rows_of_box * how.blocks) == 0;
}

bool is_possible(const WgmmaShape& shape, const NarrowMatmul& p, const Preparation& how) {
  const bool can_split = p.is_rounded() && !p.batch && !p.scales;
  if (how.parts > 1 && (!can_split || shape.is_turned)) return false;
  if (how.in_cluster && !can_share_sums(shape, p, how.parts)) return false;
  if (!may_share(shape, p, how)) return false;
  if (shape.deferred == 0) return true;
  return how.parts == 1 && p.is_rounded() && p.stores_whole_pieces() &&
         p.expected.at("K") > (shape.columns / chunk_columns - 1) * depth_of(p);
}

/// Of what adds up parts of sums.
double microseconds_behind(const WgmmaShape& shape, const NarrowMatmul& p, const Preparation& how) {
  if (how.parts == 1) return 0;
  if (how.in_cluster) return microseconds_in_cluster(shape, how.parts);
  const int64_t sums = p.expected.at("M") * p.expected.at("N");
  return microseconds_of_sums(static_cast<double>(sums), static_cast<double>(how.parts));
}

/// The microseconds until memory has given the lines of a step to all blocks. Where clusters share
/// sums, they were measured to grow with the share of multiprocessors to the power of 0.7.
double microseconds_of_fetch(double alone, const TileGrid& grid, const Preparation& how) {
  return how.in_cluster ? alone * 1.27 * std::pow(grid.share(), 0.46) : alone;
}

}  // namespace

double microseconds_of(const WgmmaShape& shape, const NarrowMatmul& p, const Preparation& how) {
  if (!is_possible(shape, p, how)) return INFINITY;
  OperandTimes operands = operand_times(p, shape, how);
  const int64_t steps = llvm::divideCeil(p.expected.at("K"), depth_of(p) * how.parts);
  const TileGrid grid = grid_of(p, shape, how);
  operands.step.fetch = microseconds_of_fetch(operands.step.fetch, grid, how);
  return microseconds_of_tiles(shape, grid, steps, operands.step) +
         microseconds_of_launch(grid.cluster) + operands.copies +
         microseconds_behind(shape, p, how);
}

namespace {

/// As many stages as have room beside a tile of results of two bytes, or up to two panels of sums;
/// more than eight are no faster.
WgmmaShape shape_of(int64_t groups, int64_t columns, bool is_rounded) {
  constexpr int64_t room_of_mbarriers = 1024, bytes_of_sum = 4;
  WgmmaShape shape = {groups, columns, 0, groups == 1 ? 1 : 0};
  if (!is_rounded) shape.staged = std::gcd(columns, 2 * row_bytes / bytes_of_sum);
  const int64_t row = is_rounded ? columns * 2 : shape.staged * bytes_of_sum;
  const int64_t room =
      widest_architecture().shared_bytes_per_block - room_of_mbarriers - shape.rows() * row;
  shape.stages = std::min<int64_t>(room / ((shape.rows() + columns) * row_bytes), 8);
  return shape;
}

std::vector<WgmmaShape> shapes_of(bool are_rounded, int64_t step) {
  constexpr int64_t most_columns[] = {256, 256, 192, 128};  // of 1 to 4 groups, by registers
  std::vector<WgmmaShape> all;
  for (int64_t groups = 1; groups <= 4; ++groups)
    for (int64_t columns = most_columns[groups - 1]; columns >= 64; columns -= step)
      all.push_back(shape_of(groups, columns, are_rounded));
  return all;
}

}  // namespace

llvm::ArrayRef<WgmmaShape> tile_shapes() {
  static const std::vector<WgmmaShape> shapes = [] {
    std::vector<WgmmaShape> all = shapes_of(true, 32);
    all.push_back(deferred_shape);
    return all;
  }();
  return shapes;
}

llvm::ArrayRef<WgmmaShape> turned_shapes() {
  static const std::vector<WgmmaShape> shapes = [] {
    std::vector<WgmmaShape> all = shapes_of(true, 16);
    llvm::erase_if(all, [](const WgmmaShape& shape) { return shape.columns == group_rows; });
    for (WgmmaShape& shape : all) shape.is_turned = true;
    return all;
  }();
  return shapes;
}

llvm::ArrayRef<WgmmaShape> shapes_for(const NarrowMatmul& p) {
  static const std::vector<WgmmaShape> of_sums = shapes_of(false, 32);
  if (p.scales) return scaled_shape;
  if (p.is_rounded() || !p.stores_whole_pieces()) return tile_shapes();
  return of_sums;
}

double microseconds_of_lines(double lines, int64_t alignment, int64_t blocks) {
  return lines * nanoseconds_of_line(alignment, blocks) * 1e-3;
}

double lines_read(const WgmmaShape& shape, bool is_left_transposed) {
  constexpr double time_of_panels = 1.34;  // where several warpgroups read them
  const bool is_slow = is_left_transposed && shape.groups > 1;
  const double left = static_cast<double>(group_rows) * (is_slow ? time_of_panels : 1);
  return static_cast<double>(shape.groups) * (left + static_cast<double>(shape.columns));
}

/// Rounds of tiles, whose steps take as long as their products, or as their lines take to come, or
/// to pass through shared memory.
double microseconds_of_tiles(const WgmmaShape& shape, const TileGrid& grid, int64_t steps,
                             const StepTraffic& traffic) {
  const double ways[] = {microseconds_of_products(shape, grid),
                         (traffic.lines + traffic.reads) / lines_of_shared * 1e-3,
                         traffic.fetch * std::pow(grid.share(), 0.32)};
  const double step = time_of_all(ways);
  return static_cast<double>(grid.rounds()) *
         (static_cast<double>(steps) * step + microseconds_of_tile(shape, grid.rounds()));
}

}  // namespace hone
