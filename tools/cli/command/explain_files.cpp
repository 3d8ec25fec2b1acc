// `hone explain` of kernels in files of CUDA text.

#include "tools/cli/command/kernel_files.h"
#include "tools/cli/cuda/kernel_explanation.h"
#include "tools/cli/json_text.h"
#include "tools/cli/profile/profile.h"

namespace hone {
int explain_files(const Arguments& arguments, const Session& session,
                  llvm::ArrayRef<Option> launch_options) {
  const std::vector<std::string>& paths = arguments.positional();
  for (const std::string& path : paths)
    if (!is_kernel_file(path))
      throw UsageError("{} is no file of kernels, so there is nothing to compare with {}", path,
                       paths[0]);
  const Gpu* const gpu = chosen_target(arguments).gpu;
  const auto words = arguments.value("--before");
  std::optional<KernelRun> before;
  if (words || paths.size() > 1) {
    const Arguments over(split_words(words.value_or("")), launch_options);
    if (!over.positional().empty())
      throw UsageError("--before takes options of a launch, got '{}'", over.positional()[0]);
    before = count_file(paths[0], arguments, &over, gpu, session.out);
    if (before->report.has_failed) return exit_failure;
  }
  const KernelRun after = count_file(paths.back(), arguments, nullptr, gpu, session.out);
  if (after.report.has_failed) return exit_failure;
  const KernelRun* const against = before ? &*before : nullptr;
  if (arguments.has("--json"))
    print_json(explanation_json(against, after, gpu), session.out);
  else
    session.out.print(explanation_text(against, after, gpu));
  return exit_success;
}

}  // namespace hone
