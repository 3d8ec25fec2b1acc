#include "ir/analysis/site.h"

#include "ir/traverse/visit.h"

namespace hone {
namespace {

std::optional<Site> find_site(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it) {
  Site site{path_to(stmt, is_it), {}, {}};
  if (site.around.empty()) return std::nullopt;
  site.statement = site.around.pop_back_val();
  return site;
}

}  // namespace

llvm::SmallVector<const For*, 8> Site::enclosing_loops() const {
  llvm::SmallVector<const For*, 8> loops;
  for (const Stmt& stmt : around)
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) loops.push_back(loop);
  return loops;
}

Facts Site::facts_around() const {
  Facts facts = facts_of(assumptions);
  for (const Stmt& stmt : around) {
    if (const auto* outer = llvm::dyn_cast<For>(stmt)) facts.add_axis(outer->axis, outer->extent);
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) facts.assume(branch->condition);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts.define(let->axis, let->value);
  }
  return facts;
}

Facts Site::facts() const {
  Facts facts = facts_around();
  if (const auto* own = llvm::dyn_cast<For>(statement)) facts.add_axis(own->axis, own->extent);
  return facts;
}

std::optional<Site> find_site(const Function& function, const AxisNode* axis) {
  const auto is_loop = [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && loop->axis.get() == axis;
  };
  std::optional<Site> site = find_site(function.body, is_loop);
  if (site) site->assumptions = function.assumptions;
  return site;
}

std::optional<Site> find_site(const Stmt& stmt, const StmtNode* statement) {
  return find_site(stmt, [&](const Stmt& nested) { return nested.get() == statement; });
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

}  // namespace hone
