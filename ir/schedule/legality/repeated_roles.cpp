#include "ir/schedule/legality/repeated_roles.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/text/printer.h"
#include "ir/threads/roles.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// True of a condition that no later iteration meets either, where one does not.
bool ends_at_once(const Expr& condition, const AxisNode* axis) {
  const auto* compare = llvm::dyn_cast<Binary>(condition);
  if (!compare || (compare->op != BinaryOp::lt && compare->op != BinaryOp::le)) return false;
  const Polynomial slack = Polynomial::of(compare->rhs) - Polynomial::of(compare->lhs);
  const auto linear = slack.linear_in(axis);
  const auto step = linear ? linear->coefficient.constant() : std::nullopt;
  return step && *step <= 0;
}

/// The first of these loops whose turns the condition may leave out before others; null where there
/// is none. Turns that come behind all others are of the outermost loop.
const For* loop_with_gaps(const Expr& condition, llvm::ArrayRef<const For*> repeating) {
  const auto* found = llvm::find_if(repeating, [&](const For* around) {
    const AxisNode* axis = around->axis.get();
    return mentions(condition, axis) &&
           !(around == repeating.front() && ends_at_once(condition, axis));
  });
  return found == repeating.end() ? nullptr : *found;
}

}  // namespace

void check_repeated_roles(const Preconditions& check, const Site& site, const StmtNode* culprit) {
  const std::string& name = site.loop().axis->name;
  const auto repeating = loops_that_repeat(site);
  const auto check_condition = [&](const Expr& condition) {
    const For* around = loop_with_gaps(condition, repeating);
    if (!around) return;
    check.refuse(culprit ? culprit : &site.loop(),
                 fmt::format("{} stands under {}, and turns of {} that leave it out may come "
                             "before others: its rings count through all of them",
                             name, condition, around->axis->name),
                 fmt::format("pipeline {}", name));
  };
  for (const Stmt& stmt : site.around)
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      for_each_conjunct(branch->condition, check_condition);
}

}  // namespace hone
