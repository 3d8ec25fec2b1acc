// CUDA text of a whole program, for programs that are compiled without Hone.
#include "codegen/c_form/identifiers.h"
#include "codegen/c_form/owned_words.h"
#include "codegen/emit/emit.h"
#include "codegen/export/export.h"
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
std::string zeros_of(const std::string& name) {
  return fmt::format(
      "\nstatic __device__ long long {0}_zeros[32];\n\nvoid* {0}::detail::zeros() {{\n"
      "  void* address = nullptr;\n  cudaGetSymbolAddress(&address, {0}_zeros);\n"
      "  return address;\n}}\n",
      name);
}

}  // namespace

std::string export_cuda(const Module& module,
                        llvm::function_ref<bool(const KernelFunction&)> is_bounded) {
  std::string text = fmt::format(
      "// {0}.h launches these kernels.\n"
      "#ifndef __CUDACC_RTC__\n#include \"{0}.h\"\n#endif\n",
      module.name);
  std::string entries;
  bool has_maps = false;
  for (const KernelFunction& kernel : module.kernels) {
    has_maps = has_maps || !tensor_maps(kernel).empty();
    const std::string symbol = cuda_symbol(kernel);
    std::string source = emit_cuda(kernel);
    if (is_bounded(kernel)) source = with_launch_bounds(kernel, std::move(source));
    const std::string scope = "hone::" + symbol;
    const bool is_nested = source.find("namespace " + scope + " {") != std::string::npos;
    text += "\n" + source;
    entries += fmt::format("      reinterpret_cast<const void*>(&{}{}),\n",
                           is_nested ? scope + "::" : "", symbol);
  }
  return text + fmt::format(
                    "\n#ifndef __CUDACC_RTC__\nconst void* {}::detail::entry(int kernel) {{\n"
                    "  static const void* const entries[] = {{\n{}  }};\n"
                    "  return entries[kernel];\n}}\n{}#endif\n",
                    module.name, entries, has_maps ? zeros_of(module.name) : "");
}

}  // namespace hone
