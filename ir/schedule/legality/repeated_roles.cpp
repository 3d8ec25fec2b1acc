#include "ir/schedule/legality/repeated_roles.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/roles.h"
#include "ir/text/printer.h"
#include "ir/visit.h"

namespace hone {
namespace {

class RepetitionCheck {
 public:
  RepetitionCheck(const Preconditions& check, const Site& site, const StmtNode* culprit)
      : check_(check),
        site_(site),
        loop_(site.loop()),
        repeating_(loops_that_repeat(site)),
        culprit_(culprit) {}

  void run() const {
    for (const Stmt& stmt : site_.around)
      if (const auto* branch = llvm::dyn_cast<If>(stmt))
        for_each_conjunct(branch->condition,
                          [&](const Expr& condition) { check_condition(condition); });
  }

 private:
  [[noreturn]] void refuse(const StmtNode* culprit, const std::string& what,
                           const std::string& note) const {
    check_.refuse(culprit_ ? culprit_ : culprit, what, note);
  }

  /// The turns that are left out come behind all others: only of these is the number known.
  void check_condition(const Expr& condition) const {
    for (const For* around : repeating_) {
      const AxisPtr& axis = around->axis;
      const bool ends_all = around == repeating_.front() && ends_at_once(condition, axis.get());
      if (!mentions(condition, axis.get()) || ends_all) continue;
      refuse(&loop_,
             fmt::format("{} stands under {}, and turns of {} that leave it out may come before "
                         "others: its rings count through all of them",
                         loop_.axis->name, condition, axis->name),
             fmt::format("pipeline {}", loop_.axis->name));
    }
  }

  /// True of a condition that no later iteration meets either, where one does not.
  static bool ends_at_once(const Expr& condition, const AxisNode* axis) {
    const auto* compare = llvm::dyn_cast<Binary>(condition);
    if (!compare || (compare->op != BinaryOp::lt && compare->op != BinaryOp::le)) return false;
    const Polynomial slack = Polynomial::of(compare->rhs) - Polynomial::of(compare->lhs);
    const auto linear = slack.linear_in(axis);
    const auto step = linear ? linear->coefficient.constant() : std::nullopt;
    return step && *step <= 0;
  }

  const Preconditions& check_;
  const Site& site_;
  const For& loop_;
  const llvm::SmallVector<const For*, 2> repeating_;
  const StmtNode* culprit_;
};

}  // namespace

void check_repeated_roles(const Preconditions& check, const Site& site, const StmtNode* culprit) {
  RepetitionCheck(check, site, culprit).run();
}

}  // namespace hone
