// NVRTC in a process of its own: it crashes on some texts, and takes hours for others.
#pragma once

#include "runtime/nvrtc/nvrtc.h"

namespace hone::ptx {

/// The answer of NVRTC about a text.
struct CompileReply {
  bool is_compiled = false;
  std::string ptx, log;
  std::vector<std::string> mangled;  ///< the names of the job's expressions
};

/// Compiles. A text that NVRTC refuses has a log. Throws RuntimeError where NVRTC is missing, does
/// not know the architecture or an option, ends by a signal, or takes more than so many seconds of
/// a processor.
CompileReply compile_apart(const CompileJob& job, unsigned seconds = 120);

}  // namespace hone::ptx
