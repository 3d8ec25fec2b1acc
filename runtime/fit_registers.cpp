#include "runtime/fit_registers.h"

#include "codegen/c_form/identifiers.h"
#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/nvrtc/kernel_cache.h"

namespace hone {
int64_t registers_that_fit(int64_t threads) {
  // A multiprocessor has four parts with a quarter of the registers each, and deals warps out to
  // them in turn, which makes 4 * 32 threads a round; their registers come in units.
  const ArchitectureLimits& limits = widest_architecture();
  const int64_t round = limits.register_files * warp_size, unit = limits.register_unit / warp_size;
  const int64_t rounded = llvm::alignTo(std::max<int64_t>(threads, 1), round);
  return std::min<int64_t>(limits.registers_per_block / rounded / unit * unit,
                           limits.max_registers);
}

int64_t threads_of(const KernelFunction& kernel) {
  int64_t threads = 1;
  for (const Expr& extent : kernel.block) threads *= as_int(extent).value_or(0);
  return threads;
}

bool fits_registers(const Compiled& compiled, const KernelFunction& kernel) {
  const int64_t threads = threads_of(kernel);
  const std::string symbol = cuda_symbol(kernel);
  return threads == 0 || llvm::all_of(compiled.kernels, [&](const PtxasInfo& info) {
           return info.kernel != symbol || info.registers <= registers_that_fit(threads);
         });
}

std::shared_ptr<const Compiled> compile_to_fit(CompileJob job, const KernelFunction& kernel) {
  auto compiled = compile_cached(job);
  if (fits_registers(*compiled, kernel)) return compiled;
  job.options.push_back(fmt::format("--maxrregcount={}", registers_that_fit(threads_of(kernel))));
  return compile_cached(job);
}

}  // namespace hone
