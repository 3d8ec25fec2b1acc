#include "ir/core/expr_node.h"

#include <algorithm>

#include "fmt/format.h"
#include "ir/core/expr.h"

namespace hone {
namespace {

/// More than a program may have, as passes add to expressions.
constexpr TreeSize largest_intermediate = {4 * largest_expression.depth,
                                           4 * largest_expression.nodes};

}  // namespace

std::optional<std::string> size_problem(const TreeSize& size, const TreeSize& largest) {
  constexpr const char* advice =
      "define parts of it as tensors of their own, or reduce over an axis";
  if (size.depth > largest.depth)
    return fmt::format("an expression nests {} levels deep, and at most {} are taken; {}",
                       size.depth, largest.depth, advice);
  if (size.nodes > largest.nodes)
    return fmt::format(
        "an expression has {} nodes, where what is used twice counts twice, and at most {} are "
        "taken; {}",
        size.nodes, largest.nodes, advice);
  return std::nullopt;
}

TreeSize TreeSize::over(const Expr& operand) const {
  const TreeSize& inner = operand.get()->size;
  const TreeSize size = {std::max(depth, inner.depth + 1), nodes + inner.nodes,
                         has_load || inner.has_load, has_name || inner.has_name};
  const TreeSize& largest = largest_intermediate;
  if (size.depth > largest.depth || size.nodes > largest.nodes)
    throw DefinitionError(size_problem(size, largest).value());
  return size;
}

TreeSize TreeSize::over(llvm::ArrayRef<Expr> operands) const {
  TreeSize size = *this;
  for (const Expr& operand : operands) size = size.over(operand);
  return size;
}

}  // namespace hone
