// The kernel that a user means, among those of a file.
#pragma once

#include "runtime/cuda_text/cuda_text.h"
#include "tools/cli/cuda/launch_text.h"

namespace hone {

/// A file's PTX with the kernel that is launched.
struct ChosenKernel {
  std::string path;
  ptx::TranslatedText text;
  ptx::NamedKernel kernel;
};

/// True if the file may be CUDA text or PTX: FILE.cu, FILE.cuh, FILE.h, FILE.ptx.
bool is_kernel_file(llvm::StringRef path);

/// Compiles the file, unless it is PTX. Throws UsageError where the launch names no kernel that it
/// has, or none and there are several; RuntimeError where the file does not compile.
ChosenKernel choose_kernel(const std::string& path, const LaunchText& launch,
                           bool has_machine_code = false);

/// "int n, float const* x": with names where they are known.
std::string params_text(const ptx::NamedKernel& kernel);

}  // namespace hone
