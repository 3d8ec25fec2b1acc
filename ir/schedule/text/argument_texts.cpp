#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/text/step_printer.h"
#include "ir/schedule/text/words.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone::argument {
namespace {

std::string braced(const std::string& list) { return fmt::format("{{{}}}", list); }

/// Empty where there are none.
std::string braced(llvm::ArrayRef<std::string> options) {
  return options.empty() ? "" : braced(fmt::format("{}", fmt::join(options, ", ")));
}

bool has_names(const Step& step) {
  return llvm::any_of(step.names, [](const std::string& name) { return !name.empty(); });
}

std::string quoted(const std::string& name) {
  return name.empty() ? "nullptr" : fmt::format("\"{}\"", name);
}

/// .names = {"row", nullptr}
std::string names_option(const Step& step) {
  llvm::SmallVector<std::string, 4> names;
  for (const std::string& name : step.names) names.push_back(quoted(name));
  return fmt::format(".names = {{{}}}", fmt::join(names, ", "));
}

/// "1", "IndexDigit(1) / 8 % 8"
std::string text_of(const IndexDigit& digit) {
  if (digit.is_whole()) return std::to_string(digit.dim);
  std::string text = fmt::format("IndexDigit({})", digit.dim);
  if (digit.stride != 1) text += fmt::format(" / {}", digit.stride);
  if (digit.count != 0) text += fmt::format(" % {}", digit.count);
  return text;
}

std::string text_of(const Swizzle& chunks) {
  const std::string digits =
      chunks.digit < 0 ? "" : fmt::format(", .digit = {}, .by = {}", chunks.digit, chunks.by);
  return fmt::format(".swizzle({{.chunk = {}, .period = {}, .rows = {}{}}})", chunks.chunk,
                     chunks.period, chunks.rows, digits);
}

/// "Layout::order({1, 0}).pad(1)"
std::string text_of(const Layout& layout) {
  std::string text = "Layout()";
  llvm::SmallVector<std::string, 4> digits;
  for (const IndexDigit& digit : layout.digits) digits.push_back(text_of(digit));
  if (!digits.empty()) text = fmt::format("Layout::order({{{}}})", fmt::join(digits, ", "));
  if (layout.padding != 0) text += fmt::format(".pad({})", layout.padding);
  if (layout.row_pitch.defined()) text += fmt::format(".pitch({})", layout.row_pitch);
  for (const Swizzle& chunks : layout.swizzles) text += text_of(chunks);
  return text;
}

/// Of axes that the user has variables for; where there are none, of others that descend from the
/// same axes: Axis("int", 1).
std::string index_text(const Expr& index, const StepPrinter& printer) {
  return as_variable(to_string(transform(index, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference || printer.find_axis(as_variable(reference->axis->name))) return Expr();
    const std::string call = fmt::format("Axis(\"{}\", 1)", reference->axis->name);
    return AxisRef::make(make_axis(call, reference->axis->kind));
  })));
}

}  // namespace

std::string axes_text(const Step& step, const StepPrinter& printer) {
  return printer.variables(step.axes);
}

std::string axis_list_text(const Step& step, const StepPrinter& printer) {
  return braced(printer.variables(step.axes));
}

std::string factors_text(const Step& step, const StepPrinter&) {
  std::string text;
  for (const Expr& factor : step.factors) text += (text.empty() ? "" : ", ") + to_string(factor);
  return text;
}

std::string factor_list_text(const Step& step, const StepPrinter& printer) {
  return braced(factors_text(step, printer));
}

std::string tensor_text(const Step& step, const StepPrinter& printer) {
  return step.tensor ? printer.variable(step.tensor) : "";
}

std::string element_text(const Step& step, const StepPrinter& printer) {
  std::string list;
  for (const Expr& index : step.element)
    list += (list.empty() ? "" : ", ") + index_text(index, printer);
  const std::string tensor = tensor_text(step, printer);
  return list.empty() ? tensor : fmt::format("{}({})", tensor, list);
}

std::string split_text(const Step& step, const StepPrinter&) {
  llvm::SmallVector<std::string, 2> options;
  if (step.tail != Tail::guard)
    options.push_back(fmt::format(".tail = Tail::{}", tail_words[static_cast<size_t>(step.tail)]));
  if (has_names(step)) options.push_back(names_option(step));
  return braced(options);
}

std::string fuse_text(const Step& step, const StepPrinter&) {
  return has_names(step) ? fmt::format("{{.name = {}}}", quoted(step.names.front())) : "";
}

std::string names_text(const Step& step, const StepPrinter&) {
  return has_names(step) ? braced(names_option(step)) : "";
}

/// CombineLevels{{CombineUnit::lanes, CombineMeans::shuffle}}
std::string levels_text(const CombineLevels& levels) {
  std::string text;
  for (const CombineLevel& level : levels.list())
    text += fmt::format("{}{{CombineUnit::{}, CombineMeans::{}{}}}", text.empty() ? "" : ", ",
                        hone::name(level.unit).str(), hone::name(level.means).str(),
                        level.unrolled ? ", true" : "");
  return "CombineLevels" + braced(text);
}

/// Units are names that a variable may hide.
std::string binding_text(const Step& step, const StepPrinter& printer) {
  const std::string name = to_string(step.binding);
  const bool is_unit = step.binding.digit.unit != ThreadUnit::thread;
  return is_unit && printer.is_taken(name) ? "hone::" + name : name;
}

std::string bound_axes_text(const Step& step, const StepPrinter& printer) {
  const std::string axes = printer.variables(step.axes);
  return step.axes.size() == 1 ? axes : braced(axes);
}

std::string outer_axis_text(const Step& step, const StepPrinter& printer) {
  return printer.variables(llvm::ArrayRef<AxisPtr>(step.axes).take_front());
}

std::string inner_axes_text(const Step& step, const StepPrinter& printer) {
  return braced(printer.variables(llvm::ArrayRef<AxisPtr>(step.axes).drop_front()));
}

std::string combine_text(const Step& step, const StepPrinter&) {
  const CombineLevels& levels = step.binding.combine;
  if (!levels) return "";
  const auto combine = short_name(levels);
  if (!combine) return levels_text(levels);
  const std::string method = "Combine::" + to_string(CombineLevels(combine->method));
  if (!combine->unrolled && !combine->last_warp) return method;
  return fmt::format("{{.method = {}{}{}}}", method, combine->unrolled ? ", .unrolled = true" : "",
                     combine->last_warp ? ", .last_warp = true" : "");
}

std::string count_text(const Step& step, const StepPrinter&) {
  return step.count == 0 ? "" : std::to_string(step.count);
}

std::string name_text(const Step& step, const StepPrinter&) { return quoted(step.name); }

std::string layout_text(const Step& step, const StepPrinter&) { return text_of(step.layout); }

std::string direction_text(const Step& step, const StepPrinter&) {
  if (step.direction == Direction::fill) return "";
  return fmt::format("Direction::{}", direction_words[static_cast<size_t>(step.direction)]);
}

std::string scope_text(const Step& step, const StepPrinter&) {
  return step.scope ? fmt::format("{{.scope = Scope::{}}}", hone::name(*step.scope).str()) : "";
}

std::string cache_text(const Step& step, const StepPrinter&) {
  llvm::SmallVector<std::string, 2> options;
  if (step.count != 0) options.push_back(fmt::format(".vectorize = {}", step.count));
  if (!step.layout.is_row_major())
    options.push_back(fmt::format(".layout = {}", text_of(step.layout)));
  return braced(options);
}

std::string engine_text(const Step& step, const StepPrinter&) {
  if (step.engine != CopyEngine::boxes) return "";
  return fmt::format("CopyEngine::{}", engine_words[static_cast<size_t>(step.engine)]);
}

std::string numbers_text(const Step& step, const StepPrinter&) {
  return fmt::format("Numbers::{}", hone::name(step.numbers).str());
}

std::string roles_text(const Step& step, const StepPrinter&) {
  const WarpRoles& roles = step.binding.roles;
  std::string options = fmt::format(".producer_warps = {}", roles.producer_warps);
  if (roles.has_registers())
    options += fmt::format(", .producer_registers = {}, .consumer_registers = {}",
                           roles.producer_registers, roles.consumer_registers);
  if (roles.in_flight > 0) options += fmt::format(", .in_flight = {}", roles.in_flight);
  return braced(options);
}

}  // namespace hone::argument
