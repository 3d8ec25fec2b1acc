// Shapes of tiles that warpgroups multiply, and how long products of them take.
#pragma once

#include "examples/ladders/hgemm.h"
#include "ir/target/gpu_limits.h"
#include "llvm/Support/MathExtras.h"

namespace hone {

inline constexpr int64_t group_rows = 64, row_bytes = 128;  ///< of a warpgroup, and of a step
inline constexpr int64_t piece_bytes = 16;                  ///< of the copy engine
inline constexpr int64_t chunk_columns = 64;     ///< of results, whose rows have 128 bytes
inline constexpr int64_t multiprocessors = 132;  ///< of an H100 or H200

/// Products that a step takes.
inline int64_t depth_of(const NarrowMatmul& p) { return row_bytes / size_of(p.type()); }

/// The part of C that a block's warpgroups compute, 64 rows each, and the steps that tiles are
/// filled ahead.
struct WgmmaShape {
  int64_t groups, columns, stages;
  int64_t in_flight = 0;  ///< steps whose products go on while the next ones start
  /// Columns of results that lie in shared memory at a time, while the next tile is multiplied; 0:
  /// all of them, before that.
  int64_t deferred = 0;
  int64_t least_registers = 32;  ///< of producers, where there are several consumers
  /// Columns of sums that go to memory by way of shared memory at a time, where nothing rounds
  /// them; 0: lanes store them.
  int64_t staged = 0;
  bool is_turned = false;  ///< its rows are columns of C, as C^T = B^T A^T has them

  int64_t rows() const { return groups * group_rows; }
  /// Consumers share what producers leave of the registers. One warpgroup has enough.
  WarpRoles roles() const {
    if (groups == 1) return {.producer_warps = 1, .in_flight = in_flight};
    const int64_t producer = groups == 2 ? 40 : least_registers, roles = groups + 1;
    const int64_t start = widest_architecture().registers_per_sm / (roles * warpgroup_size) /
                          set_registers_step * set_registers_step;
    return {.producer_warps = 4,
            .producer_registers = producer,
            .consumer_registers =
                (start * roles - producer) / groups / set_registers_step * set_registers_step,
            .in_flight = in_flight};
  }
  /// Of a problem that is turned, the product as C has it.
  std::string instruction(const NarrowMatmul& p) const {
    const bool is_kn = p.is_result_transposed ? p.is_left_transposed : !p.is_transposed;
    return fmt::format("wgmma_m{}n{}k{}{}_{}", is_turned ? columns : group_rows,
                       is_turned ? group_rows : columns, depth_of(p), is_kn ? "_kn" : "",
                       ptx_name(p.type()).str());
  }
};

/// Results leave among the first four steps of the next tile.
inline constexpr WgmmaShape deferred_shape = {
    .groups = 2, .columns = 256, .stages = 4, .deferred = 128};

/// Products of a step are sums of their own beside those of all steps, which takes twice the
/// registers. The columns of a tile have one scale.
inline constexpr WgmmaShape scaled_shape = {.groups = 2, .columns = scale_block, .stages = 5};

/// Bytes, of which the starts of an operand's rows are multiples where they are to stay as they
/// are.
struct RowBytes {
  int64_t A = piece_bytes, B = piece_bytes;
};

/// Bytes, of which the starts of rows of so many elements are multiples: up to those of a line.
int64_t alignment_of_rows(const NarrowMatmul& p, int64_t row);

/// The operand whose tile the blocks of a cluster fetch for each other.
enum class Shared : uint8_t { none, A, B };

/// Steps on the operands before the products, and on their sums behind.
struct Preparation {
  RowBytes least;  ///< operands whose rows have a lower alignment are copied
  Shared shared = Shared::none;
  int64_t blocks = 1;       ///< of a cluster, which share it
  int64_t parts = 1;        ///< of each sum, which are added up at the end:
  bool in_cluster = false;  ///< by the blocks of a cluster, or by a second kernel
};

/// How the consumers of a block add up sums that the blocks of a cluster have parts of: each thread
/// takes `width` neighbours, and `threads` of them a row.
struct SharesOfSums {
  int64_t width, threads, rows_at_once;
};
SharesOfSums shares_of_sums(const NarrowMatmul& p, const WgmmaShape& shape);

/// The blocks that run at once: those of the clusters that an H200 has room for.
inline int64_t blocks_at_once(int64_t cluster) {
  constexpr int64_t clusters[] = {132, 66, 39, 30, 22, 17, 15, 15};
  return clusters[cluster - 1] * cluster;
}

/// The tiles of C, of which multiprocessors take one after the other, a group of rows of them
/// before the next. A cluster takes neighbours.
struct TileGrid {
  int64_t rows, columns;    ///< of all products of a batch, or all parts of sums
  int64_t cluster = 1;      ///< blocks of one
  bool is_of_rows = false;  ///< that a cluster takes together; else of columns
  double width = 1;         ///< of a tile, in its heights

  /// Eight rows of tiles, and of several rounds those that make a round a square, which reads the
  /// least of A and B; so many that the last group leaves out as few as it has to: those are turns
  /// of multiprocessors, too.
  int64_t rows_of_group() const;
  /// The turns of the multiprocessor that has the most of them.
  int64_t rounds() const { return rounds_of(rows_of_group()); }
  /// The share of multiprocessors that have a tile: at first, and on average.
  double share() const;
  double use() const;

 private:
  /// The rows of a square of as many tiles as there are multiprocessors.
  int64_t rows_of_square() const;
  /// With the rows that the last group of so many leaves out.
  int64_t count(int64_t group) const;
  int64_t rounds_of(int64_t group) const;
};
TileGrid grid_of(const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how);

/// Shapes of which products choose one by their sizes.
llvm::ArrayRef<WgmmaShape> tile_shapes();
/// Those whose rows are columns of C. Any multiple of 16 rows of C is as good as another: A's rows
/// run along k.
llvm::ArrayRef<WgmmaShape> turned_shapes();
/// Those of a product, not turned: with scales in blocks it takes one alone.
llvm::ArrayRef<WgmmaShape> shapes_for(const NarrowMatmul& p);

/// The microseconds that each multiprocessor takes to get so many lines of tiles, of rows that
/// start at multiples of so many bytes, where so many blocks get them for each other.
double microseconds_of_lines(double lines, int64_t alignment, int64_t blocks = 1);

/// The lines of operands of a step that come to shared memory, those that tensor cores read there,
/// and the microseconds until memory has given them to all multiprocessors.
struct StepTraffic {
  double lines = 0, reads = 0, fetch = 0;
};

/// The lines that tensor cores read in a step: each warpgroup its rows and all columns.
/// `is_left_transposed`: its rows lie in panels, k by m.
double lines_read(const WgmmaShape& shape, bool is_left_transposed = false);

/// The microseconds of tiles of so many steps, over all multiprocessors, without what is done
/// before and behind.
double microseconds_of_tiles(const WgmmaShape& shape, const TileGrid& grid, int64_t steps,
                             const StepTraffic& traffic);

/// Of tiles, of copies before them, and of what adds up parts of sums behind. Infinite, where that
/// is not possible.
double microseconds_of(const WgmmaShape& shape, const NarrowMatmul& p, const Preparation& how);

/// The fastest way to do it by the sizes.
struct WgmmaChoice {
  WgmmaShape shape;
  Preparation how;
};
WgmmaChoice fastest(const NarrowMatmul& p);

/// One of all ways by its parameters: "turned" (1: rows of tiles are columns of C), "warpgroups"
/// and "columns" of a tile, "deferred" columns of results, "parts" of sums, "in_cluster" (1: the
/// blocks of a cluster add them up), the tile that "blocks" of a cluster have "shared" (1: A's, 2:
/// B's). Those that have one value are not asked. Ways that take twice as long as the fastest by
/// the model of `fastest` are left out, and the others are expected to take what it says.
WgmmaChoice chosen(const NarrowMatmul& p, tune::Choices& choices);

}  // namespace hone
