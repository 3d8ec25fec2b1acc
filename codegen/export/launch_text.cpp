#include "codegen/export/launch_text.h"

#include "codegen/emit/c_types.h"
#include "codegen/export/names.h"
#include "codegen/export/templates.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"

namespace hone {
namespace {

/// The type that a pointer to elements points to; pairs have no type of C++.
const char* element_type(DType type) {
  const char* known = cuda_type(type);
  return known ? known : "void";
}

bool has_type(const LaunchContract& contract, DType type) {
  return llvm::any_of(contract.arguments, [&](const ContractArgument& argument) {
    return argument.tensor->type == type;
  });
}

class LaunchText {
 public:
  explicit LaunchText(const LaunchContract& contract) : contract_(contract), names_(contract) {}

  std::string functions(const std::string& entry) const {
    std::string text = launch_support;
    text += "\nnamespace detail {\n\n" + entry;
    if (has_maps()) text += std::string("\n") + map_support;
    if (has_early_launches()) text += std::string("\n") + early_support;
    for (size_t n = 0; n < contract_.kernels.size(); ++n) text += plan_of_kernel(n);
    return text + "\n}  // namespace detail\n" + workspace() + plan() + launch();
  }

  std::string includes() const {
    std::string includes =
        (has_maps() ? "#include <cuda.h>\n" : std::string()) +
        "#include <cuda_runtime_api.h>\n\n#include <cstddef>\n#include <cstdint>\n"
        "#include <cstdio>\n#include <vector>\n";
    return includes + element_includes(contract_);
  }

  /// "long long M, long long N"
  std::string sizes(const char* type) const {
    std::vector<std::string> list;
    for (const ParamPtr& param : contract_.params)
      list.push_back(std::string(type) + names_.size(param->name));
    return fmt::format("{}", fmt::join(list, ", "));
  }

  /// "stream, A, C, M, N": what launch() is called with.
  std::string call() const {
    std::string list = "stream";
    for (size_t n = 0; n < contract_.arguments.size(); ++n) list += ", " + names_.argument(n);
    if (!contract_.params.empty()) list += ", " + sizes("");
    return list + (has_workspace(contract_) ? ", workspace, workspace_size" : "");
  }

  std::string parameters(const char* size_type) const {
    std::vector<std::string> parameters = {"cudaStream_t stream"};
    for (size_t n = 0; n < contract_.arguments.size(); ++n) parameters.push_back(pointer(n));
    if (!contract_.params.empty()) parameters.push_back(sizes(size_type));
    if (has_workspace(contract_)) {
      parameters.push_back("void* workspace");
      parameters.push_back("std::size_t workspace_size");
    }
    return fmt::format("{}", fmt::join(parameters, ", "));
  }

 private:
  bool has_maps() const {
    return llvm::any_of(contract_.kernels,
                        [](const KernelContract& kernel) { return !kernel.tensor_maps.empty(); });
  }

  bool has_early_launches() const {
    return llvm::any_of(contract_.kernels,
                        [](const KernelContract& kernel) { return kernel.starts_early; });
  }

  std::string values(llvm::ArrayRef<Expr> formulas) const {
    std::vector<std::string> list;
    for (const Expr& formula : formulas) list.push_back(value(formula));
    return fmt::format("{{{}}}", fmt::join(list, ", "));
  }

  /// As a long long.
  std::string value(const Expr& formula) const {
    if (const auto constant = as_int(formula)) return fmt::format("{}LL", *constant);
    const std::string text = names_.formula(formula);
    return llvm::isa<ParamRef>(formula) ? text + ".value" : "(" + text + ").value";
  }

  std::string checks(llvm::ArrayRef<SizeCheck> checks, const char* error) const {
    std::string text;
    for (const SizeCheck& check : checks)
      text += fmt::format(
          "  if (!({}))\n    return refuse(Error::{},\n                  {},\n"
          "                  {});\n",
          names_.formula(check.holds), error, quoted(check.message), values(check.values));
    return text;
  }

  // ---- A kernel's sizes -------------------------------------------------------------------------

  std::string plan_of_kernel(size_t number) const {
    const KernelContract& kernel = contract_.kernels[number];
    std::string text =
        fmt::format("\ninline Status plan_{}({}{}Shape& shape) {{\n", number,
                    sizes("[[maybe_unused]] Size "), contract_.params.empty() ? "" : ", ");
    text += fmt::format("  shape.kernel = {};\n", quoted(kernel.symbol));
    for (int dim = 0; dim < 3; ++dim)
      text += fmt::format("  shape.grid[{0}] = {1};\n  shape.block[{0}] = {2};\n", dim,
                          value(kernel.grid[dim]), value(kernel.block[dim]));
    text += fmt::format("  shape.shared_bytes = {};\n  if (shape.is_empty()) return {{}};\n",
                        kernel.dynamic_shared_bytes());
    text += checks(kernel.limits, "limit");
    for (const auto& [name, formula] : kernel.values)
      text +=
          fmt::format("  const Size {} = {};\n", names_.size(name->name), names_.formula(formula));
    return text + checks(kernel.index_limits, "limit") + "  return {};\n}\n";
  }

  // ---- The program ------------------------------------------------------------------------------

  Expr counters_offset() const { return workspace_bytes(contract_.temporaries); }

  std::string workspace() const {
    const Expr bytes = simplify(counters_offset() + workspace_bytes(contract_.counters));
    return fmt::format(
        "\n/// Bytes of memory that a launch needs beside its arguments, at a multiple of 256.\n"
        "inline std::size_t workspace_bytes({}) {{\n{}  return static_cast<std::size_t>({});\n}}\n",
        sizes("[[maybe_unused]] Size "), use_detail(), value(bytes));
  }

  static std::string use_detail() { return "  using namespace detail;\n"; }

  std::string plan() const {
    const std::string list = sizes("Size ");
    std::string text = fmt::format(
        "\n/// Computes the launches of all kernels, in order, and checks the sizes. Nothing is "
        "launched.\ninline Status plan({}{}Shape (&shapes)[{}]) {{\n{}",
        list, list.empty() ? "" : ", ", contract_.kernels.size(), use_detail());
    text += checks(contract_.sizes, "size") + checks(contract_.promises, "promise");
    for (size_t n = 0; n < contract_.kernels.size(); ++n)
      text += fmt::format(
          "  if (Status status = plan_{0}({1}{2}shapes[{0}]); !status) return "
          "status;\n",
          n, sizes(""), contract_.params.empty() ? "" : ", ");
    return text + "  return {};\n}\n";
  }

  std::string pointer(size_t n) const {
    const auto& [tensor, is_written] = contract_.arguments[n];
    return fmt::format("{}{}* {}", is_written ? "" : "const ", element_type(tensor->type),
                       names_.argument(n));
  }

  std::string launch() const {
    const std::string given = sizes("");
    std::string text = fmt::format(
        "\n{}inline Status launch({}) {{\n{}  Shape shapes[{}];\n  if (Status status = "
        "plan({}{}shapes)"
        "; !status) return status;\n",
        comment_on_launch(contract_), parameters("Size "), use_detail(), contract_.kernels.size(),
        given, given.empty() ? "" : ", ");
    return text + pointer_checks() + workspace_checks() + starts() + "  return {};\n}\n";
  }

  std::string bytes_of(size_t n) const {
    const TensorNode& tensor = *contract_.arguments[n].tensor;
    return names_.formula(simplify(storage_size(tensor) * size_of(tensor.type)));
  }

  std::string pointer_checks() const {
    std::string text;
    for (const auto& [argument, bytes, message] : contract_.alignments)
      text += fmt::format(
          "  if (!is_aligned({0}, {1}))\n    return refuse(Error::alignment,\n"
          "                  {2},\n                  {{static_cast<const void*>"
          "({0})}});\n",
          names_.argument(argument), bytes, quoted(message));
    for (const auto& [first, second, may_be_one, message] : contract_.overlaps) {
      const auto &a = names_.argument(first), &b = names_.argument(second);
      const std::string apart = may_be_one ? fmt::format("{} != {} && ", a, b) : "";
      text += fmt::format(
          "  if ({}overlap({}, {}, {}, {}))\n    return refuse(Error::overlap,\n"
          "                  {});\n",
          apart, a, bytes_of(first), b, bytes_of(second), quoted(message));
    }
    return text;
  }

  std::string workspace_checks() const {
    if (!has_workspace(contract_)) return "";
    std::string text = fmt::format(
        "  const std::size_t needed = workspace_bytes({0});\n"
        "  if (workspace_size < needed || !is_aligned(workspace, 256))\n"
        "    return refuse(Error::workspace,\n"
        "                  \"{1}: a workspace of {{}} bytes at {{}}; {{}} bytes at a multiple of "
        "256 are needed\",\n"
        "                  {{static_cast<long long>(workspace_size), workspace, static_cast<long "
        "long>(needed)}});\n"
        "  char* const memory = static_cast<char*>(workspace);\n",
        sizes(""), contract_.name);
    if (contract_.counters.empty()) return text;
    return text + fmt::format(
                      "  if (cudaError_t error = cudaMemsetAsync(memory + {0}, 0, {1}, stream))\n"
                      "    return refuse(error, \"cudaMemsetAsync\");\n",
                      value(counters_offset()), value(workspace_bytes(contract_.counters)));
  }

  std::string starts() const {
    std::string text;
    for (size_t n = 0; n < contract_.kernels.size(); ++n) text += start(n);
    return text;
  }

  std::string start(size_t number) const {
    const KernelContract& kernel = contract_.kernels[number];
    std::string text = "  {\n", addresses;
    std::vector<std::string> operands;
    for (const KernelOperand& operand : kernel.operands) {
      if (operand.kind == KernelOperand::Kind::argument) {
        operands.push_back(names_.argument(operand.number));
        addresses += fmt::format("(void*)&{}, ", operands.back());
        continue;
      }
      const bool is_counter = operand.kind == KernelOperand::Kind::counter;
      const auto& part = (is_counter ? contract_.counters : contract_.temporaries)[operand.number];
      const std::string name =
          fmt::format("{}_{}", is_counter ? "counter" : "part", operand.number);
      const Expr offset = is_counter ? simplify(counters_offset() + part.offset) : part.offset;
      text += fmt::format("    void* {} = memory + {};\n", name, value(offset));
      addresses += "&" + name + ", ";
      operands.push_back(name);
    }
    for (size_t n = 0; n < kernel.params.size(); ++n) {
      text += fmt::format("    {0} size_{1} = static_cast<{0}>({2});\n",
                          kernel.index_bits == 64 ? "long long" : "int", n,
                          names_.size(kernel.params[n]->name) + ".value");
      addresses += fmt::format("&size_{}, ", n);
    }
    for (size_t n = 0; n < kernel.tensor_maps.size(); ++n) {
      text += tensor_map(number, n, operands[kernel.tensor_maps[n].operand]);
      addresses += fmt::format("&map_{}, ", n);
    }
    return text + fmt::format(
                      "    void* arguments[] = {{{}nullptr}};\n"
                      "    if (Status status = {}(entry({}), shapes[{}], arguments, "
                      "stream); !status) return status;\n  }}\n",
                      addresses, kernel.starts_early ? "start_early" : "start", number, number);
  }

  std::string tensor_map(size_t kernel, size_t number, const std::string& address) const {
    const TensorMap& map = contract_.kernels[kernel].tensor_maps[number];
    return fmt::format(
        "    TensorMap map_{0} = {{}};\n"
        "    if (!shapes[{1}].is_empty())\n"
        "      if (Status status = encode(map_{0}, {2}, {3}, {4}, {5}, {{{6}}}, {7}); !status) "
        "return "
        "status;\n",
        number, kernel, size_of(map.type), address, values(map.extents), values(map.strides),
        fmt::join(map.box, ", "), map.swizzle);
  }

  const LaunchContract& contract_;
  ExportedNames names_;
};

}  // namespace

bool has_workspace(const LaunchContract& contract) {
  return !contract.temporaries.empty() || !contract.counters.empty();
}

std::string element_includes(const LaunchContract& contract) {
  std::string includes;
  if (has_type(contract, DType::f16)) includes += "\n#include <cuda_fp16.h>\n";
  if (has_type(contract, DType::bf16)) includes += "\n#include <cuda_bf16.h>\n";
  return includes;
}

std::string comment_on_launch(const LaunchContract& contract) {
  return std::string("/// Runs the program on a stream, and returns before it is done.") +
         (has_workspace(contract)
              ? " `workspace` is memory of\n/// workspace_bytes() bytes; what must be 0 in "
                "it, this sets to 0. Launches that may overlap in time\n/// have "
                "workspaces of their own."
              : "") +
         "\n";
}

std::string launch_includes(const LaunchContract& contract) {
  return LaunchText(contract).includes();
}

std::string launch_functions(const LaunchContract& contract, const std::string& entry) {
  return LaunchText(contract).functions(entry);
}

std::string launch_parameters(const LaunchContract& contract, const char* size_type) {
  return LaunchText(contract).parameters(size_type);
}

std::string size_parameters(const LaunchContract& contract, const char* type) {
  return LaunchText(contract).sizes(type);
}

std::string public_functions(const LaunchContract& contract) {
  const LaunchText launch(contract);
  const std::string parameters = launch.parameters("long long "),
                    sizes = launch.sizes("long long ");
  const std::string bytes = fmt::format("{{ return {}::launches::workspace_bytes({}); }}\n",
                                        contract.name, launch.sizes(""));
  std::string text;
  if (has_workspace(contract))
    text += fmt::format("std::size_t {}::workspace_bytes({}) {}\n", contract.name, sizes, bytes);
  return text + fmt::format(
                    "{0}::Status {0}::launch({1}) {{\n  return launches::launch({2});\n}}\n\n"
                    "// The same for {0}.py.\n"
                    "extern \"C\" std::size_t {0}_workspace_bytes({3}) {4}"
                    "extern \"C\" int {0}_launch({1}{5}, char* message) {{\n"
                    "  const {0}::Status status = {0}::launches::launch({2});\n"
                    "  std::snprintf(message, sizeof status.message, \"%s\", status.message);\n"
                    "  return static_cast<int>(status.error);\n}}\n",
                    contract.name, parameters, launch.call(), sizes, bytes,
                    has_workspace(contract) ? "" : ", void*, std::size_t");
}

}  // namespace hone
