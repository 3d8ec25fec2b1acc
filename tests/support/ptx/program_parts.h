// The families of sample kernels, and their arguments.
#pragma once

#include "tests/support/ptx/programs.h"

namespace hone::ptx {

/// Small whole numbers, some negative.
std::vector<float> floats(size_t count);
/// Hundredths from -5 to 5, which repeat after 997 of them.
std::vector<float> fractions(size_t count);
/// 0 to most - 1.
std::vector<int> integers(size_t count, int most);

inline SampleArgument in(std::vector<float> elements) { return {std::move(elements)}; }
inline SampleArgument in(std::vector<int> elements) { return {std::move(elements)}; }
inline SampleArgument out_floats(size_t count) { return {std::vector<float>(count), true}; }
inline SampleArgument out_integers(size_t count) { return {std::vector<int>(count), true}; }
inline SampleArgument number(int value) { return {value}; }

inline LaunchShape line(int64_t grid, int64_t block, int64_t dynamic_shared = 0) {
  return {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .dynamic_shared = dynamic_shared};
}

/// Rows of a sparse matrix: 0, 1, 2, 3, 0, 1... elements each.
std::vector<int> row_starts(int rows);

std::vector<SampleKernel> counts_and_queues();
std::vector<SampleKernel> flags_and_warps();
std::vector<SampleKernel> tiles_and_rows();
std::vector<SampleKernel> vectors_and_copies();

}  // namespace hone::ptx
