#include "tools/cli/profile/profile.h"

#include <bit>
#include <deque>

#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/shared_memory.h"
#include "runtime/fit_registers.h"
#include "runtime/model/architecture.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "tools/cli/judge/forms.h"
#include "tools/cli/judge/ptx_launch.h"

namespace hone {
namespace {

constexpr const char* default_gpu = "H100 SXM";

bool has_arch(const Gpu& gpu, llvm::StringRef arch) {
  return find_architecture(gpu.arch) == find_architecture(arch);
}

/// The default one where it has that architecture, else the first that does.
const Gpu* gpu_of(llvm::StringRef arch) {
  const Gpu& usual = find_gpu(default_gpu);
  if (has_arch(usual, arch)) return &usual;
  const auto gpus = known_gpus();
  const auto* found = llvm::find_if(gpus, [&](const Gpu& gpu) { return has_arch(gpu, arch); });
  return found == gpus.end() ? nullptr : found;
}

/// The GPU of a file that has one.
const Gpu& gpu_of_file(const std::string& path) {
  static std::deque<Gpu> gpus;
  const std::vector<Gpu> read = read_gpus(path);
  if (read.size() != 1)
    throw UsageError("{} has {} GPUs; HONE_GPUS={} adds them all, and --gpu names one", path,
                     read.size(), path);
  return gpus.emplace_back(read[0]);
}

void check_arch(const std::string& arch) {
  try {
    architecture_limits(arch);
  } catch (const RuntimeError& error) {
    throw UsageError("{}", error.what());
  }
}

/// The compiled kernel; null, with a reason in `missing`, where there is none.
std::shared_ptr<const Compiled> compile_for(const KernelFunction& kernel, const std::string& arch,
                                            std::string& missing) {
  missing = nvrtc_missing();
  if (!nvrtc_info()) return nullptr;
  try {
    return compile_to_fit(
        {emit_cuda(kernel), kernel.name, target_of(kernel, arch), {"--generate-line-info"}, ""},
        kernel);
  } catch (const CompileError&) {
    throw;
  } catch (const RuntimeError& error) {  // no NVRTC for that architecture
    missing = error.what();
    return nullptr;
  }
}

RegisterUse registers_of(const KernelFunction& kernel, const Compiled& compiled) {
  for (const PtxasInfo& info : compiled.kernels)
    if (info.kernel == cuda_symbol(kernel)) return {info, ""};
  return {std::nullopt, "the assembler does not say"};
}

/// Runs the PTX of a kernel on copies of the arrays that it writes: the requests of the kernel as
/// it is compiled, and its time.
class CompiledRun {
 public:
  CompiledRun(const KernelFunction& kernel, const Compiled& compiled, const Sizes& sizes,
              llvm::ArrayRef<SimArgument> arguments) {
    std::vector<uint64_t> operands;
    for (const auto& [tensor, argument] : llvm::zip(kernel.arguments, arguments)) {
      const int64_t bytes = argument.elements * size_of(tensor->type);
      operands.push_back(is_written(kernel, tensor)
                             ? memory_.allocate_copy(argument.data, bytes, tensor->name)
                             : adopted(argument.data, bytes, tensor->name));
    }
    const LaunchContract contract = launch_contract(kernel);
    kernel_.emplace(PtxText{compiled.ptx, compiled.cubin}, contract.kernels.front(), memory_,
                    operands, sizes);
  }

  /// Without blocks, nothing is counted. Adds the time, if the GPU is known.
  ptx::LaunchCounts count(const CountOptions& options, const Gpu* gpu,
                          KernelProfile& profile) const {
    ptx::LaunchOptions launch = {.count = true, .most_blocks = options.most_blocks};
    launch.skips_products = options.skips_products;
    if (kernel_->is_empty() || !gpu) return kernel_->run(launch).counts;
    const LoadedLaunch loaded = {kernel_->module(), kernel_->info(), kernel_->shape(),
                                 kernel_->params()};
    BlockResources block = profile.block;
    block.threads = loaded.threads();
    const LaunchEstimator estimator(*gpu, block, loaded);
    launch.l1_bytes = estimator.l1_bytes();
    ptx::LaunchCounts counts = kernel_->run(launch).counts;
    if (const auto estimate = estimator.estimate(counts)) profile.time = estimate->time;
    return counts;
  }

 private:
  uint64_t adopted(void* data, int64_t bytes, const std::string& name) {
    memory_.adopt(data, bytes, name);
    return std::bit_cast<uint64_t>(data);
  }

  ptx::Memory memory_;
  std::optional<LoadedKernel> kernel_;
};

/// Runs the kernel: as it is compiled, if there is a compiler, and as it is written, which leaves
/// its results in the arrays.
KernelProfile count_kernel(const KernelFunction& kernel, const Sizes& sizes,
                           llvm::ArrayRef<SimArgument> arguments, const CountOptions& options,
                           const ProfileTarget& target) {
  KernelProfile profile;
  std::optional<ptx::LaunchCounts> compiled_counts;
  const auto compiled = compile_for(kernel, target.arch, profile.registers.missing);
  profile.block.shared_bytes = shared_memory(kernel).bytes;
  if (compiled) {
    profile.registers = registers_of(kernel, *compiled);
    if (profile.registers.info)
      profile.block.registers_per_thread = profile.registers.info->registers;
    const CompiledRun run(kernel, *compiled, sizes, arguments);
    compiled_counts = run.count(options, target.gpu, profile);
  }
  profile.counts = count(kernel, sizes, arguments, options);
  profile.facts = static_facts(kernel);
  if (compiled)
    profile.compiled = read_compiled(kernel, profile.counts, profile.facts, compiled->ptx,
                                     std::move(*compiled_counts), sizes);
  profile.block.threads = profile.counts.threads_per_block();
  profile.occupancy = occupancy(target.arch, profile.block);
  return profile;
}

/// Bytes that the accesses of a class move between an argument and L2.
int64_t l2_bytes(const KernelProfile& profile, llvm::StringRef tensor, AccessClass access_class) {
  int64_t bytes = 0;
  for (const AccessReport& access : profile.counts.accesses)
    if (access.access_class == access_class && access.tensor->name == tensor)
      bytes += profile.counts_of(access).l2_bytes();
  return bytes;
}

/// Sizes that nobody gave stand for those of the ladder.
Sizes usual_sizes(const Ladder& ladder, const Sizes& all, const Sizes& given) {
  return given == simulated_sizes(ladder, {}) ? overlaid(all, ladder.sizes) : all;
}

/// A grid that grows with sizes that nobody gave counts as large: 0. Of others, blocks with little
/// to do count for nothing.
int64_t blocks_at_work(const KernelProfile& kernel, bool is_given) {
  if (!is_given) return kernel.facts.blocks.constant().value_or(0);
  return kernel.compiled ? kernel.compiled->counts.busy_blocks : kernel.counts.blocks();
}

int64_t count_results(const Problem& problem) {
  int64_t results = 0;
  for (const Argument& argument : problem.arguments)
    if (argument.is_output) results += argument.array.size();
  return results;
}

}  // namespace

const Gpu& named_gpu(const std::string& name) {
  try {
    return llvm::StringRef(name).take_back(5) == ".json" ? gpu_of_file(name) : find_gpu(name);
  } catch (const RuntimeError& error) {
    throw UsageError("{}", error.what());
  }
}

ProfileTarget chosen_target(const Arguments& arguments) {
  const auto arch = arguments.value("--arch"), name = arguments.value("--gpu");
  if (arch) check_arch(*arch);
  if (!name && !arch) return {find_gpu(default_gpu).arch, &find_gpu(default_gpu)};
  if (!name) return {*arch, gpu_of(*arch)};
  const Gpu& gpu = named_gpu(*name);
  if (arch && !has_arch(gpu, *arch))
    throw UsageError("{} has the architecture {}, not {}", gpu.name, gpu.arch, *arch);
  return {arch.value_or(gpu.arch), &gpu};
}

Work work_of(const KernelProfile& profile, llvm::ArrayRef<SimArgument> arguments,
             const KernelFunction& kernel) {
  Work work;
  work.flops = static_cast<double>(profile.counts.flops);
  work.double_flops = static_cast<double>(profile.counts.double_flops);
  work.tensor_flops = static_cast<double>(profile.counts.tensor_flops);
  if (work.tensor_flops > 0)
    work.tensor_time = static_cast<double>(profile.counts.tensor_half_flops) / work.tensor_flops;
  for (const AccessReport& access : profile.counts.accesses) {
    const MemoryCounts counts = profile.counts_of(access);
    if (access.tensor->scope == Scope::global)
      work.l2_bytes += static_cast<double>(counts.l2_bytes());
    work.shared_wavefronts += static_cast<double>(counts.wavefronts);
  }
  for (auto [tensor, argument] : llvm::zip(kernel.arguments, arguments))
    for (const AccessClass access_class : {AccessClass::global_load, AccessClass::global_store})
      work.dram_bytes +=
          static_cast<double>(std::min(argument.elements * size_of(tensor->type),
                                       l2_bytes(profile, tensor->name, access_class)));
  return work;
}

MemoryCounts KernelProfile::counts_of(const AccessReport& access) const {
  const CompiledAccess* one = compiled ? compiled->of(access) : nullptr;
  return one ? part_of(*one, access) : access.counts;
}

CountReport counts_as_compiled(const KernelProfile& kernel) {
  CountReport report = kernel.counts;
  for (AccessReport& access : report.accesses) access.counts = kernel.counts_of(access);
  if (kernel.compiled) report.totals = kernel.compiled->counts.totals;
  return report;
}

SizeFormula KernelProfile::per_result(AccessClass access_class) const {
  if (compiled && !facts.results_per_thread.is_zero())
    return compiled->per_thread(access_class) / facts.results_per_thread;
  return written_per_result(access_class);
}

SizeFormula KernelProfile::written_per_result(AccessClass access_class) const {
  const AccessCounts& written = facts.per_result;
  const SizeFormula* formulas[] = {&written.global_loads,   &written.global_stores,
                                   &written.shared_loads,   &written.shared_stores,
                                   &written.global_atomics, &written.shared_atomics};
  return *formulas[static_cast<size_t>(access_class)];
}

double KernelProfile::warp_instructions() const {
  if (time) return time->warp_instructions;
  return compiled ? static_cast<double>(compiled->counts.warp_instructions) : 0;
}

std::optional<EstimatedTime> time_of(const Profile& profile) {
  std::optional<EstimatedTime> all;
  for (const KernelProfile& kernel : profile.kernels) {
    if (!kernel.time) return std::nullopt;
    if (all)
      *all += *kernel.time;
    else
      all = kernel.time;
  }
  return all;
}

Profile profile_rung(const RungRef& rung, const Sizes& sizes, uint64_t seed,
                     const CountOptions& options, const ProfileTarget& target,
                     const UserText* edited) {
  const Function program = program_for(rung, sizes);
  const Problem problem = make_problem_of_blocks(program, sizes, seed, options.most_blocks);
  Profile profile = {problem.sizes,
                     usual_sizes(*rung.ladder, problem.sizes, sizes),
                     kernels_of(rung, {}, problem.sizes, edited).module,
                     count_results(problem),
                     {}};
  const Module& module = profile.module;
  const std::vector<unsigned> lines_above = cuda_lines_above(module);
  run_kernels(module, problem,
              [&](size_t number, const Sizes& all_sizes, llvm::ArrayRef<SimArgument> arguments) {
                const KernelFunction& kernel = module.kernels[number];
                KernelProfile one = count_kernel(kernel, all_sizes, arguments, options, target);
                if (one.compiled)
                  for (CompiledAccess& access : one.compiled->accesses)
                    access.line += lines_above[number];
                one.work = work_of(one, arguments, kernel);
                one.work.blocks = blocks_at_work(one, profile.usual == profile.sizes);
                profile.kernels.push_back(std::move(one));
              });
  return profile;
}

}  // namespace hone
