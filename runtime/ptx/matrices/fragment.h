// Fragments of wmma between memory and the registers of a warp, by the accesses that machine code
// has for them.
#pragma once

#include "runtime/ptx/matrices/matrix.h"

namespace hone::ptx {

/// The accesses that move a matrix whose spread has its places. As ptxas makes them for sm_80 to
/// sm_90: from shared memory, factors of f16 and of 8 bits come by ldmatrix; elsewhere lanes move
/// neighbours, up to 16 bytes. A matrix of 16 bits that lies the other way is turned on the way;
/// elements of 8 bits go one by one then.
void place_pieces(MatrixDetail& matrix, MatrixRole role);

/// wmma.load and wmma.store: the detail is the number of a matrix, and the last source names all
/// lanes.
void run_load_fragment(Warp& warp, const Op& op);
void run_store_fragment(Warp& warp, const Op& op);

}  // namespace hone::ptx
