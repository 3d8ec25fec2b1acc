// The measurement of one job, in the process that is there for it alone.
#pragma once

#include "runtime/compile.h"
#include "tools/cli/judge/expected.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/output.h"
#include "tools/cli/tune/measure_job.h"

namespace hone {

/// The machine that this process measures on, for jobs of that device. Throws RuntimeError where
/// there is no such device.
MeasureMachine machine_for(const std::string& device);

/// A job whose schedule is replayed, and compiled where it will run. All that the device is not
/// needed for is done before the first sample: other jobs do that at the same time.
class JobMeasurement {
 public:
  /// `job` is complete. Throws what refuses the job: ScheduleError, ParseError, RuntimeError.
  JobMeasurement(const MeasureJob& job, llvm::ArrayRef<Ladder> ladders);

  /// Launches of about a fifth of a second, or the model's estimate: the fields of a result that
  /// are about figures. The first call also checks the results. Throws RuntimeError.
  llvm::json::Object sample();

 private:
  RungRef rung() const { return {&ladder_, &ladder_.rungs.back()}; }
  Sizes fixed() const { return job_.are_constants ? job_.sizes : Sizes(); }
  llvm::json::Object estimated() const;
  llvm::json::Object timed();
  void add_state(llvm::json::Object& result) const;
  void prepare_check();
  llvm::json::Object checked() const;

  MeasureJob job_;
  Ladder ladder_;
  Device device_;
  RungKernels kernels_;
  std::optional<Kernel> kernel_;          ///< nothing where the model estimates
  std::optional<Problem> timed_problem_;  ///< nothing where the model estimates
  /// Inputs, and what the program makes of them; nothing where results are not checked any more.
  struct Check {
    Problem problem;
    ExpectedResults expected;
    bool is_of_job = false;  ///< the sizes are those of the job
  };
  std::optional<Check> check_;
};

/// The other end of a MeasureWorker: reads a job from standard input, a line, and says that it is
/// ready; then answers each further line with a sample. A line without a program asks for the
/// machine. Returns when the input ends.
void serve_measurements(llvm::ArrayRef<Ladder> ladders, Output& out);

}  // namespace hone
