// The report of a source that NVRTC refused.
#pragma once

#include <string>
#include <vector>

#include "runtime/nvrtc/nvrtc.h"

namespace hone {

/// Throws CompileError: the first errors with the lines of the source that they name. Of a source
/// that Hone generated, source, options, log and schedule go into a fresh private folder, which the
/// error names.
[[noreturn]] void throw_compile_error(const CompileJob& job,
                                      const std::vector<std::string>& options,
                                      const std::string& result, const std::string& log);

}  // namespace hone
