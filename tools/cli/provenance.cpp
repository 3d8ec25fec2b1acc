#include "tools/cli/provenance.h"

#include "ir/visit.h"

namespace hone {
namespace {

using Path = llvm::SmallVector<Stmt, 8>;
using Names = llvm::SmallVector<llvm::StringRef, 4>;

/// Fills `path` with the statements around `statement`, itself last; false where it is not in
/// `stmt`.
bool find_path(const Stmt& stmt, const StmtNode* statement, Path& path) {
  path.push_back(stmt);
  bool found = stmt.get() == statement;
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { found = found || find_path(nested, statement, path); });
  if (!found) path.pop_back();
  return found;
}

Names shared_tensors(const Path& path) {
  Names names;
  for (const Stmt& stmt : path) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope == Scope::shared) names.push_back(alloc->tensor->name);
  }
  return names;
}

/// Those of the statement's own line.
Names tensors_of(const Stmt& stmt) {
  Names names;
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) names.push_back(store->tensor->name);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) names.push_back(alloc->tensor->name);
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
    for (const Region* side : {&copy->destination, &copy->source})
      names.push_back(side->tensor->name);
  const auto add_loads = [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part)) names.push_back(load->tensor->name);
    });
  };
  for_each_operand(stmt, add_loads, [](const Stmt&) {});
  return names;
}

/// Of a copy that became loops, which the schedule's function has not got.
bool is_made_by_lowering(const Stmt& stmt, const Function& function) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return false;
  bool found = false;
  walk(function.body, [&](const Stmt& other) {
    const auto* original = llvm::dyn_cast<For>(other);
    found |= original && original->axis->name == loop->axis->name;
  });
  return !found;
}

Names tensors_of(const Path& path, const Function& function) {
  const Stmt& stmt = path.back();
  if (llvm::isa<Barrier>(stmt)) return shared_tensors(path);
  if (!is_made_by_lowering(stmt, function)) return tensors_of(stmt);
  Names names;
  walk(stmt, [&](const Stmt& nested) { llvm::append_range(names, tensors_of(nested)); });
  return names;
}

Names own_axis(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return {loop->axis->name};
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return {let->axis->name};
  return {};
}

Names loop_axes(const Path& path) {
  Names names;
  for (const Stmt& stmt : path)
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) names.push_back(loop->axis->name);
  return names;
}

/// The latest of the steps that `makes` says of whether they made a name.
template <class Makes>
std::optional<size_t> latest_maker(llvm::ArrayRef<TraceEntry> trace, const Names& names,
                                   Makes makes) {
  for (size_t step = trace.size(); step-- > 0;)
    for (const llvm::StringRef name : names)
      if (makes(trace[step], name)) return step;
  return std::nullopt;
}

bool makes_tensor(const TraceEntry& entry, llvm::StringRef name) {
  const bool is_cache = entry.step.primitive->name.starts_with("cache_");
  return is_cache && entry.tensor && entry.tensor->name == name;
}

/// Steps also return axes that they were called with.
bool makes_axis(const TraceEntry& entry, llvm::StringRef name) {
  return llvm::any_of(entry.step.made, [&](const AxisPtr& axis) {
    return axis->name == name && !llvm::is_contained(entry.step.axes, axis);
  });
}

}  // namespace

std::optional<size_t> step_of(const Schedule& schedule, const KernelFunction& kernel,
                              const StmtNode* statement) {
  return step_of(schedule, kernel.body, statement);
}

std::optional<size_t> step_of(const Schedule& schedule, const Stmt& body,
                              const StmtNode* statement) {
  Path path;
  if (!find_path(body, statement, path)) return std::nullopt;
  const auto trace = schedule.trace();
  const Names tensors = tensors_of(path, schedule.function());
  if (const auto step = latest_maker(trace, tensors, makes_tensor)) return step;
  if (const auto step = latest_maker(trace, own_axis(path.back()), makes_axis)) return step;
  return latest_maker(trace, loop_axes(path), makes_axis);
}

std::string origin_text(const Schedule& schedule, const KernelFunction& kernel,
                        const StmtNode* statement) {
  const auto step = step_of(schedule, kernel, statement);
  if (!step) return "the definition";
  return fmt::format("step {}: {}", *step + 1, schedule.trace()[*step].text);
}

}  // namespace hone
