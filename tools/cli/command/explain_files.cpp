// `hone explain` of kernels in files of CUDA text.

#include "tools/cli/command/kernel_files.h"
#include "tools/cli/cuda/kernel_explanation.h"
#include "tools/cli/json_text.h"
#include "tools/cli/profile/profile.h"

namespace hone {
namespace {

/// The launches of a command line.
class FileExplainer {
 public:
  FileExplainer(const Arguments& arguments, Output& out)
      : arguments_(arguments), out_(out), gpu_(chosen_target(arguments).gpu) {}

  KernelRun count(const std::string& path, const Arguments* over) const {
    LaunchText text = read_launch_text(path, arguments_, Device::simulated(), over);
    if (arguments_.has("--gpu")) text.arch = gpu_->arch;
    ptx::LaunchOptions options;
    options.most_blocks = chosen_blocks(arguments_);
    KernelRun run = count_kernel(path, text, chosen_seed(arguments_), options, gpu_);
    tell_left_out(run, out_);
    tell_findings(run, out_, run.report.has_failed ? "error" : "warning");
    return run;
  }

  void print(const KernelRun* before, const KernelRun& after) const {
    const auto named = [](const KernelRun& run) {
      return NamedRun{run, fmt::format("{}, {}", run.title(), launch_text(run))};
    };
    std::optional<NamedRun> first;
    if (before) first.emplace(named(*before));
    const NamedRun* const against = first ? &*first : nullptr;
    if (arguments_.has("--json"))
      print_json(explanation_json(against, named(after), gpu_), out_);
    else
      out_.print(explanation_text(against, named(after), gpu_));
  }

 private:
  const Arguments& arguments_;
  Output& out_;
  const Gpu* gpu_;
};

}  // namespace

int explain_files(const Arguments& arguments, const Session& session,
                  llvm::ArrayRef<Option> launch_options) {
  const std::vector<std::string>& paths = arguments.positional();
  for (const std::string& path : paths)
    if (!is_kernel_file(path))
      throw UsageError("{} is no file of kernels, so there is nothing to compare with {}", path,
                       paths[0]);
  const FileExplainer explainer(arguments, session.out);
  const auto words = arguments.value("--before");
  std::optional<KernelRun> before;
  if (words || paths.size() > 1) {
    const Arguments over(split_words(words.value_or("")), launch_options);
    if (!over.positional().empty())
      throw UsageError("--before takes options of a launch, got '{}'", over.positional()[0]);
    before = explainer.count(paths[0], &over);
    if (before->report.has_failed) return exit_failure;
  }
  const KernelRun after = explainer.count(paths.back(), nullptr);
  if (after.report.has_failed) return exit_failure;
  explainer.print(before ? &*before : nullptr, after);
  return exit_success;
}

}  // namespace hone
