#include "tools/cli/provenance.h"

#include <set>

#include "fmt/ranges.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Texts = std::set<std::string>;

/// A temporary that becomes a tile keeps its name.
std::string text_of(const TensorNode& tensor) {
  return fmt::format("{} @{}", tensor.name, name(tensor.scope).str());
}

std::string loads_of(const Stmt& stmt) {
  Texts loads;
  const auto add = [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part)) loads.insert(text_of(*load->tensor));
    });
  };
  for_each_operand(stmt, add, [](const Stmt&) {});
  return fmt::format("{}", fmt::join(loads, ", "));
}

/// The axes of the definition, and the params, that a condition is about.
std::string subjects_of(const Expr& condition) {
  Texts subjects;
  walk(condition, [&](const Expr& part) {
    if (const auto* axis = llvm::dyn_cast<AxisRef>(part))
      subjects.insert(axis->axis->roots.begin(), axis->axis->roots.end());
    if (const auto* param = llvm::dyn_cast<ParamRef>(part)) subjects.insert(param->param->name);
  });
  return fmt::format("{}", fmt::join(subjects, ", "));
}

struct Description {
  std::string name, detail;  ///< of what it is known by, and of what steps change
  bool is_counted = false;   ///< one more of the name is owed to the step, and no copy of another
};

/// True of copies that engines make.
bool moves_elements(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && llvm::any_of(instr->operands(), [](const Operand& operand) {
           return operand.writes() && operand.timeline != Timeline::thread &&
                  operand.tensor->scope != Scope::registers;
         });
}

std::string move_text(const Instr& move) {
  const auto operands = move.operands();
  const auto side = [&](Use use) {
    return text_of(
        *llvm::find_if(operands, [&](const Operand& one) { return one.use == use; })->tensor);
  };
  return fmt::format("{} = {}", side(Use::writes), side(Use::reads));
}

/// True of barriers, groups and fences, which name no tensor.
bool orders_threads(const Instr& instr) {
  return instr.places.empty() && instr.opcode.rules.least_capability == 0;
}

/// A copy is known as the stores that it becomes. Empty for what has no meaning of its own.
Description describe(const Stmt& stmt) {
  return visit(
      stmt,
      [](const For& loop) -> Description {
        return {"axis " + loop.axis->name, to_string(loop.binding) + to_string(loop.extent)};
      },
      [](const Let& let) -> Description {
        return {"axis " + let.axis->name, ""};
      },
      [](const Alloc& alloc) -> Description {
        return {"tensor " + alloc.tensor->name,
                declaration(*alloc.tensor) + text_of(*alloc.tensor)};
      },
      [&](const Store& store) -> Description {
        return {fmt::format("{} {} {}", text_of(*store.tensor), update_text(store), loads_of(stmt)),
                ""};
      },
      [](const Copy& copy) -> Description {
        return {
            fmt::format("{} = {}", text_of(*copy.destination.tensor), text_of(*copy.source.tensor)),
            ""};
      },
      [](const Instr& instr) -> Description {
        return {moves_elements(Stmt(&instr)) ? move_text(instr) : "", ""};
      },
      [](const If& branch) -> Description {
        return {"if " + subjects_of(branch.condition), "", true};
      },
      [](const auto&) -> Description { return {}; });
}

std::string combination_of(llvm::StringRef tensor) { return "combination of " + tensor.str(); }

/// The combinations that the loop is bound to make: of each tensor that it updates.
Texts combinations(const Stmt& stmt) {
  Texts names;
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop || !loop->binding.combine) return names;
  walk(loop->body, [&](const Stmt& nested) {
    const auto* store = llvm::dyn_cast<Store>(nested);
    if (store && store->update != Update::set) names.insert(combination_of(store->tensor->name));
  });
  return names;
}

/// A loop, or the guard of a single statement.
bool is_of_what_is_inside(const Stmt& stmt) {
  const auto* branch = llvm::dyn_cast<If>(stmt);
  return llvm::isa<For>(stmt) ||
         (branch && (llvm::isa<Store, Copy>(branch->body) || moves_elements(branch->body)));
}

}  // namespace

Provenance::Provenance(const Schedule& schedule) : schedule_(schedule) {
  size_t step = 0;
  for (const TraceEntry& entry : schedule.trace()) add(entry.before, step++);
  add(schedule.function().body, step);
}

/// Notes that the step made whatever is new in `body`, or has changed.
void Provenance::add(const Stmt& body, size_t step) {
  llvm::StringMap<Known> found;
  const auto note = [&](const Description& description) {
    Known& known = found[description.name];
    known = {description.detail, known.count + (description.is_counted ? 1 : 0), step};
  };
  walk(body, [&](const Stmt& stmt) {
    if (const Description description = describe(stmt); !description.name.empty())
      note(description);
    for (const std::string& name : combinations(stmt))
      note({name, to_string(llvm::cast<For>(stmt)->binding)});
  });
  for (auto& entry : found) {
    const Known& now = entry.second;
    Known& known = known_.try_emplace(entry.first(), now).first->second;
    const bool is_changed = now.count > known.count || now.detail != known.detail;
    known = {now.detail, now.count, is_changed ? step : known.step};
  }
}

std::optional<size_t> Provenance::step_of_name(const std::string& name) const {
  const auto known = known_.find(name);
  return known == known_.end() ? std::nullopt : std::optional(known->second.step);
}

std::optional<size_t> Provenance::own_step(const Stmt& stmt) const {
  const auto own = step_of_name(describe(stmt).name);
  return own ? own : step_of_combination(stmt);
}

/// Lowering makes S.part and S.tree where S is combined.
std::optional<size_t> Provenance::step_of_combination(const Stmt& stmt) const {
  std::optional<size_t> step;
  for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse) {
    if (known_.count("tensor " + tensor->name) != 0) return;
    llvm::StringRef name = tensor->name;
    while (!step && name.contains('.'))
      step = step_of_name(combination_of(name = name.rsplit('.').first));
  });
  return step;
}

size_t Provenance::step_inside(const Stmt& stmt) const {
  size_t step = 0;
  walk(stmt, [&](const Stmt& nested) {
    if (llvm::isa<Store, Copy, Alloc>(nested)) step = std::max(step, own_step(nested).value_or(0));
  });
  return step;
}

size_t Provenance::step_of_shared_tensors(const Path& path) const {
  size_t step = 0;
  for (const Stmt& stmt : path) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope == Scope::shared)
      step = std::max(step, own_step(stmt).value_or(0));
  }
  return step;
}

/// `has_threads`: of the loops that run on threads, too, which are values in a kernel.
size_t Provenance::step_around(const Path& path, bool has_threads) const {
  size_t step = 0;
  for (const Stmt& stmt : path) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const bool is_loop = loop && !loop->binding.is_parallel();
    if (is_loop || (has_threads && (loop || llvm::isa<Let>(stmt))))
      step = std::max(step, own_step(stmt).value_or(0));
  }
  return step;
}

size_t Provenance::step_of(const Path& path) const {
  const Stmt& stmt = path.back();
  if (const auto* instr = llvm::dyn_cast<Instr>(stmt); instr && orders_threads(*instr))
    if (const size_t step = step_of_shared_tensors(path)) return step;
  const std::optional<size_t> own = own_step(stmt);
  if (own.value_or(0) > 0) return *own;
  if (!own && is_of_what_is_inside(stmt))
    if (const size_t step = step_inside(stmt)) return step;
  return step_around(path, !own && !llvm::isa<Let>(stmt));
}

std::optional<size_t> Provenance::step_of(const Stmt& body, const StmtNode* statement) const {
  const Path path = path_to(body, [&](const Stmt& stmt) { return stmt.get() == statement; });
  if (path.empty()) return std::nullopt;
  const size_t step = step_of(path);
  return step == 0 ? std::nullopt : std::optional(step - 1);
}

std::string Provenance::origin_text(const Stmt& body, const StmtNode* statement) const {
  const auto step = step_of(body, statement);
  if (!step) return "the definition";
  return fmt::format("step {}: {}", *step + 1, schedule_.trace()[*step].text);
}

}  // namespace hone
