#include "tools/cli/command/edited_run.h"

#include <chrono>

#include "codegen/c_form/identifiers.h"
#include "fmt/ranges.h"
#include "tools/cli/judge/kernel_check.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

RungRun run_checked(const Module& module, const RungRef& rung, const UserText& text,
                    const Problem& problem) {
  const auto start = std::chrono::steady_clock::now();
  CheckOutcome outcome = check_module(module, nullptr, problem, {}, nullptr);
  if (!outcome.clean())
    throw RuntimeError("{}: {}; `hone check {} --kernel={}` shows them", name_with(rung, &text),
                       outcome.verdict(), rung.name(), text.path);
  return {std::move(outcome.outputs), milliseconds_since(start)};
}

/// "matmul takes 40 registers, 8192 bytes of shared memory, spills 16 bytes"
std::string resources_text(const PtxasInfo& info) {
  return fmt::format("{} takes {} registers and {} bytes of shared memory, and spills {} bytes",
                     info.kernel, info.registers, info.shared_bytes,
                     info.spill_store_bytes + info.spill_load_bytes);
}

}  // namespace

Edit chosen_edit(const Arguments& arguments, const RungRef& rung) {
  const auto cuda = arguments.value("--replace-source");
  if (!cuda && !arguments.has("--kernel")) return {};
  if (cuda && arguments.has("--kernel"))
    throw UsageError("--kernel and --replace-source both say what runs; give one of them");
  check_runs_on_gpu(rung);
  const std::string device = arguments.value("--device").value_or("auto");
  if (cuda && (device == "sim" || device == "host"))
    throw UsageError(
        "--replace-source runs on a GPU, not on {}; --kernel takes kernel IR, which "
        "also runs on the simulated device",
        device);
  if (device == "host") throw UsageError("--kernel runs on a GPU or on the simulated device");
  if (!cuda) return {edited_kernels(arguments)};
  const UserText text = read_user_text(*cuda);
  check_kind(text, TextKind::cuda, "--replace-source");
  return {text, true};
}

RungRun run_edited(const Edit& edit, const RungRef& rung, const Device& device,
                   const Problem& problem) {
  const RungKernels kernels =
      kernels_of(rung, {}, problem.sizes, edit.is_cuda ? nullptr : edit.text_or_null());
  if (!device.is_cuda()) return run_checked(kernels.module, rung, *edit.text, problem);
  const Kernel kernel = edit.is_cuda ? compile(kernels.module, kernels.program, device,
                                               {edit.text->text, edit.text->path})
                                     : kernels.compile_for(device);
  return run_trial(kernel, kernels.program, problem);
}

int only_compile(const Edit& edit, const RungRef& rung, const Sizes& sizes,
                 const Session& session) {
  const Module module = kernels_of(rung, {}, sizes).module;
  const std::string arch = Device::simulated().properties().arch;
  const auto code = compile_source({edit.text->text, edit.text->path}, module, arch);
  std::vector<std::string> resources;
  for (const auto& [kernel, compiled] : llvm::zip(module.kernels, code))
    for (const PtxasInfo& info : compiled->kernels)
      if (info.kernel == cuda_symbol(kernel)) resources.push_back(resources_text(info));
  session.out.print(
      fmt::format("{} compiles for {}: {}\n", edit.text->path, arch, fmt::join(resources, "; ")));
  session.out.complain(
      fmt::format("error: {} did not run: CUDA needs a GPU, and none answers; `{} doctor` says "
                  "more, and --kernel takes kernel IR, which also runs on the simulated device\n",
                  name_with(rung, edit.text_or_null()), session.tool));
  return exit_failure;
}

}  // namespace hone
