#include "ir/core/instr.h"

#include "ir/core/error.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

using Kind = FormatPart::Kind;

/// The coordinates of a box are as many as it has dimensions, which is checked with it.
bool has_all_indices(Kind kind) { return kind != Kind::corner && kind != Kind::tensor; }

/// All of a tile; a flat one has its elements side by side, as its panels follow each other.
void take_tile(Operand& operand, const FragmentSpread& spread) {
  operand.count = 1;
  for (const int64_t extent : spread.tile) operand.count *= extent;
  if (!operand.tensor->layout.swizzles.empty()) operand.box = spread.box(operand.tensor->shape);
}

/// A lane has so many values from the element on: side by side in a flat tensor, and else along the
/// dimensions that the spread is over.
void take_values(Operand& operand, const FragmentSpread& spread) {
  if (spread.is_tile()) return take_tile(operand, spread);
  operand.count = spread.values();
  const size_t rank = operand.indices.size();
  if (rank >= spread.rank() && rank >= 2) operand.box = spread.box(operand.tensor->shape);
}

}  // namespace

Stmt Instr::make(const Opcode& opcode, llvm::ArrayRef<ElementRef> places,
                 llvm::ArrayRef<Expr> values, llvm::ArrayRef<int64_t> constants) {
  for (const auto& [kind, place] : llvm::zip(opcode.place_kinds(), places))
    if (has_all_indices(kind)) check_index_count(*place.tensor, place.indices);
  const auto* instr = new Instr(opcode, places, values, constants);
  Stmt stmt(instr);
  const auto problem = opcode.rules.problem ? opcode.rules.problem(*instr) : std::nullopt;
  if (problem) throw DefinitionError(*problem);
  return stmt;
}

Stmt Instr::with(llvm::ArrayRef<ElementRef> new_places, llvm::ArrayRef<Expr> new_values) const {
  llvm::SmallVector<Expr, 2> kept(new_values.begin(), new_values.end());
  if (opcode.rules.kept_value)
    for (Expr& value : kept) value = opcode.rules.kept_value(*this, value);
  return make(opcode, new_places, kept, constants);
}

Stmt Instr::with_constants(llvm::ArrayRef<int64_t> new_constants) const {
  return make(opcode, places, values, new_constants);
}

llvm::SmallVector<Operand, 3> Instr::operands() const {
  if (opcode.rules.operands) return opcode.rules.operands(*this);
  llvm::SmallVector<Operand, 3> operands;
  for (const auto& [place, use] : llvm::zip(places, opcode.uses))
    operands.push_back({place.tensor, place.indices, use});
  const auto is_tile = [](const FragmentSpread& spread) { return spread.is_tile(); };
  const bool goes_on = llvm::any_of(opcode.rules.spreads, is_tile);
  for (size_t n = 0; n < opcode.rules.spreads.size(); ++n) {
    take_values(operands[n], opcode.rules.spreads[n]);
    if (goes_on) operands[n].timeline = Timeline::tensor_core;
  }
  return operands;
}

llvm::SmallVector<FragmentSpread, 3> Instr::spreads() const {
  llvm::SmallVector<FragmentSpread, 3> result;
  for (const auto& [place, spread] : llvm::zip(places, opcode.rules.spreads))
    result.push_back(spread.over(place.tensor->shape).value_or(spread));
  return result;
}

const Instr* as(const Stmt& stmt, const Opcode& opcode) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && &instr->opcode == &opcode ? instr : nullptr;
}

}  // namespace hone
