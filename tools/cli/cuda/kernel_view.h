// The options that look into a launch: --trace and --break.
#pragma once

#include "runtime/ptx/trace/trace.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

inline constexpr Option trace_option = {
    "--trace", "block:X,Y,Z,thread:X,Y,Z",
    "print what a thread did, line by line; Y and Z may be left out"};
inline constexpr Option trace_limit_option = {"--trace-limit", "N",
                                              "the most lines of --trace; default 400"};
inline constexpr Option break_option = {
    "--break", "[FILE:]LINE[:COUNT]",
    "print the lanes of the warp of --trace, when it comes to a line the COUNT-th time"};

/// "block:1,thread:5", and as findings have it, "block (1, 0, 0), thread (5, 0, 0)"; what is left
/// out is 0. Throws UsageError.
ptx::ThreadChoice read_thread_choice(const std::string& text);
/// "12", "12:3", "half.h:7:2". Throws UsageError.
ptx::LineChoice read_line_choice(const std::string& text);

/// Of a launch: nothing, a thread, or a warp at a line.
class KernelView {
 public:
  /// Throws UsageError for options that say nothing sensible.
  explicit KernelView(const Arguments& arguments);

  void watch(ptx::LaunchOptions& options) const;
  /// With an end of the line; empty where nothing is asked for.
  std::string text(const KernelRun& run) const;

 private:
  ptx::ThreadChoice choice_;
  std::string break_text_;
  std::unique_ptr<ptx::ThreadTrace> trace_;
  std::unique_ptr<ptx::LineBreak> break_;
};

}  // namespace hone
