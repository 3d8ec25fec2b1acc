#include "ir/schedule/text/step_printer.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/analysis/site.h"
#include "ir/text/cpp_keywords.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Names that no axis shadows in the printed code.
constexpr llvm::StringLiteral words_of_a_schedule[] = {"s", "block", "thread", "parallel"};

/// Variables of a text take what there is: the axes, or else the tensor that C++ may leave alone.
Made made_of(const Step& step, const Rewrite& result) {
  Made made = step.primitive->made;
  if (step.variables.empty()) return made;
  made.tensor |= made.axes == 0 && result.tensor != nullptr;
  made.axes = std::max(made.axes, step.variables.size() - made.tensor);
  return made;
}

}  // namespace

bool may_be_variable(llvm::StringRef name) {
  return !is_cpp_keyword(name) && !llvm::is_contained(words_of_a_schedule, name);
}

std::string as_variable(llvm::StringRef name) {
  std::string variable = name.str();
  for (char& c : variable)
    if (c == '.') c = '_';
  return variable;
}

StepPrinter::StepPrinter(const Function& function) {
  const auto add_tensor = [&](const std::string& name) {
    if (may_be_variable(name)) tensors_.push_back(name);
  };
  for (const TensorPtr& argument : function.arguments) add_tensor(argument->name);
  walk(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope == Scope::global) add_tensor(alloc->tensor->name);
  });
  for (const ParamPtr& param : function.params) params_.push_back(param->name);
  for (const For* loop : loops_of(function.body)) {
    const std::string& name = loop->axis->name;
    if (name.find('.') == std::string::npos && !is_taken(name)) declare({loop->axis, "", name});
  }
}

std::string StepPrinter::print(const Step& step, const Rewrite& result) {
  const std::string made = declare(step, result);
  llvm::SmallVector<std::string, 4> arguments;
  for (const StepArgument& argument : step.primitive->arguments) {
    std::string text = argument.text ? argument.text(step, *this) : "";
    if (!text.empty()) arguments.push_back(std::move(text));
  }
  return fmt::format("{}s.{}({});", made, step.primitive->name, fmt::join(arguments, ", "));
}

/// "auto [i_0, i_1] = ", of variables that get their names; empty where nothing is kept.
std::string StepPrinter::declare(const Step& step, const Rewrite& result) {
  const Made made = made_of(step, result);
  llvm::SmallVector<std::string, 4> names;
  const auto wanted = [&](const std::string& by_default) {
    const size_t n = names.size();
    return n < step.variables.size() && !step.variables[n].empty() ? step.variables[n] : by_default;
  };
  if (made.tensor)
    names.push_back(declare({nullptr, result.tensor->name, wanted(result.tensor->name)}));
  for (const AxisPtr& axis : llvm::ArrayRef<AxisPtr>(result.axes).take_front(made.axes))
    names.push_back(declare({axis, "", wanted(axis->name)}));
  if (names.empty()) return "";
  if (names.size() > 1) return fmt::format("auto [{}] = ", fmt::join(names, ", "));
  return fmt::format("{} {} = ", made.tensor ? "auto" : "Axis", names.front());
}

std::string StepPrinter::declare(Variable variable) {
  variable.name = fresh_variable(variable.name);
  declared_.push_back(variable);
  return variable.name;
}

AxisPtr StepPrinter::find_axis(llvm::StringRef variable) const {
  for (const Variable& declared : declared_)
    if (declared.axis && declared.name == variable) return declared.axis;
  return nullptr;
}

std::string StepPrinter::find_tensor(llvm::StringRef variable) const {
  for (const Variable& declared : declared_)
    if (!declared.axis && declared.name == variable) return declared.tensor;
  return "";
}

bool StepPrinter::is_taken(const std::string& name) const {
  return !may_be_variable(name) || llvm::is_contained(tensors_, name) ||
         llvm::is_contained(params_, name) ||
         llvm::any_of(declared_, [&](const Variable& other) { return other.name == name; });
}

std::string StepPrinter::fresh_variable(llvm::StringRef wanted_name) const {
  const std::string wanted = as_variable(wanted_name);
  std::string name = wanted;
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}_{}", wanted, number);
  return name;
}

std::string StepPrinter::variable(const TensorPtr& tensor) const {
  for (const Variable& declared : declared_)
    if (declared.tensor == tensor->name) return declared.name;
  if (llvm::is_contained(tensors_, tensor->name)) return tensor->name;
  return fmt::format("s.tensor(\"{}\")", tensor->name);
}

std::string StepPrinter::variable(const AxisPtr& axis) const {
  for (const Variable& declared : declared_)
    if (declared.axis == axis) return declared.name;
  return fmt::format("s.axis(\"{}\")", axis->name);
}

std::string StepPrinter::variables(llvm::ArrayRef<AxisPtr> axes) const {
  std::string text;
  for (const AxisPtr& axis : axes) text += (text.empty() ? "" : ", ") + variable(axis);
  return text;
}

}  // namespace hone
