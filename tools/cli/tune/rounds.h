// Jobs that are measured in turns: what changes meanwhile, clocks, heat and other work, changes for
// all of them.
#pragma once

#include <chrono>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "tools/cli/tune/measure_job.h"
#include "tools/cli/tune/measure_worker.h"

namespace hone {

struct RoundOptions {
  int rounds = 5;                          ///< samples of each job
  size_t width = 1;                        ///< schedules that are compiled at a time
  MeasureWorker::Clock::time_point end{};  ///< no sample begins later
};

/// The answers of jobs on one device, in their order. `milliseconds` is the median of the rounds,
/// `spread` the distance between the fastest and the slowest one; of one round, as its worker has
/// it. An answer has the field `rounds`. A job that fails in a round has that answer. An empty
/// object: there was no time for a sample. `start.end` ends a sample that takes longer. `report` is
/// told of each sample.
std::vector<llvm::json::Object> measure_in_rounds(
    const WorkerStart& start, llvm::ArrayRef<MeasureJob> jobs, const RoundOptions& options,
    llvm::function_ref<void(size_t job, double milliseconds)> report);

}  // namespace hone
