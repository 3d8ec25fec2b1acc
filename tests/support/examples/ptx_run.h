// Compiled programs as PTX on the simulated device, by way of NVRTC: all of their kernels, with
// tensor maps, temporaries and counters.
#pragma once

#include <functional>
#include <string>

#include "runtime/compile.h"

namespace hone {

/// Changes the CUDA text of a kernel.
using TextChange = std::function<std::string(const std::string&)>;

/// Runs the kernels of a program one after the other, checked, on arrays of the host. Returns the
/// findings as text. Throws CompileError, PtxError and RuntimeError.
std::string run_as_ptx(const Kernel& kernel, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
                       const TextChange& change = {});

}  // namespace hone
