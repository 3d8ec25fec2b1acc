// Common code of hand-written kernels over the rows of a matrix, and their parts.
#pragma once

#include "bench/handwritten/handwritten.h"

namespace hone {

/// The threads of the block that holds a row, and the elements or vectors of each.
struct RowShape {
  int64_t threads;
  int64_t items = 1;
  int64_t least_blocks = 1;  ///< that a multiprocessor is to hold at once: a cap on registers
};

/// The kernel with a block for each row, whose source finds `shape` as THREADS, ITEMS and
/// LEAST_BLOCKS.
HandwrittenKernel row_kernel(const char* rung, const char* entry, const std::string& source,
                             std::vector<std::string> tensors, const Sizes& sizes,
                             const RowShape& shape);

/// The launch of a kernel whose threads take a row each.
HandwrittenLaunch thread_per_row(const char* entry, std::vector<std::string> tensors,
                                 const Sizes& sizes);

/// Softmax: rows are read several times. The other parts hold them in registers.
std::vector<HandwrittenKernel> softmax_by_passes(const Sizes& sizes);
std::vector<HandwrittenKernel> softmax_in_registers(const Sizes& sizes);

/// The same of layer normalisation.
std::vector<HandwrittenKernel> layernorm_by_passes(const Sizes& sizes);
std::vector<HandwrittenKernel> layernorm_in_registers(const Sizes& sizes);
HandwrittenKernel layernorm_with_shared_weights(const Sizes& sizes);

}  // namespace hone
