// Runs of kernels that a user has changed by hand, in the place of a rung's own.
#pragma once

#include "tools/cli/command/commands.h"
#include "tools/cli/judge/kernel_check.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/trial.h"

namespace hone {

/// The text that takes the place of a rung's kernels: kernel IR, or CUDA.
struct Edit {
  std::optional<UserText> text;  ///< nothing: the rung runs as it is
  bool is_cuda = false;

  const UserText* text_or_null() const { return text ? &*text : nullptr; }
};

/// The text of "--kernel" or "--replace-source". Throws UsageError where both are given, where the
/// rung runs on the host, and where a device is asked for that does not run such a text.
Edit chosen_edit(const Arguments& arguments, const RungRef& rung);

/// Runs the text with the rung's arrays and launches. On the simulated device kernels are checked
/// as they run, as nothing says that their threads keep out of each other's way: throws
/// RuntimeError where there are findings.
RungRun run_edited(const Edit& edit, const RungRef& rung, const Device& device,
                   const Problem& problem);

/// Checks CUDA text in the place of the rung's kernels on the simulated device, by way of its PTX.
/// `expected` null: nobody knows the right outputs. Throws CompileError, and RuntimeError for
/// functions that are not those of the kernels.
CheckOutcome check_source(const RungKernels& kernels, const UserText& text, const Problem& problem,
                          Expected expected);

}  // namespace hone
