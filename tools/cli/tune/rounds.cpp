#include "tools/cli/tune/rounds.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/timing.h"
#include "tools/cli/json_text.h"
#include "tools/cli/tune/measure_log.h"

namespace hone {
namespace {

namespace json = llvm::json;

bool has_status(const json::Object& answer, llvm::StringRef status) {
  return answer.getString("status") == status;
}

/// A job whose worker stays from round to round.
class Contender {
 public:
  explicit Contender(const MeasureJob& job) : job_(job) {}

  void start(const WorkerStart& start) {
    worker_ = std::make_unique<MeasureWorker>(start, json_line(to_json(job_)));
  }
  /// Samples that take longer than `end` are ended.
  void wait_until_ready(MeasureWorker::Clock::time_point end);
  /// Milliseconds of a sample; nothing where the job has failed.
  std::optional<double> sample();
  json::Object result() const;

 private:
  void fail(json::Object answer);

  const MeasureJob& job_;
  std::unique_ptr<MeasureWorker> worker_;  ///< null: has failed, or was not started
  json::Object first_;                     ///< answer, or the one that tells of the failure
  std::vector<double> medians_;
  int64_t samples_ = 0;
};

void Contender::fail(json::Object answer) {
  worker_.reset();
  if (is_stopped(answer)) return;
  first_ = std::move(answer);
  medians_.clear();
}

void Contender::wait_until_ready(MeasureWorker::Clock::time_point end) {
  json::Object answer = worker_->wait();
  if (!has_status(answer, "ready")) return fail(std::move(answer));
  worker_->stop_at(end);
}

/// A job whose time is over keeps the samples that it has.
std::optional<double> Contender::sample() {
  if (!worker_) return std::nullopt;
  worker_->ask();
  json::Object answer = worker_->wait();
  const auto milliseconds = answer.getNumber("milliseconds");
  if (!has_status(answer, "measured") || !milliseconds) {
    fail(std::move(answer));
    return std::nullopt;
  }
  medians_.push_back(*milliseconds);
  samples_ += value_or(answer.getInteger("samples"), 0);
  if (medians_.size() == 1) first_ = std::move(answer);
  return *milliseconds;
}

json::Object Contender::result() const {
  json::Object result = first_;
  if (medians_.empty()) return result;
  const Timing timing = summarize(medians_);
  result["milliseconds"] = timing.median;
  if (medians_.size() > 1) {
    result["spread"] = *std::max_element(medians_.begin(), medians_.end()) - timing.fastest;
    result["fastest"] = timing.fastest;
  }
  result["samples"] = samples_;
  result["rounds"] = static_cast<int64_t>(medians_.size());
  return result;
}

using Time = MeasureWorker::Clock::time_point;

Time middle(Time begin, Time end) { return end < begin ? end : begin + (end - begin) / 2; }

/// Half of the time is for this: schedules that take longer to compile leave the rest to others.
void start_all(llvm::MutableArrayRef<Contender> left, WorkerStart start,
               const RoundOptions& options) {
  const Time end = std::exchange(start.end, middle(MeasureWorker::Clock::now(), options.end));
  while (!left.empty() && MeasureWorker::Clock::now() < start.end) {
    const auto group = left.take_front(std::min(options.width, left.size()));
    left = left.drop_front(group.size());
    for (Contender& one : group) one.start(start);
    for (Contender& one : group) one.wait_until_ready(end);
  }
}

}  // namespace

std::vector<json::Object> measure_in_rounds(
    const WorkerStart& start, llvm::ArrayRef<MeasureJob> jobs, const RoundOptions& options,
    llvm::function_ref<void(size_t job, double milliseconds)> report) {
  std::vector<Contender> contenders(jobs.begin(), jobs.end());
  start_all(contenders, start, options);
  for (int round = 0; round < options.rounds; ++round)
    for (size_t n = 0; n < contenders.size(); ++n) {
      if (MeasureWorker::Clock::now() >= options.end) break;
      if (const auto milliseconds = contenders[n].sample()) report(n, *milliseconds);
    }
  std::vector<json::Object> results;
  results.reserve(contenders.size());
  for (const Contender& one : contenders) results.push_back(one.result());
  return results;
}

}  // namespace hone
