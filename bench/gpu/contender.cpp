#include "bench/gpu/contender.h"

#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel_before.h"
#include "fmt/ranges.h"
#include "runtime/compile.h"
#include "runtime/model/architecture.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/shared_limit.h"

namespace hone {
namespace {

/// The assembler's report about one kernel.
PtxasInfo resources_of(const Compiled& compiled, const std::string& entry) {
  for (const PtxasInfo& info : compiled.kernels)
    if (info.kernel == entry) return info;
  throw RuntimeError("the compile log of {} does not tell its registers", entry);
}

/// Compiles `source`, which holds `stages` and no other kernel.
std::shared_ptr<const Compiled> compile_source(Contender& contender, const std::string& source,
                                               llvm::MutableArrayRef<Stage> stages,
                                               const std::string& arch,
                                               const std::vector<std::string>& options = {}) {
  auto compiled = compile_cached({source, stages.front().entry, arch, options, /*schedule=*/""});
  for (Stage& stage : stages) {
    stage.module = contender.modules.size();
    stage.resources = resources_of(*compiled, stage.entry);
  }
  contender.modules.push_back(compiled);
  contender.source += (contender.source.empty() ? "" : "\n") + source;
  if (compiled->cubin.empty()) return compiled;
  if (const auto counts = disassemble(compiled->cubin)) {
    if (!contender.code) contender.code.emplace();
    for (const auto& [instruction, count] : *counts) (*contender.code)[instruction] += count;
  }
  return compiled;
}

void check_fits(const HandwrittenKernel& kernel, const Sizes& sizes, const std::string& arch) {
  if (architecture_limits(arch).capability < kernel.least_capability)
    throw Skipped("{} needs sm_{}, and this is {}", kernel.rung, kernel.least_capability, arch);
  const auto check_multiples = [&](const std::vector<std::string>& names, int64_t factor) {
    for (const std::string& name : names)
      if (sizes.at(name) % factor != 0)
        throw Skipped("{} is {}; {} takes multiples of {}", name, sizes.at(name), kernel.rung,
                      factor);
  };
  check_multiples(kernel.multiples_of_4, 4);
  check_multiples(kernel.multiples_of_16, 16);
}

Stage stage_of(const KernelFunction& function, const Sizes& sizes) {
  Stage stage{{cuda_symbol(function), {}, {}, launch_dims(function, sizes)}};
  for (const TensorPtr& tensor : function.arguments) stage.tensors.push_back(tensor->name);
  for (const ParamPtr& param : function.params) stage.params.push_back(param->name);
  stage.starts_early = waits_for_kernel_before(function.body);
  return stage;
}

/// The tensor of that name, which is the program's or the stage's own.
const AnyArray& tensor_of(const Stage& stage, const std::string& name, const DeviceTensors& tensors,
                          const DeviceTensors& temporaries) {
  for (const DeviceTensors* known : {&temporaries, &tensors})
    if (const auto found = known->find(name); found != known->end()) return found->second;
  throw RuntimeError("{} takes {}, which this contest lacks", stage.entry, name);
}

int64_t size_of(const Stage& stage, const std::string& name, const Sizes& sizes) {
  if (const auto found = sizes.find(name); found != sizes.end()) return found->second;
  throw RuntimeError("{} takes {}, which this contest lacks", stage.entry, name);
}

}  // namespace

Contender hone_contender(const Rung& rung, const Sizes& sizes, const Target& target) {
  Contender contender;
  const Kernel& kernel =
      contender.kernel.emplace(compile(rung.build({}, sizes), {.device = target.device}));
  const Module& module = kernel.module();
  for (const auto& tensors :
       {llvm::ArrayRef<TensorPtr>(module.temporaries), llvm::ArrayRef<TensorPtr>(module.counters)})
    for (const TensorPtr& tensor : tensors) {
      const int64_t bytes = storage_for(*tensor, sizes).elements * size_of(tensor->type);
      contender.temporaries.push_back({tensor->name, tiles(bytes, 4)});
    }
  for (size_t n = 0; n < kernel.module().kernels.size(); ++n) {
    const KernelFunction& function = kernel.module().kernels[n];
    Stage stage = stage_of(function, sizes);
    compile_source(contender, emit_cuda(function), stage, target_of(function, target.arch),
                   options_of(function));
    if (target.device.is_cuda()) {
      stage.function = kernel.functions()[n];
      stage.maps = std::make_shared<TensorMapCache>(function);
    }
    contender.stages.push_back(std::move(stage));
  }
  return contender;
}

Contender handwritten_contender(const HandwrittenKernel& kernel, const Sizes& sizes,
                                const Target& target) {
  check_fits(kernel, sizes, target.arch);
  Contender contender;
  contender.temporaries = kernel.temporaries;
  for (const HandwrittenLaunch& launch : kernel.launches) contender.stages.push_back({launch});
  // The simulated device looks at the lines of PTX.
  const std::vector<std::string> options =
      target.device.is_cuda() ? std::vector<std::string>{} : std::vector<std::string>{"-lineinfo"};
  const auto compiled =
      compile_source(contender, kernel.source, contender.stages, target.arch, options);
  if (!target.device.is_cuda()) return contender;
  const CudaModule module(target.device, *compiled, kernel.rung);
  for (Stage& stage : contender.stages) stage.function = module.function(stage.entry);
  return contender;
}

std::string Contender::entries() const {
  std::string names;
  for (const Stage& stage : stages) names += (names.empty() ? "" : ", ") + stage.entry;
  return names;
}

int Contender::barriers() const {
  return static_cast<int>(llvm::StringRef(source).count("__syncthreads()"));
}

int Contender::most_registers() const {
  int most = 0;
  for (const Stage& stage : stages) most = std::max(most, stage.resources.registers);
  return most;
}

int64_t Contender::most_shared_bytes() const {
  int64_t most = 0;
  for (const Stage& stage : stages) most = std::max(most, stage.shared_bytes());
  return most;
}

int Contender::spilled_bytes() const {
  int sum = 0;
  for (const Stage& stage : stages) sum += stage.spilled_bytes();
  return sum;
}

DeviceTensors make_temporaries(const Contender& contender, const Device& device) {
  DeviceTensors temporaries;
  for (const auto& [name, elements] : contender.temporaries)
    temporaries.emplace(name, AnyArray(DType::f32, {elements}, device));
  return temporaries;
}

Launch::Launch(const Contender& contender, const DeviceTensors& tensors,
               const DeviceTensors& temporaries, const Sizes& sizes)
    : contender_(&contender), temporaries_(temporaries) {
  for (const Stage& stage : contender.stages) {
    Arguments arguments;
    for (const std::string& name : stage.tensors)
      arguments.pointers.push_back(tensor_of(stage, name, tensors, temporaries).data());
    for (const std::string& name : stage.params)
      arguments.values.push_back(size_of(stage, name, sizes));
    llvm::SmallVector<Storage, 4> storages;
    for (const std::string& name : stage.tensors) {
      const AnyArray& tensor = tensor_of(stage, name, tensors, temporaries);
      storages.push_back({tensor.data(), tensor.size()});
    }
    if (stage.maps) arguments.maps = stage.maps->maps(stage.function->context(), storages, sizes);
    arguments_.push_back(std::move(arguments));
  }
}

void Launch::operator()() const {
  for (auto [stage, arguments] : llvm::zip(contender_->stages, arguments_)) {
    if (stage.call) {
      stage.call(arguments.pointers);
      continue;
    }
    llvm::SmallVector<void*, 8> addresses;
    for (void* const& pointer : arguments.pointers)
      addresses.push_back(const_cast<void**>(&pointer));
    // Little-endian: an int parameter reads the low half of the value.
    for (const int64_t& value : arguments.values) addresses.push_back(const_cast<int64_t*>(&value));
    for (const EncodedMap& map : arguments.maps) addresses.push_back(const_cast<EncodedMap*>(&map));
    const auto start = stage.starts_early ? &CudaFunction::launch_early : &CudaFunction::launch;
    ((*stage.function).*start)(stage.dims, addresses);
  }
}

}  // namespace hone
