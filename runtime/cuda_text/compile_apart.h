// NVRTC in a process of its own: it crashes on some texts, and takes hours for others.
#pragma once

#include "runtime/nvrtc/disk_cache.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone::ptx {

constexpr unsigned default_seconds = 120;

/// The answer of NVRTC about a text.
struct CompileReply {
  bool is_compiled = false;
  std::string ptx, log;
  std::vector<char> cubin;           ///< empty for a virtual architecture
  std::vector<std::string> mangled;  ///< the names of the job's expressions
  bool is_kept = false;              ///< an earlier process has compiled it
};

/// NVRTC has ended by a signal.
class CompileCrash : public RuntimeError {
  using RuntimeError::RuntimeError;
};

/// Compiles. A text that NVRTC refuses has a log. Throws RuntimeError where NVRTC is missing, does
/// not know the architecture or an option, or takes more than so many seconds of a processor, and
/// CompileCrash.
CompileReply compile_apart(const CompileJob& job, unsigned seconds = default_seconds);

/// The same, and keeps the answer on disk: a job that has all of its headers, but for those of the
/// toolkit, has the same answer later.
CompileReply compile_kept(const CompileJob& job, DiskCache& cache = DiskCache::of_this_process());

}  // namespace hone::ptx
