#include "codegen/index_ranges.h"

#include "codegen/index_scope.h"
#include "codegen/index_width.h"
#include "codegen/stepped_loop.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// The operators whose values may be larger than their operands.
bool grows(BinaryOp op) {
  return op == BinaryOp::add || op == BinaryOp::sub || op == BinaryOp::mul || op == BinaryOp::shl ||
         op == BinaryOp::shr;
}

/// All values of a type that an index is made from.
Interval range_of(DType type) {
  switch (type) {
    case DType::boolean:
      return {0, 1};
    case DType::u8:
      return {0, UINT8_MAX};
    case DType::i8:
      return {INT8_MIN, INT8_MAX};
    case DType::i32:
      return {INT32_MIN, INT32_MAX};
    default:
      return {};
  }
}

/// True where all lanes evaluate both sides.
bool is_eager(const Expr& side) {
  bool found = false;
  walk(side, [&](const Expr& part) { found |= llvm::isa<Shuffle>(part); });
  return found;
}

using UseStep = llvm::function_ref<void(const IndexStep&)>;
using UseDivision = llvm::function_ref<void(const Binary&, const Interval&)>;

class Walker {
 public:
  Walker(const KernelFunction& kernel, const Sizes* sizes, LoopForm form, UseStep use,
         UseDivision divide)
      : kernel_(kernel),
        form_(form),
        use_(use),
        divide_(divide),
        scope_(kernel, sizes),
        facts_(facts_in(kernel)) {}

  void run() {
    statement_ = kernel_.body;
    for (const ParamPtr& param : kernel_.params) {
      const Expr variable = ParamRef::make(param);
      report_variable(variable, scope_.range(variable));
    }
    walk(kernel_.body);
  }

 private:
  struct Value {
    Interval range;
    int bits = 32;
    bool has_elements = false;
  };

  void walk(const Stmt& stmt);
  void walk(const For& loop);
  Interval counted(const SteppedLoop& steps, const AxisPtr& axis);
  void walk(const Let& let);
  void access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);
  void access(const Region& region);
  void evaluate(const Expr& expr);
  void evaluate(const Binary& logical);
  Value value(const Expr& index, const Interval& wanted = {});
  Value value(const Binary& binary, const Expr& expr, const Interval& wanted);
  Value value(const Select& select, const Interval& wanted);
  Value value(const Cast& cast, const Interval& wanted);
  void report(const Expr& expr, const Value& value) {
    use_({expr, value.range, value.bits, statement_, value.has_elements});
  }
  void report_variable(const Expr& variable, const Interval& range) {
    report(variable, {range, kernel_.index_bits});
  }

  const KernelFunction& kernel_;
  LoopForm form_;
  UseStep use_;
  UseDivision divide_;
  IndexBounds scope_;
  Facts facts_;
  Stmt statement_;
};

// ---- Statements ---------------------------------------------------------------------------------

void Walker::walk(const Stmt& stmt) {
  if (!llvm::isa<Seq>(stmt)) statement_ = stmt;
  visit(
      stmt, [&](const For& loop) { walk(loop); },
      [&](const Seq& seq) {
        for (const Stmt& nested : seq.stmts) walk(nested);
      },
      [&](const If& branch) {
        evaluate(branch.condition);
        scope_.where(branch.condition, [&] { walk(branch.body); });
      },
      [&](const Let& let) { walk(let); },
      [&](const Store& store) {
        access(*store.tensor, store.indices);
        evaluate(store.value);
      },
      [&](const Alloc& alloc) { walk(alloc.body); },
      [&](const Copy& copy) {
        access(copy.destination);
        access(copy.source);
      },
      [](const Barrier&) {},
      [&](const Arrive& arrive) {
        access(*arrive.counter, arrive.indices);
        evaluate(arrive.count);
      });
}

void Walker::walk(const For& loop) {
  const bool is_plain = form_ == LoopForm::plain;
  const SteppedLoop steps =
      is_plain ? SteppedLoop{loop.extent, 1, loop.body} : stepped(loop, facts_);
  const bool is_axis = steps.step == 1 && steps.kind == SteppedLoop::Kind::adding;
  if (is_axis && is_int(steps.first, 0)) facts_.add_axis(loop.axis, loop.extent);
  const Interval range = counted(steps, loop.axis);
  const auto body = [&] {
    if (!steps.is_guard) return walk(steps.body);
    const auto& guard = *llvm::cast<If>(steps.body);
    scope_.where(guard.condition, [&] { walk(guard.body); });
  };
  const bool adds_up = steps.kind == SteppedLoop::Kind::adding && as_int(steps.first);
  scope_.with_axis(loop.axis.get(), range, body, adds_up ? steps.step : 1);
}

/// The counter's values in the body; after the last trip it reaches the end of the loop.
Interval Walker::counted(const SteppedLoop& steps, const AxisPtr& axis) {
  const Interval first = value(steps.first).range, limit = value(steps.limit).range;
  const Expr counter = AxisRef::make(axis);
  if (steps.kind == SteppedLoop::Kind::halving) {
    report_variable(counter, hull(first, {0, 0}));
    return {limit.low, first.high};
  }
  Interval range{first.low, (limit - Interval{1, 1}).high};
  if (range.is_empty()) return range;
  const bool is_exact = first.low == first.high && range.has_high();
  if (is_exact && steps.kind == SteppedLoop::Kind::adding)
    range.high -= (range.high - first.low) % steps.step;
  const bool doubles = steps.kind == SteppedLoop::Kind::doubling;
  report_variable(counter, doubles ? hull(range, limit) : range + Interval{0, steps.step});
  return range;
}

void Walker::walk(const Let& let) {
  const Interval range = value(let.value).range;
  report_variable(AxisRef::make(let.axis), range);
  facts_.define(let.axis, let.value);
  scope_.with_axis(let.axis.get(), range, [&] { walk(let.body); });
}

/// The indices lie within the tensor, which says what elements may make of them.
void Walker::access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  for (const auto& [extent, index] : llvm::zip(tensor.shape, indices))
    value(index, {0, (scope_.range(extent) - Interval{1, 1}).high});
}

void Walker::access(const Region& region) {
  llvm::SmallVector<Expr, 4> first;
  for (const Range& range : region.ranges) first.push_back(range.offset);
  access(*region.tensor, first);
}

// ---- Expressions --------------------------------------------------------------------------------

void Walker::evaluate(const Expr& expr) {
  if (expr.type() == DType::index) {
    value(expr);
  } else if (const auto* load = llvm::dyn_cast<Load>(expr)) {
    access(*load->tensor, load->indices);
  } else if (const auto* select = llvm::dyn_cast<Select>(expr)) {
    evaluate(select->condition);
    scope_.where(select->condition, [&] { evaluate(select->if_true); });
    scope_.where(!select->condition, [&] { evaluate(select->if_false); });
  } else if (const auto* binary = llvm::dyn_cast<Binary>(expr); binary && is_logical(binary->op)) {
    evaluate(*binary);
  } else {
    for_each_operand(expr, [&](const Expr& operand) { evaluate(operand); });
  }
}

/// The second side is evaluated where the first does not decide.
void Walker::evaluate(const Binary& logical) {
  evaluate(logical.lhs);
  if (is_eager(logical.rhs)) return evaluate(logical.rhs);
  const bool is_and = logical.op == BinaryOp::logical_and;
  scope_.where(is_and ? logical.lhs : !logical.lhs, [&] { evaluate(logical.rhs); });
}

/// An index that is made of elements lies within `wanted`.
Walker::Value Walker::value(const Expr& index, const Interval& wanted) {
  if (const auto* unary = llvm::dyn_cast<Unary>(index)) {
    Value result = value(unary->operand, Interval{0, 0} - wanted);
    result.range = Interval{0, 0} - result.range;
    report(index, result);
    return result;
  }
  if (const auto* binary = llvm::dyn_cast<Binary>(index)) return value(*binary, index, wanted);
  if (const auto* select = llvm::dyn_cast<Select>(index)) return value(*select, wanted);
  if (const auto* cast = llvm::dyn_cast<Cast>(index)) return value(*cast, wanted);
  for_each_operand(index, [&](const Expr& operand) { evaluate(operand); });
  return {scope_.range(index), width_of(index, kernel_.index_bits)};
}

namespace {

/// The operand of a sum, difference or product that is made of elements, where the other one is
/// not: what it may be so that the result is within `wanted`.
Interval operand_range(BinaryOp op, bool is_left, const Interval& other, const Interval& wanted) {
  if (op == BinaryOp::add) return wanted - other;
  if (op == BinaryOp::sub) return is_left ? wanted + other : other - wanted;
  const bool shrinks = op == BinaryOp::mul && other.low >= 1;
  return shrinks ? hull(wanted, {0, 0}) : Interval();
}

}  // namespace

Walker::Value Walker::value(const Binary& binary, const Expr& expr, const Interval& wanted) {
  const BinaryOp op = binary.op;
  const bool left_reads = reads_tensor(binary.lhs), right_reads = reads_tensor(binary.rhs);
  Value left, right;
  if (left_reads && right_reads && op == BinaryOp::add) {
    // Each says where in a dimension of its own; what one has too much, the other would take back.
    left = value(binary.lhs, hull(wanted, {0, 0}));
    right = value(binary.rhs, hull(wanted, {0, 0}));
  } else if (left_reads && !right_reads) {
    right = value(binary.rhs);
    left = value(binary.lhs, operand_range(op, true, right.range, wanted));
  } else {
    left = value(binary.lhs);
    const Interval rest = operand_range(op, false, left.range, wanted);
    right = value(binary.rhs, left_reads ? Interval() : rest);
  }
  Value result{scope_.narrowed(expr, combined(op, left.range, right.range)),
               width_of(expr, kernel_.index_bits), left_reads || right_reads};
  if (result.has_elements) result.range = intersection(result.range, wanted);
  const bool is_shift = op == BinaryOp::shl || op == BinaryOp::shr;
  if (is_shift && right.range.high >= result.bits) result.range = {};
  if (grows(op)) report(expr, result);
  if (op == BinaryOp::div || op == BinaryOp::mod) divide_(binary, right.range);
  return result;
}

Walker::Value Walker::value(const Select& select, const Interval& wanted) {
  evaluate(select.condition);
  Value result{{Interval::no_high, Interval::no_low}, 32};
  const auto add = [&](const Expr& choice) {
    const Value chosen = value(choice, wanted);
    result = {hull(result.range, chosen.range), std::max(result.bits, chosen.bits),
              result.has_elements || chosen.has_elements};
  };
  scope_.where(select.condition, [&] { add(select.if_true); });
  scope_.where(!select.condition, [&] { add(select.if_false); });
  return result;
}

Walker::Value Walker::value(const Cast& cast, const Interval& wanted) {
  const int bits = width_of(Expr(&cast), kernel_.index_bits);
  if (const Expr narrow = before_widening(Expr(&cast)); narrow.defined()) {
    const Value operand = value(narrow, wanted);
    return {operand.range, bits, operand.has_elements};
  }
  evaluate(cast.operand);
  const bool has_elements = reads_tensor(cast.operand);
  const Interval range = range_of(cast.operand.type());
  return {has_elements ? intersection(range, wanted) : range, bits, has_elements};
}

}  // namespace

bool IndexStep::fits() const {
  if (range.is_empty()) return true;
  const bool is_open = range.low == Interval::no_low || !range.has_high();
  return !is_open && fits_in(range.low, bits) && fits_in(range.high, bits);
}

void for_each_index_step(const KernelFunction& kernel, const Sizes* sizes, LoopForm form,
                         llvm::function_ref<void(const IndexStep&)> use) {
  Walker(kernel, sizes, form, use, [](const Binary&, const Interval&) {}).run();
}

void for_each_index_division(const KernelFunction& kernel, const Sizes& sizes,
                             llvm::function_ref<void(const Binary&, const Interval&)> use) {
  Walker(
      kernel, &sizes, LoopForm::plain, [](const IndexStep&) {}, use)
      .run();
}

UnprovenSteps unproven_steps(const KernelFunction& kernel, const Sizes& sizes) {
  UnprovenSteps steps;
  for_each_index_step(kernel, &sizes, LoopForm::plain, [&](const IndexStep& step) {
    if (step.fits()) return;
    if (const auto* variable = llvm::dyn_cast<AxisRef>(step.expr))
      steps.variables.insert(variable->axis.get());
    else
      steps.operators.insert(step.expr.get());
  });
  return steps;
}

}  // namespace hone
