// The time of a kernel of somebody's file, and its reasons: alone, or against another one.
#pragma once

#include "llvm/Support/JSON.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// The time of `after` on the GPU, what changed against `before` if that is not null, what it does
/// in vain, and the lines that cost most. Without an estimate of each, the lines alone.
std::string explanation_text(const KernelRun* before, const KernelRun& after, const Gpu* gpu);
llvm::json::Object explanation_json(const KernelRun* before, const KernelRun& after,
                                    const Gpu* gpu);

}  // namespace hone
