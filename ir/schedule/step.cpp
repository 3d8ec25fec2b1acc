#include "ir/schedule/step.h"

#include "fmt/format.h"
#include "ir/printer.h"
#include "ir/schedule/site.h"

namespace hone {
namespace {

struct Primitive {
  const char* name;
  Rewrite (*apply)(const Function&, const Step&);
};

constexpr Primitive primitives[] = {
    {"split",
     [](const Function& f, const Step& s) { return split(f, s.axes[0], s.factors[0], s.tail); }},
    {"split_into", [](const Function& f,
                      const Step& s) { return split_into(f, s.axes[0], s.factors[0], s.tail); }},
    {"tile", [](const Function& f, const Step& s) { return tile(f, s.axes, s.factors, s.tail); }},
    {"fuse", [](const Function& f, const Step& s) { return fuse(f, s.axes[0], s.axes[1]); }},
    {"reorder", [](const Function& f, const Step& s) { return reorder(f, s.axes); }},
    {"fission", [](const Function& f, const Step& s) { return fission(f, s.axes[0]); }},
    {"unroll", [](const Function& f, const Step& s) { return unroll(f, s.axes[0], s.count); }},
    {"rename", [](const Function& f, const Step& s) { return rename(f, s.axes[0], s.name); }},
    {"bind", [](const Function& f, const Step& s) { return bind(f, s.axes[0], s.binding); }},
    {"may_alias", [](const Function& f, const Step&) { return may_alias(f); }},
    {"cache_registers",
     [](const Function& f, const Step& s) { return cache_registers(f, s.tensor, s.axes[0]); }},
};

TensorPtr find_tensor(const Function& function, llvm::StringRef name) {
  for (const TensorPtr& argument : function.arguments)
    if (argument->name == name) return argument;
  const StmtNode* found = find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->name == name;
  });
  return found ? llvm::cast<Alloc>(found)->tensor : nullptr;
}

std::string options(Tail tail) {
  switch (tail) {
    case Tail::guard:
      return "";
    case Tail::exact:
      return ", {.tail = Tail::exact}";
    case Tail::peel:
      return ", {.tail = Tail::peel}";
  }
  llvm_unreachable("unknown tail");
}

std::string list(llvm::ArrayRef<Expr> factors) {
  std::string text;
  for (const Expr& factor : factors) text += (text.empty() ? "" : ", ") + to_string(factor);
  return text;
}

/// What no axis shadows in the printed code.
constexpr llvm::StringLiteral words_of_a_schedule[] = {"s", "block", "thread", "parallel"};

std::string as_variable(llvm::StringRef name) {
  std::string variable = name.str();
  for (char& c : variable)
    if (c == '.') c = '_';
  return variable;
}

}  // namespace

Rewrite apply(const Function& function, const Step& step) {
  for (const Primitive& primitive : primitives)
    if (step.primitive == primitive.name) return primitive.apply(function, step);
  llvm_unreachable("a step of an unknown primitive");
}

Step rebased(const Step& step, const Function& function) {
  Step result = step;
  const auto loops = loops_of(function.body);
  const Preconditions check(step.primitive, function);
  for (AxisPtr& axis : result.axes) {
    const auto* found =
        llvm::find_if(loops, [&](const For* loop) { return loop->axis->name == axis->name; });
    axis = found == loops.end() ? check.find(axis).loop().axis : (*found)->axis;
  }
  if (!step.tensor) return result;
  result.tensor = find_tensor(function, step.tensor->name);
  if (!result.tensor)
    check.refuse(nullptr, fmt::format("{} has no tensor {}", function.name, step.tensor->name));
  return result;
}

StepPrinter::StepPrinter(const Function& function) {
  for (const For* loop : loops_of(function.body))
    if (loop->axis->name.find('.') == std::string::npos) declare(loop->axis);
}

std::string StepPrinter::print(const Step& step, const Rewrite& result) {
  std::string made;
  if (step.primitive == "split" || step.primitive == "split_into")
    made = declare(llvm::makeArrayRef(result.axes).take_front(2));
  if (step.primitive == "tile") made = declare(result.axes);
  if (step.primitive == "fuse" || step.primitive == "rename") made = declare(result.axes);
  return made + call(step);
}

std::string StepPrinter::declare(llvm::ArrayRef<AxisPtr> axes) {
  for (const AxisPtr& axis : axes) declare(axis);
  if (axes.size() == 1) return fmt::format("Axis {} = ", variable(axes[0]));
  return fmt::format("auto [{}] = ", variables(axes));
}

void StepPrinter::declare(const AxisPtr& axis) {
  const auto is_taken = [&](const std::string& name) {
    return llvm::is_contained(words_of_a_schedule, llvm::StringRef(name)) ||
           llvm::any_of(declared_, [&](const Variable& other) { return other.name == name; });
  };
  const std::string wanted = as_variable(axis->name);
  std::string name = wanted;
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}_{}", wanted, number);
  declared_.push_back({axis, name});
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

std::string StepPrinter::call(const Step& step) const {
  const std::string axes = variables(step.axes);
  const auto& name = step.primitive;
  if (name == "split" || name == "split_into")
    return fmt::format("s.{}({}, {}{});", name, axes, list(step.factors), options(step.tail));
  if (name == "tile")
    return fmt::format("s.tile({{{}}}, {{{}}}{});", axes, list(step.factors), options(step.tail));
  if (name == "reorder") return fmt::format("s.reorder({{{}}});", axes);
  if (name == "bind") return fmt::format("s.bind({}, {});", axes, to_string(step.binding));
  if (name == "rename") return fmt::format("s.rename({}, \"{}\");", axes, step.name);
  if (name == "unroll" && step.count != 0)
    return fmt::format("s.unroll({}, {});", axes, step.count);
  if (name == "cache_registers")
    return fmt::format("s.cache_registers({}, {});", step.tensor->name, axes);
  return fmt::format("s.{}({});", name, axes);
}

}  // namespace hone
