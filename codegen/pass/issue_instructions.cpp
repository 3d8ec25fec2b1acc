// for i in 0..16 @mma_m16n8k16_bf16
//   for j in 0..8
//     reduce k in 0..16
//       C.reg[m*16 + i, j] += f32(A.reg[m*16 + i, k])*f32(B.reg[k, j])
//
//   =>  mma_m16n8k16_bf16 C.reg[m*16, 0] <- A.reg[m*16, 0], B.reg[0, 0]
//
// The places are the first elements of what the warp has together.

#include "codegen/pass/passes.h"
#include "ir/threads/instruction_nest.h"

namespace hone {

void issue_instructions(KernelFunction& kernel) { kernel.body = with_instructions(kernel.body); }

}  // namespace hone
