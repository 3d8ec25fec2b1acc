// The kernels whose counters are published.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "ir/interpret/buffer.h"

namespace hone {

struct CounterCase {
  /// "matmul/shared-32", "global load, stride 2"; of several kernels "dot/grid-stride, dot_1"
  std::string name;
  KernelFunction kernel;
  Sizes sizes;  ///< of all params of the kernel
  /// Arguments that are all 0 before a launch; the others hold any values.
  llvm::SmallVector<TensorPtr, 2> counters = {};
};

/// Every rung that runs on a GPU, at sizes that stick out of its tiles, and the micro-suite.
std::vector<CounterCase> counter_cases();

}  // namespace hone
