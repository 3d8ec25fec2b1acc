// CUDA text that takes the place of a program's own: with the same arguments, launches and checks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {

/// CUDA text that somebody wrote, or changed. Its functions have the names and the parameters of
/// those that the generated text has.
struct ReplacedSource {
  std::string text;
  std::string path;  ///< names it in messages
};

/// Compiles the text for a device of this architecture, with these options of NVRTC: the code of
/// each kernel of the module, in order, which is the same for all but where a block would take too
/// many registers. Throws RuntimeError where a function is missing or its parameters take other
/// bytes than a launch gives, and as nvrtc_compile does.
std::vector<std::shared_ptr<const Compiled>> compile_source(
    const ReplacedSource& source, const Module& module, const std::string& device_arch,
    const std::vector<std::string>& options = {});

}  // namespace hone
