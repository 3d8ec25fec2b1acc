#include "bench/gpu/contender.h"

#include "runtime/compile.h"
#include "runtime/kernel_cache.h"

namespace hone {
namespace {

/// What the assembler reports of the contender's kernel.
PtxasInfo resources_of(const Compiled& compiled, const std::string& entry) {
  for (const PtxasInfo& info : compiled.kernels)
    if (info.kernel == entry) return info;
  throw RuntimeError("the compile log of {} does not tell its registers", entry);
}

void compile_source(Contender& contender, const Target& target) {
  contender.compiled =
      compile_cached({contender.source, contender.entry, target.arch, {}, /*schedule=*/""});
  contender.resources = resources_of(*contender.compiled, contender.entry);
  if (!contender.compiled->cubin.empty()) contender.code = disassemble(contender.compiled->cubin);
}

void check_multiples(const HandwrittenKernel& kernel, const Sizes& sizes) {
  for (const std::string& name : kernel.multiples_of_4)
    if (sizes.at(name) % 4 != 0)
      throw Skipped("{} is {}; {} takes multiples of 4", name, sizes.at(name), kernel.entry);
}

/// The value of `name` for an argument of the contender.
template <class Values>
const auto& argument(const Values& values, const std::string& name, const Contender& contender) {
  const auto found = values.find(name);
  if (found == values.end())
    throw RuntimeError("{} takes {}, which this contest lacks", contender.entry, name);
  return found->second;
}

}  // namespace

Contender hone_contender(const Rung& rung, const Sizes& sizes, const Target& target) {
  const Schedule schedule = rung.build({}, sizes);
  const Kernel kernel = compile(schedule, {.device = target.device});
  if (kernel.module().kernels.size() != 1)
    throw RuntimeError("{} has {} kernels; one can be compared", rung.name,
                       kernel.module().kernels.size());
  const KernelFunction& function = kernel.module().kernels.front();
  Contender contender;
  contender.entry = function.name;
  contender.source = kernel.source();
  for (const TensorPtr& tensor : function.arguments) contender.tensors.push_back(tensor->name);
  for (const ParamPtr& param : function.params) contender.params.push_back(param->name);
  contender.dims = launch_dims(function, sizes);
  compile_source(contender, target);
  if (target.device.is_cuda()) contender.function = kernel.functions().front();
  return contender;
}

Contender handwritten_contender(const HandwrittenKernel& kernel, const Sizes& sizes,
                                const Target& target) {
  check_multiples(kernel, sizes);
  Contender contender;
  contender.entry = kernel.entry;
  contender.source = kernel.source;
  contender.tensors = kernel.tensors;
  contender.params = kernel.params;
  contender.dims = kernel.dims;
  compile_source(contender, target);
  if (target.device.is_cuda()) {
    const CudaModule module(target.device, *contender.compiled, kernel.entry);
    contender.function = module.function(kernel.entry);
  }
  return contender;
}

int Contender::barriers() const {
  return static_cast<int>(llvm::StringRef(source).count("__syncthreads()"));
}

Launch::Launch(const Contender& contender, const DeviceTensors& tensors, const Sizes& sizes)
    : contender_(&contender) {
  for (const std::string& name : contender.tensors)
    pointers_.push_back(argument(tensors, name, contender).data());
  for (const std::string& name : contender.params)
    values_.push_back(argument(sizes, name, contender));
}

void Launch::operator()() const {
  llvm::SmallVector<void*, 8> arguments;
  for (void* const& pointer : pointers_) arguments.push_back(const_cast<void**>(&pointer));
  // Little-endian: an int parameter reads the low half of the value.
  for (const int64_t& value : values_) arguments.push_back(const_cast<int64_t*>(&value));
  contender_->function->launch(contender_->dims, arguments);
}

}  // namespace hone
