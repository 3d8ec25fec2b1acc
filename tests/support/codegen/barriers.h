// Kernels with a barrier less: what a test of barriers has to notice.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// Barriers in the text of the kernel.
int count_barriers(const KernelFunction& kernel);

/// The kernel without its barrier number `n`, in the order of the text.
KernelFunction without_barrier(const KernelFunction& kernel, int n);

}  // namespace hone
