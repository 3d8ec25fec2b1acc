#include "ir/analysis/sum_order.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/scalar/ring.h"
#include "ir/text/printer.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool depends_on_order(const Store& store) {
  const bool is_choice = store.update == Update::max || store.update == Update::min;
  const DType type = store.tensor->type;
  const bool has_floats = ring_of(type) != type;
  return store.update != Update::set && !is_choice && has_floats;
}

/// Not so of an axis that chooses between values alone.
bool is_made_of(const Expr& value, const AxisNode* axis) {
  const auto* select = llvm::dyn_cast<Select>(value);
  return select ? mentions(select->if_true, axis) || mentions(select->if_false, axis)
                : mentions(value, axis);
}

bool is_about_params(const Expr& condition) {
  return !any_of(condition, [](const Expr& part) { return llvm::isa<AxisRef, Load>(part); });
}

/// Finds updates, and keeps the statements around the place where it is.
class OrderCollector {
 public:
  void visit(const Stmt& stmt) {
    if (const auto* store = llvm::dyn_cast<Store>(stmt))
      return depends_on_order(*store) ? add(stmt, *store) : void();
    around_.push_back(stmt);
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { visit(nested); });
    around_.pop_back();
  }

  std::vector<SumOrder> take() { return std::move(found_); }

 private:
  /// Goes outwards, up to where the tensor is allocated.
  void add(const Stmt& stmt, const Store& store) {
    SumOrder result{stmt, {}, {}};
    const Opcode* opcode = opcode_here();
    bool is_inside = true;
    for (const Stmt& around : llvm::reverse(around_)) {
      const auto* alloc = llvm::dyn_cast<Alloc>(around);
      is_inside &= !alloc || alloc->tensor->id != store.tensor->id;
      if (const auto* loop = llvm::dyn_cast<For>(around)) {
        const auto is_about_it = [&](const Expr& index) {
          return mentions(index, loop->axis.get());
        };
        if (is_inside && loop->is_reduction() && llvm::none_of(store.indices, is_about_it))
          result.levels.push_back({around, opcode, turn_of(loop->axis.get())});
        if (loop->binding.opcode) opcode = nullptr;  // loops further out are none of its own
      }
      const auto* branch = llvm::dyn_cast<If>(around);
      if (branch && is_about_params(branch->condition))
        result.conditions.push_back(branch->condition);
    }
    found_.push_back(std::move(result));
  }

  /// The value around the update that is made of the axis: serpentine runs backwards by it.
  const Let* turn_of(const AxisNode* axis) const {
    for (const Stmt& around : around_)
      if (const auto* let = llvm::dyn_cast<Let>(around); let && is_made_of(let->value, axis))
        return let;
    return nullptr;
  }

  /// The instruction that one of the loops around is bound to.
  const Opcode* opcode_here() const {
    for (const Stmt& around : around_)
      if (const auto* loop = llvm::dyn_cast<For>(around); loop && loop->binding.opcode)
        return loop->binding.opcode;
    return nullptr;
  }

  llvm::SmallVector<Stmt, 16> around_;
  std::vector<SumOrder> found_;
};

/// The text without indices: "C.reg += A * B".
std::string without_indices(llvm::StringRef text) {
  std::string result;
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '[' ? 1 : 0;
    if (depth == 0) result += letter;
    depth -= letter == ']' ? 1 : 0;
  }
  return result;
}

/// "32 terms in order"
std::string text_of(const OrderLevel& level) {
  const std::string count = to_string(level.node().extent);
  if (level.opcode)
    return fmt::format("{} terms by {}, in an order of its own", count, level.opcode->word());
  if (level.combine().is_atomic())
    return fmt::format("{} parts at once, added in the order in which they come", count);
  if (level.combine())
    return fmt::format("{} parts at once, by {}", count, to_string(level.combine()));
  if (level.turn) return fmt::format("{} terms in the order of {}", count, level.turn->axis->name);
  return count + " terms in order";
}

}  // namespace

bool SumOrder::is_fused() const {
  const Expr value = without_names(store().value);
  const auto* product = llvm::dyn_cast<Binary>(value);
  const bool is_by_instruction =
      llvm::any_of(levels, [](const OrderLevel& level) { return level.opcode; });
  return store().update == Update::add && product && product->op == BinaryOp::mul &&
         !is_by_instruction;
}

const For* SumOrder::by_arrival() const {
  const auto* found =
      llvm::find_if(levels, [](const OrderLevel& level) { return level.combine().is_atomic(); });
  return found == levels.end() ? nullptr : &found->node();
}

std::vector<SumOrder> sum_orders(const Function& function) {
  OrderCollector collector;
  collector.visit(function.body);
  return collector.take();
}

std::vector<std::string> params_of_orders(llvm::ArrayRef<SumOrder> orders) {
  std::vector<std::string> names;
  const auto add_params = [&](const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<ParamRef>(part);
      if (reference && !llvm::is_contained(names, reference->param->name))
        names.push_back(reference->param->name);
    });
  };
  for (const SumOrder& order : orders) {
    for (const OrderLevel& level : order.levels) add_params(level.node().extent);
    for (const Expr& condition : order.conditions) add_params(condition);
  }
  return names;
}

std::string to_string(const SumOrder& order) {
  std::string text = without_indices(llvm::StringRef(to_string(order.update)).rtrim());
  text += fmt::format(", in {}{}", name(order.store().tensor->type).str(),
                      order.is_fused() ? ", products not rounded" : "");
  for (const Expr& condition : order.conditions)
    text += fmt::format("\n  if {}", to_string(condition));
  for (const OrderLevel& level : order.levels)
    text += fmt::format("\n  {}: {}", level.node().axis->name, text_of(level));
  return text;
}

}  // namespace hone
