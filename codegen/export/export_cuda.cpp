// CUDA text of a whole program, for programs that are compiled without Hone.
#include "codegen/c_form/identifiers.h"
#include "codegen/c_form/owned_words.h"
#include "codegen/emit/emit.h"
#include "codegen/export/export.h"
#include "codegen/export/launch_text.h"
#include "fmt/format.h"
#include "ir/text/operators.h"

namespace hone {

Module under_name(Module module, const std::string& name) {
  const bool is_word = is_identifier(name) && name.find('.') == std::string::npos;
  if (!is_word || is_owned(name))
    throw DefinitionError(fmt::format(
        "'{}' cannot name what is exported: {}; choose another name", name,
        is_word ? "it belongs to C, C++ or CUDA"
                : "a name is made of letters, digits and '_', and does not begin with a digit"));
  module.name = name;
  for (size_t n = 0; n < module.kernels.size(); ++n)
    module.kernels[n].name =
        name + "_kernel" + (module.kernels.size() > 1 ? fmt::format("_{}", n) : "");
  return module;
}

namespace {

/// The text of a kernel whose compiler is told how many threads its blocks have.
std::string with_launch_bounds(const KernelFunction& kernel, std::string source) {
  const std::string head = "__global__ void\n";
  const size_t at = source.find(head);
  if (at == std::string::npos) return source;  // it has bounds
  int64_t threads = 1;
  for (const Expr& extent : kernel.block) threads *= std::max<int64_t>(*as_int(extent), 1);
  return source.replace(at, head.size(),
                        fmt::format("__global__ void __launch_bounds__({})\n", threads));
}

/// The memory that stands for tensors without elements.
std::string zeros_of(const std::string& name, const std::string& scope) {
  return fmt::format(
      "\nstatic __device__ long long {0}_zeros[32];\n\nvoid* {1}::detail::zeros() {{\n"
      "  void* address = nullptr;\n  cudaGetSymbolAddress(&address, {0}_zeros);\n"
      "  return address;\n}}\n",
      name, scope);
}

/// The kernels, and the places of their functions in a table.
struct KernelsText {
  std::string kernels, entries;
  bool have_maps = false;
};

KernelsText kernels_text(const Module& module, IsBounded is_bounded) {
  KernelsText text;
  for (const KernelFunction& kernel : module.kernels) {
    text.have_maps = text.have_maps || !tensor_maps(kernel).empty();
    const std::string symbol = cuda_symbol(kernel);
    std::string source = emit_cuda(kernel);
    if (is_bounded(kernel)) source = with_launch_bounds(kernel, std::move(source));
    const std::string scope = "hone::" + symbol;
    const bool is_nested = source.find("namespace " + scope + " {") != std::string::npos;
    text.kernels += "\n" + source;
    text.entries += fmt::format("      reinterpret_cast<const void*>(&{}{}),\n",
                                is_nested ? scope + "::" : "", symbol);
  }
  return text;
}

/// The functions of `scope` that are defined beside the kernels.
std::string definitions(const KernelsText& text, const std::string& name,
                        const std::string& scope) {
  return fmt::format(
      "const void* {}::detail::entry(int kernel) {{\n"
      "  static const void* const entries[] = {{\n{}  }};\n"
      "  return entries[kernel];\n}}\n{}",
      scope, text.entries, text.have_maps ? zeros_of(name, scope) : "");
}

}  // namespace

std::string export_cuda(const Module& module, IsBounded is_bounded) {
  const KernelsText text = kernels_text(module, is_bounded);
  return fmt::format(
      "// {0}.h launches these kernels.\n"
      "#ifndef __CUDACC_RTC__\n#include \"{0}.h\"\n#endif\n{1}"
      "\n#ifndef __CUDACC_RTC__\n{2}#endif\n",
      module.name, text.kernels, definitions(text, module.name, module.name));
}

std::string export_whole_cuda(const Module& module, const LaunchContract& contract,
                              IsBounded is_bounded) {
  const KernelsText text = kernels_text(module, is_bounded);
  const std::string scope = module.name + "::launches";
  return fmt::format(
      "// The kernels of {0}.h, and behind them how they are launched.\n"
      "#ifndef __CUDACC_RTC__\n#include \"{0}.h\"\n\n{1}#endif\n{2}"
      "\n#ifndef __CUDACC_RTC__\n// ---- Launches {3}\n\n"
      "namespace {4} {{\n\n{5}\n}}  // namespace {4}\n\n{6}\n{7}#endif\n",
      module.name, launch_includes(contract), text.kernels, std::string(84, '-'), scope,
      launch_functions(contract, "const void* entry(int kernel);\n"),
      definitions(text, module.name, scope), public_functions(contract));
}

}  // namespace hone
