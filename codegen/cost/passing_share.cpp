#include "codegen/cost/passing_share.h"

#include "ir/interpret/interpreter.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

constexpr int64_t most_combinations = 1 << 20;

/// An axis in the place of a part of a condition, and the number of its values.
struct Variable {
  AxisPtr axis;
  int64_t extent;
  std::optional<unsigned> thread;  ///< in the place of the thread index of this dimension
};

bool mentions_thread(llvm::ArrayRef<Expr> conditions, unsigned dim) {
  const auto is_it = [&](const Expr& part) {
    const auto* index = llvm::dyn_cast<ThreadIndex>(part);
    return index && index->space == IndexSpace::thread && index->dim == dim;
  };
  return llvm::any_of(conditions, [&](const Expr& condition) { return any_of(condition, is_it); });
}

/// Those that the conditions mention; nothing where one has no constant extent.
std::optional<llvm::SmallVector<Variable, 6>> variables_of(const KernelFunction& kernel,
                                                           llvm::ArrayRef<const For*> loops,
                                                           llvm::ArrayRef<Expr> conditions) {
  llvm::SmallVector<Variable, 6> variables;
  const auto add = [&](const AxisPtr& axis, const Expr& extent, std::optional<unsigned> thread) {
    const auto constant = as_int(extent);
    if (constant) variables.push_back({axis, *constant, thread});
    return constant.has_value();
  };
  for (unsigned dim = 0; dim < 3; ++dim)
    if (mentions_thread(conditions, dim) && !add(make_variable(), kernel.block[dim], dim))
      return std::nullopt;
  for (const For* loop : loops) {
    const bool is_used = llvm::any_of(
        conditions, [&](const Expr& condition) { return mentions(condition, loop->axis.get()); });
    if (is_used && !add(loop->axis, loop->extent, {})) return std::nullopt;
  }
  return variables;
}

bool mentions_only(const Expr& condition, llvm::ArrayRef<Variable> variables) {
  return !any_of(condition, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    const auto is_it = [&](const Variable& variable) { return variable.axis == reference->axis; };
    if (reference) return llvm::none_of(variables, is_it);
    const auto* index = llvm::dyn_cast<ThreadIndex>(part);
    return index ? index->space != IndexSpace::thread : llvm::isa<ParamRef, Load>(part);
  });
}

/// The condition over axes in place of thread indices.
Expr over_axes(const Expr& condition, llvm::ArrayRef<Variable> variables) {
  return transform(condition, [&](const Expr& part) -> Expr {
    const auto* index = llvm::dyn_cast<ThreadIndex>(part);
    if (!index) return {};
    const auto stands_for = [&](const Variable& variable) { return variable.thread == index->dim; };
    return AxisRef::make(llvm::find_if(variables, stands_for)->axis);
  });
}

/// for t in 0..256 { if (t < 72) { passing[0] += 1 } }
Function counting_function(llvm::ArrayRef<Expr> conditions, llvm::ArrayRef<Variable> variables) {
  Function function;
  function.name = "count";
  function.arguments = {make_tensor("passing", DType::i64, {Expr(1)})};
  const Expr one = IntConst::make(1, DType::i64);
  function.body = Store::make(function.arguments[0], {Expr(0)}, Update::add, one);
  for (const Expr& condition : llvm::reverse(conditions))
    function.body = If::make(over_axes(condition, variables), function.body);
  for (const Variable& variable : llvm::reverse(variables))
    function.body = For::make(variable.axis, variable.extent, {}, function.body);
  return function;
}

}  // namespace

std::optional<SizeFormula> passing_share(const KernelFunction& kernel,
                                         llvm::ArrayRef<const For*> loops,
                                         llvm::ArrayRef<Expr> conditions) {
  const auto variables = variables_of(kernel, loops, conditions);
  if (!variables) return std::nullopt;
  for (const Expr& condition : conditions)
    if (!mentions_only(condition, *variables)) return std::nullopt;
  int64_t combinations = 1;
  for (const Variable& variable : *variables) {
    combinations *= variable.extent;
    if (combinations > most_combinations) return std::nullopt;
  }
  if (combinations == 0) return SizeFormula(0);

  Buffers buffers;
  Buffer& passing = buffers["passing"] = Buffer(DType::i64, {1});
  try {
    interpret(counting_function(conditions, *variables), {}, buffers);
  } catch (const InterpretError&) {
    return std::nullopt;  // it has a value only where another condition holds
  }
  return SizeFormula::fraction(static_cast<int64_t>(passing.get(0)), combinations);
}

}  // namespace hone
