// A product of matrices by the tensor cores of warpgroups, for tests that schedule it.
#pragma once

#include "dsl/schedule.h"

namespace hone {

/// The parts of the schedule that tests vary.
struct WarpgroupOptions {
  enum class Fill : uint8_t {
    threads,    ///< by loads and stores
    async,      ///< by asynchronous copies, a step ahead
    producers,  ///< by asynchronous copies of a warp, up to three steps ahead
    engine,     ///< by the copy engine, which a warp asks, up to three steps ahead
  };
  enum class Result : uint8_t {
    sums,      ///< of single precision or int32, which lanes store
    rounded,   ///< of the operands' type; the copy engine takes a tile of them
    deferred,  ///< the same, half of the columns in each of the next tile's first two steps
  };

  int64_t columns;
  DType type = bf16;
  bool is_turned = false;       ///< B is K by N, and N by K else
  bool is_left_turned = false;  ///< A is K by M, and M by K else
  Fill fill = Fill::threads;
  int64_t blocks = 0;     ///< that compute all tiles; 0: a block each
  int64_t in_flight = 0;  ///< with the copy engine: steps whose products go on
  Result result = Result::sums;
  int64_t warpgroups = 1;
  bool stores_matrices = false;  ///< of 8 x 8, to the tile of rounded results
};

/// C = A B^T, or A B, by blocks that have 64 rows a warpgroup and so many columns.
struct WarpgroupProduct {
  using Fill = WarpgroupOptions::Fill;
  using Result = WarpgroupOptions::Result;

  explicit WarpgroupProduct(const WarpgroupOptions& options);

  Schedule scheduled(const Layout& layout) const;
  /// In the layouts that wgmma takes.
  Schedule scheduled() const;

  WarpgroupOptions options;
  Param M{"M"}, N{"N"}, K{"K"};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Tensor A, B, C;
  Program program;

 private:
  struct Tiles {
    Axis step, group;
    Axis of_warp, pair;  ///< of neighbours that a lane has; in the last loops over results
    Axis turn;           ///< the loop that the tiles of a block are in
  };
  bool is_rounded() const { return options.result != Result::sums; }
  bool has_groups() const { return options.warpgroups > 1; }
  int64_t piece() const { return 16 / size_of(options.type); }  ///< that moves at a time
  DType sum_type() const { return options.type == i8 ? i32 : f32; }
  Definition definition();
  std::string instruction() const;
  Axis bind_blocks(Schedule& s, const Axis& by, const Axis& bx) const;
  Tiles tile(Schedule& s) const;
  void fill(Schedule& s, const Axis& step, const Layout& layout) const;
  void put_into(Schedule& s, const Cache& results, const Axis& of_warp, const Axis& pair) const;
  void store_rounded(Schedule& s, const Tiles& tiles) const;
  void store_later(Schedule& s, const Tiles& tiles) const;
};

}  // namespace hone
