// The launch contract as an operator of PyTorch.
#include "codegen/export/export.h"
#include "codegen/export/names.h"
#include "codegen/export/templates.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/algebra/simplify.h"
#include "ir/core/error.h"
#include "ir/core/layout.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringSet.h"

namespace hone {
namespace {

using Strings = std::vector<std::string>;

/// The words of Python that C++ leaves to everybody.
bool is_python_word(llvm::StringRef word) {
  static const llvm::StringSet<> words = {
      "and",    "as",    "assert", "async", "await", "def",      "del",      "elif", "except",
      "exec",   "from",  "global", "in",    "is",    "lambda",   "None",     "not",  "or",
      "pass",   "print", "raise",  "with",  "yield", "nonlocal", "torch",    "os",   "ctypes",
      "import", "True",  "False",  "min",   "max",   "device",   "functools"};
  return words.contains(word);
}

/// "(M, 2,)"
std::string tuple_of(const Strings& texts) {
  return texts.empty() ? "()" : fmt::format("({},)", fmt::join(texts, ", "));
}

class Operator {
 public:
  Operator(const LaunchContract& contract, llvm::ArrayRef<std::string> inputs)
      : contract_(contract), names_(contract) {
    for (size_t n = 0; n < contract.arguments.size(); ++n)
      (llvm::is_contained(inputs, contract.arguments[n].tensor->name) ? inputs_ : made_)
          .push_back(n);
    check_types();
    for (const ParamPtr& param : contract.params)
      if (source_of(*param).empty()) given_.push_back(size(param->name));
  }

  std::string text() const {
    return fmt::format(R"("""{0} as an operator of PyTorch, torch.ops.{0}.{0}:

    import {0}
    {1}{0}.{0}({2})

The library beside it is made by CMakeLists.txt. PyTorch 2.4 or newer.

{3}"""
import ctypes
import functools
import os
{4}
import torch

_LIBRARY = "lib{0}.so"


{5}

# ---- The operator --------------------------------------------------------------------------------


def _outputs({6}device):
{7}

@torch.library.custom_op("{0}::{0}", mutates_args=({8}))
def {0}({9}){10}:
    """Runs on the current stream. Raises ValueError for tensors and sizes that it does not take."""
{11}{12}

@{0}.register_fake
def _({13}):
{14}{15})",
                       contract_.name, results_equal(), call(), to_string(contract_),
                       made_.size() > 1 ? "from typing import Tuple\n" : "", operator_support,
                       size_arguments(), outputs(), mutated(), parameters(), annotation(), sizes(),
                       body(), arguments(), sizes(), fake_body());
  }

 private:
  const TensorNode& tensor(size_t argument) const { return *contract_.arguments[argument].tensor; }
  std::string python(const std::string& word) const {
    return is_python_word(word) ? word + "_" : word;
  }
  std::string name(size_t argument) const { return python(names_.argument(argument)); }
  std::string size(const std::string& param) const { return python(names_.size(param)); }

  Strings names(llvm::ArrayRef<size_t> arguments) const {
    Strings list;
    for (const size_t argument : arguments) list.push_back(name(argument));
    return list;
  }

  void check_types() const {
    for (const ContractArgument& argument : contract_.arguments)
      if (component_count(argument.tensor->type) > 1)
        throw DefinitionError(fmt::format(
            "{} has elements of type {}, and no tensor of PyTorch has; export without --minimal",
            argument.tensor->name, hone::name(argument.tensor->type).str()));
  }

  // ---- Sizes ------------------------------------------------------------------------------------

  /// A formula in Python.
  std::string formula(const Expr& expr) const {
    return visit(
        expr, [](const IntConst& n) { return std::to_string(n.value); },
        [&](const ParamRef& n) { return size(n.param->name); },
        [&](const Binary& n) { return formula(n); },
        [&](const auto&) -> std::string { refuse_shape(); });
  }

  std::string formula(const Binary& n) const {
    const std::string lhs = formula(n.lhs), rhs = formula(n.rhs);
    switch (n.op) {
      case BinaryOp::add:
        return fmt::format("({} + {})", lhs, rhs);
      case BinaryOp::sub:
        return fmt::format("({} - {})", lhs, rhs);
      case BinaryOp::mul:
        return fmt::format("({} * {})", lhs, rhs);
      case BinaryOp::div:
        return fmt::format("({} // {})", lhs, rhs);
      case BinaryOp::mod:
        return fmt::format("({} % {})", lhs, rhs);
      case BinaryOp::min:
      case BinaryOp::max:
        return fmt::format("{}({}, {})", n.op == BinaryOp::min ? "min" : "max", lhs, rhs);
      default:
        refuse_shape();
    }
  }

  [[noreturn]] void refuse_shape() const {
    throw DefinitionError(fmt::format(
        "a shape of {} is no sum or product of sizes; export without --minimal", contract_.name));
  }

  Strings formulas(llvm::ArrayRef<Expr> list) const {
    Strings texts;
    for (const Expr& expr : list) texts.push_back(formula(expr));
    return texts;
  }

  Strings strides(const TensorNode& tensor) const {
    llvm::SmallVector<Expr, 4> result(tensor.rank(), Expr(1));
    const auto order = storage_order(tensor);
    Expr stride = 1;
    for (const int dim : llvm::reverse(order)) {
      result[dim] = stride;
      stride = simplify(stride * (dim == order.back() ? row_pitch(tensor) : tensor.shape[dim]));
    }
    return formulas(result);
  }

  /// "A.shape[0]", of the first input that has the size as an extent, or as the way from row to
  /// row.
  std::string source_of(const ParamNode& param) const {
    const auto is_param = [&](const Expr& expr) {
      const auto* reference = llvm::dyn_cast<ParamRef>(expr);
      return reference && reference->param->name == param.name;
    };
    for (const size_t argument : inputs_) {
      const TensorNode& input = tensor(argument);
      for (unsigned dim = 0; dim < input.rank(); ++dim)
        if (is_param(input.shape[dim])) return fmt::format("{}.shape[{}]", name(argument), dim);
      if (input.rank() > 1 && is_param(row_pitch(input)))
        return fmt::format("{}.stride({})", name(argument), storage_order(input)[input.rank() - 2]);
    }
    return "";
  }

  std::string sizes() const {
    std::string text;
    for (const ParamPtr& param : contract_.params)
      if (const std::string source = source_of(*param); !source.empty())
        text += fmt::format("    {} = {}\n", size(param->name), source);
    return text;
  }

  Strings all_sizes() const {
    Strings list;
    for (const ParamPtr& param : contract_.params) list.push_back(size(param->name));
    return list;
  }
  std::string size_arguments() const {
    std::string text;
    for (const std::string& size : all_sizes()) text += size + ", ";
    return text;
  }

  // ---- The operator -----------------------------------------------------------------------------

  std::string dtype(const TensorNode& tensor) const {
    return fmt::format("_dtypes(torch, \"{}\")[0]", hone::name(tensor.type).str());
  }

  std::string outputs() const {
    if (made_.empty()) return "    return ()\n";
    std::string text;
    for (const size_t argument : made_)
      text += fmt::format("        torch.empty_strided({}, {}, dtype={}, device=device),\n",
                          tuple_of(formulas(tensor(argument).shape)),
                          tuple_of(strides(tensor(argument))), dtype(tensor(argument)));
    return "    return (\n" + text + "    )\n";
  }

  std::string mutated() const {
    std::string text;
    for (const size_t argument : inputs_)
      if (contract_.arguments[argument].is_written) text += fmt::format("\"{}\", ", name(argument));
    return text;
  }

  std::string arguments() const {
    Strings list = names(inputs_);
    list.insert(list.end(), given_.begin(), given_.end());
    return fmt::format("{}", fmt::join(list, ", "));
  }
  std::string call() const { return arguments(); }

  std::string parameters() const {
    Strings list;
    for (const std::string& input : names(inputs_)) list.push_back(input + ": torch.Tensor");
    for (const std::string& size : given_) list.push_back(size + ": int");
    return fmt::format("{}", fmt::join(list, ", "));
  }

  std::string annotation() const {
    if (made_.empty()) return " -> None";
    if (made_.size() == 1) return " -> torch.Tensor";
    return fmt::format(" -> Tuple[{}]", fmt::join(Strings(made_.size(), "torch.Tensor"), ", "));
  }

  std::string results_equal() const {
    return made_.empty() ? "" : fmt::format("{} = ", fmt::join(names(made_), ", "));
  }

  std::string device() const {
    return inputs_.empty() ? "torch.device(\"cuda\", torch.cuda.current_device())"
                           : name(inputs_.front()) + ".device";
  }

  std::string make_outputs() const {
    const std::string made =
        made_.empty() ? "" : fmt::format("{}, = ", fmt::join(names(made_), ", "));
    return fmt::format("    {}_outputs({}{})\n", made, size_arguments(), device());
  }
  std::string returned() const {
    return made_.empty() ? "" : fmt::format("    return {}\n", fmt::join(names(made_), ", "));
  }

  std::string body() const {
    std::string text;
    for (const size_t argument : inputs_) {
      const TensorNode& input = tensor(argument);
      text += fmt::format("    _check(\"{0}\", {0}, {1}, {2}, {3})\n", name(argument), dtype(input),
                          tuple_of(formulas(input.shape)), tuple_of(strides(input)));
    }
    Strings tensors;
    for (size_t n = 0; n < contract_.arguments.size(); ++n) tensors.push_back(name(n));
    return text + make_outputs() +
           fmt::format("    _launch(\"{}\", [{}], [{}], {})\n", contract_.name,
                       fmt::join(tensors, ", "), fmt::join(all_sizes(), ", "), device()) +
           returned();
  }

  std::string fake_body() const {
    return made_.empty() ? "    return None\n" : make_outputs() + returned();
  }

  const LaunchContract& contract_;
  ExportedNames names_;
  llvm::SmallVector<size_t, 4> inputs_, made_;  ///< numbers of arguments
  Strings given_;                               ///< sizes that no shape of an input gives
};

}  // namespace

std::string export_operator(const LaunchContract& contract, llvm::ArrayRef<std::string> inputs) {
  return Operator(contract, inputs).text();
}

}  // namespace hone
