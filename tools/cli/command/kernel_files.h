// The commands that take a file of CUDA text or of PTX in the place of a rung.
#pragma once

#include "tools/cli/command/commands.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// The variant of the command for a file of kernels, as `check FILE.cu` is of `check`, where the
/// first operand among the words behind its name is one; else the command.
const Command& variant_for(const Command& command, llvm::ArrayRef<std::string> words);

/// `explain FILE.cu [FILE.cu]`; `launch_options` are those of a launch.
int explain_files(const Arguments& arguments, const Session& session,
                  llvm::ArrayRef<Option> launch_options);

/// Counts the launch of the options, and of `over` before these where that is not null; tells of
/// what was left out of the text, and of findings.
KernelRun count_file(const std::string& path, const Arguments& arguments, const Arguments* over,
                     const Gpu* gpu, Output& out);

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
