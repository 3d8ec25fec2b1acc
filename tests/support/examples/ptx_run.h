// Compiled programs as PTX on the simulated device, by way of NVRTC: all of their kernels, with
// tensor maps, temporaries and counters.
#pragma once

#include <string>

#include "runtime/compile.h"

namespace hone {

/// Runs the kernels of a program one after the other, checked, on arrays of the host. Returns the
/// findings as text. Throws CompileError, PtxError and RuntimeError.
std::string run_as_ptx(const Kernel& kernel, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes);

}  // namespace hone
