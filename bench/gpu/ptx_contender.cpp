#include "bench/gpu/ptx_contender.h"

#include <bit>
#include <cstring>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// The bytes of a tensor of the contest's, or of a temporary.
int64_t bytes_of(const std::string& tensor, const HandwrittenKernel& kernel, const Contest& contest,
                 const Sizes& sizes) {
  for (const HandwrittenTemporary& temporary : kernel.temporaries)
    if (temporary.name == tensor) return 4 * temporary.elements;
  const DType type = tensor == contest.output ? contest.output_type : contest.type_of_input(tensor);
  return contest.elements(tensor, sizes) * size_of(type);
}

/// A launch with tensors in memory of its own, between guards.
class PtxLaunch {
 public:
  PtxLaunch(std::shared_ptr<const Compiled> compiled, HandwrittenLaunch launch,
            std::vector<int64_t> bytes, std::vector<int64_t> values)
      : compiled_(std::move(compiled)),
        launch_(std::move(launch)),
        bytes_(std::move(bytes)),
        values_(std::move(values)) {}

  ptx::Report run(llvm::ArrayRef<void*> tensors, const ptx::LaunchOptions& options) const {
    ptx::Memory memory;
    std::vector<uint64_t> arguments;
    for (size_t n = 0; n < tensors.size(); ++n)
      arguments.push_back(memory.allocate_copy(tensors[n], bytes_[n], launch_.tensors[n]));
    llvm::append_range(arguments, values_);
    ptx::Report report = start(memory, arguments, options);
    for (size_t n = 0; n < tensors.size(); ++n)
      std::memcpy(tensors[n], std::bit_cast<const void*>(arguments[n]), bytes_[n]);
    return report;
  }

 private:
  ptx::Report start(ptx::Memory& memory, llvm::ArrayRef<uint64_t> arguments,
                    const ptx::LaunchOptions& options) const {
    const ptx::LoadedModule module(compiled_->ptx, memory, compiled_->cubin);
    const ptx::KernelInfo* const info = module.find(launch_.entry);
    if (!info) throw RuntimeError("PTX lacks {}", launch_.entry);
    std::vector<std::byte> params(info->param_bytes);
    // Little-endian: an int parameter takes the low half of the value.
    for (size_t n = 0; n < arguments.size(); ++n)
      std::memcpy(params.data() + info->params[n].offset, &arguments[n], info->params[n].bytes);
    ptx::LaunchShape shape = {.grid = launch_.dims.grid,
                              .block = launch_.dims.block,
                              .dynamic_shared = launch_.dims.shared_bytes};
    for (size_t dim = 0; dim < 3; ++dim) shape.cluster[dim] = std::max(info->cluster[dim], 1);
    return ptx::launch(module, *info, shape, params, options);
  }

  std::shared_ptr<const Compiled> compiled_;
  HandwrittenLaunch launch_;
  std::vector<int64_t> bytes_, values_;
};

}  // namespace

Contender ptx_contender(const HandwrittenKernel& kernel, const Contest& contest, const Sizes& sizes,
                        const ptx::LaunchOptions& options, std::vector<ptx::Report>& reports) {
  Contender contender = handwritten_contender(kernel, sizes, {Device::simulated(), "sm_90"});
  for (Stage& stage : contender.stages) {
    std::vector<int64_t> bytes, values;
    for (const std::string& tensor : stage.tensors)
      bytes.push_back(bytes_of(tensor, kernel, contest, sizes));
    for (const std::string& param : stage.params) values.push_back(sizes.at(param));
    const PtxLaunch launch(contender.modules[stage.module], stage, bytes, values);
    stage.call = [launch, options, &reports](llvm::ArrayRef<void*> tensors) {
      reports.push_back(launch.run(tensors, options));
    };
  }
  return contender;
}

}  // namespace hone
