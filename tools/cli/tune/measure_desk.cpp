#include "tools/cli/tune/measure_desk.h"

#include <algorithm>
#include <thread>

namespace hone {
namespace {

namespace json = llvm::json;

MeasureResult with_id(MeasureResult result, const std::string& id) {
  result["id"] = id;
  return result;
}

}  // namespace

double seconds_of(const Arguments& arguments, std::string_view option, double otherwise) {
  const auto text = arguments.value(option);
  double seconds = otherwise;
  if (text && (llvm::StringRef(*text).getAsDouble(seconds) || !(seconds > 0)))
    throw UsageError("{} takes a number of seconds above 0, got '{}'", option, *text);
  return seconds;
}

size_t worker_count(const Arguments& arguments) {
  const auto text = arguments.value(workers_option.name);
  if (!text) return std::max(1u, std::thread::hardware_concurrency());
  size_t count = 0;
  if (llvm::StringRef(*text).getAsInteger(10, count) || count == 0)
    throw UsageError("--workers takes a number from 1 on, got '{}'", *text);
  return count;
}

WorkerStart worker_start(const Arguments& arguments, const Session& session) {
  std::vector<std::string> command =
      split_words(arguments.value(worker_option.name).value_or(session.program));
  if (command.empty())
    throw UsageError("{} cannot start itself here; --worker-command names a program that measures",
                     session.tool);
  command.insert(command.end(), {"measure", "--worker"});
  return {std::move(command), seconds_of(arguments, limit_option.name, 60)};
}

MeasureDesk::MeasureDesk(const Arguments& arguments, const Session& session)
    : ladders_(session.ladders),
      start_(worker_start(arguments, session)),
      log_(arguments.value(log_option.name).value_or("")),
      crew_(start_, worker_count(arguments)) {}

const MeasureMachine& MeasureDesk::machine(const std::string& device) {
  const auto known = machines_.find(device);
  if (known != machines_.end()) return known->second;
  MeasureWorker worker(start_, fmt::format(R"({{"device": "{}"}})", device));
  MeasureMachine machine = worker.wait();
  if (const auto problem = machine.getString("problem"))
    throw RuntimeError("no worker measures on {}: {}", device, problem->str());
  machines_.emplace(machine.getString("device")->str(), machine);
  return machines_.emplace(device, std::move(machine)).first->second;
}

std::optional<MeasureResult> MeasureDesk::known(const MeasureJob& job) {
  const json::Object* const result = log_.find(address_of(job, machine(job.device), ladders_));
  if (!result) return std::nullopt;
  return with_id(*result, job.id);
}

MeasureResult MeasureDesk::record(const MeasureJob& job, json::Object answer) {
  MeasureResult result = to_json(job);
  for (auto& entry : json::Object(machine(job.device))) result[entry.first] = entry.second;
  for (const char* const unknown_yet : {"check", "gpu", "milliseconds"})
    result[unknown_yet] = nullptr;
  for (auto& entry : answer) result[entry.first] = std::move(entry.second);
  result["hash"] = address_of(job, machine(job.device), ladders_);
  if (!is_stopped(result)) log_.add(result);
  return result;
}

void MeasureDesk::take(MeasureJob job, Report report) {
  job.device = machine(job.device).getString("device")->str();
  if (const auto result = known(job)) return report(*result);
  auto& askers = asked_[address_of(job, machine(job.device), ladders_)];
  askers.emplace_back(job.id, std::move(report));
  if (askers.size() > 1) return;
  crew_.add(job, [this, job](json::Object answer) { finish(job, std::move(answer)); });
}

void MeasureDesk::finish(const MeasureJob& job, json::Object answer) {
  const MeasureResult result = record(job, std::move(answer));
  auto asked = asked_.extract(result.getString("hash")->str());
  for (const auto& [id, report] : asked.mapped()) report(with_id(result, id));
}

}  // namespace hone
