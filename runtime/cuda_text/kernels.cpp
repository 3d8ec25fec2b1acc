#include "runtime/cuda_text/kernels.h"

#include "fmt/format.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/ptx/text/demangle.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

/// The position of the parentheses around the parameters in a demangled name; its end without any.
size_t start_of_params(StringRef signature) {
  int depth = 0;
  for (size_t at = signature.size(); at-- > 0;) {
    depth += signature[at] == ')' ? 1 : signature[at] == '(' ? -1 : 0;
    if (signature[at] == '(' && depth == 0) return at;
  }
  return signature.size();
}

/// "gemm<4>" of "void gemm<4>(float*)": templates have their result first.
StringRef without_result(StringRef name) {
  int depth = 0;
  size_t start = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    depth += name[at] == '<' || name[at] == '(' ? 1 : name[at] == '>' || name[at] == ')' ? -1 : 0;
    if (name[at] == ' ' && depth == 0) start = at + 1;
  }
  return name.substr(start);
}

/// The type and the name of `const float* __restrict__ x`; an array is a pointer.
KernelArgument argument_of(StringRef param) {
  param = param.take_until([](char c) { return c == '='; }).rtrim();
  const bool is_array = param.endswith("]");
  param = param.take_front(is_array ? param.find('[') : param.size()).rtrim();
  size_t start = param.size();
  while (start > 0 && (llvm::isAlnum(param[start - 1]) || param[start - 1] == '_')) --start;
  const bool is_named = start > 0 && !param.substr(start).startswith("__restrict");
  const StringRef type = is_named ? param.take_front(start).rtrim() : param;
  return {type.str() + (is_array ? "*" : ""), is_named ? param.substr(start).str() : ""};
}

/// Without line ends and comments.
std::string one_line(StringRef text) {
  std::string result;
  for (const CudaToken& token : tokens_of(text)) {
    const bool is_behind_word =
        !result.empty() && (llvm::isAlnum(result.back()) || result.back() == '_');
    const bool needs_blank = (is_behind_word && token.kind != CudaTokenKind::mark) ||
                             StringRef(result).endswith(",") ||
                             (StringRef(result).endswith("*") && token.kind == CudaTokenKind::word);
    if (needs_blank) result += ' ';
    result += token.text.str();
  }
  return result;
}

using Kernels = std::vector<const Declaration*>;

void collect_kernels(llvm::ArrayRef<Declaration> declarations, const Annotations& annotations,
                     Kernels& kernels) {
  for (const Declaration& declaration : declarations) {
    if (is_kernel(declaration, annotations)) kernels.push_back(&declaration);
    collect_kernels(declaration.members, annotations, kernels);
  }
}

Kernels kernels_of(const Sources& sources) {
  Kernels kernels;
  for (const auto& unit : sources.units())
    collect_kernels(unit->declarations(), sources.annotations(), kernels);
  return kernels;
}

void name_arguments(NamedKernel& kernel, const Kernels& declared) {
  for (const Declaration* one : declared) {
    const std::string text = one_line(one->params);
    const std::vector<StringRef> params = split_at_commas(text);
    if (one->name != base_name(kernel.name)) continue;
    const bool has_types = !kernel.arguments.empty();
    if (has_types && params.size() != kernel.arguments.size()) continue;
    kernel.arguments.resize(params.size());
    for (size_t n = 0; n < params.size(); ++n) {
      KernelArgument argument = argument_of(params[n]);
      kernel.arguments[n].name = std::move(argument.name);
      if (!has_types && !one->is_template) kernel.arguments[n].type = std::move(argument.type);
    }
    if (llvm::none_of(kernel.arguments, [](const auto& each) { return each.name.empty(); })) return;
  }
}

NamedKernel kernel_named(const std::string& entry, const Kernels& declared) {
  NamedKernel kernel;
  kernel.entry = entry;
  const std::string signature = demangled(entry);
  const size_t params = start_of_params(signature);
  kernel.name = without_result(StringRef(signature).take_front(params)).str();
  kernel.signature = kernel.name + signature.substr(params);
  for (const StringRef type : split_at_commas(StringRef(signature)
                                                  .substr(params)
                                                  .drop_front(params < signature.size())
                                                  .drop_back(params < signature.size())))
    kernel.arguments.push_back({type.str(), ""});
  name_arguments(kernel, declared);
  return kernel;
}

}  // namespace

std::vector<NamedKernel> kernels_in(StringRef ptx, const Sources* sources) {
  const Kernels declared = sources ? kernels_of(*sources) : Kernels();
  std::vector<NamedKernel> kernels;
  for (size_t at = ptx.find(".entry"); at != StringRef::npos; at = ptx.find(".entry", at + 1)) {
    const StringRef name =
        ptx.substr(at + StringRef(".entry").size()).ltrim().take_while([](char c) {
          return llvm::isAlnum(c) || c == '_' || c == '$';
        });
    if (!name.empty()) kernels.push_back(kernel_named(name.str(), declared));
  }
  return kernels;
}

StringRef base_name(StringRef name) {
  name = name.take_until([](char c) { return c == '<'; });
  const size_t scope = name.rfind("::");
  return scope == StringRef::npos ? name : name.substr(scope + 2);
}

bool has_plain_kernel(const Sources& sources, StringRef name) {
  return llvm::any_of(kernels_of(sources), [&](const Declaration* kernel) {
    return kernel->name == name && !kernel->is_template;
  });
}

std::vector<std::string> kernel_templates(const Sources& sources) {
  std::vector<std::string> templates;
  for (const Declaration* kernel : kernels_of(sources))
    if (kernel->is_template && !kernel->template_params.trim().empty()) {
      auto text = fmt::format("{}<{}>", kernel->name.str(), one_line(kernel->template_params));
      if (!llvm::is_contained(templates, text)) templates.push_back(std::move(text));
    }
  return templates;
}

bool is_named(const NamedKernel& kernel, StringRef words) {
  const StringRef name = kernel.name;
  return words == kernel.entry || words == name || words == base_name(name) ||
         words == name.take_until([](char c) { return c == '<'; }) || words == kernel.signature;
}

}  // namespace hone::ptx
