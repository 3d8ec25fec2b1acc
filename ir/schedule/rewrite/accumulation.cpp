#include "ir/schedule/rewrite/accumulation.h"

#include "fmt/format.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/dependence.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// "rfactor before caching"
std::string before_caching(const Preconditions& check) {
  return check.primitive() + " before caching";
}

void check_axis(const Preconditions& check, const For& loop, const TensorNode& tensor) {
  if (!loop.is_reduction())
    check.refuse(&loop, fmt::format("{} is a spatial axis", loop.axis->name),
                 check.primitive() + " takes a reduction axis");
  if (tensor.scope != Scope::global)
    check.refuse(
        &loop, fmt::format("{} is @{}, a part of a tensor", tensor.name, name(tensor.scope).str()),
        before_caching(check));
}

/// The tensors that `stmt` writes, each once.
llvm::SmallVector<std::string, 2> names_written(const Stmt& stmt) {
  llvm::SmallVector<std::string, 2> names;
  for (const MemoryAccess& access : collect_accesses(stmt))
    if (access.writes && !llvm::is_contained(names, access.tensor->name))
      names.push_back(access.tensor->name);
  return names;
}

void check_updates(const Preconditions& check, const For& loop, const TensorNode& tensor) {
  const auto written = names_written(loop.body);
  if (llvm::is_contained(written, tensor.name)) return;
  check.refuse(&loop,
               fmt::format("{} does not update {}{}", loop.axis->name, tensor.name,
                           written.empty() ? "" : ", but " + join_names(written)),
               fmt::format("{} takes a tensor and a loop that it is reduced over; {}",
                           check.primitive(), before_caching(check)));
}

/// The statements from the loop inwards, down to the update.
llvm::SmallVector<Stmt, 8> path_inwards(const Preconditions& check, const Site& site,
                                        const TensorNode& tensor) {
  llvm::SmallVector<Stmt, 8> path;
  Stmt stmt = site.statement;
  while (!llvm::isa<Store>(stmt)) {
    path.push_back(stmt);
    if (const auto* loop = llvm::dyn_cast<For>(stmt))
      stmt = loop->body;
    else if (const auto* branch = llvm::dyn_cast<If>(stmt))
      stmt = branch->body;
    else if (const auto* let = llvm::dyn_cast<Let>(stmt))
      stmt = let->body;
    else
      check.refuse(
          stmt.get(),
          fmt::format("{} holds more than the update of {}", site.loop().axis->name, tensor.name),
          "fission separates statements; " + before_caching(check));
  }
  path.push_back(stmt);
  return path;
}

void check_operator(const Preconditions& check, const Store& store) {
  if (store.update != Update::set) return;
  check.refuse(&store,
               fmt::format("the updates of {} keep their order: no operator says that they may be "
                           "combined in groups",
                           store.tensor->name),
               "sum, product, max, min, any and all may, and what reduce(...) takes with "
               "{.associative = true}");
}

/// Gathers loops and guards on a path, and puts the values of lets into the statements below them.
class LevelBuilder {
 public:
  explicit LevelBuilder(const Preconditions& check) : check_(check) {}

  /// Statements below one that has several are those that a reduction may consist of.
  void add(const Stmt& stmt) {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt); alloc && !is_global_alloc(stmt))
      check_.refuse(
          stmt.get(),
          fmt::format("{} holds a part of a tensor around the reduction", alloc->tensor->name),
          before_caching(check_));
    if (llvm::isa<Seq>(stmt) || llvm::isa<Alloc>(stmt)) forget_reduction();
    if (const auto* let = llvm::dyn_cast<Let>(stmt))
      lets_.push_back({let->axis.get(), without_lets(let->value)});
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      levels.push_back({nullptr, without_lets(branch->condition), outermost != nullptr});
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      if (!outermost && loop->is_reduction()) outermost = loop;
      levels.push_back({loop, {}, outermost != nullptr});
    }
  }

  Expr without_lets(Expr expr) const {
    for (const auto& [axis, value] : lets_) expr = substitute(expr, axis, value);
    return expr;
  }

  llvm::SmallVector<Level, 8> levels;
  const For* outermost = nullptr;

 private:
  void forget_reduction() {
    outermost = nullptr;
    for (Level& level : levels) level.is_inside = false;
  }

  const Preconditions& check_;
  llvm::SmallVector<std::pair<const AxisNode*, Expr>, 2> lets_;
};

/// A loop of the reduction may be unrolled, and is in its new nest.
void check_bindings(const Preconditions& check, const Accumulation& sum) {
  for (const Level& level : sum.levels)
    if (level.is_reduction()) {
      const Binding& binding = level.loop->binding;
      if (binding.is_parallel())
        check.refuse(
            level.loop,
            fmt::format("{} is bound to {} already", level.loop->axis->name, to_string(binding)),
            check.primitive() + " before binding");
    }
}

}  // namespace

llvm::SmallVector<const For*, 4> Accumulation::spatial_loops() const {
  llvm::SmallVector<const For*, 4> loops;
  for (const Level& level : levels)
    if (level.loop && !level.is_reduction()) loops.push_back(level.loop);
  return loops;
}

bool Accumulation::varies(const Expr& expr) const {
  return llvm::any_of(levels, [&](const Level& level) {
    return level.is_reduction() && mentions(expr, level.loop->axis.get());
  });
}

bool Accumulation::is_of_value(const Level& level) const {
  if (!level.is_inside) return false;
  if (level.loop) return level.loop->is_reduction();
  return varies(level.guard) || reads_tensor(level.guard) || may_divide_by_zero(level.guard);
}

std::string Accumulation::element_text() const {
  return to_string(Load::make(update->tensor, indices));
}

void refuse_missing_element(const Preconditions& check, const Accumulation& sum, unsigned dim) {
  check.refuse(sum.update,
               fmt::format("{} may be no element where the reduction has no values: index {} is "
                           "not proved to stay below {}",
                           sum.element_text(), dim, sum.update->tensor->shape[dim]));
}

void check_elements(const Preconditions& check, const Accumulation& sum,
                    llvm::ArrayRef<const For*> repeated, const Facts& facts, const For& loop) {
  Accesses accesses = collect_accesses(Stmt(sum.update));
  MemoryAccess& written = accesses.back();
  written.indices = sum.indices;
  for (Expr& index : written.indices)
    if (sum.varies(index)) index = 0;  // may be any
  const auto open = unseparated(repeated, written, written, facts);
  if (!open.empty())
    check.refuse(open.front(),
                 fmt::format("iterations of {} that update one element, {}, have other loops or "
                             "statements between them and {}",
                             open.front()->axis->name, sum.element_text(), loop.axis->name),
                 "the loops of a reduction enclose one another directly");
  for (unsigned dim = 0; dim < sum.indices.size(); ++dim)
    if (!proves(written.indices[dim] >= 0, facts) ||
        (!sum.varies(sum.indices[dim]) &&
         !proves(written.indices[dim] < sum.update->tensor->shape[dim], facts)))
      refuse_missing_element(check, sum, dim);
}

Stmt around(const Level& level, const Stmt& body) {
  return level.loop ? level.loop->with_body(body) : If::make(level.guard, body);
}

Stmt repeated(const Level& level, const Stmt& body, llvm::StringRef suffix, Names& names,
              const Binding& binding) {
  if (!level.loop) return around(level, body);
  const AxisPtr& axis = level.loop->axis;
  const AxisPtr copy =
      make_axis(names.fresh(axis->name + suffix.str()), AxisKind::spatial, axis->roots);
  return For::make(copy, level.loop->extent, binding,
                   substitute(body, axis.get(), AxisRef::make(copy)));
}

Stmt with_temporary(const Stmt& body, const TensorPtr& tensor) {
  if (!is_global_alloc(body)) return Alloc::make(tensor, body);
  const auto& alloc = *llvm::cast<Alloc>(body);
  return Alloc::make(alloc.tensor, with_temporary(alloc.body, tensor));
}

Accumulation find_accumulation(const Preconditions& check, const Site& site,
                               const TensorNode& tensor) {
  check_axis(check, site.loop(), tensor);
  check_updates(check, site.loop(), tensor);
  llvm::SmallVector<Stmt, 8> path(site.around.begin(), site.around.end());
  llvm::append_range(path, path_inwards(check, site, tensor));
  const auto& update = *llvm::cast<Store>(path.pop_back_val());
  check_operator(check, update);
  LevelBuilder builder(check);
  for (const Stmt& stmt : path) builder.add(stmt);
  Accumulation result;
  result.root = *llvm::find_if(
      path, [](const Stmt& stmt) { return !is_global_alloc(stmt) && !llvm::isa<Seq>(stmt); });
  result.outermost = builder.outermost;
  result.levels = builder.levels;
  result.update = &update;
  for (const Expr& index : update.indices) result.indices.push_back(builder.without_lets(index));
  result.value = builder.without_lets(update.value);
  check_bindings(check, result);
  return result;
}

}  // namespace hone
