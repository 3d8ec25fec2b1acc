#include "ir/schedule/legality/numbers.h"

#include "fmt/format.h"
#include "ir/analysis/sum_order.h"

namespace hone {
namespace {

using Levels = llvm::SmallVector<AxisPtr, 4>;

/// From the outermost loop inwards.
Levels levels_of(const SumOrder& order) {
  Levels levels;
  for (const OrderLevel& level : llvm::reverse(order.levels)) levels.push_back(level.node().axis);
  return levels;
}

bool descends(const AxisNode& axis, const AxisNode& from) {
  return llvm::all_of(
      axis.roots, [&](const std::string& root) { return llvm::is_contained(from.roots, root); });
}

bool is_among(llvm::ArrayRef<AxisPtr> axes, const AxisPtr& axis) {
  return llvm::any_of(axes, [&](const AxisPtr& one) { return one->id == axis->id; });
}

bool are_same(llvm::ArrayRef<AxisPtr> before, llvm::ArrayRef<AxisPtr> after) {
  return before.size() == after.size() &&
         llvm::all_of(llvm::zip(before, after), [](const auto& pair) {
           return std::get<0>(pair)->id == std::get<1>(pair)->id;
         });
}

/// Another update adds terms to the same tensor, maybe between those of this one.
bool is_one_of_several(const SumOrder& order, llvm::ArrayRef<SumOrder> all) {
  return llvm::count_if(all, [&](const SumOrder& other) {
           return other.store().tensor->id == order.store().tensor->id;
         }) > 1;
}

/// The loops of `after` are those of `before`, of which one may have become several. The rest stays
/// where it was; so a step changes the loops of one place alone.
bool keeps_order(llvm::ArrayRef<AxisPtr> before, llvm::ArrayRef<AxisPtr> after) {
  while (!before.empty() && !after.empty() && before.front()->id == after.front()->id) {
    before = before.drop_front();
    after = after.drop_front();
  }
  while (!before.empty() && !after.empty() && before.back()->id == after.back()->id) {
    before = before.drop_back();
    after = after.drop_back();
  }
  const bool are_new =
      llvm::none_of(after, [&](const AxisPtr& axis) { return is_among(before, axis); });
  if (before.empty() && after.empty()) return true;
  if (!are_new || before.empty() || after.empty()) return false;
  if (after.size() == 1) return before.size() == 2;  // fused
  return before.size() == 1 &&
         llvm::all_of(after, [&](const AxisPtr& axis) { return descends(*axis, *before.front()); });
}

class Demands {
 public:
  Demands(const Preconditions& check, const Function& before, const Function& result,
          const StmtNode* culprit)
      : check_(check), before_(sum_orders(before)), after_(sum_orders(result)), culprit_(culprit) {}

  void check(Numbers numbers) const {
    switch (numbers) {
      case Numbers::same_order:
        return check_same_order();
      case Numbers::run_to_run:
        return check_run_to_run();
      case Numbers::batch_invariant:
        return check_batch_invariant();
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& message, Numbers numbers,
                           const std::string& note) const {
    check_.refuse(culprit_,
                  fmt::format("{}, and the schedule requires {}", message, name(numbers).str()),
                  note);
  }

  void check_same_order() const {
    const std::string note = "schedule the loops around the sums instead, or leave require out";
    if (before_.size() != after_.size())
      refuse(fmt::format("sums would have {} updates, which now have {}", after_.size(),
                         before_.size()),
             Numbers::same_order, note);
    for (const auto& [before, after] : llvm::zip(before_, after_)) {
      const std::string& tensor = after.store().tensor->name;
      for (const OrderLevel& level : after.levels)
        if (!level.is_in_order())
          refuse(fmt::format("the terms of {} over {} would not be added one after the other",
                             tensor, level.node().axis->name),
                 Numbers::same_order, note);
      const Levels now = levels_of(before), then = levels_of(after);
      const bool is_shared = is_one_of_several(before, before_) || is_one_of_several(after, after_);
      if (is_shared ? !are_same(now, then) : !keeps_order(now, then))
        refuse(fmt::format("the terms of {} would come in another order", tensor),
               Numbers::same_order, note);
    }
  }

  void check_run_to_run() const {
    for (const SumOrder& order : after_)
      if (const For* loop = order.by_arrival())
        refuse(fmt::format("the parts of {} over {} would be added as they come",
                           order.store().tensor->name, loop->axis->name),
               Numbers::run_to_run, "combine by another method: Combine::last_block adds in order");
  }

  void check_batch_invariant() const {
    const auto known = params_of_orders(before_);
    for (const std::string& param : params_of_orders(after_))
      if (!llvm::is_contained(known, param))
        refuse(fmt::format("the order of sums would depend on {}", param), Numbers::batch_invariant,
               "cut sums into parts by their own extents alone");
  }

  const Preconditions& check_;
  const std::vector<SumOrder> before_, after_;
  const StmtNode* culprit_;
};

}  // namespace

void check_numbers(const Preconditions& check, const Function& before, const Function& result,
                   const StmtNode* culprit) {
  if (before.required.empty()) return;
  const Demands demands(check, before, result, culprit);
  for (const Numbers numbers : before.required) demands.check(numbers);
}

}  // namespace hone
