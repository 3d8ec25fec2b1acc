// Kernels against the meaning of the loops that they were made of.
#pragma once

#include "codegen/kernel.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// Memory for the arguments, full of small integers; the same for the same shapes.
Buffers small_integers(const Function& function, const Sizes& sizes);

/// Expects the only kernel of `function` to leave on the simulated device what the interpreter
/// leaves, with no race between threads.
void expect_as_interpreted(const Function& function, const Sizes& sizes);
void expect_as_interpreted_at(llvm::ArrayRef<Sizes> all_sizes, const Function& function);

/// Expects the same of what the C compiler of the host makes of `function`.
void expect_as_interpreted_on_host(const Function& function, const Sizes& sizes);

}  // namespace hone
