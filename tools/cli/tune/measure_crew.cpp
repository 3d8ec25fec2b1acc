#include "tools/cli/tune/measure_crew.h"

#include <poll.h>

#include "tools/cli/tune/measure_log.h"

namespace hone {

void MeasureCrew::add(MeasureJob job, Report report) {
  waiting_.push_back({std::move(job), std::move(report), nullptr});
}

void MeasureCrew::start_workers() {
  for (; members_.size() < width_ && !waiting_.empty(); waiting_.pop_front()) {
    Member member = std::move(waiting_.front());
    member.worker = std::make_unique<MeasureWorker>(start_, json_line(to_json(member.job)));
    members_.push_back(std::move(member));
  }
}

/// A model is no device: as many estimate at a time as there are workers.
bool MeasureCrew::is_busy(const std::string& device) const {
  return llvm::any_of(members_, [&](const Member& member) {
    return member.is_measuring && !member.job.is_model() && member.job.device == device;
  });
}

void MeasureCrew::ask_for_samples() {
  for (Member& member : members_) {
    if (!member.is_ready || member.is_measuring || is_busy(member.job.device)) continue;
    member.worker->ask();
    member.is_measuring = true;
  }
}

/// Until the next answer is due of those that are waited for; -1: none is.
int MeasureCrew::milliseconds_to_wait() const {
  std::optional<MeasureWorker::Clock::time_point> first;
  for (const Member& member : members_) {
    if (member.is_ready && !member.is_measuring) continue;
    if (!first || member.worker->deadline() < *first) first = member.worker->deadline();
  }
  if (!first) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*first - MeasureWorker::Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

/// True if the member's job has its result.
bool MeasureCrew::hear(Member& member) {
  if (member.is_ready && !member.is_measuring) return false;
  auto answer = member.worker->answer();
  if (!answer) return false;
  if (!member.is_ready && answer->getString("status") == llvm::StringRef("ready")) {
    member.is_ready = true;
    return false;
  }
  member.report(std::move(*answer));
  return true;
}

bool MeasureCrew::turn(int input) {
  start_workers();
  ask_for_samples();
  std::vector<pollfd> descriptors = {{input, POLLIN, 0}};
  for (const Member& member : members_)
    descriptors.push_back({member.worker->descriptor(), POLLIN, 0});
  ::poll(descriptors.data(), descriptors.size(), milliseconds_to_wait());
  for (auto member = members_.begin(); member != members_.end();)
    member = hear(*member) ? members_.erase(member) : std::next(member);
  return input >= 0 && descriptors[0].revents != 0;
}

void MeasureCrew::finish() {
  while (!is_idle()) turn();
}

}  // namespace hone
