// Runs kernels in check mode, and compares their results with those of their program.
#pragma once

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "llvm/Support/JSON.h"
#include "runtime/sim/check/check.h"
#include "tools/cli/judge/trial.h"

namespace hone {

/// The result of check mode for a program.
struct CheckOutcome {
  std::string findings;       ///< lines
  llvm::json::Array records;  ///< the same as data
  int64_t kinds = 0, all = 0, hints = 0;
  std::vector<std::string> launches;  ///< "64 blocks of 1024 threads"
  bool ran_to_the_end = true;         ///< no block ended early; else the results mean nothing
  Results outputs;                    ///< set if every block came to its end
  double deviation = 0;               ///< of the outputs; see Verdict

  bool clean() const { return kinds == 0; }
  /// "no findings in 4 blocks of 16 threads"
  std::string verdict() const;
};

using Expected = llvm::function_ref<ExpectedResults()>;

/// Runs the module in check mode, over the ring where the problem's elements are of it. `schedule`
/// is the one that it is lowered from, null if that is not known. `expected` computes the right
/// outputs, null if nobody knows them; they are compared where every block comes to its end.
CheckOutcome check_module(const Module& module, const Schedule* schedule, const Problem& problem,
                          const CheckOptions& options, Expected expected);

/// Compares the arrays of the arguments, which kernels have left, with what is expected.
void judge_results(llvm::ArrayRef<AnyArray> arrays, llvm::ArrayRef<TensorPtr> arguments,
                   const Problem& problem, Expected expected, CheckOutcome& outcome);

/// "1 block", "64 blocks"
std::string counted(int64_t count, const char* what);

}  // namespace hone
