#include "ir/schedule/element.h"

#include <set>

#include "ir/analysis/accesses.h"
#include "ir/core/counted.h"
#include "ir/core/error.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Roots = std::set<std::string>;

/// Of f / N and f % N, which are the outer and the inner one of two fused axes, that one alone.
const AxisNode* unfused(const Binary& binary) {
  const auto* fused = llvm::dyn_cast<AxisRef>(binary.lhs);
  if (!fused || !fused->axis->outer || as_int(binary.rhs) != fused->axis->inner_extent)
    return nullptr;
  if (binary.op == BinaryOp::div) return fused->axis->outer.get();
  return binary.op == BinaryOp::mod ? fused->axis->inner.get() : nullptr;
}

void add_roots(Roots& roots, const Expr& index) {
  const auto* binary = llvm::dyn_cast<Binary>(index);
  const AxisNode* axis = binary ? unfused(*binary) : nullptr;
  if (const auto* reference = llvm::dyn_cast<AxisRef>(index)) axis = reference->axis.get();
  if (axis) return roots.insert(axis->roots.begin(), axis->roots.end());
  for_each_operand(index, [&](const Expr& operand) { add_roots(roots, operand); });
}

/// The declared axes that each index descends from.
llvm::SmallVector<Roots, 4> roots_of(llvm::ArrayRef<Expr> indices) {
  llvm::SmallVector<Roots, 4> roots(indices.size());
  for (size_t dim = 0; dim < indices.size(); ++dim) add_roots(roots[dim], indices[dim]);
  return roots;
}

/// "A(i, k)"
std::string text_of(const TensorPtr& tensor, llvm::ArrayRef<Expr> element) {
  std::string list;
  for (const Expr& index : element) list += (list.empty() ? "" : ", ") + to_string(index);
  return fmt::format("{}({})", tensor->name, list);
}

/// "A.i.k"
std::string view_name(const TensorPtr& tensor, llvm::ArrayRef<Roots> element) {
  std::string name = tensor->name;
  for (const Roots& roots : element)
    for (const std::string& root : roots) name += "." + root;
  return name;
}

[[noreturn]] void refuse_unknown(const Preconditions& check, const For& loop,
                                 const TensorPtr& tensor, llvm::ArrayRef<Expr> element) {
  llvm::SmallVector<std::string, 4> known;
  for (const MemoryAccess& access : collect_accesses(loop.body))
    if (access.tensor == tensor && !llvm::is_contained(known, access.text()))
      known.push_back(access.text());
  check.refuse(&loop, fmt::format("no access here is to {}", text_of(tensor, element)),
               known.empty() ? fmt::format("{} is not used here", tensor->name)
                             : fmt::format("{} is used as {}", tensor->name, join_names(known)));
}

void check_may_pick(const Preconditions& check, const For& loop, const TensorPtr& tensor,
                    llvm::ArrayRef<Expr> element) {
  if (tensor->scope != Scope::global)
    check.refuse(&loop, fmt::format("{} is a tile, whose accesses move together", tensor->name));
  if (element.size() != tensor->rank())
    check.refuse(&loop, fmt::format("{} has {}, and {} names {}", tensor->name,
                                    counted(tensor->rank(), "dimension", "dimensions"),
                                    text_of(tensor, element), element.size()));
  for (const MemoryAccess& access : collect_accesses(loop.body))
    if (access.tensor == tensor && access.writes)
      check.refuse(access.statement.get(),
                   fmt::format("{} is written here, and a tile of {} would not show it",
                               tensor->name, text_of(tensor, element)),
                   "one tile takes all accesses to a tensor that is written");
}

/// A function in which the picked accesses are those of a tensor of their own.
struct Picked {
  Function function;
  TensorPtr view;  ///< of the same shape, an argument of the function
};

Picked pick_accesses(const Preconditions& check, const Function& function, const TensorPtr& tensor,
                     const AxisPtr& axis, llvm::ArrayRef<Expr> element) {
  const Site site = check.find(axis);
  const For& loop = site.loop();
  check_may_pick(check, loop, tensor, element);
  const auto wanted = roots_of(element);
  const TensorPtr view = make_tensor(Names(function).fresh(view_name(tensor, wanted)), tensor->type,
                                     tensor->shape, tensor->scope, tensor->layout);
  const Stmt body = transform_exprs(loop.body, [&](const Expr& expr) -> Expr {
    const auto* load = llvm::dyn_cast<Load>(expr);
    if (!load || load->tensor != tensor || roots_of(load->indices) != wanted) return {};
    return Load::make(view, load->indices);
  });
  if (body.same_as(loop.body)) refuse_unknown(check, loop, tensor, element);
  Picked picked = {function.with_body(replace(function.body, &loop, loop.with_body(body))), view};
  picked.function.arguments.push_back(view);
  return picked;
}

Function without_view(const Function& function, const TensorPtr& view, const TensorPtr& tensor) {
  Function result = function;
  llvm::erase_if(result.arguments, [&](const TensorPtr& other) { return other == view; });
  return rebuild(result, replace_tensor(result.body, view.get(), tensor));
}

/// Refuses a tile that takes elements along which other iterations of a bound loop write.
void check_reads_apart(const Preconditions& check, const Function& result, const Site& site,
                       const TensorPtr& tensor) {
  auto loops = site.enclosing_loops();
  loops.push_back(&site.loop());
  for (const For* loop : loops)
    if (loop->binding.is_parallel())
      check_independent(check, result, loop->axis.get(), &site.loop(), tensor);
}

}  // namespace

Rewrite cache_picked(const char* primitive, const Function& function, const TensorPtr& tensor,
                     const AxisPtr& axis, CacheOptions options, CacheStep* cache) {
  const Preconditions check(primitive, function, tensor);
  const Picked picked = pick_accesses(check, function, tensor, axis, options.element);
  options.element.clear();
  try {
    Rewrite result = cache(picked.function, picked.view, axis, options);
    result.function = without_view(result.function, picked.view, tensor);
    const Site site = check.find(axis);
    check_reads_apart(check, result.function, site, tensor);
    check_promises(check, function, result.function, &site.loop());
    return result;
  } catch (const ScheduleError& error) {
    const auto named = [&](std::string text) {
      for (size_t at = text.find(picked.view->name); at != std::string::npos;
           at = text.find(picked.view->name))
        text.replace(at, picked.view->name.size(), tensor->name);
      return text;
    };
    check.refuse(&check.find(axis).loop(), named(error.message()), named(error.note()));
  }
}

}  // namespace hone
