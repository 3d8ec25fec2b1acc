#include "ir/schedule/step.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/text/cpp_keywords.h"
#include "ir/text/printer.h"
#include "ir/visit.h"

namespace hone {
namespace {

struct Primitive {
  const char* name;
  size_t axes, factors;  ///< how many it takes; 0 where it takes none, or any number
  Rewrite (*apply)(const Function&, const Step&);
};

constexpr Primitive primitives[] = {
    {"split", 1, 1,
     [](const Function& f, const Step& s) { return split(f, s.axes[0], s.factors[0], s.tail); }},
    {"split_into", 1, 1,
     [](const Function& f, const Step& s) {
       return split_into(f, s.axes[0], s.factors[0], s.tail);
     }},
    {"tile", 0, 0,
     [](const Function& f, const Step& s) { return tile(f, s.axes, s.factors, s.tail); }},
    {"fuse", 2, 0, [](const Function& f, const Step& s) { return fuse(f, s.axes[0], s.axes[1]); }},
    {"reorder", 0, 0, [](const Function& f, const Step& s) { return reorder(f, s.axes); }},
    {"fission", 1, 0, [](const Function& f, const Step& s) { return fission(f, s.axes[0]); }},
    {"merge", 2, 0,
     [](const Function& f, const Step& s) { return merge(f, s.axes[0], s.axes[1]); }},
    {"unroll", 1, 0,
     [](const Function& f, const Step& s) { return unroll(f, s.axes[0], s.count); }},
    {"rename", 1, 0, [](const Function& f, const Step& s) { return rename(f, s.axes[0], s.name); }},
    {"bind", 1, 0, [](const Function& f, const Step& s) { return bind(f, s.axes[0], s.binding); }},
    {"may_alias", 0, 0, [](const Function& f, const Step&) { return may_alias(f); }},
    {"write_out", 1, 0, [](const Function& f, const Step& s) { return write_out(f, s.axes[0]); }},
    {"vectorize", 1, 0, [](const Function& f, const Step& s) { return vectorize(f, s.axes[0]); }},
    {"cache_registers", 1, 0,
     [](const Function& f, const Step& s) {
       return cache_registers(f, s.tensor, s.axes[0], {s.count, s.layout, s.element});
     }},
    {"cache_shared", 1, 0,
     [](const Function& f, const Step& s) {
       return cache_shared(f, s.tensor, s.axes[0], {s.count, s.layout, s.element});
     }},
    {"rfactor", 1, 0,
     [](const Function& f, const Step& s) { return rfactor(f, s.tensor, s.axes[0]); }},
    {"copy_loops", 0, 0,
     [](const Function& f, const Step& s) { return copy_loops(f, s.tensor, s.direction); }},
    {"layout", 0, 0,
     [](const Function& f, const Step& s) { return set_layout(f, s.tensor, s.layout); }},
    {"compute_at", 1, 0,
     [](const Function& f, const Step& s) {
       return compute_at(f, s.tensor, s.axes[0], {s.scope});
     }},
    {"inline_tensor", 0, 0,
     [](const Function& f, const Step& s) { return inline_tensor(f, s.tensor); }},
    {"fuse_epilogue", 0, 0,
     [](const Function& f, const Step& s) { return fuse_epilogue(f, s.tensor); }},
    {"assume", 0, 1, [](const Function& f, const Step& s) { return assume(f, s.factors[0]); }},
    {"assume_aligned", 0, 0,
     [](const Function& f, const Step& s) { return assume_aligned(f, s.tensor, s.count); }},
};

std::string options(Tail tail) {
  switch (tail) {
    case Tail::guard:
      return "";
    case Tail::exact:
      return ", {.tail = Tail::exact}";
    case Tail::pad:
      return ", {.tail = Tail::pad}";
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

/// Names that no axis shadows in the printed code.
constexpr llvm::StringLiteral words_of_a_schedule[] = {"s", "block", "thread", "parallel"};

/// Whether code may have a variable of that name beside the schedule's.
bool may_be_variable(llvm::StringRef name) {
  return !is_cpp_keyword(name) && !llvm::is_contained(words_of_a_schedule, name);
}

std::string as_variable(llvm::StringRef name) {
  std::string variable = name.str();
  for (char& c : variable)
    if (c == '.') c = '_';
  return variable;
}

std::string layout_text(const Layout& layout) {
  std::string text = "Layout()";
  if (!layout.dims.empty())
    text = fmt::format("Layout::order({{{}}})", fmt::join(layout.dims, ", "));
  if (layout.padding != 0) text += fmt::format(".pad({})", layout.padding);
  if (layout.row_pitch.defined()) text += fmt::format(".pitch({})", layout.row_pitch);
  const Swizzle& chunks = layout.chunks;
  if (chunks.chunk != 0)
    text += fmt::format(".swizzle({{.chunk = {}, .period = {}, .rows = {}}})", chunks.chunk,
                        chunks.period, chunks.rows);
  return text;
}

/// ", Combine::shuffle"; empty for a loop that does not combine.
std::string combine_text(const Combine& combine) {
  if (!combine) return "";
  const std::string method = "Combine::" + to_string(Combine{combine.method});
  if (!combine.unrolled && !combine.last_warp) return ", " + method;
  return fmt::format(", {{.method = {}{}{}}}", method, combine.unrolled ? ", .unrolled = true" : "",
                     combine.last_warp ? ", .last_warp = true" : "");
}

/// ", {.vectorize = 4, .layout = Layout::order({1, 0})}"; empty for the defaults.
std::string cache_options(const Step& step) {
  llvm::SmallVector<std::string, 2> options;
  if (step.count != 0) options.push_back(fmt::format(".vectorize = {}", step.count));
  if (!step.layout.is_row_major())
    options.push_back(fmt::format(".layout = {}", layout_text(step.layout)));
  return options.empty() ? "" : fmt::format(", {{{}}}", fmt::join(options, ", "));
}

/// An axis that the user has a variable for, or one that descends from the same axes.
std::string index_text(const Expr& index) {
  const auto* reference = llvm::dyn_cast<AxisRef>(index);
  const bool is_word = reference && !may_be_variable(reference->axis->name);
  return is_word ? fmt::format("Axis(\"{}\", 1)", reference->axis->name)
                 : as_variable(to_string(index));
}

/// "A(i, k)" of a step that picks accesses.
std::string picked_text(const Step& step, const std::string& tensor) {
  std::string list;
  for (const Expr& index : step.element) list += (list.empty() ? "" : ", ") + index_text(index);
  return list.empty() ? tensor : fmt::format("{}({})", tensor, list);
}

/// ", {.scope = Scope::shared}"; empty where the step leaves it open.
std::string scope_option(const Step& step) {
  return step.scope ? fmt::format(", {{.scope = Scope::{}}}", name(*step.scope).str()) : "";
}

}  // namespace

TensorPtr find_tensor(const Function& function, llvm::StringRef name) {
  for (const TensorPtr& argument : function.arguments)
    if (argument->name == name) return argument;
  const StmtNode* found = find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->name == name;
  });
  return found ? llvm::cast<Alloc>(found)->tensor : nullptr;
}

namespace {

const Primitive& find_primitive(const Step& step) {
  for (const Primitive& primitive : primitives)
    if (step.primitive == primitive.name) return primitive;
  throw ScheduleError(step.primitive, "there is no primitive of that name");
}

/// Checks for operands that a trace always has, and a step that a user puts together may lack.
void check_operands(const Primitive& primitive, const Function& function, const Step& step) {
  if (step.axes.size() < primitive.axes || step.factors.size() < primitive.factors)
    Preconditions(step.primitive, function)
        .refuse(nullptr, fmt::format("a step with {} axes and {} factors, and it takes {} and {}",
                                     step.axes.size(), step.factors.size(), primitive.axes,
                                     primitive.factors));
}

}  // namespace

Rewrite apply(const Function& function, const Step& step) {
  const Primitive& primitive = find_primitive(step);
  check_operands(primitive, function, step);
  try {
    return primitive.apply(function, step);
  } catch (const DefinitionError& error) {  // expressions that grow too large
    throw ScheduleError(step.primitive, error.what());
  }
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
    if (name.find('.') == std::string::npos && !is_taken(name)) declare(loop->axis);
  }
}

std::string StepPrinter::print(const Step& step, const Rewrite& result) {
  std::string made;
  if (step.primitive == "split" || step.primitive == "split_into")
    made = declare(llvm::ArrayRef<AxisPtr>(result.axes).take_front(2));
  if (step.primitive == "tile") made = declare(result.axes);
  if (step.primitive == "fuse" || step.primitive == "rename") made = declare(result.axes);
  if (step.primitive == "copy_loops") made = declare(result.axes);
  if (step.primitive == "rfactor") {
    declare(result.tensor);
    for (const AxisPtr& axis : result.axes) declare(axis);
    made = fmt::format("auto [{}, {}] = ", variable(result.tensor), variables(result.axes));
  }
  if (step.primitive == "cache_shared") {
    declare(result.tensor);
    made = fmt::format("auto {} = ", variable(result.tensor));
  }
  return made + call(step);
}

std::string StepPrinter::declare(llvm::ArrayRef<AxisPtr> axes) {
  for (const AxisPtr& axis : axes) declare(axis);
  if (axes.size() == 1) return fmt::format("Axis {} = ", variable(axes[0]));
  return fmt::format("auto [{}] = ", variables(axes));
}

void StepPrinter::declare(const AxisPtr& axis) {
  declared_.push_back({axis, "", fresh_variable(axis->name)});
}

void StepPrinter::declare(const TensorPtr& tensor) {
  declared_.push_back({nullptr, tensor->name, fresh_variable(tensor->name)});
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
  if (llvm::is_contained(tensors_, tensor->name)) return tensor->name;
  for (const Variable& declared : declared_)
    if (declared.tensor == tensor->name) return declared.name;
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

std::string StepPrinter::call(const Step& step) const {
  const std::string axes = variables(step.axes);
  const auto& name = step.primitive;
  if (name == "split" || name == "split_into")
    return fmt::format("s.{}({}, {}{});", name, axes, list(step.factors), options(step.tail));
  if (name == "tile")
    return fmt::format("s.tile({{{}}}, {{{}}}{});", axes, list(step.factors), options(step.tail));
  if (name == "reorder") return fmt::format("s.reorder({{{}}});", axes);
  if (name == "bind")
    return fmt::format("s.bind({}, {}{});", axes, to_string(step.binding),
                       combine_text(step.binding.combine));
  if (name == "rename") return fmt::format("s.rename({}, \"{}\");", axes, step.name);
  if (name == "unroll" && step.count != 0)
    return fmt::format("s.unroll({}, {});", axes, step.count);
  if (name == "assume") return fmt::format("s.assume({});", step.factors[0]);
  if (step.tensor) return tensor_call(step);
  return fmt::format("s.{}({});", name, axes);
}

/// The calls that take a tensor.
std::string StepPrinter::tensor_call(const Step& step) const {
  const std::string tensor = variable(step.tensor);
  const auto& name = step.primitive;
  if (name == "layout") return fmt::format("s.layout({}, {});", tensor, layout_text(step.layout));
  if (name == "assume_aligned") return fmt::format("s.assume_aligned({}, {});", tensor, step.count);
  if (name == "copy_loops")
    return step.direction == Direction::fill
               ? fmt::format("s.copy_loops({});", tensor)
               : fmt::format("s.copy_loops({}, Direction::write_back);", tensor);
  if (name == "inline_tensor" || name == "fuse_epilogue")
    return fmt::format("s.{}({});", name, tensor);
  if (name == "compute_at")
    return fmt::format("s.compute_at({}, {}{});", tensor, variables(step.axes), scope_option(step));
  return fmt::format("s.{}({}, {}{});", name, picked_text(step, tensor), variables(step.axes),
                     cache_options(step));
}

}  // namespace hone
