#include "tools/cli/judge/simulated_run.h"

#include "llvm/ADT/StringMap.h"
#include "runtime/compile.h"
#include "runtime/shared_limit.h"

namespace hone {
namespace {

using ArraysByName = std::map<std::string, AnyArray, std::less<>>;

/// The program's arguments, its temporaries, and its counters, which are 0.
ArraysByName arrays_by_name(const Module& module, llvm::ArrayRef<AnyArray> arrays,
                            const Sizes& sizes) {
  ArraysByName result;
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays))
    result.emplace(tensor->name, array);
  for (const TensorPtr& tensor : module.temporaries)
    result.emplace(tensor->name, array_for(*tensor, sizes, Device::host(), Fill::uninitialized));
  for (const TensorPtr& counter : module.counters)
    result.emplace(counter->name, array_for(*counter, sizes, Device::host(), Fill::zeros));
  return result;
}

/// All elements of outputs and temporaries; of a run of a few blocks none are told.
llvm::StringMap<UnsetElements> unset_elements(const Module& module, const Problem& problem,
                                              const ArraysByName& arrays) {
  llvm::StringMap<UnsetElements> unset;
  if (problem.elements == Elements::sampled) return unset;
  const auto add = [&](const std::string& name, bool is_temporary) {
    const auto size = static_cast<size_t>(arrays.find(name)->second.storage_size());
    unset[name] = {std::vector<uint8_t>(size, 1), is_temporary};
  };
  for (const TensorPtr& tensor : module.temporaries) add(tensor->name, true);
  for (const Argument& argument : problem.arguments)
    if (!argument.is_input && arrays.count(argument.tensor->name))
      add(argument.tensor->name, false);
  return unset;
}

bool has_blocks(const KernelFunction& kernel, const Sizes& sizes) {
  const LaunchDims dims = launch_dims(kernel, sizes);
  return !llvm::is_contained(dims.grid, 0) && !llvm::is_contained(dims.block, 0);
}

Function signature_of(const Module& module) {
  Function function;
  function.name = module.name;
  function.arguments = module.arguments;
  return function;
}

}  // namespace

std::vector<AnyArray> run_kernels(const Module& module, const Problem& problem, RunKernel run) {
  const std::vector<AnyArray> arrays =
      arrays_on(Device::host(), signature_of(module), problem);  // shares what is only read
  const Sizes sizes = resolve_sizes(launch_contract(module), arrays, problem.sizes);
  const ArraysByName by_name = arrays_by_name(module, arrays, sizes);
  llvm::StringMap<UnsetElements> unset = unset_elements(module, problem, by_name);
  for (size_t number = 0; number < module.kernels.size(); ++number) {
    const KernelFunction& kernel = module.kernels[number];
    check_shared_bytes(kernel, Device::simulated().properties().arch);
    if (!has_blocks(kernel, sizes)) continue;
    llvm::SmallVector<SimArgument, 8> arguments;
    for (const TensorPtr& tensor : kernel.arguments) {
      const AnyArray& array = by_name.find(tensor->name)->second;
      const auto known = unset.find(tensor->name);
      arguments.push_back({tensor->name, array.data(), array.storage_size(), false,
                           known == unset.end() ? nullptr : &known->second});
    }
    run(number, sizes, arguments);
  }
  return arrays;
}

Sizes simulated_sizes(const Ladder& ladder, const Sizes& given) {
  return overlaid(default_sizes(ladder, Device::simulated()), given);
}

void announce_long_run(const std::string& name, int64_t trips, double speed, Output& out) {
  constexpr double long_seconds = 15;
  const double seconds = static_cast<double>(trips) / speed;
  if (seconds < long_seconds) return;
  const std::string time = seconds < 120    ? fmt::format("{:.0f} seconds", seconds)
                           : seconds < 7200 ? fmt::format("{:.0f} minutes", seconds / 60)
                                            : fmt::format("{:.0f} hours", seconds / 3600);
  out.complain(
      fmt::format("{}: {:.1e} trips through loops on the simulated device, which takes "
                  "about {}; -D gives smaller sizes\n",
                  name, static_cast<double>(trips), time));
}

void check_runs_on_gpu(const RungRef& rung) {
  if (rung.rung->target == RungTarget::gpu) return;
  throw UsageError("{} runs on the host, and has no kernel for a GPU", rung.name());
}

}  // namespace hone
