#include "runtime/fit_registers.h"

#include "codegen/identifiers.h"
#include "fmt/format.h"
#include "runtime/kernel_cache.h"

namespace hone {
namespace {

/// Of a block; 0 where the launch says.
int64_t threads_of(const KernelFunction& kernel) {
  int64_t threads = 1;
  for (const Expr& extent : kernel.block) threads *= as_int(extent).value_or(0);
  return threads;
}

bool fits(const Compiled& compiled, const KernelFunction& kernel, int64_t threads) {
  const std::string symbol = cuda_symbol(kernel);
  return llvm::all_of(compiled.kernels, [&](const PtxasInfo& info) {
    return info.kernel != symbol || info.registers <= registers_that_fit(threads);
  });
}

}  // namespace

int64_t registers_that_fit(int64_t threads) {
  // A multiprocessor has four parts with a quarter of the registers each, and deals warps out to
  // them in turn, which makes 4 * 32 threads a round; their registers come in units.
  constexpr int64_t round = 128, unit = 8;
  const int64_t rounded = (std::max<int64_t>(threads, 1) + round - 1) / round * round;
  return std::min<int64_t>(registers_per_block / rounded / unit * unit, 255);
}

std::shared_ptr<const Compiled> compile_to_fit(CompileJob job, const KernelFunction& kernel) {
  auto compiled = compile_cached(job);
  const int64_t threads = threads_of(kernel);
  if (threads == 0 || fits(*compiled, kernel, threads)) return compiled;
  job.options.push_back(fmt::format("--maxrregcount={}", registers_that_fit(threads)));
  return compile_cached(job);
}

}  // namespace hone
