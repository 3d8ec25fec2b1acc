#include "tools/cli/command/edited_run.h"

#include <chrono>

#include "tools/cli/cuda/kernel_result.h"
#include "tools/cli/judge/ptx_run.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

RungRun run_checked(const RungKernels& kernels, const RungRef& rung, const Edit& edit,
                    const Problem& problem) {
  const auto start = std::chrono::steady_clock::now();
  CheckOutcome outcome = edit.is_cuda ? check_source(kernels, *edit.text, problem, nullptr)
                                      : check_module(kernels.module, nullptr, problem, {}, nullptr);
  if (!outcome.clean())
    throw RuntimeError("{}: {}; `hone check {} {}={}` shows them",
                       name_with(rung, edit.text_or_null()), outcome.verdict(), rung.name(),
                       edit.is_cuda ? "--replace-source" : "--kernel", edit.text->path);
  return {std::move(outcome.outputs), milliseconds_since(start)};
}

void add(const ptx::Report& report, SourceLines& lines, CheckOutcome& outcome) {
  for (const ptx::Report::Finding& finding : report.findings) {
    outcome.findings += finding_text(finding, lines) + "\n";
    outcome.hints += is_hint(finding.kind) ? 1 : 0;
    outcome.kinds += is_hint(finding.kind) ? 0 : 1;
    outcome.all += is_hint(finding.kind) ? 0 : finding.count;
  }
  for (llvm::json::Value& record : findings_json(report))
    outcome.records.push_back(std::move(record));
}

}  // namespace

CheckOutcome check_source(const RungKernels& kernels, const UserText& text, const Problem& problem,
                          Expected expected) {
  const Module& module = kernels.module;
  std::vector<PtxText> texts;
  for (const auto& code : compile_source({text.text, text.path}, module,
                                         Device::simulated().properties().arch, {"-lineinfo"}))
    texts.push_back({code->ptx});
  const std::vector<AnyArray> arrays = arrays_on(Device::simulated(), kernels.program, problem);
  const LaunchContract contract = launch_contract(module);
  const auto is_unset = [&](llvm::StringRef name) {
    return llvm::any_of(problem.arguments, [&](const Argument& one) {
      return !one.is_input && one.tensor->name == name;
    });
  };
  CheckOutcome outcome;
  SourceLines lines;
  for (const PtxLaunch& launch :
       run_as_ptx(contract, texts, arrays, resolve_sizes(contract, arrays, problem.sizes), is_unset,
                  {.check = true})) {
    outcome.launches.push_back(fmt::format("{} of {}", counted(launch.report.blocks, "block"),
                                           counted(launch.threads, "thread")));
    add(launch.report, lines, outcome);
  }
  if (outcome.clean()) judge_results(arrays, module.arguments, problem, expected, outcome);
  return outcome;
}

Edit chosen_edit(const Arguments& arguments, const RungRef& rung) {
  const auto cuda = arguments.value("--replace-source");
  if (!cuda && !arguments.has("--kernel")) return {};
  if (cuda && arguments.has("--kernel"))
    throw UsageError("--kernel and --replace-source both say what runs; give one of them");
  check_runs_on_gpu(rung);
  if (arguments.value("--device") == "host")
    throw UsageError("{} runs on a GPU or on the simulated device",
                     cuda ? "--replace-source" : "--kernel");
  if (!cuda) return {edited_kernels(arguments)};
  const UserText text = read_user_text(*cuda);
  check_kind(text, TextKind::cuda, "--replace-source");
  return {text, true};
}

RungRun run_edited(const Edit& edit, const RungRef& rung, const Device& device,
                   const Problem& problem) {
  const RungKernels kernels =
      kernels_of(rung, {}, problem.sizes, edit.is_cuda ? nullptr : edit.text_or_null());
  if (!device.is_cuda()) return run_checked(kernels, rung, edit, problem);
  const Kernel kernel = edit.is_cuda ? compile(kernels.module, kernels.program, device,
                                               {edit.text->text, edit.text->path})
                                     : kernels.compile_for(device);
  return run_trial(kernel, kernels.program, problem);
}

}  // namespace hone
