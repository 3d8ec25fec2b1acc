// The kernels whose counters are published.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "ir/buffer.h"

namespace hone {

struct CounterCase {
  std::string name;  ///< "matmul/shared-32", "global load, stride 2"
  KernelFunction kernel;
  Sizes sizes;  ///< of all params of the kernel
};

/// Every rung that runs on a GPU, at sizes that stick out of its tiles, and the micro-suite.
std::vector<CounterCase> counter_cases();

}  // namespace hone
