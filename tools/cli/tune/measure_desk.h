// The common part of `hone measure` and `hone tune`: jobs in, results out, each job measured once.
#pragma once

#include "tools/cli/command/commands.h"
#include "tools/cli/tune/measure_crew.h"
#include "tools/cli/tune/measure_log.h"

namespace hone {

/// Options of both commands.
inline constexpr Option limit_option = {
    "--limit", "SECONDS", "for compiling a schedule, and for each answer behind it; default 60"};
inline constexpr Option log_option = {"--log", "FILE.jsonl",
                                      "keeps results; those that it has are not measured again"};
inline constexpr Option workers_option = {"--workers", "N",
                                          "processes at a time; default: one for each core"};
inline constexpr Option worker_option = {
    "--worker-command", "COMMAND",
    "what starts a worker, as in 'ssh host hone'; default: this program"};

/// The process that measures for a command line. Throws UsageError for options that are none.
WorkerStart worker_start(const Arguments& arguments, const Session& session);
size_t worker_count(const Arguments& arguments);
/// The seconds of an option. Throws UsageError where they are no number above 0.
double seconds_of(const Arguments& arguments, std::string_view option, double otherwise);

/// A whole result: the job, its address, and the answer of its worker.
using MeasureResult = llvm::json::Object;

class MeasureDesk {
 public:
  using Report = std::function<void(const MeasureResult& result)>;

  MeasureDesk(const Arguments& arguments, const Session& session);

  /// The machine that measures jobs of a device, asked once. Throws RuntimeError where no worker
  /// tells.
  const MeasureMachine& machine(const std::string& device);
  /// Takes a job that is complete. Reports the result at once where it is known; else the crew
  /// measures the job, or it is being measured already.
  void take(MeasureJob job, Report report);
  /// The same for a job that somebody else has measured.
  MeasureResult record(const MeasureJob& job, llvm::json::Object answer);
  /// The job's result of an earlier time, or of an equal job.
  std::optional<MeasureResult> known(const MeasureJob& job);

  MeasureCrew& crew() { return crew_; }
  const WorkerStart& start() const { return start_; }

 private:
  void finish(const MeasureJob& job, llvm::json::Object answer);

  llvm::ArrayRef<Ladder> ladders_;
  WorkerStart start_;
  MeasureLog log_;
  MeasureCrew crew_;
  std::map<std::string, MeasureMachine> machines_;  ///< by the word of a job
  std::map<std::string, std::vector<std::pair<std::string, Report>>> asked_;  ///< by address: ids
};

}  // namespace hone
