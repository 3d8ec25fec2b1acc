// One run of a rung, and the verdict on its results.
#pragma once

#include "runtime/compile.h"
#include "tools/cli/judge/expected.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/waiting.h"

namespace hone {

struct RungRun {
  Results outputs;
  double milliseconds = 0;
};

/// The outputs of the kernels on the simulated device.
Results run_simulated(const Module& module, const Problem& problem);
/// The same over the ring.
Results run_over_ring(const Module& module, const Problem& problem);

/// Runs a kernel of a program. A run that takes long, or is simulated, is done and timed once; else
/// the time is the median of several further runs. Throws RuntimeError where it writes between the
/// rows of an output.
RungRun run_trial(const Kernel& kernel, const Function& program, const Problem& problem);
/// The same of a rung. Sizes in `fixed`, as in the problem, are constants of the program.
RungRun run_trial(const RungRef& rung, const Device& device, const Problem& problem,
                  const Sizes& fixed = {});

/// The expected time of `run_trial`; nothing of a GPU.
Expectation expected_trial(const RungRef& rung, const Device& device, const Sizes& sizes);

/// The outputs of the problem among the arrays of these arguments, on the host. Throws RuntimeError
/// where one is written between its rows.
Results outputs_among(llvm::ArrayRef<AnyArray> arrays, llvm::ArrayRef<TensorPtr> arguments,
                      const Problem& problem);

/// The result of comparing outputs with what is expected.
struct Verdict {
  double deviation = 0;  ///< ||out - expected|| / ||expected||
  double used = 0;       ///< the largest part of an allowed difference that an element has
  std::string bound;     ///< of what the allowed differences are made: "roundings of f32"
  std::string mismatch;  ///< the first element that differs too much; empty where all is right
};

/// Compares the arrays of a tensor. An element passes where it is what is expected, rounded to its
/// type, or where no more than rounding takes it away from that. Infinities and NaNs pass where
/// they are expected.
Verdict compare(const AnyArray& output, const ExpectedTensor& expected);

/// The verdict on all outputs: the first mismatch and the largest deviation.
Verdict compare(const Results& outputs, const ExpectedResults& expected);

/// "12.345 ms", "0.0123 ms"
std::string time_text(double milliseconds);

/// "exact", "3.1e-07"
std::string deviation_text(const Verdict& verdict);

/// The same with what it is measured by: "3.1e-07; 2 % of what roundings of f32 explain, in sums of
/// 1024 terms".
std::string measured_text(const Verdict& verdict);

}  // namespace hone
