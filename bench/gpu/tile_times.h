// The rounds of the tiles that matmul/tuned chooses among.
#pragma once

#include "bench/gpu/settings.h"
#include "examples/ladders/matmul_tiles.h"
#include "tools/cli/machine.h"

namespace hone {

/// The table of a file; nothing where there is no file. Throws RuntimeError where a file cannot be
/// read, or has no table.
std::optional<TileTable> read_tile_table(const std::string& path);

/// Why the times of the table cannot stand beside those of the machine: "the driver was ..., and is
/// ..."; empty where the GPU, the driver and NVRTC are the same.
std::string why_outdated(const TileTable& table, const Machine& machine);

/// Times rounds of all ways, for all kinds of copies, whose multiprocessors are all busy: products
/// of two lengths K give the time of a product and the rest. A known table keeps what it has, and
/// the tilings that it lacks are added. An outdated one is measured anew, which stderr says.
TileTable measure_tiles(const Settings& settings, const std::optional<TileTable>& known);

/// Prints a row for each of the ways at each of the sizes that are asked for, once it is known: its
/// registers, the time that the table expects, and on a GPU the time that it takes.
void try_tiles(const Settings& settings, const TileTable& table);

}  // namespace hone
