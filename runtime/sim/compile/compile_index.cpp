// Index arithmetic: sums of products, split into a uniform part and lanes, each added up from the
// outermost scope inwards, so that a loop repeats only what changes in it.
#include "codegen/contract/index_ranges.h"
#include "codegen/contract/index_width.h"
#include "runtime/sim/compile/compiler.h"

namespace hone {
namespace {

/// A product of sums with more terms than this is not expanded.
constexpr size_t most_terms = 16;

}  // namespace

IndexSum SimCompiler::index_of(const Expr& expr) {
  if (const auto* constant = llvm::dyn_cast<IntConst>(expr))
    return IndexSum::constant(constant->value);
  if (const auto* axis = llvm::dyn_cast<AxisRef>(expr))
    return axes_.find(axis->axis.get())->second.index;
  if (const auto* param = llvm::dyn_cast<ParamRef>(expr))
    return IndexSum::of(params_.lookup(param->param.get()));
  if (const auto* index = llvm::dyn_cast<ThreadIndex>(expr)) {
    const bool is_block = index->space == IndexSpace::block;
    if (differs_in_cluster(*index))
      return IndexSum::of(program_.block_index[0]) + IndexSum::of(program_.block_in_cluster);
    return IndexSum::of((is_block ? program_.block_index : program_.thread_index)[index->dim]);
  }
  if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return index_of(*unary, expr);
  if (const Expr narrow = before_widening(expr); narrow.defined()) return index_of(narrow);
  if (const auto* binary = llvm::dyn_cast<Binary>(expr)) return index_of(*binary, expr);
  return IndexSum::of(compile_other(expr).slot);
}

/// Blocks of a cluster follow each other in x.
bool SimCompiler::differs_in_cluster(const ThreadIndex& index) const {
  return index.space == IndexSpace::block && index.dim == 0 && program_.kernel.cluster > 1;
}

IndexSum SimCompiler::index_of(const Unary& negation, const Expr& expr) {
  const IndexSum operand = index_of(negation.operand);
  if (watches(expr)) watch_step(BinaryOp::sub, expr, IndexSum(), operand);
  return operand * IndexSum::constant(-1);
}

IndexSum SimCompiler::index_of(const Binary& binary, const Expr& expr) {
  const BinaryOp op = binary.op;
  const bool is_shift = op == BinaryOp::shl || op == BinaryOp::shr;
  if (is_shift && watches(expr)) watch_step(op, expr, index_of(binary.lhs), index_of(binary.rhs));
  if (op != BinaryOp::add && op != BinaryOp::sub && op != BinaryOp::mul)
    return IndexSum::of(compile_other(expr).slot);
  const IndexSum lhs = index_of(binary.lhs), rhs = index_of(binary.rhs);
  if (watches(expr)) watch_step(op, expr, lhs, rhs);
  if (op == BinaryOp::add) return lhs + rhs;
  if (op == BinaryOp::sub) return lhs + rhs * IndexSum::constant(-1);
  if (lhs.terms().size() * rhs.terms().size() <= most_terms) return lhs * rhs;
  return IndexSum::of(value_of(lhs).slot) * IndexSum::of(value_of(rhs).slot);
}

/// True if check mode watches this operator of indices, or this variable.
bool SimCompiler::watches(const Expr& step) const {
  if (!watch_.index_step) return false;
  const UnprovenSteps* unproven = watch_.unproven_steps;
  if (const auto* variable = llvm::dyn_cast<AxisRef>(step))
    return !unproven || unproven->variables.contains(variable->axis.get());
  return step.type() == DType::index && llvm::isa<Unary, Binary>(step) &&
         (!unproven || unproven->operators.contains(step.get()));
}

/// Sums are put together in another order than C adds them up: the intermediate values of C are
/// watched beside them.
void SimCompiler::watch_step(BinaryOp op, const Expr& expr, const IndexSum& lhs,
                             const IndexSum& rhs) {
  const auto number = static_cast<uint32_t>(program_.index_steps.size());
  const int bits = width_of(expr, program_.kernel.index_bits);
  program_.index_steps.push_back({expr, op, bits, statement_});
  watch(watch_.index_step, number, value_of(lhs).slot, value_of(rhs).slot);
}

/// A variable may be narrower than its value.
void SimCompiler::watch_variable(const AxisPtr& axis, const Expr& expr, const IndexSum& value) {
  const int bits = program_.kernel.index_bits;
  if (width_of(expr, bits) > bits)
    watch_step(BinaryOp::add, AxisRef::make(axis), value, IndexSum());
}

bool SimCompiler::has_lanes(const IndexSum::Product& product) const {
  return llvm::any_of(product, [&](Slot slot) { return has_lanes(slot); });
}

bool SimCompiler::has_lanes(const IndexSum& index) const {
  return llvm::any_of(index.terms(), [&](const auto& term) { return has_lanes(term.first); });
}

Value SimCompiler::value_of_product(const IndexSum::Product& product, int64_t coefficient) {
  const Operation multiply = binary_operation(BinaryOp::mul, DType::index);
  std::vector<Slot> factors = product;
  llvm::stable_sort(factors, [&](Slot lhs, Slot rhs) {
    return std::pair(has_lanes(lhs), emitter_.depth(lhs)) <
           std::pair(has_lanes(rhs), emitter_.depth(rhs));
  });
  std::optional<Value> result;
  if (coefficient != 1 || factors.empty()) result = emitter_.constant(coefficient);
  for (const Slot slot : factors) {
    const Value factor = {slot, DType::index, !has_lanes(slot)};
    result = result ? emitter_.compute(multiply, DType::index, {*result, factor}) : factor;
  }
  return *result;
}

std::optional<Value> SimCompiler::sum_of_products(const IndexSum& index, bool is_uniform) {
  std::vector<Value> products;
  for (const auto& [product, coefficient] : index.terms())
    if (has_lanes(product) != is_uniform)
      products.push_back(value_of_product(product, coefficient));
  llvm::stable_sort(products, [&](const Value& lhs, const Value& rhs) {
    return emitter_.depth(lhs.slot) < emitter_.depth(rhs.slot);
  });

  const Operation add = binary_operation(BinaryOp::add, DType::index);
  std::optional<Value> sum;
  for (const Value& product : products)
    sum = sum ? emitter_.compute(add, DType::index, {*sum, product}) : product;
  return sum;
}

Value SimCompiler::value_of(const IndexSum& index) {
  const std::optional<Value> uniform = sum_of_products(index, true);
  const std::optional<Value> lanes = sum_of_products(index, false);
  if (!lanes) return uniform ? *uniform : emitter_.constant(0);
  if (!uniform) return *lanes;
  const Operation add = binary_operation(BinaryOp::add, DType::index);
  return emitter_.compute(add, DType::index, {*lanes, *uniform});
}

LaneIndex SimCompiler::lane_index_of(const IndexSum& index) {
  const std::optional<Value> uniform = sum_of_products(index, true);
  const std::optional<Value> lanes = sum_of_products(index, false);
  LaneIndex result;
  result.uniform = uniform ? uniform->slot : emitter_.constant(0).slot;
  if (lanes) result.base = emitter_.base_of(*lanes);
  return result;
}

}  // namespace hone
