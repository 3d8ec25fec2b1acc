// CUDA text to machine code, through NVIDIA's run-time compiler. Needs no GPU and no driver.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "runtime/nvrtc/ptxas.h"

namespace hone {

/// The NVRTC of this process.
struct NvrtcInfo {
  std::string path;
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  ///< compute capabilities it compiles for, ascending: 75, 80, ...
  std::string headers;             ///< folder of cuda_fp16.h, on the include path; may be empty
  std::string fingerprint;         ///< changes when the library does, also within a version
};

/// The NVRTC that was found, or null. The search runs once in a process.
const NvrtcInfo* nvrtc_info();

/// The places that the search tried and how to get NVRTC; empty when it was found.
const std::string& nvrtc_missing();

/// "sm_75, sm_80, ..., sm_90 (sm_90a), ...": what `arch` of a job may be.
std::string supported_architectures(const NvrtcInfo& info);

/// The target for a device of architecture `device_arch` ("sm_90"): itself where NVRTC knows it,
/// and for a newer device the newest virtual architecture ("compute_120"), which the driver
/// translates.
std::string nvrtc_target(const NvrtcInfo& info, const std::string& device_arch);

/// A translation unit to compile.
struct CompileJob {
  std::string source;
  std::string name = "kernel";       ///< names the file in messages: "<name>.cu"
  std::string arch;                  ///< "sm_90", "sm_90a": machine code; "compute_90": PTX alone
  std::vector<std::string> options;  ///< besides --std=c++17, the architecture and -v for ptxas
  std::string schedule;              ///< the origin of the source, for the report of a failure
  bool by_hand = false;              ///< somebody wrote it: what is wrong with it is no bug of Hone
  /// By the names that `#include` has for them. A job that has some is none for compile_cached().
  std::map<std::string, std::string> headers{};
  std::vector<std::string> expressions{};  ///< instances of templates: "gemm<128, float>"
};

/// The options of HONE_NVRTC_OPTIONS, quoted as on a command line; @FILE: those that the file has.
/// Throws RuntimeError where one chooses the architecture.
std::vector<std::string> nvrtc_options_of_environment();

/// The options that NVRTC gets for a job: the defaults, the job's own, which may have another
/// `--std`, and those of HONE_NVRTC_OPTIONS.
std::vector<std::string> nvrtc_options(const CompileJob& job);

/// The result of a compilation. `cubin` is empty for a virtual architecture.
struct Compiled {
  std::string ptx;
  std::vector<char> cubin;
  std::string log;
  std::vector<std::string> mangled;   ///< the names of the job's expressions
  std::vector<PtxasInfo> kernels;     ///< read from the log
  std::vector<std::string> warnings;  ///< read from the log
  double milliseconds = 0;
  bool from_cache = false;
};

/// NVRTC refused a source: one that Hone generated, which is a bug in Hone, with all that is needed
/// to report it, or one that was written by hand, with its lines.
class CompileError : public RuntimeError {
 public:
  CompileError(const std::string& message, std::string folder, std::string log)
      : RuntimeError("{}", message), folder_(std::move(folder)), log_(std::move(log)) {}

  /// The folder that holds kernel.cu, options.txt, log.txt and schedule.txt; empty for a source
  /// that was written by hand.
  const std::string& folder() const { return folder_; }
  const std::string& log() const { return log_; }

 private:
  std::string folder_, log_;
};

/// Compiles. Throws RuntimeError where NVRTC is missing or does not know the architecture, and
/// CompileError where it refuses the source.
Compiled nvrtc_compile(const CompileJob& job);

}  // namespace hone
