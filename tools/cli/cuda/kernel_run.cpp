#include "tools/cli/cuda/kernel_run.h"

#include "runtime/files.h"
#include "runtime/ptx/machine/program.h"
#include "runtime/ptx/text/demangle.h"
#include "tools/cli/cuda/argument_list.h"

namespace hone {
namespace {

using llvm::StringRef;

// ---- The shape ----------------------------------------------------------------------------------

std::array<int64_t, 3> triple(StringRef option, const std::string& text, const Sizes& sizes) {
  const std::vector<int64_t> values = values_of_formulas(text, sizes);
  if (values.size() > 3)
    throw UsageError("{} takes one to three extents, got '{}'", option.str(), text);
  std::array<int64_t, 3> result = {1, 1, 1};
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

ptx::LaunchShape shape_of(const LaunchText& launch, const ptx::KernelInfo& kernel) {
  if (launch.grid.empty() || launch.block.empty())
    throw UsageError(
        "a launch needs its shape: {} is missing, as in --grid='cdiv(N, 256)' --block=256 "
        "-D N=1000",
        launch.grid.empty() ? "--grid" : "--block");
  ptx::LaunchShape shape;
  shape.grid = triple("--grid", launch.grid, launch.sizes);
  shape.block = triple("--block", launch.block, launch.sizes);
  for (size_t dim = 0; dim < 3; ++dim) shape.cluster[dim] = std::max(kernel.cluster[dim], 1);
  if (!launch.cluster.empty()) shape.cluster = triple("--cluster", launch.cluster, launch.sizes);
  if (!launch.shared.empty()) shape.dynamic_shared = value_of_formula(launch.shared, launch.sizes);
  return shape;
}

/// The variable of that name in the text; its name in PTX may be mangled.
const ptx::Variable& find_variable(const ptx::LoadedModule& module, const std::string& name) {
  std::vector<std::string> known;
  for (const ptx::Variable& variable : module.program().module->variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const std::string plain = ptx::demangled(variable.name);
    if (name == variable.name || name == plain) return variable;
    if (!StringRef(plain).startswith("$")) known.push_back(plain);
  }
  throw unknown("variable", name, known);
}

void set_variables(const ptx::LoadedModule& module, LaunchDevice& device, const LaunchText& launch,
                   uint64_t seed) {
  unsigned number = 0;
  for (const std::string& text : launch.variables) {
    const auto [name, words] = split_assignment("--set", text);
    const ptx::Variable& found = find_variable(module, name);
    // Numbers of arguments are below those of variables.
    const LaunchArgument value = read_launch_argument(words, launch.sizes, seed, 1000 + ++number);
    const bool is_array = value.kind == ArgumentKind::array;
    const std::vector<std::byte>& bytes = is_array ? value.array.bytes : value.bytes;
    if ((!is_array && value.kind != ArgumentKind::scalar) || value.offset != 0)
      throw UsageError("--set takes numbers and arrays, got '{}'", words);
    if (static_cast<int64_t>(bytes.size()) > found.bytes)
      throw UsageError("the variable {} has {} bytes, and {} has {}", name, found.bytes, words,
                       bytes.size());
    device.write(device.variable(found.name), bytes);
  }
}

}  // namespace

bool RunArgument::is_set(int64_t index) const {
  const size_t bytes = result.type->bytes, first = index * bytes;
  return !given.is_unset ||
         !std::equal(&result.bytes[first], &result.bytes[first] + bytes, &given.array.bytes[first]);
}

const RunArgument& KernelRun::argument(const std::string& which) const {
  std::vector<std::string> known;
  for (const RunArgument& argument : arguments) {
    if (argument.is_called(which)) return argument;
    known.push_back(argument.name);
  }
  throw unknown("argument", which, known, chosen.kernel.name);
}

KernelRun run_kernel(const std::string& path, const LaunchText& launch, uint64_t seed,
                     const ptx::LaunchOptions& options, const Device& device) {
  KernelRun run{choose_kernel(path, launch, options.count || device.is_cuda()), {}, {}, {}, device};
  ptx::Memory memory;
  const std::vector<char> no_code;
  const ptx::LoadedModule module(run.chosen.text.ptx, memory,
                                 options.count ? run.chosen.text.cubin : no_code);
  const ptx::KernelInfo* const kernel = module.find(run.chosen.kernel.entry);
  if (!kernel) throw RuntimeError("{} is not in the PTX of {}", run.chosen.kernel.entry, path);
  run.shape = shape_of(launch, *kernel);
  const auto loaded = load_on(device, run.chosen.text, module, *kernel);
  ArgumentList arguments(run.chosen, *kernel, *loaded);
  run.arguments = arguments.read(launch, seed);
  set_variables(module, *loaded, launch, seed);
  const std::vector<std::byte> params = arguments.place(run.arguments);
  run.report = loaded->launch(run.shape, params, options);
  arguments.fetch(run.arguments);
  for (ptx::Report::Finding& finding : run.report.findings)
    for (ptx::Site& site : finding.sites) site.file = short_path(site.file);
  for (ptx::AccessCounts& access : run.report.counts.accesses)
    access.site.file = short_path(access.site.file);
  return run;
}

}  // namespace hone
