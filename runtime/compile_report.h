// The report of a source that NVRTC refused.
#pragma once

#include <string>
#include <vector>

#include "runtime/nvrtc.h"

namespace hone {

/// Writes source, options, log and schedule into a fresh private folder and throws CompileError:
/// the first errors with the generated lines that they name, and the folder.
[[noreturn]] void throw_compile_error(const CompileJob& job,
                                      const std::vector<std::string>& options,
                                      const std::string& result, const std::string& log);

}  // namespace hone
