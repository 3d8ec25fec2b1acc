// The parts of handwritten_transpose.
#pragma once

#include "bench/handwritten/handwritten.h"

namespace hone {

/// One float an access.
std::vector<HandwrittenKernel> transpose_by_elements(const Sizes& sizes);

/// Four floats an access, on both sides.
std::vector<HandwrittenKernel> transpose_by_vectors(const Sizes& sizes);

}  // namespace hone
