// The rounds of the tiles that matmul/tuned chooses among.
#pragma once

#include "bench/gpu/settings.h"
#include "examples/ladders/matmul_tiles.h"

namespace hone {

/// Times rounds of all ways, for all kinds of copies, whose multiprocessors are all busy: products
/// of two lengths K give the time of a product and the rest.
TileTable measure_tiles(const Settings& settings);

/// A product of certain sizes in one way.
struct TileTrial {
  std::string size, tiles;
  int registers = 0, spilled_bytes = 0;
  std::optional<double> expected_us = std::nullopt;  ///< by the table
  // On a GPU.
  std::optional<double> measured_us = std::nullopt;
  std::optional<double> gflops = std::nullopt;
};

/// All ways at all sizes that are asked for.
std::vector<TileTrial> try_tiles(const Settings& settings, const TileTable& table);
std::string tile_table_text(const std::vector<TileTrial>& trials);

}  // namespace hone
