// One run of a rung, and the verdict on its results.
#pragma once

#include "runtime/compile.h"
#include "tools/cli/problem.h"
#include "tools/cli/waiting.h"

namespace hone {

/// The results of a program, by the tensor's name: row-major arrays on the host.
using Results = std::map<std::string, AnyArray, std::less<>>;

struct RungRun {
  Results outputs;
  double milliseconds = 0;
};

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

/// The results of a program as the interpreter has them, slowly.
Results interpreted_results(const Function& program, const Problem& problem);

/// The results of the ladder's program, compiled for the host: without a schedule, or at sizes that
/// this takes long for, spread over the cores with the same operations in the same order. If C has
/// not got its types, the interpreter runs it.
Results reference_results(const Ladder& ladder, const Problem& problem, Output& out);

/// The result of comparing an output with the reference.
struct Verdict {
  double deviation = 0;  ///< ||out - reference|| / ||reference||
  std::string mismatch;  ///< the first element that differs too much; empty where all is right
};

/// The largest deviation that passes: f64 1e-12, f32 1e-5, f16 and bf16 1e-2, others 0. The program
/// without a schedule adds up one value after the other: its sum of so many is off by the rounding
/// of one of them times the square root of their number, where that is larger.
double tolerance(DType type, int64_t values = 1);

/// Compares the arrays of a tensor. Floats pass where the deviation is within the tolerance, and
/// no single element hides behind the norm: each is within 32 tolerances of its reference, measured
/// by the element and the root mean square. Infinities and NaNs pass where the reference has
/// them too.
Verdict compare(const TensorNode& tensor, const AnyArray& output, const AnyArray& reference,
                int64_t longest_sum = 1);

/// The verdict on all outputs: the first mismatch and the largest deviation.
Verdict compare(const Results& outputs, const Results& reference, const Problem& problem);

/// "12.345 ms", "0.0123 ms"
std::string time_text(double milliseconds);

/// "exact", "3.1e-07"
std::string deviation_text(const Verdict& verdict);

}  // namespace hone
