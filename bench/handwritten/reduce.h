// The parts of handwritten_reduce, and what they share.
#pragma once

#include <algorithm>

#include "bench/handwritten/handwritten.h"

namespace hone {

/// Sums of a block by trees in shared memory, one or two elements a thread.
std::vector<HandwrittenKernel> reduce_by_trees(const Sizes& sizes);

/// Many elements a thread: the memory is the limit.
std::vector<HandwrittenKernel> reduce_by_streams(const Sizes& sizes);

/// CUDA text of reduce_partials(partial, S, n), the second kernel of a sum, for one block of 1024
/// threads: each walks through the partial sums, of which several are on their way at a time. There
/// are `count` of them, an expression of n: "(n + 255) / 256".
std::string reduce_partials(const std::string& count);
HandwrittenLaunch reduce_partials_launch();

/// Of 256 threads, what an H100 or H200 runs at once: eight on each of its multiprocessors.
constexpr int64_t resident_blocks = int64_t{132} * 8;

/// The number of partial sums that resident blocks leave, as an expression of n and for one n.
std::string resident_partials();
constexpr int64_t resident_partials(int64_t n) { return std::min(tiles(n, 256), resident_blocks); }

}  // namespace hone
