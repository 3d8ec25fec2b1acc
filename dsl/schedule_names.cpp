// The parts of a schedule that go by names: axes and tensors of the program, and traces to replay.
#include "dsl/schedule.h"
#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/core/error.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/text/step_reader.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool has_loop(const Function& function, const AxisPtr& axis) {
  return find_site(function, axis.get()).has_value();
}

std::string location_text(const Location& location) {
  return location.file ? fmt::format(" at {}:{}", location.file, location.line) : "";
}

Step rebased_at(const Step& step, const Function& function, Location location) {
  try {
    return rebased(step, function);
  } catch (ScheduleError& error) {
    error.at(location);
    throw;
  }
}

/// True of the tensor, and of a tile that holds a part of it near the threads: C.reg of C.
bool is_part_of(const TensorNode& part, const Tensor& tensor) {
  const bool is_tile = part.scope != Scope::global;
  return part.name == tensor.name() || (is_tile && part.name.starts_with(tensor.name() + "."));
}

using Indices = llvm::SmallVector<Expr, 4>;

/// The indices at which the statement by itself writes to a part of the tensor.
std::optional<Indices> written_by(const Stmt& stmt, const Tensor& tensor) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt); store && is_part_of(*store->tensor, tensor))
    return store->indices;
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  if (copy && is_part_of(*copy->destination.tensor, tensor)) return copy->destination.first();
  return std::nullopt;
}

/// The loops that the axis has become in the nest of the tensor: one where it has kept its name.
llvm::SmallVector<Axis, 2> loops_in_nest(const Function& function, const Tensor& tensor,
                                         const Axis& axis) {
  llvm::SmallVector<Axis, 2> loops;
  for (const For* loop : loops_of(function.body)) {
    bool defines = false, indexes = loop->is_reduction();
    walk(loop->body, [&](const Stmt& stmt) {
      const auto indices = written_by(stmt, tensor);
      defines |= indices.has_value();
      for (const Expr& index : indices.value_or(Indices()))
        indexes |= mentions(index, loop->axis.get());
    });
    const auto& name = loop->axis->name;
    const Axis found(loop->axis, loop->extent);
    if (defines && (name == axis.name() || name == axis.name() + "." + tensor.name()))
      return {found};
    if (defines && indexes && loop->axis->roots == axis.node()->roots) loops.push_back(found);
  }
  return loops;
}

/// The names of the axes that a step has made of one of its axes: those of a tile are the outer
/// ones of all axes, and then the inner ones.
llvm::SmallVector<std::string, 4> axes_made_of(const AxisPtr& axis, const Step& step) {
  llvm::SmallVector<std::string, 4> names;
  const bool is_of_all = step.made.size() < step.axes.size();
  for (size_t n = 0; n < step.made.size(); ++n)
    if (is_of_all || step.axes[n % step.axes.size()] == axis) names.push_back(step.made[n]->name);
  return names;
}

/// A call has a variable for each of its axes, or none; behind a tensor, axes may have none.
void check_variables(const Step& step, const Rewrite& result, Location location) {
  const Made& made = step.primitive->made;
  const size_t named = step.variables.size();
  const size_t least = made.tensor ? 1 : std::min(made.axes, result.axes.size());
  const size_t most = result.axes.size() + (result.tensor != nullptr);
  if (named == 0 || (named >= least && named <= most)) return;
  const size_t wanted = named < least ? least : most;
  throw ScheduleError(std::string(step.primitive->name),
                      fmt::format("{} variable{} for {} result{}", named, named == 1 ? "" : "s",
                                  wanted, wanted == 1 ? "" : "s"))
      .at(location);
}

}  // namespace

/// An axis that a step has used up is told from one that never was, and from one that has the name
/// of this program's.
void Schedule::check_live(const Step& step) const {
  for (const AxisPtr& axis : step.axes) {
    if (!axis || has_loop(function_, axis)) continue;
    check_own(step, axis);
    const auto consumer = llvm::find_if(trace_, [&](const TraceEntry& entry) {
      return llvm::is_contained(entry.step.axes, axis) &&
             !llvm::is_contained(entry.step.made, axis);
    });
    if (consumer == trace_.end()) continue;
    const auto made = axes_made_of(axis, consumer->step);
    throw ScheduleError(
        std::string(step.primitive->name),
        fmt::format("axis {} no longer exists; {}{} {}", axis->name, consumer->step.primitive->name,
                    location_text(consumer->location),
                    made.empty() ? "took its loop away" : "made it " + join_names(made)));
  }
}

/// Tensors are known by name, since steps put others in their place; not so those of other
/// programs.
void Schedule::check_own(llvm::StringRef primitive, const TensorPtr& tensor,
                         Location location) const {
  const auto is_it = [&](const TraceEntry& entry) { return entry.tensor == tensor; };
  if (find_tensor(function_, tensor->name) == tensor || llvm::is_contained(tensors_, tensor) ||
      llvm::any_of(trace_, is_it))
    return;
  const bool is_live = find_tensor(function_, tensor->name) != nullptr;
  ScheduleError error(
      primitive.str(),
      is_live ? fmt::format("{0} is a tensor of another program, and {1} has a tensor {0} of its "
                            "own",
                            tensor->name, function_.name)
              : fmt::format("{} is no tensor of {}", tensor->name, function_.name),
      is_live ? fmt::format("s.tensor(\"{}\") is that one", tensor->name) : "");
  throw error.at(location);
}

/// Refuses an axis that no program but another one has.
void Schedule::check_own(const Step& step, const AxisPtr& axis) const {
  llvm::SmallVector<AxisPtr, 16> own;
  for (const For* loop : loops_of(function_.body)) own.push_back(loop->axis);
  for (const TraceEntry& entry : trace_) llvm::append_range(own, entry.step.axes);
  if (llvm::is_contained(own, axis)) return;
  const auto is_namesake = [&](const AxisPtr& other) { return other->name == axis->name; };
  if (llvm::none_of(own, is_namesake)) return;
  const bool is_live = llvm::any_of(loops_of(function_.body),
                                    [&](const For* loop) { return is_namesake(loop->axis); });
  throw ScheduleError(std::string(step.primitive->name),
                      fmt::format("{0} is an axis of another program, and {1} has an axis {0} of "
                                  "its own",
                                  axis->name, function_.name),
                      is_live ? fmt::format("s.axis(\"{}\") is that one", axis->name) : "");
}

Axis Schedule::axis(llvm::StringRef name, Location location) const {
  for (const For* loop : loops_of(function_.body))
    if (loop->axis->name == name) return {loop->axis, loop->extent};
  try {
    const AxisPtr unknown = make_axis(name, AxisKind::spatial);
    const Site site = Preconditions("axis", function_).find(unknown);
    return {site.loop().axis, site.loop().extent};
  } catch (ScheduleError& error) {
    error.at(location);
    throw;
  }
}

Tensor Schedule::tensor(llvm::StringRef name, Location location) const {
  if (const TensorPtr found = find_tensor(function_, name)) return Tensor(found);
  throw ScheduleError("tensor", fmt::format("{} has no tensor {}", function_.name, name.str()))
      .at(location);
}

Axis Schedule::axis(const Tensor& tensor, const Axis& axis, Location location) const {
  const auto loops = loops_in_nest(function_, tensor, axis);
  if (loops.size() == 1) return loops.front();
  llvm::SmallVector<std::string, 8> names;
  for (const Axis& part : loops) names.push_back(part.name());
  if (!loops.empty())
    throw ScheduleError("axis",
                        fmt::format("{} has become {} in the nest of {}", axis.name(),
                                    join_names(names), tensor.name()),
                        fmt::format("s.axis(\"{}\") is the first of them", names.front()))
        .at(location);
  for (const For* loop : loops_of(function_.body)) names.push_back(loop->axis->name);
  throw ScheduleError("axis", fmt::format("no loop of {} computes {}", axis.name(), tensor.name()),
                      names.empty()
                          ? "there are no loops left"
                          : fmt::format("the axes of {} are {}", function_.name, join_names(names)))
      .at(location);
}

std::string Schedule::trace_text() const {
  std::string text;
  for (const ParamPtr& param : function_.params)  // those of the program are taken
    if (!printer_.is_taken(param->name)) text += fmt::format("Param {0}(\"{0}\");\n", param->name);
  for (const TraceEntry& entry : trace_) text += entry.text + "\n";
  return text;
}

void Schedule::replay(llvm::ArrayRef<TraceEntry> trace, Location location) {
  const std::vector<TraceEntry> entries(trace.begin(), trace.end());  // they may be this schedule's
  all_or_none([&] {
    for (const TraceEntry& entry : entries)
      apply(rebased_at(entry.step, function_, location), location);
  });
}

Rewrite Schedule::replay(llvm::StringRef text, const char* file) {
  Rewrite last{function_, {}, nullptr};
  all_or_none([&] {
    try {
      StepReader reader(text);
      while (const auto call = reader.read(function_, printer_)) last = apply_call(*call, file);
    } catch (const ParseError& error) {
      throw ParseError(fmt::format("{}:{}", file, error.what()));
    }
  });
  return last;
}

Rewrite Schedule::apply_call(const StepCall& call, const char* file) {
  const Location location{file, call.line};
  Rewrite made = apply(call.step, location);
  check_variables(call.step, made, location);
  made.axes.resize(std::min(made.axes.size(), call.step.primitive->made.axes));
  return made;
}

}  // namespace hone
