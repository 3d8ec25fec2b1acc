#include "tools/cli/cuda/launch_device.h"

#include <bit>
#include <cstring>

#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/cuda_module.h"

namespace hone {
namespace {

class SimulatedLaunchDevice : public LaunchDevice {
 public:
  SimulatedLaunchDevice(const ptx::LoadedModule& module, const ptx::KernelInfo& kernel)
      : module_(module), kernel_(kernel) {}

  uint64_t allocate(int64_t bytes, const std::string& name, bool is_unset) override {
    return module_.memory().allocate(bytes, name, is_unset);
  }
  void write(uint64_t address, llvm::ArrayRef<std::byte> bytes) override {
    std::copy(bytes.begin(), bytes.end(), at(address));
  }
  void read(uint64_t address, llvm::MutableArrayRef<std::byte> bytes) const override {
    std::copy_n(at(address), bytes.size(), bytes.begin());
  }
  std::optional<bool> is_written(uint64_t address) const override {
    const ptx::Allocation* const allocation = module_.memory().find(address);
    return allocation && allocation->is_written;
  }
  uint64_t variable(const std::string& name) const override { return module_.variable(name).first; }
  ptx::Report launch(const ptx::LaunchShape& shape, llvm::ArrayRef<std::byte> params,
                     const ptx::LaunchOptions& options) override {
    return ptx::launch(module_, kernel_, shape, params, options);
  }

 private:
  /// Addresses of the simulated device are those of the host.
  static std::byte* at(uint64_t address) { return std::bit_cast<std::byte*>(address); }

  const ptx::LoadedModule& module_;
  const ptx::KernelInfo& kernel_;
};

Compiled code_of(const ptx::TranslatedText& text) {
  Compiled compiled;
  compiled.ptx = text.ptx;
  compiled.cubin = text.cubin;
  return compiled;
}

class CudaLaunchDevice : public LaunchDevice {
 public:
  CudaLaunchDevice(const Device& device, const ptx::TranslatedText& text,
                   const ptx::KernelInfo& kernel)
      : context_(device.context()),
        kernel_(kernel),
        module_(device, code_of(text), "the text"),
        function_(module_.function(kernel.name)) {}

  uint64_t allocate(int64_t bytes, const std::string&, bool) override {
    const auto release = [context = &context_](void* memory) { context->release(memory); };
    arrays_.emplace_back(context_.allocate(std::max<int64_t>(bytes, 1)), release);
    return std::bit_cast<uint64_t>(arrays_.back().get());
  }
  void write(uint64_t address, llvm::ArrayRef<std::byte> bytes) override {
    if (!bytes.empty()) context_.copy_to_device(at(address), bytes.data(), bytes.size());
  }
  void read(uint64_t address, llvm::MutableArrayRef<std::byte> bytes) const override {
    if (!bytes.empty()) context_.copy_to_host(bytes.data(), at(address), bytes.size());
  }
  std::optional<bool> is_written(uint64_t) const override { return std::nullopt; }
  uint64_t variable(const std::string& name) const override {
    return std::bit_cast<uint64_t>(module_.address_of(name));
  }
  ptx::Report launch(const ptx::LaunchShape& shape, llvm::ArrayRef<std::byte> params,
                     const ptx::LaunchOptions&) override {
    std::vector<void*> arguments;
    for (const ptx::KernelParam& param : kernel_.params)
      arguments.push_back(const_cast<std::byte*>(params.data() + param.offset));
    function_.launch(dims_of(shape), arguments);
    context_.synchronize();
    ptx::Report report;
    report.blocks = report.run_blocks = shape.grid[0] * shape.grid[1] * shape.grid[2];
    return report;
  }

 private:
  static void* at(uint64_t address) { return std::bit_cast<void*>(address); }

  /// A driver may refuse clusters for a kernel that says itself what its clusters are.
  LaunchDims dims_of(const ptx::LaunchShape& shape) const {
    LaunchDims dims{shape.grid, shape.block, shape.dynamic_shared};
    for (size_t dim = 0; dim < 3; ++dim)
      if (shape.cluster[dim] != std::max(kernel_.cluster[dim], 1)) dims.cluster = shape.cluster;
    return dims;
  }

  const CudaContext& context_;
  const ptx::KernelInfo& kernel_;
  CudaModule module_;
  CudaFunction function_;
  std::vector<std::shared_ptr<void>> arrays_;
};

}  // namespace

std::unique_ptr<LaunchDevice> load_on(const Device& device, const ptx::TranslatedText& text,
                                      const ptx::LoadedModule& module,
                                      const ptx::KernelInfo& kernel) {
  if (device.is_cuda()) return std::make_unique<CudaLaunchDevice>(device, text, kernel);
  return std::make_unique<SimulatedLaunchDevice>(module, kernel);
}

}  // namespace hone
