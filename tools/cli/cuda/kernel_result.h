// The arrays that a launch has written, as text, as files, and beside those that were expected.
#pragma once

#include "llvm/Support/JSON.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// The lines of files that findings name.
class SourceLines {
 public:
  /// Without the blanks around it; empty where it cannot be read.
  std::string of(const ptx::Site& site);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

/// The finding, with the line of the file below each of its sites.
std::string finding_text(const ptx::Report::Finding& finding, SourceLines& lines);

/// The findings as `check --json` prints them.
llvm::json::Array findings_json(const ptx::Report& report);

/// "y: f32[1000] = 1, 2.5, 3, ... (994 more), 7, 8": a line.
std::string result_text(const RunArgument& argument);

/// Writes NAME.npy into the folder for each array that is written. Throws RuntimeError.
void save_results(const KernelRun& run, const std::string& folder);

/// An array that should come out, in "y=FILE.npy:0.001".
struct ExpectedResult {
  const RunArgument* argument = nullptr;
  std::string path;
  /// Of a float, relative to the larger of 1 and what is expected; integers are compared exactly.
  double tolerance = 1e-5;
};

/// Throws UsageError for a text that is none, and an argument that is no array.
ExpectedResult read_expected_result(const KernelRun& run, const std::string& text);

/// "y[3] is 2, and 2.5 is expected; 7 of 1000 elements differ", or nothing where none does. Throws
/// RuntimeError where the file has another shape.
std::string difference(const ExpectedResult& expected);

/// The fields of `run --json` and `check --json` that they have in common.
llvm::json::Object launch_json(const KernelRun& run);
llvm::json::Array results_json(const KernelRun& run);

}  // namespace hone
