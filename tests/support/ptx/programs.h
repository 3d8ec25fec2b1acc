// Kernels in the style of tutorials, with their arguments, for tests of the simulated device.
#pragma once

#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {

/// An argument: an array with its elements, or a number. Outputs hold no value before.
struct SampleArgument {
  std::variant<std::vector<float>, std::vector<int>, float, int> value;
  bool is_output = false;  ///< no element of it holds a value before
};

struct SampleKernel {
  std::string name, source;
  LaunchShape shape;
  std::vector<SampleArgument> arguments;
  int64_t step_budget = 1 << 17;  ///< as LaunchOptions has it
};

/// Names of tests, and of parameters in their messages.
inline void PrintTo(const SampleKernel& kernel, std::ostream* out) { *out << kernel.name; }

const std::vector<SampleKernel>& sample_kernels();

/// The arrays behind a run, and its findings.
struct SampleResult {
  std::vector<std::vector<std::byte>> arrays;
  std::string findings;  ///< but for hints
  std::string hints;
  std::string refused;  ///< by the compiler
  bool operator==(const SampleResult&) const = default;
};

/// Compiles and runs, in check mode.
SampleResult run_sample(const SampleKernel& kernel);

}  // namespace hone::ptx
