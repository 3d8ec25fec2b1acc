// What a kernel of somebody's file takes its time for: alone, or against another one.
#pragma once

#include "llvm/Support/JSON.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// A counted launch, and what it is called: "sum.cu: sum<256>, 4 blocks of 256 threads".
struct NamedRun {
  const KernelRun& run;
  std::string name;
};

/// The time of `after` on the GPU, what changed against `before` if that is not null, what it does
/// in vain, and the lines that cost most. Where there is no estimate of both, the lines alone.
std::string explanation_text(const NamedRun* before, const NamedRun& after, const Gpu* gpu);
llvm::json::Object explanation_json(const NamedRun* before, const NamedRun& after, const Gpu* gpu);

}  // namespace hone
