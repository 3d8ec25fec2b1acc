// for i in 0..16 @mma_m16n8k16_bf16
//   for j in 0..8
//     reduce k in 0..16
//       C.reg[m*16 + i, j] += f32(A.reg[m*16 + i, k])*f32(B.reg[k, j])
//
//   =>  mma_m16n8k16_bf16 C.reg[m*16, 0] <- A.reg[m*16, 0], B.reg[0, 0]
//
// The places are the first elements of what the warp has together. In memory that threads share, a
// place is that of the elements which its lane names:
//
// for i in 0..16 @ldmatrix_x4_bf16
//   for k in 0..16
//     A.reg[i, k] = A.shared[i, k]
//
//   =>  for A.shared.lane in 0..16 @lane
//         for A.shared.lane_2 in 0..2 @lane(16)
//           ldmatrix_x4_bf16 A.reg[0, 0] <- A.shared[A.shared.lane, A.shared.lane_2*8]

#include "codegen/pass/passes.h"
#include "ir/threads/instruction_nest.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The instruction with each place in shared memory as its lane names it.
Stmt named_by_lanes(const Instr& instr, Names& names) {
  llvm::SmallVector<ElementRef, 3> places(instr.places);
  llvm::SmallVector<std::pair<AxisPtr, SpreadDigit>, 4> lanes;
  for (const auto& [place, spread] : llvm::zip(places, instr.spreads())) {
    if (spread.scope == Scope::registers || spread.is_tile()) continue;
    const size_t more = place.indices.size() - spread.rank();
    for (const SpreadDigit& digit : spread.digits) {
      if (digit.of != SpreadDigit::Of::lane) continue;
      lanes.push_back(
          {make_axis(names.fresh(place.tensor->name + ".lane"), AxisKind::spatial), digit});
      Expr& index = place.indices[more + digit.dim];
      index = index + AxisRef::make(lanes.back().first) * digit.factor;
    }
  }
  Stmt result = instr.with(places, instr.values);
  for (const auto& [axis, digit] : llvm::reverse(lanes))
    result = For::make(axis, digit.count, lane_binding(digit), result);
  return result;
}

}  // namespace

void issue_instructions(KernelFunction& kernel) {
  if (!any_of(kernel.body, [](const Stmt& stmt) { return opcode_with_lanes(stmt) != nullptr; }))
    return;
  Names names(as_function(kernel));
  kernel.body =
      transform_stmts(with_instructions(kernel.body, names), [&](const Stmt& stmt) -> Stmt {
        const auto* instr = llvm::dyn_cast<Instr>(stmt);
        return instr && opcode_with_lanes(stmt) ? named_by_lanes(*instr, names) : Stmt();
      });
}

}  // namespace hone
