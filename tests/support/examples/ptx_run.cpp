#include "tests/support/examples/ptx_run.h"

#include "codegen/emit/emit.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/shared_limit.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/judge/ptx_run.h"

namespace hone {
namespace {

std::string ptx_of(const KernelFunction& kernel, const TextChange& change) {
  if (!change) return compiled_for_sm_90(kernel).ptx;
  return compile_cached({change(emit_cuda(kernel)), kernel.name, target_of(kernel, "sm_90"),
                         options_of(kernel), ""})
      ->ptx;
}

}  // namespace

std::string run_as_ptx(const Kernel& kernel, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
                       const TextChange& change) {
  std::vector<PtxText> texts;
  for (const KernelFunction& one : kernel.module().kernels) texts.push_back({ptx_of(one, change)});
  const auto is_unset = [](llvm::StringRef) { return false; };
  std::string findings;
  for (const PtxLaunch& launch :
       run_as_ptx(kernel.contract(), texts, arrays, sizes, is_unset, {.check = true, .threads = 1}))
    for (const auto& finding : launch.report.findings) findings += to_string(finding) + "\n";
  return findings;
}

}  // namespace hone
