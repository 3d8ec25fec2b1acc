// The tiles that matmul/tuned chooses among, and the measured times by which it does.
#pragma once

#include "examples/ladders/tiling.h"

namespace hone {

/// The operands that the copy engine has to move for fragments of A to be loaded where their
/// registers become free (rung `reload`), as measured: for other ways it is slower.
enum class Reload : uint8_t { never, one_in_bulk, both_in_bulk };

/// A way to share the result out among blocks.
struct BlockTiles {
  const char* name;  ///< "128x256"
  WarpShape shape;
  int64_t stages;
  WarpRoles roles;  ///< where the copy engine moves both operands
  Reload reload = Reload::never;
};

/// All ways, that of small_warp_tiles last; their names differ.
llvm::ArrayRef<BlockTiles> block_tiles();

/// A way, the number of blocks that share each sum, and the operands that are copied before, so
/// that their rows hold whole vectors.
struct TileChoice {
  const BlockTiles* tiles = nullptr;
  int64_t parts = 1;
  Operands copied = {};

  std::string name() const;  ///< "128x256", "64x128 of 4 parts", "64x128, A copied"
};

/// bulk_warp_tiles of this way, of split_sums where there are parts. It takes more producers to
/// copy elements.
void schedule_tiles(Schedule& s, const Matmul& p, const TileChoice& choice);

/// A rung of matmul that computes all products in this way, by the name of the choice.
Rung matmul_rung_of(const TileChoice& choice);

/// A round of one way: each multiprocessor computes so many blocks at a time.
struct TileRound {
  std::string tiles;  ///< the name of the way
  Operands bulk = {true, true};
  int64_t blocks = 1;
  double start_us = 0;    ///< before the first product, and after the last one
  double product_ns = 0;  ///< for each element of K

  double microseconds(int64_t K) const {
    return start_us + product_ns * static_cast<double>(K) / 1000;
  }
};

/// A kernel before or behind the product: its launch, and the rate at which it reads and writes
/// memory. A rate of 0: not measured, and no choice that needs the kernel is taken.
struct TilePass {
  double start_us = 0, gb_per_s = 0;
};

/// Measured rounds of all ways on one GPU, as `gpu_bench --tiles` writes them.
struct TileTable {
  std::string device, driver, nvrtc, date;
  int64_t multiprocessors = 0;
  TilePass sum = {};   ///< adds up parts
  TilePass copy = {};  ///< copies an operand
  /// Of a way, one for each number of blocks up to as many as a multiprocessor holds.
  std::vector<TileRound> rounds = {};
};

/// Throws RuntimeError where the text is no table.
TileTable parse_tile_table(llvm::StringRef json);
std::string to_json(const TileTable& table);
/// The file examples/ladders/tuned/matmul.json.
const TileTable& tile_table();

/// Microseconds that the product takes by the table, in this way; nothing where it has no rounds
/// of these tiles.
std::optional<double> expected_microseconds(const TileTable& table, const TileChoice& choice,
                                            const Sizes& sizes);
inline constexpr int64_t most_parts = 16;
/// These tiles with all numbers of parts that are worth a try, from 1 on.
std::vector<TileChoice> tile_choices(const BlockTiles& tiles, const Sizes& sizes,
                                     int64_t most = most_parts);
/// The fastest of them by the table; the first one where it has none.
TileChoice fastest_of(const TileTable& table, llvm::ArrayRef<TileChoice> choices,
                      const Sizes& sizes);
/// The fastest of all ways, of so many parts at most.
TileChoice fastest_choice(const TileTable& table, const Sizes& sizes, int64_t most = most_parts);

}  // namespace hone
