// The rounds of the tiles that matmul/tuned chooses among.
#pragma once

#include "bench/gpu/settings.h"
#include "examples/ladders/matmul_tiles.h"

namespace hone {

/// Times rounds of all ways, for all kinds of copies, whose multiprocessors are all busy: products
/// of two lengths K give the time of a product and the rest. A known table of this GPU keeps what
/// it has: the tilings that it lacks are added.
TileTable measure_tiles(const Settings& settings, const std::optional<TileTable>& known);

/// Prints a row for each of the ways at each of the sizes that are asked for, once it is known: its
/// registers, the time that the table expects, and on a GPU the time that it takes.
void try_tiles(const Settings& settings, const TileTable& table);

}  // namespace hone
