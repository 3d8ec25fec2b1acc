#include "tools/cli/profile.h"

#include "codegen/c_text.h"
#include "codegen/emit.h"
#include "codegen/identifiers.h"
#include "codegen/lower.h"
#include "runtime/architecture.h"
#include "runtime/fit_registers.h"
#include "runtime/nvrtc.h"

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

const Gpu& named_gpu(const std::string& name) {
  try {
    return find_gpu(name);
  } catch (const RuntimeError& error) {
    throw UsageError("{}", error.what());
  }
}

void check_arch(const std::string& arch) {
  try {
    architecture_limits(arch);
  } catch (const RuntimeError& error) {
    throw UsageError("{}", error.what());
  }
}

RegisterUse registers_of(const KernelFunction& kernel, const std::string& arch) {
  if (!nvrtc_info()) return {std::nullopt, nvrtc_missing()};
  try {
    const auto compiled = compile_to_fit({emit_cuda(kernel), kernel.name, arch, {}, ""}, kernel);
    for (const PtxasInfo& info : compiled->kernels)
      if (info.kernel == cuda_symbol(kernel)) return {info, ""};
    return {std::nullopt, "the assembler does not say"};
  } catch (const CompileError&) {
    throw;
  } catch (const RuntimeError& error) {  // no NVRTC for that architecture
    return {std::nullopt, error.what()};
  }
}

/// Bytes that the accesses of a class ask of an argument, in whole sectors.
int64_t sector_bytes(const CountReport& counts, llvm::StringRef tensor, AccessClass access_class) {
  int64_t bytes = 0;
  for (const AccessReport& access : counts.accesses)
    if (access.access_class == access_class && access.tensor->name == tensor)
      bytes += access.counts.sector_bytes();
  return bytes;
}

int64_t count_results(const Problem& problem) {
  int64_t results = 0;
  for (const Argument& argument : problem.arguments)
    if (argument.is_output) results += argument.array.size();
  return results;
}

}  // namespace

ProfileTarget chosen_target(const Arguments& arguments) {
  const auto arch = arguments.value("--arch"), name = arguments.value("--gpu");
  if (arch) check_arch(*arch);
  if (!name && !arch) return {find_gpu(default_gpu).arch.str(), &find_gpu(default_gpu)};
  if (!name) return {*arch, gpu_of(*arch)};
  const Gpu& gpu = named_gpu(*name);
  if (arch && !has_arch(gpu, *arch))
    throw UsageError("{} has the architecture {}, not {}", gpu.name.str(), gpu.arch.str(), *arch);
  return {arch.value_or(gpu.arch.str()), &gpu};
}

Work work_of(const CountReport& counts, llvm::ArrayRef<SimArgument> arguments,
             const KernelFunction& kernel) {
  Work work;
  work.flops = static_cast<double>(counts.flops);
  work.l2_bytes = static_cast<double>(counts.global().sector_bytes());
  work.shared_wavefronts = static_cast<double>(counts.shared().wavefronts);
  for (auto [tensor, argument] : llvm::zip(kernel.arguments, arguments))
    for (const AccessClass access_class : {AccessClass::global_load, AccessClass::global_store})
      work.dram_bytes +=
          static_cast<double>(std::min(argument.elements * size_of(tensor->type),
                                       sector_bytes(counts, tensor->name, access_class)));
  return work;
}

Profile profile_rung(const RungRef& rung, const Sizes& sizes, uint64_t seed,
                     const CountOptions& options, const ProfileTarget& target) {
  const Problem problem = make_problem(program_for(rung, sizes), sizes, {}, seed);
  const Schedule schedule = rung.rung->build({}, problem.sizes);
  Profile profile = {problem.sizes, lower(schedule), count_results(problem), {}};
  const Module& module = profile.module;
  run_kernels(module, problem,
              [&](size_t number, const Sizes& all_sizes, llvm::ArrayRef<SimArgument> arguments) {
                const KernelFunction& kernel = module.kernels[number];
                KernelProfile one;
                one.counts = count(kernel, all_sizes, arguments, options);
                one.facts = static_facts(kernel);
                one.registers = registers_of(kernel, target.arch);
                one.block.threads = one.counts.threads_per_block();
                one.block.shared_bytes = shared_bytes(kernel);
                if (one.registers.info)
                  one.block.registers_per_thread = one.registers.info->registers;
                one.occupancy = occupancy(target.arch, one.block);
                one.work = work_of(one.counts, arguments, kernel);
                profile.kernels.push_back(std::move(one));
              });
  return profile;
}

}  // namespace hone
