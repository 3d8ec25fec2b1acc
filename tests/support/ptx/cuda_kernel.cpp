#include "tests/support/ptx/cuda_kernel.h"

#include <numeric>

#include "llvm/Support/MathExtras.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone::ptx {

CudaKernel::CudaKernel(const std::string& source, const std::string& arch) {
  CompileJob job;
  job.source = source;
  job.name = "test";
  job.arch = arch;
  job.options = {"-lineinfo"};
  job.by_hand = true;
  const Compiled compiled = nvrtc_compile(job);
  module_ = std::make_unique<LoadedModule>(compiled.ptx, memory_, compiled.cubin);
}

namespace {

/// As they lie in memory.
std::vector<std::byte> params_of(const KernelInfo& kernel, const std::vector<Argument>& arguments) {
  std::vector<std::byte> params(kernel.param_bytes);
  for (size_t n = 0; n < std::min(arguments.size(), kernel.params.size()); ++n)
    std::copy(arguments[n].bytes.begin(), arguments[n].bytes.end(),
              params.begin() + kernel.params[n].offset);
  return params;
}

}  // namespace

Report CudaKernel::run(const LaunchShape& shape, const std::vector<Argument>& arguments,
                       const LaunchOptions& options) {
  const KernelInfo& kernel = module_->kernels().front();
  return launch(*module_, kernel, shape, params_of(kernel, arguments), options);
}

std::optional<BlockPace> CudaKernel::pace(const LaunchShape& shape,
                                          const std::vector<Argument>& arguments,
                                          const LaunchCounts& counts, double dram_share) {
  const KernelInfo& kernel = module_->kernels().front();
  return pace_of_block(*module_, kernel, shape, params_of(kernel, arguments), counts, dram_share);
}

std::vector<float> counting(int count) {
  std::vector<float> all(count);
  std::iota(all.begin(), all.end(), 1.0f);
  return all;
}

std::string findings_of(const Report& report) {
  std::string text;
  for (const Report::Finding& finding : report.findings) text += to_string(finding) + "\n";
  return text;
}

std::string why_no_nvrtc() { return nvrtc_info() ? "" : nvrtc_missing(); }

}  // namespace hone::ptx
