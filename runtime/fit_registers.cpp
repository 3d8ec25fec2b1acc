#include "runtime/fit_registers.h"

#include "codegen/emit/identifiers.h"
#include "fmt/format.h"
#include "runtime/nvrtc/kernel_cache.h"

namespace hone {
int64_t registers_that_fit(int64_t threads) {
  // A multiprocessor has four parts with a quarter of the registers each, and deals warps out to
  // them in turn, which makes 4 * 32 threads a round; their registers come in units.
  constexpr int64_t round = 128, unit = 8;
  const int64_t rounded = (std::max<int64_t>(threads, 1) + round - 1) / round * round;
  return std::min<int64_t>(registers_per_block / rounded / unit * unit, 255);
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
