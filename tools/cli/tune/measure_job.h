// A job of `hone measure`: a schedule as text, and the launch whose time is asked for.
#pragma once

#include <optional>

#include "llvm/Support/JSON.h"
#include "tools/cli/judge/selection.h"

namespace hone {

/// A line of JSON; docs/json.md names the fields.
struct MeasureJob {
  std::string id;                    ///< the user's own name for it, which comes back; may be empty
  std::string program;               ///< "matmul", "matmul/tuned", or the text of a program
  std::optional<std::string> steps;  ///< nothing: those of the rung, or none
  Sizes sizes;
  bool are_constants = false;    ///< the sizes are constants of the program, not params
  uint64_t seed = 1;             ///< of the random inputs
  std::string device = "auto";   ///< "auto", "cuda", "cuda:0", "sim", "host"
  std::string gpu = "H100 SXM";  ///< whose time the model estimates, on "sim"
  int64_t blocks = 4;            ///< of each launch that the model counts; 0: all
  bool has_check = true;         ///< results are compared with the program's

  bool is_model() const { return device == "sim"; }
};

/// Throws UsageError for what is no job: no object, a field that is unknown, missing or of another
/// type.
MeasureJob read_measure_job(llvm::StringRef line);
llvm::json::Object to_json(const MeasureJob& job);

/// The job's ladder, whose last rung replays the job's steps. Throws UsageError, ParseError.
Ladder ladder_of_job(const MeasureJob& job, llvm::ArrayRef<Ladder> ladders);

/// The job with all sizes and with its steps as text, which stand for themselves. Throws UsageError
/// for a program, a rung or a size that does not exist, and what the rung's schedule throws.
MeasureJob completed(MeasureJob job, llvm::ArrayRef<Ladder> ladders);

/// The machine that measures: its device, GPU, driver, and versions. Fields as in a result.
using MeasureMachine = llvm::json::Object;

/// The address of a completed job's result: a digest of the program, the steps, the sizes, the
/// seed, the machine, and of what else decides the figures. Equal jobs have equal addresses; `id`
/// has no part in it.
std::string address_of(const MeasureJob& job, const MeasureMachine& machine,
                       llvm::ArrayRef<Ladder> ladders);

}  // namespace hone
