#include "ir/threads/tensor_operations.h"

#include "ir/analysis/products.h"
#include "ir/text/meaning.h"
#include "ir/threads/instruction_nest.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Adds those of a part of the meaning, which runs so many times.
void add_products(const Stmt& part, int64_t times, TensorOperations& operations) {
  if (const auto* loop = llvm::dyn_cast<For>(part)) times *= as_int(loop->extent).value_or(0);
  const auto* store = llvm::dyn_cast<Store>(part);
  if (const auto type = store ? product_type(*store) : std::nullopt) {
    operations.per_lane += 2 * times;
    operations.type = *type;
  }
  for_each_operand(
      part, [](const Expr&) {},
      [&](const Stmt& nested) { add_products(nested, times, operations); });
}

}  // namespace

std::optional<TensorOperations> tensor_operations(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  if (!instr || instr->opcode.rules.spreads.empty() || !is_of_lanes(instr->opcode))
    return std::nullopt;
  TensorOperations operations;
  add_products(meaning_of(instr->opcode).body, 1, operations);
  if (operations.per_lane == 0) return std::nullopt;
  operations.per_lane /= lanes_of(instr->opcode).digit.count;
  return operations;
}

}  // namespace hone
