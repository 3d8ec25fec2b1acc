#include "tools/cli/judge/forms.h"

#include "codegen/contract/launch_contract.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/ranges.h"
#include "ir/schedule/legality/dependences.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/nvrtc/disassembler.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/line_diff.h"
#include "tools/cli/source/rung_source.h"

namespace hone {
namespace {

struct NamedForm {
  std::string_view name;
  EmitForm form;
  bool on_gpu, on_host, of_text;  ///< the rungs that have it
};

constexpr NamedForm forms[] = {
    {"source", EmitForm::source, true, true, false},
    {"schedule", EmitForm::schedule, true, true, false},
    {"dependences", EmitForm::dependences, true, true, true},
    {"loops", EmitForm::loops, true, true, false},
    {"kernel", EmitForm::kernel, true, true, true},
    {"cuda", EmitForm::cuda, true, false, true},
    {"c", EmitForm::c, true, true, false},
    {"ptx", EmitForm::ptx, true, false, true},
    {"cubin", EmitForm::cubin, true, false, true},
    {"sass", EmitForm::sass, true, false, true},
    {"launch", EmitForm::launch, true, false, true},
};

bool has_form(const Rung& rung, const NamedForm& form) {
  if (is_given_as_text(rung)) return form.of_text;
  return rung.target == RungTarget::gpu ? form.on_gpu : form.on_host;
}

void check_form(const RungRef& rung, EmitForm form) {
  std::vector<std::string_view> available;
  for (const NamedForm& entry : forms)
    if (has_form(*rung.rung, entry)) available.push_back(entry.name);
  if (llvm::is_contained(available, name(form))) return;
  throw UsageError("{} {} and has no {}; it has {}", rung.name(),
                   is_given_as_text(*rung.rung) ? "is given as kernels" : "runs on the host",
                   name(form), fmt::join(available, ", "));
}

/// The definitions as comments, then the calls.
std::string schedule_text(const Schedule& schedule) {
  const auto& history = schedule.function().history;
  std::string text;
  for (const std::string& definition :
       llvm::ArrayRef<std::string>(history).drop_back(schedule.trace().size()))
    text += "// " + definition + "\n";
  return text + schedule.trace_text();
}

/// Of the program, and of the loops that a schedule made of it.
std::string dependences_text(const RungRef& rung, const Sizes& fixed, const RungKernels& kernels) {
  const Program program = program_of(rung, fixed);
  std::string text = fmt::format("// {}, before a schedule\n{}", program.function().name,
                                 to_string(dependences_of(program.function())));
  if (!kernels.schedule || kernels.schedule->trace().empty()) return text;
  return text + fmt::format("\n// the loops of {}\n{}", rung.name(),
                            to_string(dependences_of(kernels.program)));
}

std::string kernel_text(const Module& module) {
  std::string text;
  for (const KernelFunction& kernel : module.kernels)
    text += (text.empty() ? "" : "\n") + to_string(kernel) + "\n";
  return text;
}

std::string cuda_text(const Module& module) {
  std::string text;
  for (const KernelFunction& kernel : module.kernels)
    text += (text.empty() ? "" : "\n") + emit_cuda(kernel);
  return text;
}

Compiled machine_code(const RungKernels& kernels, const std::string& arch) {
  CompileJob job;
  job.source = cuda_text(kernels.module);
  job.name = kernels.module.name;
  job.arch = arch;
  job.options = options_of(kernels.module);
  if (kernels.schedule) job.schedule = kernels.schedule->trace_text();
  const NvrtcInfo* nvrtc = nvrtc_info();
  if (arch.empty() && nvrtc) job.arch = nvrtc_target(*nvrtc, Device::best().properties().arch);
  for (const KernelFunction& kernel : kernels.module.kernels) check_architecture(kernel, job.arch);
  job.arch = target_of(kernels.module, job.arch);
  return nvrtc_compile(job);
}

std::string cubin_of(const RungKernels& kernels, const std::string& arch) {
  const Compiled compiled = machine_code(kernels, arch);
  if (compiled.cubin.empty())
    throw RuntimeError("{} is a virtual architecture, for which there is PTX and no cubin", arch);
  return {compiled.cubin.begin(), compiled.cubin.end()};
}

}  // namespace

std::string_view name(EmitForm form) {
  for (const NamedForm& entry : forms)
    if (entry.form == form) return entry.name;
  llvm_unreachable("a form without a name");
}

std::vector<std::string> names_of_forms() {
  std::vector<std::string> names;
  for (const NamedForm& entry : forms) names.emplace_back(entry.name);
  return names;
}

EmitForm parse_form(const std::string& text) {
  for (const NamedForm& entry : forms)
    if (entry.name == text) return entry.form;
  throw unknown("form", text, names_of_forms(), "--emit");
}

EmitForm default_form(const Rung& rung) {
  return rung.target == RungTarget::host ? EmitForm::c : EmitForm::cuda;
}

std::vector<unsigned> cuda_lines_above(const Module& module) {
  std::vector<unsigned> above;
  size_t lines = 0;
  for (const KernelFunction& kernel : module.kernels) {
    above.push_back(static_cast<unsigned>(lines));
    lines += llvm::count(emit_cuda(kernel), '\n') + 1;  // a blank one between two
  }
  return above;
}

std::string text_of(const RungRef& rung, EmitForm form, const EmitOptions& options) {
  check_form(rung, form);
  if (is_given_as_text(*rung.rung) && !options.sizes.fixed.empty())
    throw UsageError("{} is given as kernels, whose sizes are params; leave -D out", rung.name());
  const RungKernels kernels = kernels_of(rung, options.sizes.fixed, options.sizes.expected);
  const Function& function = kernels.program;
  switch (form) {
    case EmitForm::source:
      return text_of(source_of(*rung.ladder, *rung.rung, *kernels.schedule), rung.name());
    case EmitForm::schedule:
      return schedule_text(*kernels.schedule);
    case EmitForm::dependences:
      return dependences_text(rung, options.sizes.fixed, kernels);
    case EmitForm::loops:
      return to_string(function) + "\n";
    case EmitForm::kernel:
      return kernel_text(rung.rung->target == RungTarget::host ? lower_host(function)
                                                               : kernels.module);
    case EmitForm::cuda:
      return cuda_text(kernels.module);
    case EmitForm::c:
      return emit_c(lower_host(function).kernels.front());
    case EmitForm::ptx:
      return machine_code(kernels, options.arch).ptx;
    case EmitForm::cubin:
      return cubin_of(kernels, options.arch);
    case EmitForm::sass:
      return disassemble(cubin_of(kernels, options.arch));
    case EmitForm::launch:
      return to_string(launch_contract(kernels.module, &function));
  }
  llvm_unreachable("unknown form");
}

std::string steps_text(const RungRef& rung, const BuildSizes& sizes, StepText form) {
  const Schedule whole = build(rung, sizes);
  Schedule schedule(program_of(rung, sizes.fixed));
  std::string before = fmt::format("{}\n", schedule);
  std::string text = "// step 0: the program\n" + before;
  int number = 0;
  for (const TraceEntry& entry : whole.trace()) {
    schedule.replay(entry, entry.location);
    std::string after = fmt::format("{}\n", schedule);
    const std::string changes = unified_diff(fmt::format("step {}", number),
                                             fmt::format("step {}", number + 1), before, after);
    text += fmt::format("\n// step {}: {}\n{}", ++number, entry.text,
                        form == StepText::changes ? changes : after);
    before = std::move(after);
  }
  return text;
}

}  // namespace hone
