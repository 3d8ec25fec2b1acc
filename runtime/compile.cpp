#include "runtime/compile.h"

#include <cstdlib>
#include <deque>
#include <map>

#include "codegen/c_form/identifiers.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/core/error.h"
#include "ir/interpret/interpreter.h"
#include "runtime/cuda/launch_graph.h"
#include "runtime/cuda/tensor_map_cache.h"
#include "runtime/fit_registers.h"
#include "runtime/host_compiler.h"
#include "runtime/shared_limit.h"
#include "runtime/sim/device.h"
#include "runtime/workspace.h"

namespace hone {

namespace {

/// A shape without blocks or threads does nothing.
bool is_empty(const LaunchDims& dims) {
  return llvm::is_contained(dims.grid, 0) || llvm::is_contained(dims.block, 0);
}

}  // namespace

/// The state of a compiled program; a device says how it runs.
struct Kernel::State {
  Function function;  ///< as it was scheduled
  Module module;
  LaunchContract contract;
  Device device;
  std::string source;
  llvm::SmallVector<CudaFunction, 1> functions;
  Workspace workspace;

  /// The launch of one kernel of a run; there is a thread at least.
  struct Launch {
    size_t number;  ///< of the kernel
    LaunchDims dims;
    llvm::SmallVector<Storage, 8> arguments;  ///< those of the kernel, in order
  };

  State(const Function& scheduled, Module lowered, Device device)
      : function(scheduled),
        module(std::move(lowered)),
        contract(launch_contract(module, &function)),
        device(device),
        workspace(device, contract.temporaries, contract.counters) {}
  virtual ~State() = default;
  /// One after the other.
  virtual void run(llvm::ArrayRef<Launch> launches, const Sizes& sizes) const = 0;

  /// Of all kernels, so that a shape that no GPU has is refused before anything runs.
  llvm::SmallVector<LaunchDims, 2> shapes(const Sizes& sizes) const {
    const std::lock_guard lock(mutex_);
    if (!shapes_.empty() && sizes == sizes_) return shapes_;
    llvm::SmallVector<LaunchDims, 2> shapes;
    for (const KernelContract& kernel : contract.kernels)
      shapes.push_back(launch_dims(kernel, sizes));
    sizes_ = sizes;
    return shapes_ = shapes;
  }

 private:
  // Of the last run: the checks are the same for the same sizes.
  mutable std::mutex mutex_;
  mutable Sizes sizes_;
  mutable llvm::SmallVector<LaunchDims, 2> shapes_;
};

namespace {

/// The values of a kernel's arguments: those of `sizes` for its params.
llvm::SmallVector<int64_t, 8> values_of(const KernelFunction& kernel, const Sizes& sizes) {
  llvm::SmallVector<int64_t, 8> values;
  for (const ParamPtr& param : kernel.params) values.push_back(sizes.find(param->name)->second);
  return values;
}

struct CudaState : Kernel::State {
  CudaState(const Function& scheduled, Module lowered, Device device)
      : State(scheduled, std::move(lowered), device) {
    for (const KernelFunction& kernel : module.kernels) maps.emplace_back(kernel);
  }

  mutable LaunchGraph graph;                // of all kernels, where there are several
  mutable std::deque<TensorMapCache> maps;  // by kernel

  void load(const Compiled& compiled, const KernelFunction& kernel) {
    functions.push_back(CudaModule(device, compiled, kernel.name).function(cuda_symbol(kernel)));
  }

  void run(llvm::ArrayRef<Launch> launches, const Sizes& sizes) const override {
    std::vector<llvm::SmallVector<int64_t, 8>> values;  // what the arguments of launches point to
    std::vector<std::vector<EncodedMap>> encoded;
    for (const Launch& launch : launches) {
      values.push_back(values_of(module.kernels[launch.number], sizes));
      encoded.push_back(
          maps[launch.number].maps(functions[launch.number].context(), launch.arguments, sizes));
    }
    llvm::SmallVector<CudaLaunch, 2> given;
    for (size_t n = 0; n < launches.size(); ++n)
      given.push_back({&functions[launches[n].number], launches[n].dims,
                       addresses_of(launches[n].arguments, values[n], encoded[n])});
    if (given.size() > 1 && given.size() == functions.size() && !function.launches_early)
      return graph.launch(given);
    for (size_t n = 0; n < given.size(); ++n) {
      const bool is_early = contract.kernels[launches[n].number].starts_early;
      const auto start = is_early ? &CudaFunction::launch_early : &CudaFunction::launch;
      (given[n].function->*start)(given[n].dims, given[n].args);
    }
  }

 private:
  static llvm::SmallVector<void*, 16> addresses_of(llvm::ArrayRef<Storage> arguments,
                                                   llvm::MutableArrayRef<int64_t> values,
                                                   llvm::MutableArrayRef<EncodedMap> maps) {
    llvm::SmallVector<void*, 16> addresses;
    for (const Storage& argument : arguments)
      addresses.push_back(const_cast<void**>(&argument.data));
    // Little-endian: the low half of a value is the 32-bit one.
    for (int64_t& value : values) addresses.push_back(&value);
    for (EncodedMap& map : maps) addresses.push_back(&map);
    return addresses;
  }
};

struct SimState : Kernel::State {
  using State::State;
  llvm::SmallVector<SimKernel, 1> kernels;
  SimOptions options;
  void run(llvm::ArrayRef<Launch> launches, const Sizes& sizes) const override {
    for (const Launch& launch : launches) {
      llvm::SmallVector<SimArgument, 8> named;
      for (auto [tensor, argument] :
           llvm::zip(module.kernels[launch.number].arguments, launch.arguments))
        named.push_back({tensor->name, argument.data, argument.elements});
      kernels[launch.number].run(sizes, named, options);
    }
  }
};

struct HostState : Kernel::State {
  using State::State;
  /// Returns whether something was divided by zero.
  using Entry = int(void* const* pointers, const int64_t* sizes);
  std::optional<SharedLibrary> library;
  Entry* entry = nullptr;
  void run(llvm::ArrayRef<Launch> launches, const Sizes& sizes) const override {
    for (const Launch& launch : launches) {
      llvm::SmallVector<void*, 8> pointers;
      for (const Storage& argument : launch.arguments) pointers.push_back(argument.data);
      const KernelFunction& kernel = module.kernels[launch.number];
      if (entry(pointers.data(), values_of(kernel, sizes).data()) != 0)
        throw RuntimeError("{}: a division by zero; what its outputs hold is undefined",
                           kernel.name);
    }
  }
};

void dump(const std::string& source) {
  const char* wanted = std::getenv("HONE_DUMP");
  if (wanted && llvm::StringRef(wanted).contains("cuda")) fmt::print(stderr, "{}\n", source);
}

std::string joined_history(const Function& function) {
  std::string text;
  for (const std::string& entry : function.history) text += entry + "\n";
  return text;
}

std::shared_ptr<const Kernel::State> compile_cuda(const Function& function, Module module,
                                                  const Device& device) {
  auto state = std::make_shared<CudaState>(function, std::move(module), device);
  const NvrtcInfo* nvrtc = nvrtc_info();
  if (!nvrtc) throw RuntimeError("{}", nvrtc_missing());
  const std::string arch = nvrtc_target(*nvrtc, device.properties().arch);
  for (const KernelFunction& kernel : state->module.kernels) {
    check_architecture(kernel, device.properties().arch);
    const std::string source = emit_cuda(kernel);
    state->source += (state->source.empty() ? "" : "\n") + source;
    dump(source);
    const CompileJob job{source, kernel.name, target_of(kernel, arch), options_of(kernel),
                         joined_history(function)};
    state->load(*compile_to_fit(job, kernel), kernel);
  }
  return state;
}

std::shared_ptr<const Kernel::State> compile_replaced(const Function& function, Module module,
                                                      const Device& device,
                                                      const ReplacedSource& replaced) {
  auto state = std::make_shared<CudaState>(function, std::move(module), device);
  state->source = replaced.text;
  const auto compiled = compile_source(replaced, state->module, device.properties().arch);
  // Kernels of one code are of one module, whose variables they share.
  std::map<const Compiled*, CudaModule> modules;
  for (const auto& [kernel, code] : llvm::zip(state->module.kernels, compiled)) {
    const auto known = modules.try_emplace(code.get(), device, *code, replaced.path).first;
    state->functions.push_back(known->second.function(cuda_symbol(kernel)));
  }
  return state;
}

std::shared_ptr<const Kernel::State> compile_sim(const Function& function, Module module,
                                                 const CompileOptions& options) {
  auto state = std::make_shared<SimState>(function, std::move(module), Device::simulated());
  state->options.threads = options.sim_threads;
  for (const KernelFunction& kernel : state->module.kernels) {
    check_architecture(kernel, state->device.properties().arch);
    state->source += (state->source.empty() ? "" : "\n") + emit_cuda(kernel);
    state->kernels.emplace_back(kernel);
  }
  dump(state->source);
  return state;
}

/// A function of fixed type around the kernel, whose type depends on its arguments. It is all that
/// the library shows: nothing outside can replace its inner functions, nor the other way round.
std::string entry_point(const KernelFunction& kernel, llvm::StringRef name, bool may_fail) {
  std::string arguments;
  for (size_t n = 0; n < kernel.arguments.size(); ++n)
    arguments += fmt::format("{}pointers[{}]", n == 0 ? "" : ", ", n);
  for (size_t n = 0; n < kernel.params.size(); ++n)
    arguments += fmt::format("{}sizes[{}]", arguments.empty() ? "" : ", ", n);
  return fmt::format(
      "\n__attribute__((visibility(\"default\"))) int {}(void* const* pointers, const long* "
      "sizes) {{\n  (void)pointers;\n  (void)sizes;\n{}  {}({});\n  return {};\n}}\n",
      name.str(), may_fail ? "  divided_by_zero = 0;\n" : "", host_symbol(kernel), arguments,
      may_fail ? "divided_by_zero" : "0");
}

std::shared_ptr<const Kernel::State> compile_host(const Function& function, Module module) {
  auto state = std::make_shared<HostState>(function, std::move(module), Device::host());
  const KernelFunction& kernel = state->module.kernels.front();
  state->source = emit_c(kernel);
  dump(state->source);
  const bool may_fail = llvm::StringRef(state->source).contains("divided_by_zero = 1");
  constexpr const char* entry = "entry_of_hone";
  state->library = host_compile(
      {state->source + entry_point(kernel, entry, may_fail), kernel.name, {"-fvisibility=hidden"}});
  state->entry = state->library->function<HostState::Entry>(entry);
  return state;
}

/// The arguments of one kernel, out of the program's arrays and its workspace.
llvm::SmallVector<Storage, 8> arguments_of(const KernelContract& kernel,
                                           llvm::ArrayRef<AnyArray> arrays,
                                           const Workspace::Storages& workspace) {
  llvm::SmallVector<Storage, 8> arguments;
  for (const KernelOperand& operand : kernel.operands) {
    if (operand.kind == KernelOperand::Kind::argument) {
      const AnyArray& array = arrays[operand.number];
      arguments.push_back({array.data(), array.storage_size()});
    } else {
      const bool is_counter = operand.kind == KernelOperand::Kind::counter;
      arguments.push_back(
          (is_counter ? workspace.counters : workspace.temporaries)[operand.number]);
    }
  }
  return arguments;
}

void check_devices(const Module& module, const Device& device, llvm::ArrayRef<AnyArray> arrays) {
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays))
    if (device.is_cuda() ? array.device() != device : array.device().is_cuda())
      throw RuntimeError("{}: {} is on {}, and the kernel was compiled for {}; use to()",
                         module.name, tensor->name, array.device(), device);
}

}  // namespace

void Kernel::run(llvm::ArrayRef<AnyArray> arrays, const Sizes& more, Location location) const {
  located<RuntimeError>(location, [&] { launch(arrays, more); });
}

void Kernel::launch(llvm::ArrayRef<AnyArray> arrays, const Sizes& more) const {
  const Module& module = state_->module;
  const LaunchContract& contract = state_->contract;
  const Sizes sizes = resolve_sizes(contract, arrays, more);
  check_devices(module, state_->device, arrays);
  for (const AlignmentCheck& check : contract.alignments)
    check_alignment(check, arrays[check.argument].data());
  check_overlap(contract, state_->function, arrays);
  const auto shapes = state_->shapes(sizes);
  state_->workspace.use(sizes, [&](const Workspace::Storages& workspace) {
    std::vector<State::Launch> launches;
    for (size_t n = 0; n < shapes.size(); ++n)
      if (!is_empty(shapes[n]))
        launches.push_back({n, shapes[n], arguments_of(contract.kernels[n], arrays, workspace)});
    state_->run(launches, sizes);
  });
}

const Device& Kernel::device() const { return state_->device; }
const Module& Kernel::module() const { return state_->module; }
const LaunchContract& Kernel::contract() const { return state_->contract; }
const std::string& Kernel::source() const { return state_->source; }
Exported Kernel::export_to(const std::string& folder, const ExportOptions& options,
                           Location location) const {
  return export_program(state_->function, folder, options, location);
}
llvm::ArrayRef<CudaFunction> Kernel::functions() const { return state_->functions; }

Kernel compile(const Function& function, const CompileOptions& options, Location location) {
  return located_any(location, [&] {
    if (!function.body.defined()) throw DefinitionError("a function without a body is compiled");
    const Device device = options.device ? *options.device : Device::best();
    if (device.kind() == DeviceKind::host)
      return Kernel(compile_host(function, lower_host(function)));
    return compile(lower(function, {options.index_bits}), function, options);
  });
}

Kernel compile(Module module, const Function& program, const CompileOptions& options,
               Location location) {
  return located_any(location, [&] {
    const Device device = options.device ? *options.device : Device::best();
    assert(device.kind() != DeviceKind::host && "kernels are for a GPU");
    if (device.is_cuda()) return Kernel(compile_cuda(program, std::move(module), device));
    return Kernel(compile_sim(program, std::move(module), options));
  });
}

Kernel compile(Module module, const Function& program, const Device& gpu,
               const ReplacedSource& replaced, Location location) {
  return located_any(location, [&] {
    return Kernel(compile_replaced(program, std::move(module), gpu, replaced));
  });
}

}  // namespace hone
