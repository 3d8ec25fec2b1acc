#include "tools/cli/tune/measurement.h"

#include <algorithm>
#include <iostream>

#include "ir/text/parser.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/gpu_state.h"
#include "runtime/timing.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/trial.h"
#include "tools/cli/machine.h"
#include "tools/cli/profile/profile.h"
#include "tools/cli/tune/measure_log.h"

namespace hone {
namespace {

namespace json = llvm::json;

/// Copies of the arguments that launches take in turn, so that L2 holds none of them.
class RotatedArrays {
 public:
  RotatedArrays(const Device& device, const Function& program, const Problem& problem) {
    constexpr int64_t most_copies = 64;
    int64_t bytes = 1;
    for (const Argument& argument : problem.arguments) bytes += argument.array.bytes();
    const int64_t l2 = device.is_cuda() ? device.properties().l2_bytes : 0;
    const int64_t copies = std::min(1 + 2 * l2 / bytes, most_copies);
    for (int64_t n = 0; n < copies; ++n) copies_.push_back(arrays_on(device, program, problem));
  }

  const std::vector<AnyArray>& next() { return copies_[turn_++ % copies_.size()]; }

 private:
  std::vector<std::vector<AnyArray>> copies_;
  size_t turn_ = 0;
};

/// Short launches share a sample: an event takes about a microsecond.
TimingOptions timing_options(double milliseconds) {
  constexpr double least_sample = 0.2, whole = 200;
  TimingOptions options;
  options.flush_l2 = false;
  options.launches_per_sample =
      static_cast<int>(std::clamp(least_sample / milliseconds, 1.0, 100.0));
  const double sample = milliseconds * options.launches_per_sample;
  options.samples = static_cast<int>(std::clamp(whole / sample, 5.0, 50.0));
  return options;
}

json::Object check_of(const Verdict& verdict, const Sizes& sizes) {
  const bool is_right = verdict.mismatch.empty();
  return json::Object{{"check", is_right ? deviation_text(verdict) : "WRONG"},
                      {"checked_sizes", to_json(sizes)},
                      {"problem", verdict.mismatch}};
}

void add_fields(json::Object more, json::Object& object) {
  for (auto& entry : more) object[entry.first] = std::move(entry.second);
}

/// An error that this process met: the schedule is refused, or something failed.
json::Object failure_of(const std::exception& error) {
  const bool is_refusal = dynamic_cast<const ScheduleError*>(&error) ||
                          dynamic_cast<const ParseError*>(&error) ||
                          dynamic_cast<const UsageError*>(&error);
  return json::Object{{"status", is_refusal ? "refused" : "failed"},
                      {"problem", json::fixUTF8(error.what())}};
}

std::optional<std::string> next_line() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

/// The machine that `line` asks for; nothing where it is a job.
std::optional<json::Object> machine_asked_for(const std::string& line) {
  auto value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object* const object = value->getAsObject();
  if (!object || object->get("program")) return std::nullopt;
  return machine_for(value_or(object->getString("device"), "auto").str());
}

void serve_job(const std::string& line, llvm::ArrayRef<Ladder> ladders, Output& out) {
  if (const auto machine = machine_asked_for(line)) return out.print(json_line(*machine));
  JobMeasurement measurement(read_measure_job(line), ladders);
  out.print(json_line(json::Object{{"status", "ready"}}));
  while (next_line()) out.print(json_line(measurement.sample()));
}

}  // namespace

MeasureMachine machine_for(const std::string& device) {
  const Device chosen = parse_device(device);
  const Machine machine = machine_of(chosen);
  return MeasureMachine{{"device", to_string(chosen)},
                        {"device_name", machine.name},
                        {"driver", machine.driver},
                        {"nvrtc", nvrtc_version_text()},
                        {"hone", version_text()}};
}

JobMeasurement::JobMeasurement(const MeasureJob& job, llvm::ArrayRef<Ladder> ladders)
    : job_(job),
      ladder_(ladder_of_job(job, ladders)),
      device_(parse_device(job.device)),
      kernels_(kernels_of(rung(), fixed(), job.sizes)) {
  const bool is_of_host = rung().rung->target == RungTarget::host;
  if (is_of_host != (device_.kind() == DeviceKind::host))
    throw UsageError("the schedule runs on {}, and the job names the device {}; name {}",
                     is_of_host ? "the host" : "a GPU", to_string(device_),
                     is_of_host ? "host" : "cuda or sim");
  if (!job_.is_model()) {
    kernel_ = kernels_.compile_for(device_);
    timed_problem_ = make_timed_problem(kernels_.program, job_.sizes, job_.seed);
  }
  if (job_.has_check) prepare_check();
}

json::Object JobMeasurement::sample() {
  json::Object result{{"status", "measured"}, {"check", nullptr}, {"problem", ""}};
  if (check_) {
    add_fields(checked(), result);
    if (!result.getString("problem")->empty()) result["status"] = "wrong";
  }
  check_.reset();
  add_fields(job_.is_model() ? estimated() : timed(), result);
  return result;
}

json::Object JobMeasurement::estimated() const {
  const Gpu& gpu = named_gpu(job_.gpu);
  CountOptions options;
  options.most_blocks = job_.blocks;
  options.skips_products = true;
  const Profile profile = profile_rung(rung(), job_.sizes, job_.seed, options, {gpu.arch, &gpu});
  const auto time = time_of(profile);
  if (!time)
    throw RuntimeError(
        "the model estimates no time of this schedule: it needs NVRTC (`hone doctor` says where "
        "it looks), and blocks that run by themselves");
  return json::Object{
      {"source", "model"}, {"gpu", gpu.name}, {"milliseconds", time->time.seconds * 1e3},
      {"spread", 0.0},     {"samples", 0},    {"bound", name(time->time.bound())}};
}

/// Clock, power and heat right behind the last launch, as far as the driver tells them.
void JobMeasurement::add_state(json::Object& result) const {
  const auto state = gpu_state(device_);
  if (!state) return;
  result["clock_mhz"] = state->clock_megahertz;
  result["watts"] = state->watts;
  result["celsius"] = state->celsius;
}

/// The inputs stay on the host in between: workers of other jobs need the memory of the device.
json::Object JobMeasurement::timed() {
  RotatedArrays arrays(device_, kernels_.program, *timed_problem_);
  const auto launch = [&] { kernel_->run(arrays.next(), timed_problem_->sizes, Location()); };
  const double once = LaunchSampler(device_).estimate(launch);
  const Timing timing = time_launches(device_, launch, timing_options(once));
  json::Object result{{"source", device_.is_cuda() ? "gpu" : "host"},
                      {"gpu", machine_of(device_).name},
                      {"milliseconds", timing.median},
                      {"spread", timing.percentile_80 - timing.percentile_20},
                      {"fastest", timing.fastest},
                      {"samples", timing.samples}};
  add_state(result);
  return result;
}

/// Sizes that the interpreter computes in a moment are other ones where the job's take longer.
void JobMeasurement::prepare_check() {
  const Sizes small = checked_sizes(ladder_, job_.sizes, rung().rung->constants);
  const bool is_of_job = work(ladder_, small) == work(ladder_, job_.sizes);
  if (!is_of_job && job_.are_constants) return;
  const Function program = program_of(rung(), {}).function();
  Problem problem = make_problem(program, is_of_job ? job_.sizes : small, {}, job_.seed);
  ExpectedResults expected = expected_results(program, problem);
  check_ = {std::move(problem), std::move(expected), is_of_job};
}

/// Nothing is checked where the schedule promises what only the job's sizes keep.
json::Object JobMeasurement::checked() const {
  const Problem& problem = check_->problem;
  const Kernel kernel = kernel_ ? *kernel_ : kernels_.compile_for(device_);
  const std::vector<AnyArray> arrays = arrays_on(device_, kernels_.program, problem);
  try {
    kernel.run(arrays, problem.sizes, Location());
    device_.synchronize();
  } catch (const CudaError&) {
    throw;
  } catch (const RuntimeError&) {
    if (check_->is_of_job) throw;
    return {};
  }
  const Results outputs = outputs_among(arrays, kernels_.program.arguments, problem);
  return check_of(compare(outputs, check_->expected), problem.sizes);
}

void serve_measurements(llvm::ArrayRef<Ladder> ladders, Output& out) {
  while (const auto line = next_line()) {
    try {
      serve_job(*line, ladders, out);
    } catch (const std::exception& error) {
      out.print(json_line(failure_of(error)));
    }
  }
}

}  // namespace hone
