// Runs a list of passes, and looks at the kernel behind each of them.
#pragma once

#include "codegen/kernel.h"
#include "codegen/verify_kernel.h"

namespace hone {

struct Pass {
  const char* name;
  void (*run)(KernelFunction&);
  KernelForm makes = KernelForm::nest;
};

/// Runs them in their order. With HONE_DUMP=ir it prints the kernel after each pass that changed
/// something, to standard error; with HONE_DUMP=time, the microseconds of each. In builds with
/// asserts, HONE_VERIFY=1 verifies the kernel after each pass that changed it, and a pass that made
/// malformed kernel IR ends the program with a message that names it.
void run_passes(llvm::ArrayRef<Pass> passes, KernelFunction& kernel);

}  // namespace hone
