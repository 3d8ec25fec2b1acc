#include "codegen/contract/index_ranges.h"

#include "codegen/c_form/c_form.h"
#include "codegen/contract/index_width.h"
#include "ir/traverse/visit.h"

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
  return any_of(side, [&](const Expr& part) { return llvm::isa<Shuffle>(part); });
}

class Walker {
 public:
  Walker(const KernelFunction& kernel, const ParamRanges& params, SizeRanges& ranges, LoopForm form)
      : kernel_(kernel), ranges_(ranges), scope_(kernel, params, ranges) {
    if (form == LoopForm::stepped) form_ = c_form(kernel);
  }

  std::vector<IndexStep> run() {
    statement_ = kernel_.body;
    for (const ParamPtr& param : kernel_.params) {
      const Expr variable = ParamRef::make(param);
      report_variable(variable, scope_.range(variable));
    }
    walk(form_ ? form_->body : kernel_.body);
    return std::move(steps_);
  }

 private:
  struct Value {
    SizeRange range;
    int bits = 32;
    bool has_elements = false;
  };

  void walk(const Stmt& stmt);
  void walk(const Instr& instr);
  void walk(const For& loop);
  SizeRange counted(const LoopCount& steps, const AxisPtr& axis);
  void walk(const Let& let);
  void access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices);
  void access(const Region& region);
  void evaluate(const Expr& expr);
  void evaluate(const Binary& logical);
  /// An index that is made of elements lies within `wanted`.
  Value value(const Expr& index, const SizeRange& wanted = {});
  Value value(const Binary& binary, const Expr& expr, const SizeRange& wanted);
  std::pair<Value, Value> operands(const Binary& binary, const SizeRange& wanted);
  Value value(const Select& select, const SizeRange& wanted);
  Value value(const Cast& cast, const SizeRange& wanted);
  SizeRange operand_range(BinaryOp op, bool is_left, const SizeRange& other,
                          const SizeRange& wanted);
  SizeRange with_zero(const SizeRange& range) { return ranges_.hull(range, zero_); }
  SizeRange negative(const SizeRange& range) {
    return ranges_.combined(BinaryOp::sub, zero_, range);
  }
  void report(const Expr& expr, const Value& value) {
    const SizeRange& range = value.range;
    steps_.push_back({expr, range.within, value.bits, statement_, value.has_elements, false, range,
                      ranges_.room(range)});
  }
  void report_variable(const Expr& variable, const SizeRange& range) {
    report(variable, {range, kernel_.index_bits});
  }

  const KernelFunction& kernel_;
  std::optional<CForm> form_;  ///< in which loops are counted; none where they are as they stand
  SizeRanges& ranges_;
  std::vector<IndexStep> steps_;
  IndexBounds scope_;
  const SizeRange zero_{{0, 0}};
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
      [&](const Instr& instr) { walk(instr); });
}

/// Coordinates of boxes may lie outside, and mbarriers have no range of their own.
void Walker::walk(const Instr& instr) {
  const auto kinds = instr.opcode.place_kinds();
  for (const auto& [place, kind] : llvm::zip(instr.places, kinds))
    if (kind == FormatPart::Kind::element) access(*place.tensor, place.indices);
  for (const auto& [place, kind] : llvm::zip(instr.places, kinds))
    if (kind != FormatPart::Kind::element)
      for (const Expr& index : place.indices) evaluate(index);
  for (const Expr& value : instr.values) evaluate(value);
}

void Walker::walk(const For& loop) {
  const LoopCount steps = form_ ? form_->count(loop) : LoopCount{loop.extent};
  const SizeRange range = counted(steps, loop.axis);
  const auto body = [&] {
    if (!steps.is_guard) return walk(loop.body);
    const auto& guard = *llvm::cast<If>(loop.body);
    scope_.where(guard.condition, [&] { walk(guard.body); });
  };
  const auto first = as_int(steps.first);
  const bool adds_up = steps.kind == LoopCount::Kind::adding && first;
  scope_.with_axis(loop.axis.get(), range, body, first.value_or(0), adds_up ? steps.step : 1);
}

/// The counter's values in the body; after the last trip it reaches the end of the loop.
SizeRange Walker::counted(const LoopCount& steps, const AxisPtr& axis) {
  const SizeRange first = value(steps.first).range, limit = value(steps.limit).range;
  const Expr counter = AxisRef::make(axis);
  if (steps.kind == LoopCount::Kind::halving) {
    report_variable(counter, with_zero(first));
    return ranges_.ends(limit, first);
  }
  SizeRange range = ranges_.counted(first, limit);
  if (steps.kind == LoopCount::Kind::adding) range = ranges_.last_step(range, first, steps.step);
  ranges_.where(range, [&] {
    const SizeRange end = steps.kind == LoopCount::Kind::doubling
                              ? ranges_.hull(range, limit)
                              : ranges_.combined(BinaryOp::add, range, {{0, steps.step}});
    report_variable(counter, end);
  });
  return range;
}

void Walker::walk(const Let& let) {
  const SizeRange range = value(let.value).range;
  report_variable(AxisRef::make(let.axis), range);
  scope_.with_axis(let.axis.get(), range, [&] { walk(let.body); });
}

/// The indices lie within the tensor. That bounds the elements that they read.
void Walker::access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  for (const auto& [extent, index] : llvm::zip(tensor.shape, indices)) {
    value(index, ranges_.counted(zero_, scope_.range(extent)));
    if (!steps_.empty() && steps_.back().expr.same_as(index)) steps_.back().is_access = true;
  }
}

void Walker::access(const Region& region) { access(*region.tensor, region.first()); }

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

Walker::Value Walker::value(const Expr& index, const SizeRange& wanted) {
  if (const auto* unary = llvm::dyn_cast<Unary>(index)) {
    Value result = value(unary->operand, negative(wanted));
    result.range = negative(result.range);
    report(index, result);
    return result;
  }
  if (const auto* binary = llvm::dyn_cast<Binary>(index)) return value(*binary, index, wanted);
  if (const auto* select = llvm::dyn_cast<Select>(index)) return value(*select, wanted);
  if (const auto* cast = llvm::dyn_cast<Cast>(index)) return value(*cast, wanted);
  for_each_operand(index, [&](const Expr& operand) { evaluate(operand); });
  return {scope_.range(index), width_of(index, kernel_.index_bits)};
}

/// The operand of a sum, difference or product that is made of elements, where the other one is
/// not: the values that it may have so that the result is within `wanted`.
SizeRange Walker::operand_range(BinaryOp op, bool is_left, const SizeRange& other,
                                const SizeRange& wanted) {
  if (op == BinaryOp::add) return ranges_.combined(BinaryOp::sub, wanted, other);
  if (op == BinaryOp::sub)
    return is_left ? ranges_.combined(BinaryOp::add, wanted, other)
                   : ranges_.combined(BinaryOp::sub, other, wanted);
  return op == BinaryOp::mul ? ranges_.wanted(other, wanted) : SizeRange();
}

std::pair<Walker::Value, Walker::Value> Walker::operands(const Binary& binary,
                                                         const SizeRange& wanted) {
  const bool left_reads = reads_tensor(binary.lhs), right_reads = reads_tensor(binary.rhs);
  if (left_reads && right_reads && binary.op == BinaryOp::add) {
    // Each is a place in a dimension of its own: neither makes up for an excess of the other.
    const Value left = value(binary.lhs, with_zero(wanted));
    return {left, value(binary.rhs, with_zero(wanted))};
  }
  if (left_reads && !right_reads) {
    const Value right = value(binary.rhs);
    return {value(binary.lhs, operand_range(binary.op, true, right.range, wanted)), right};
  }
  const Value left = value(binary.lhs);
  const SizeRange rest =
      left_reads ? SizeRange() : operand_range(binary.op, false, left.range, wanted);
  return {left, value(binary.rhs, rest)};
}

Walker::Value Walker::value(const Binary& binary, const Expr& expr, const SizeRange& wanted) {
  const BinaryOp op = binary.op;
  const auto [left, right] = operands(binary, wanted);
  Value result{scope_.narrowed(expr, ranges_.combined(op, left.range, right.range)),
               width_of(expr, kernel_.index_bits), reads_tensor(expr)};
  if (result.has_elements) result.range = ranges_.both(result.range, wanted);
  if (op == BinaryOp::shl || op == BinaryOp::shr)
    result.range = ranges_.shifted(result.range, right.range, result.bits);
  if (grows(op)) report(expr, result);
  if (op == BinaryOp::div || op == BinaryOp::mod) report(expr, {right.range, 0});
  return result;
}

Walker::Value Walker::value(const Select& select, const SizeRange& wanted) {
  evaluate(select.condition);
  Value result{{Interval::none()}, 32};
  const auto add = [&](const Expr& choice) {
    const Value chosen = value(choice, wanted);
    result.bits = std::max(result.bits, chosen.bits);
    result.has_elements |= chosen.has_elements;
    return ranges_.here(chosen.range);
  };
  for (const bool is_true : {true, false}) {
    SizeRange range = result.range;
    const Expr condition = is_true ? select.condition : !select.condition;
    scope_.where(condition, [&] { range = add(is_true ? select.if_true : select.if_false); });
    result.range = ranges_.hull(result.range, range);
  }
  return result;
}

Walker::Value Walker::value(const Cast& cast, const SizeRange& wanted) {
  const int bits = width_of(Expr(&cast), kernel_.index_bits);
  if (const Expr narrow = before_widening(Expr(&cast)); narrow.defined()) {
    const Value operand = value(narrow, wanted);
    return {operand.range, bits, operand.has_elements};
  }
  evaluate(cast.operand);
  const bool has_elements = reads_tensor(cast.operand);
  const SizeRange range{range_of(cast.operand.type())};
  return {has_elements ? ranges_.both(range, wanted) : range, bits, has_elements};
}

}  // namespace

bool IndexStep::fits() const {
  if (bits == 0) return range.low >= 1;
  if (range.is_empty()) return true;
  const bool is_open = range.low == Interval::no_low || !range.has_high();
  return !is_open && fits_in(range.low, bits) && fits_in(range.high, bits);
}

std::vector<IndexStep> index_steps(const KernelFunction& kernel, const ParamRanges& params,
                                   SizeRanges& ranges, LoopForm form) {
  return Walker(kernel, params, ranges, form).run();
}

void for_each_index_step(const KernelFunction& kernel, const Sizes* sizes, LoopForm form,
                         llvm::function_ref<void(const IndexStep&)> use) {
  const auto range = [&](const ParamPtr& param) {
    if (!sizes || !sizes->count(param->name)) return SizeRange{{0, Interval::no_high}};
    const int64_t size = sizes->find(param->name)->second;
    return SizeRange{{size, size}};
  };
  Formulas none;
  SizeRanges ranges(none);
  for (const IndexStep& step : index_steps(kernel, {sizes != nullptr, range}, ranges, form))
    if (step.bits != 0) use(step);
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
