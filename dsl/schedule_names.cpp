// The parts of a schedule that go by names: axes and tensors of the program, and traces to replay.
#include "dsl/schedule.h"
#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/error.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/visit.h"

namespace hone {
namespace {

Step rebased_at(const Step& step, const Function& function, Location location) {
  try {
    return rebased(step, function);
  } catch (ScheduleError& error) {
    error.at(location);
    throw;
  }
}

}  // namespace

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
  llvm::SmallVector<Axis, 2> descendants;
  for (const For* loop : loops_of(function_.body)) {
    bool defines = false, indexes = false;
    walk(loop->body, [&](const Stmt& stmt) {
      const auto* store = llvm::dyn_cast<Store>(stmt);
      if (!store || store->tensor->name != tensor.name()) return;
      defines = true;
      for (const Expr& index : store->indices) indexes |= mentions(index, loop->axis.get());
    });
    const auto& name = loop->axis->name;
    const Axis found(loop->axis, loop->extent);
    if (defines && (name == axis.name() || name == axis.name() + "." + tensor.name())) return found;
    if (indexes && loop->axis->roots == axis.node()->roots) descendants.push_back(found);
  }
  if (descendants.size() == 1) return descendants.front();
  if (descendants.empty()) return this->axis(axis.name() + "." + tensor.name(), location);
  llvm::SmallVector<std::string, 4> names;
  for (const Axis& part : descendants) names.push_back(part.name());
  throw ScheduleError("axis",
                      fmt::format("{} has become {} in the nest of {}", axis.name(),
                                  join_names(names), tensor.name()),
                      fmt::format("s.axis(\"{}\") is the first of them", names.front()))
      .at(location);
}

std::string Schedule::trace_text() const {
  std::string text;
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

}  // namespace hone
