#include "ir/schedule/step.h"

#include "fmt/format.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

#define HONE_PRIMITIVE(name) &name##_primitive,
constexpr const Primitive* primitives[] = {HONE_PRIMITIVES(HONE_PRIMITIVE)};
#undef HONE_PRIMITIVE

/// Checks for operands that a trace always has, and a step that a user puts together may lack.
void check_operands(const Function& function, const Step& step) {
  size_t axes = 0, factors = 0;
  for (const StepArgument& argument : step.primitive->arguments) {
    axes += argument.axes;
    factors += argument.factors;
  }
  if (step.axes.size() < axes || step.factors.size() < factors)
    Preconditions(step.primitive->name, function)
        .refuse(nullptr, fmt::format("a step with {} axes and {} factors, and it takes {} and {}",
                                     step.axes.size(), step.factors.size(), axes, factors));
}

/// A step may have fewer names than axes: the last axes keep their default names.
void check_names(const Rewrite& made, const Step& step) {
  const size_t axes = std::min(made.axes.size(), step.primitive->made.axes);
  if (step.names.size() <= axes) return;
  Preconditions(step.primitive->name, made.function)
      .refuse(nullptr, fmt::format("{} axes are given {} names", axes, step.names.size()),
              "one name for each axis; nullptr keeps the default name");
}

void name_axes(Rewrite& made, const Step& step) {
  check_names(made, step);
  for (size_t n = 0; n < step.names.size(); ++n) {
    if (step.names[n].empty()) continue;
    Rewrite renamed = rename(made.function, made.axes[n], step.names[n]);
    made.function = std::move(renamed.function);
    made.axes[n] = renamed.axes.front();
  }
}

Rewrite apply_under_names(const Function& function, const Step& step) {
  Rewrite made = step.primitive->apply(function, step);
  try {
    name_axes(made, step);
  } catch (ScheduleError& error) {
    error.during(std::string(step.primitive->name));
    throw;
  }
  return made;
}

}  // namespace

llvm::ArrayRef<const Primitive*> all_primitives() { return primitives; }

const Primitive& find_primitive(std::string_view name) {
  for (const Primitive* primitive : primitives)
    if (name == primitive->name) return *primitive;
  throw ScheduleError(std::string(name), "there is no primitive of that name");
}

Rewrite apply(const Function& function, const Step& step) {
  check_operands(function, step);
  try {
    return apply_under_names(function, step);
  } catch (const DefinitionError& error) {  // expressions that grow too large
    throw ScheduleError(std::string(step.primitive->name), error.what());
  }
}

Step rebased(const Step& step, const Function& function) {
  Step result = step;
  const auto loops = loops_of(function.body);
  const Preconditions check(step.primitive->name, function);
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

TensorPtr find_tensor(const Function& function, llvm::StringRef name) {
  for (const TensorPtr& argument : function.arguments)
    if (argument->name == name) return argument;
  const StmtNode* found = find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->name == name;
  });
  return found ? llvm::cast<Alloc>(found)->tensor : nullptr;
}

}  // namespace hone
