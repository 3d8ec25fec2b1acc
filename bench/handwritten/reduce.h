// The parts of handwritten_reduce, and what they share.
#pragma once

#include "bench/handwritten/handwritten.h"

namespace hone {

/// Sums of a block by trees in shared memory, one or two elements a thread.
std::vector<HandwrittenKernel> reduce_by_trees(const Sizes& sizes);

/// Many elements a thread: the memory is the limit.
std::vector<HandwrittenKernel> reduce_by_streams(const Sizes& sizes);

/// CUDA text of reduce_partials(partial, S, n), the second kernel of a sum, for one block of 1024
/// threads: each walks through the partial sums, of which several are on their way at a time.
/// Before it must stand partials(n), which tells how many partial sums there are.
extern const char* const reduce_partials;

}  // namespace hone
