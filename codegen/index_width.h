// Which sizes indices of 32 bits are enough for.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// The largest size that 32-bit indices of this kernel address: leaves room for the threads of a
/// last block that stand beyond the end, and for loops that count on beyond it in steps.
int64_t max_size_32(const KernelFunction& kernel);

}  // namespace hone
