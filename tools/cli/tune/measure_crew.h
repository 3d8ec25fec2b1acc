// Workers for a queue of jobs: schedules are compiled side by side, and a device measures one job
// at a time.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>

#include "tools/cli/tune/measure_job.h"
#include "tools/cli/tune/measure_worker.h"

namespace hone {

class MeasureCrew {
 public:
  /// Takes the job's result: what its worker answered last.
  using Report = std::function<void(llvm::json::Object answer)>;

  /// At most `width` processes at a time.
  MeasureCrew(WorkerStart start, size_t width) : start_(std::move(start)), width_(width) {}

  /// Jobs that run then are ended, and their answers are `is_stopped`.
  void stop_at(MeasureWorker::Clock::time_point end) { start_.end = end; }
  void add(MeasureJob job, Report report);
  bool is_idle() const { return waiting_.empty() && members_.empty(); }
  /// True where a job would begin at once.
  bool has_room() const { return waiting_.empty() && members_.size() < width_; }

  /// Goes on until some process, or `input`, a descriptor or -1, has something to say. True if
  /// `input` has.
  bool turn(int input = -1);
  /// Goes on until all jobs have their results.
  void finish();

 private:
  struct Member {
    MeasureJob job;
    Report report;
    std::unique_ptr<MeasureWorker> worker;
    bool is_ready = false, is_measuring = false;
  };

  void start_workers();
  void ask_for_samples();
  bool is_busy(const std::string& device) const;
  int milliseconds_to_wait() const;
  bool hear(Member& member);

  WorkerStart start_;
  size_t width_;
  std::deque<Member> waiting_;
  std::list<Member> members_;
};

}  // namespace hone
