// Random sizes of products of matrices.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

/// Sizes M, N and K between 256 and 8192, their logarithms uniform: in turn multiples of 64,
/// multiples of 8, and odd ones.
std::vector<std::vector<int64_t>> random_shapes(uint64_t seed, int count);

}  // namespace hone
