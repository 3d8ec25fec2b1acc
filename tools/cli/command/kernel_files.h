// The commands that take a file of CUDA text or of PTX in the place of a rung.
#pragma once

#include "tools/cli/command/commands.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// `check FILE.cu` and `run FILE.cu`, by the names of the commands for rungs.
llvm::ArrayRef<Command> kernel_file_commands();

/// `explain FILE.cu [FILE.cu]`; `launch_options` are those of a launch.
int explain_files(const Arguments& arguments, const Session& session,
                  llvm::ArrayRef<Option> launch_options);

/// The blocks of --blocks; 0 where there is none. Throws UsageError for what is no number.
int64_t chosen_blocks(const Arguments& arguments);
/// "1 block of 256 threads", "64 of 4096 blocks of 256 threads"
std::string launch_text(const KernelRun& run);
/// Tells of device code that did not compile, and of what was changed.
void tell_left_out(const KernelRun& run, Output& out);
/// Tells of accesses that a GPU may not notice, or why the launch failed.
void tell_findings(const KernelRun& run, Output& out, const char* kind);

/// The words and the numbers of `check` for a page.
struct KernelPageTexts {
  std::string launch, verdict;  ///< "4 blocks of 256 threads", "no findings in 4 blocks..."
  int64_t most_blocks = 0;
  uint64_t seed = 1;
};
/// `check FILE.cu --html=FILE`: runs the launch once more, counts it, and writes the page.
void write_kernel_page(const KernelRun& checked, const KernelPageTexts& texts,
                       const LaunchText& launch, const Arguments& arguments, Output& out);

}  // namespace hone
