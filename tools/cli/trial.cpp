#include "tools/cli/trial.h"

#include <algorithm>

#include "ir/interpreter.h"
#include "runtime/compile.h"
#include "runtime/timing.h"

namespace hone {
namespace {

/// How long the further runs of a trial may take together.
constexpr double timing_milliseconds = 200;
constexpr int most_samples = 20;

Results outputs_among(const std::vector<AnyArray>& arrays, const Function& function,
                      const Problem& problem) {
  Results results;
  for (const Argument& argument : problem.arguments)
    if (argument.is_output)
      for (auto [tensor, array] : llvm::zip(function.arguments, arrays))
        if (tensor->name == argument.tensor->name)
          results.emplace(tensor->name, array.to(Device::host()));
  return results;
}

double typical_milliseconds(const Device& device, llvm::function_ref<void()> launch, double first) {
  const double runs = timing_milliseconds / std::max(first, 1e-3);
  if (device.kind() == DeviceKind::simulated || runs < 4) return first;
  TimingOptions options;
  options.warm_up = 1;
  options.samples = std::min(most_samples, static_cast<int>(runs));
  return time_launches(device, launch, options).median;
}

Results interpreted(const Function& program, const Problem& problem) {
  Buffers buffers;
  for (const Argument& argument : problem.arguments) {
    Buffer buffer(argument.array.dtype(), argument.array.shape());
    argument.array.copy_to_host(buffer.bytes.data());
    buffers.emplace(argument.tensor->name, std::move(buffer));
  }
  interpret(program, problem.sizes, buffers);
  Results results;
  for (const Argument& argument : problem.arguments) {
    if (!argument.is_output) continue;
    AnyArray array = argument.array.clone();
    array.copy_from_host(buffers.find(argument.tensor->name)->second.bytes.data());
    results.emplace(argument.tensor->name, std::move(array));
  }
  return results;
}

}  // namespace

Trial run_trial(const Rung& rung, const Device& device, const Problem& problem) {
  const Schedule schedule = rung.build({}, problem.sizes);
  const Function& function = schedule.function();
  const std::vector<AnyArray> arrays = arrays_on(device, function, problem);
  const Kernel kernel = compile(function, {.device = device});
  const auto launch = [&] { kernel.run(arrays, problem.sizes); };
  Stopwatch stopwatch(device);
  stopwatch.start();
  launch();
  stopwatch.stop();
  device.synchronize();
  Trial trial = {outputs_among(arrays, function, problem), stopwatch.milliseconds()};
  trial.milliseconds = typical_milliseconds(device, launch, trial.milliseconds);
  return trial;
}

std::string time_text(double milliseconds) {
  return fmt::format("{:.{}f} ms", milliseconds, milliseconds < 1 ? 4 : 3);
}

Results reference_results(const Ladder& ladder, const Problem& problem) {
  const Program program = program_of(ladder, {});
  const Function& function = program.function();
  try {
    const Kernel kernel = compile(function, {.device = Device::host()});
    const std::vector<AnyArray> arrays = arrays_on(Device::host(), function, problem);
    kernel.run(arrays, problem.sizes);
    return outputs_among(arrays, function, problem);
  } catch (const DefinitionError&) {  // a type that C has not got
    return interpreted(function, problem);
  }
}

}  // namespace hone
