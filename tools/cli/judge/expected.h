// What a program computes, without a schedule and almost without rounding, and how far rounding may
// take others.
#pragma once

#include "tools/cli/judge/error_bounds.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/waiting.h"

namespace hone {

/// The expected elements of an output: row-major arrays on the host, with floats in f64.
struct ExpectedTensor {
  TensorPtr tensor = nullptr;
  AnyArray values;
  /// By component, f64; none where the component is compared exactly.
  llvm::SmallVector<std::optional<AnyArray>, 4> errors = {};
  /// Of a sum: see BoundedTensor.
  std::optional<AnyArray> magnitude = {}, largest = {};
  BoundedTensor form = {};
  bool is_random = false;
  int64_t longest_sum = 1;  ///< of the program: how many terms it has

  /// The largest difference that rounding explains, of a component that is a float.
  double allowed(DType type, int64_t position, unsigned component) const;
};

/// By the tensor's name.
using ExpectedResults = std::map<std::string, ExpectedTensor, std::less<>>;

/// The outputs of a program that has no schedule: compiled for the host, or by the interpreter,
/// which is what runs it over a ring.
ExpectedResults expected_results(const Function& program, const Problem& problem);

/// The outputs of the function by the interpreter, with all roundings of its own types.
Results interpreted(const Function& function, const Problem& problem);

/// The same of a ladder's program, spread over the cores at sizes that take long. `out` shows that
/// somebody waits.
ExpectedResults expected_results(const Ladder& ladder, const Problem& problem, Output& out);

}  // namespace hone
