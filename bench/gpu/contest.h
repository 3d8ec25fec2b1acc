// What is compared: the ladders, sizes to run them at, hand-written kernels, and what is right.
#pragma once

#include <map>

#include "bench/handwritten/handwritten.h"
#include "tools/cli/ladder.h"

namespace hone {

/// The inputs on the host, row-major, by name.
using HostTensors = std::map<std::string, std::vector<float>, std::less<>>;

struct Contest {
  Ladder ladder;
  std::vector<HandwrittenKernel> (*handwritten)(const Sizes& sizes);

  /// One number, by which the comparison is named, stands for all sizes.
  Sizes (*sizes)(int64_t length);
  std::vector<int64_t> lengths;        ///< of a full run
  std::vector<int64_t> quick_lengths;  ///< of a quick one

  std::vector<std::string> inputs;
  std::string output;
  int64_t (*elements)(const std::string& tensor, const Sizes& sizes);
  /// An element of the output, computed in double precision.
  double (*reference)(const HostTensors& inputs, const Sizes& sizes, int64_t element);

  /// Memory is the limit: times are compared as bytes per second, and no launch may find its data
  /// in the L2 cache.
  bool memory_bound = false;
};

std::vector<Contest> all_contests();

}  // namespace hone
