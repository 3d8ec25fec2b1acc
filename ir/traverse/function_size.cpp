#include "ir/traverse/function_size.h"

#include "fmt/format.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The largest expression's depth and the largest number of nodes, and the depth of the statements.
struct Extremes {
  TreeSize expression;
  unsigned statements = 0;

  void add(const Expr& expr) {
    expression.depth = std::max(expression.depth, expr.get()->size.depth);
    expression.nodes = std::max(expression.nodes, expr.get()->size.nodes);
  }

  /// Returns how many levels deeper the text behind the statement stands: an alloc
  /// or a let goes on to the end of its block.
  unsigned add(const Stmt& stmt, unsigned depth = 1) {
    statements = std::max(statements, depth);
    const bool is_seq = llvm::isa<Seq>(stmt), goes_on = llvm::isa<Alloc, Let>(stmt);
    unsigned open = goes_on ? 1 : 0;
    for_each_operand(
        stmt, [&](const Expr& expr) { add(expr); },
        [&](const Stmt& nested) { open += add(nested, depth + (is_seq ? open : 1)); });
    return is_seq || goes_on ? open : 0;
  }
};

}  // namespace

std::optional<std::string> size_problem(const Function& function) {
  Extremes extremes;
  for (const Expr& assumption : function.assumptions) extremes.add(assumption);
  extremes.add(function.body);
  if (extremes.statements > largest_expression.depth)
    return fmt::format("statements nest {} levels deep, and at most {} are taken",
                       extremes.statements, largest_expression.depth);
  return size_problem(extremes.expression, largest_expression);
}

}  // namespace hone
