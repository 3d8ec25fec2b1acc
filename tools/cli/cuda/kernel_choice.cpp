#include "tools/cli/cuda/kernel_choice.h"

#include "fmt/ranges.h"
#include "tools/cli/user_text.h"

namespace hone {
namespace {

using llvm::StringRef;
using Kernels = std::vector<ptx::NamedKernel>;

std::string text_of(const ptx::NamedKernel& kernel) {
  return fmt::format("{}({})", kernel.name, params_text(kernel));
}

std::string text_of(const Kernels& kernels) {
  std::string text;
  for (const ptx::NamedKernel& kernel : kernels) text += "\n  " + text_of(kernel);
  return text;
}

std::string instance_hint(const std::vector<std::string>& templates) {
  if (templates.empty()) return "";
  std::string text = "\ntemplates need their arguments, as in --kernel='NAME<128, float>':";
  for (const std::string& one : templates) text += "\n  " + one;
  return text;
}

ptx::TranslatedText translated(const std::string& path, const LaunchText& launch,
                               bool has_machine_code) {
  ptx::TranslatedText text;
  if (StringRef(path).endswith(".ptx")) {
    text.ptx = read_user_text(path).text;
    text.kernels = ptx::kernels_in(text.ptx, nullptr);
    return text;
  }
  ptx::CudaText source{path, launch.arch, launch.compiler_options, launch.folders};
  source.has_machine_code = has_machine_code;
  if (StringRef(launch.kernel).contains('<')) source.expressions.push_back(launch.kernel);
  return ptx::translate(source);
}

Kernels matching(const Kernels& kernels, const std::string& name) {
  Kernels found;
  for (const ptx::NamedKernel& kernel : kernels)
    if (ptx::is_named(kernel, name) || text_of(kernel) == name) found.push_back(kernel);
  return found;
}

/// An instance of what is no template, or of no kernel of the file.
[[noreturn]] void refuse_instance(const ChosenKernel& chosen, const std::string& instance) {
  const std::string name = StringRef(instance).split('<').first.str();
  std::vector<std::string> known;
  for (const ptx::NamedKernel& kernel : chosen.text.kernels) {
    if (ptx::is_named(kernel, name))
      throw UsageError("{} of {} is no template; --kernel={} names it", name, chosen.path, name);
    known.push_back(kernel.name);
  }
  for (const std::string& one : chosen.text.templates)
    known.push_back(StringRef(one).split('<').first.str());
  throw unknown("kernel", name, known, chosen.path);
}

[[noreturn]] void refuse_name(const ChosenKernel& chosen, const std::string& name) {
  for (const std::string& one : chosen.text.templates)
    if (StringRef(one).startswith(name + "<"))
      throw UsageError("{} of {} is a template, {}; name an instance, as in --kernel='{}<...>'",
                       name, chosen.path, one, name);
  for (const ptx::LeftOut& one : chosen.text.left_out)
    if (one.what == name && !one.why.empty())
      throw UsageError("{} of {} does not compile: line {}: {}{}", name, chosen.path, one.line,
                       one.why, ptx::reasons_in(one.why, chosen.text.left_out));
  refuse_instance(chosen, name);
}

ptx::NamedKernel only_kernel(const ChosenKernel& chosen) {
  const Kernels& kernels = chosen.text.kernels;
  const std::string hint = instance_hint(chosen.text.templates);
  if (kernels.empty()) throw UsageError("{} has no kernel{}", chosen.path, hint);
  if (kernels.size() > 1)
    throw UsageError("{} has {} kernels; choose one with --kernel:{}{}", chosen.path,
                     kernels.size(), text_of(kernels), hint);
  return kernels.front();
}

}  // namespace

bool is_kernel_file(StringRef path) {
  constexpr StringRef suffixes[] = {".cu",  ".cuh", ".ptx", ".h",  ".hh", ".hpp",
                                    ".hxx", ".inl", ".inc", ".cc", ".cpp"};
  return llvm::any_of(suffixes, [&](StringRef suffix) { return path.endswith(suffix); });
}

std::string params_text(const ptx::NamedKernel& kernel) {
  std::vector<std::string> params;
  for (const ptx::KernelArgument& param : kernel.arguments) {
    const bool has_both = !param.type.empty() && !param.name.empty();
    params.push_back(param.type + (has_both ? " " : "") + param.name);
  }
  return fmt::format("{}", fmt::join(params, ", "));
}

ChosenKernel choose_kernel(const std::string& path, const LaunchText& launch,
                           bool has_machine_code) {
  ChosenKernel chosen{path, translated(path, launch, has_machine_code), {}};
  if (launch.kernel.empty()) {
    chosen.kernel = only_kernel(chosen);
    return chosen;
  }
  const std::string name = chosen.text.mangled.empty() ? launch.kernel : chosen.text.mangled[0];
  Kernels found = matching(chosen.text.kernels, name);
  if (found.empty()) refuse_name(chosen, launch.kernel);
  if (found.size() > 1)
    throw UsageError("'{}' names {} kernels of {}; choose one by all of its words:{}",
                     launch.kernel, found.size(), path, text_of(found));
  chosen.kernel = std::move(found.front());
  return chosen;
}

}  // namespace hone
