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

const PtxasInfo* KernelRun::resources() const {
  const auto& all = chosen.text.resources;
  const auto found =
      llvm::find_if(all, [&](const auto& one) { return one.kernel == chosen.kernel.entry; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<BlockResources> KernelRun::block() const {
  const PtxasInfo* const info = resources();
  if (!info) return std::nullopt;
  return BlockResources{threads(), info->registers, info->shared_bytes + shape.dynamic_shared};
}

std::string launch_text(const KernelRun& run) {
  const int64_t all = run.report.blocks, some = run.report.run_blocks;
  return fmt::format("{}{} block{} of {} thread{}", some < all ? fmt::format("{} of ", some) : "",
                     all, all == 1 ? "" : "s", run.threads(), run.threads() == 1 ? "" : "s");
}

namespace {

/// A kernel with its arguments in memory.
class KernelRunner {
 public:
  KernelRunner(const std::string& path, const LaunchText& launch, uint64_t seed, bool counts,
               const Device& device)
      : run_{choose_kernel(path, launch, counts || device.is_cuda()), {}, {}, {}, device},
        module_(run_.chosen.text.ptx, memory_, counts ? run_.chosen.text.cubin : no_code()),
        kernel_(kernel_in(path)) {
    run_.arch = launch.arch;
    run_.shape = shape_of(launch, kernel_);
    loaded_ = load_on(device, run_.chosen.text, module_, kernel_);
    arguments_.emplace(run_.chosen, kernel_, *loaded_);
    run_.arguments = arguments_->read(launch, seed);
    set_variables(module_, *loaded_, launch, seed);
    params_ = arguments_->place(run_.arguments);
  }

  void run(const ptx::LaunchOptions& options) {
    run_.report = loaded_->launch(run_.shape, params_, options);
    arguments_->fetch(run_.arguments);
  }

  void count(ptx::LaunchOptions options, const Gpu* gpu) {
    const auto block = run_.block();
    if (!gpu || !block) return run(options);
    const LaunchEstimator estimator(*gpu, *block, {module_, kernel_, run_.shape, params_});
    options.l1_bytes = estimator.l1_bytes();
    run(options);
    if (!run_.report.has_failed) run_.estimate = estimator.estimate(run_.report.counts);
  }

  KernelRun finish() {
    for (ptx::Report::Finding& finding : run_.report.findings)
      for (ptx::Site& site : finding.sites) site.file = short_path(site.file);
    for (ptx::AccessCounts& access : run_.report.counts.accesses)
      access.site.file = short_path(access.site.file);
    if (run_.estimate)
      for (ptx::LinePace& line : run_.estimate->pace.lines) line.file = short_path(line.file);
    return std::move(run_);
  }

 private:
  static const std::vector<char>& no_code() {
    static const std::vector<char> none;
    return none;
  }
  const ptx::KernelInfo& kernel_in(const std::string& path) const {
    const ptx::KernelInfo* const kernel = module_.find(run_.chosen.kernel.entry);
    if (!kernel) throw RuntimeError("{} is not in the PTX of {}", run_.chosen.kernel.entry, path);
    return *kernel;
  }

  KernelRun run_;
  ptx::Memory memory_;
  ptx::LoadedModule module_;
  const ptx::KernelInfo& kernel_;
  std::unique_ptr<LaunchDevice> loaded_;
  std::optional<ArgumentList> arguments_;
  std::vector<std::byte> params_;
};

}  // namespace

KernelRun run_kernel(const std::string& path, const LaunchText& launch, uint64_t seed,
                     const ptx::LaunchOptions& options, const Device& device) {
  KernelRunner runner(path, launch, seed, options.count, device);
  runner.run(options);
  return runner.finish();
}

KernelRun count_kernel(const std::string& path, const LaunchText& launch, uint64_t seed,
                       ptx::LaunchOptions options, const Gpu* gpu) {
  options.count = true;
  KernelRunner runner(path, launch, seed, /*counts=*/true, Device::simulated());
  runner.count(options, gpu);
  return runner.finish();
}

}  // namespace hone
