#include "tools/cli/judge/trial.h"

#include <algorithm>
#include <cstring>

#include "codegen/ring_kernels.h"
#include "runtime/timing.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

/// The time that the further runs of a trial may take together.
constexpr double timing_milliseconds = 200;
constexpr int most_samples = 20;

/// Bytes between the rows of an output are nobody's to write.
void check_gaps(const Argument& argument, const AnyArray& output) {
  if (output.storage_size() == output.size()) return;
  AnyArray expected = argument.array.clone();
  expected.copy_elements(output);
  if (std::memcmp(expected.data(), output.data(), expected.bytes()) != 0)
    throw RuntimeError("{} is written between its rows", argument.tensor->name);
}

double typical_milliseconds(const Device& device, llvm::function_ref<void()> launch, double first) {
  const double runs = timing_milliseconds / std::max(first, 1e-3);
  if (device.kind() == DeviceKind::simulated || runs < 4) return first;
  TimingOptions options;
  options.warm_up = 1;
  options.samples = std::min(most_samples, static_cast<int>(runs));
  return time_launches(device, launch, options).median;
}

}  // namespace

Results outputs_among(llvm::ArrayRef<AnyArray> arrays, llvm::ArrayRef<TensorPtr> arguments,
                      const Problem& problem) {
  Results results;
  for (const Argument& argument : problem.arguments) {
    if (!argument.is_output) continue;
    for (auto [tensor, array] : llvm::zip(arguments, arrays)) {
      if (tensor->name != argument.tensor->name) continue;
      const AnyArray output = array.to(Device::host());
      check_gaps(argument, output);
      results.emplace(tensor->name, output.with_layout({}));
    }
  }
  return results;
}

Results run_simulated(const Module& module, const Problem& problem) {
  const std::vector<AnyArray> arrays =
      run_kernels(module, problem,
                  [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
                    SimKernel(module.kernels[number]).run(sizes, arguments);
                  });
  return outputs_among(arrays, module.arguments, problem);
}

Results run_over_ring(const Module& module, const Problem& problem) {
  return run_simulated(ring_form(module), problem);
}

RungRun run_trial(const Kernel& kernel, const Function& program, const Problem& problem) {
  const Device& device = kernel.device();
  const std::vector<AnyArray> arrays = arrays_on(device, program, problem);
  const auto launch = [&] { kernel.run(arrays, problem.sizes, Location()); };
  Stopwatch stopwatch(device);
  stopwatch.start();
  launch();
  stopwatch.stop();
  device.synchronize();
  RungRun trial = {outputs_among(arrays, program.arguments, problem), stopwatch.milliseconds()};
  trial.milliseconds = typical_milliseconds(device, launch, trial.milliseconds);
  return trial;
}

RungRun run_trial(const RungRef& rung, const Device& device, const Problem& problem,
                  const Sizes& fixed) {
  const RungKernels kernels = kernels_of(rung, fixed, problem.sizes);
  if (problem.elements == Elements::ring) return {run_over_ring(kernels.module, problem), 0};
  return run_trial(kernels.compile_for(device), kernels.program, problem);
}

std::string time_text(double milliseconds) {
  return fmt::format("{:.{}f} ms", milliseconds, milliseconds < 1 ? 4 : 3);
}

Expectation expected_trial(const RungRef& rung, const Device& device, const Sizes& sizes) {
  if (device.kind() == DeviceKind::cuda) return std::nullopt;
  return expected_seconds(*rung.ladder, sizes, device, [&](const Sizes& small) {
    const Problem problem = make_problem(program_for(rung, small), small, {}, /*seed=*/1);
    return run_trial(rung, device, problem).milliseconds / 1e3;
  });
}

}  // namespace hone
