#include "ir/schedule/site.h"

#include "ir/visit.h"

namespace hone {
namespace {

bool find_path(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it, Site& site) {
  if (is_it(stmt)) {
    site.statement = stmt;
    return true;
  }
  bool found = false;
  site.around.push_back(stmt);
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { found = found || find_path(nested, is_it, site); });
  if (!found) site.around.pop_back();
  return found;
}

}  // namespace

llvm::SmallVector<const For*, 8> Site::enclosing_loops() const {
  llvm::SmallVector<const For*, 8> loops;
  for (const Stmt& stmt : around)
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) loops.push_back(loop);
  return loops;
}

Facts Site::facts() const {
  Facts facts = facts_of(assumptions);
  for (const Stmt& stmt : around) {
    if (const auto* outer = llvm::dyn_cast<For>(stmt)) facts.add_axis(outer->axis, outer->extent);
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) facts.assume(branch->condition);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts.define(let->axis, let->value);
  }
  facts.add_axis(loop().axis, loop().extent);
  return facts;
}

std::optional<Site> find_site(const Function& function, const AxisNode* axis) {
  const auto is_loop = [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && loop->axis.get() == axis;
  };
  Site site;
  if (!find_path(function.body, is_loop, site)) return std::nullopt;
  site.assumptions = function.assumptions;
  return site;
}

std::optional<Site> find_site(const Stmt& stmt, const StmtNode* statement) {
  Site site;
  const auto is_it = [&](const Stmt& nested) { return nested.get() == statement; };
  return find_path(stmt, is_it, site) ? std::optional(site) : std::nullopt;
}

llvm::SmallVector<const For*, 8> loops_of(const Stmt& stmt) {
  llvm::SmallVector<const For*, 8> loops;
  walk(stmt, [&](const Stmt& nested) {
    if (const auto* loop = llvm::dyn_cast<For>(nested)) loops.push_back(loop);
  });
  return loops;
}

const StmtNode* find_stmt(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> holds) {
  const StmtNode* found = nullptr;
  walk(stmt, [&](const Stmt& nested) {
    if (!found && holds(nested)) found = nested.get();
  });
  return found;
}

Stmt inside_guards(Stmt stmt, Facts& facts) {
  while (const auto* branch = llvm::dyn_cast<If>(stmt)) {
    facts.assume(branch->condition);
    stmt = branch->body;
  }
  return stmt;
}

const Alloc* find_alloc(const Stmt& stmt, const TensorPtr& tensor) {
  return llvm::cast_or_null<Alloc>(find_stmt(stmt, [&](const Stmt& nested) {
    const auto* alloc = llvm::dyn_cast<Alloc>(nested);
    return alloc && alloc->tensor == tensor;
  }));
}

bool is_global_alloc(const Stmt& stmt) {
  const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
  return alloc && alloc->tensor->scope == Scope::global;
}

std::string join_names(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (size_t n = 0; n < names.size(); ++n)
    text += (n == 0 ? "" : n + 1 == names.size() ? " and " : ", ") + names[n];
  return text;
}

Preconditions::Preconditions(llvm::StringRef primitive, const Function& function,
                             const TensorPtr& tensor)
    : Preconditions(primitive, function) {
  if (!tensor) refuse(nullptr, "the tensor is a null pointer");
}

Site Preconditions::find(const AxisPtr& axis) const {
  if (!axis) refuse(nullptr, "an axis is a null pointer");
  if (std::optional<Site> site = find_site(function_, axis.get())) return *site;
  llvm::SmallVector<std::string, 8> names;
  for (const For* loop : loops_of(function_.body)) names.push_back(loop->axis->name);
  refuse(nullptr, fmt::format("{} has no axis {}", function_.name, axis->name),
         names.empty() ? "there are no loops left" : "its axes are " + join_names(names));
}

Site Preconditions::find_serial(const AxisPtr& axis) const {
  Site site = find(axis);
  const Binding& binding = site.loop().binding;
  if (binding.is_serial()) return site;
  const bool is_unrolled = binding.kind == Binding::Kind::unroll;
  const bool is_vector = binding.kind == Binding::Kind::vectorize;
  const bool takes_its_place =
      primitive_ == "bind" || primitive_ == "unroll" || primitive_ == "vectorize";
  refuse(site.statement.get(),
         is_unrolled ? fmt::format("{} is unrolled already", axis->name)
         : is_vector ? fmt::format("{} is vectorised already", axis->name)
                     : fmt::format("{} is bound to {} already", axis->name, to_string(binding)),
         takes_its_place
             ? "a loop is bound, unrolled or vectorised once"
             : fmt::format("{} before {} it",
                           primitive_ == "write_out" ? "write it out" : primitive_ + " it",
                           is_unrolled ? "unrolling"
                           : is_vector ? "vectorising"
                                       : "binding"));
}

void Preconditions::refuse(const StmtNode* culprit, std::string message, std::string note) const {
  throw ScheduleError(primitive_, std::move(message), std::move(note)).mark(function_, culprit);
}

}  // namespace hone
