// The form in which C says a kernel. Both targets share it, and their printers spell it: what
// changes loops, guards and declarations on the way to text is decided in this folder.
//
//   alloc c: f32[] @registers
//   c[] = 0.0                                    float c = 0.0f;
//   for k in 0..(K + 7) / 8                =>    for (int k = 0; k < K; k += 8)
//     c[] += A[k*8]                                c += A[k];
//
// Index ranges are those of this form (codegen/contract/index_ranges.h); the simulated device runs
// the kernel as it stands. Declarations are in declaration.h, launch bounds in launch_bound.h.
#pragma once

#include "codegen/c_form/ring_counter.h"
#include "codegen/c_form/stepped_loop.h"
#include "codegen/kernel.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

struct CForm {
  /// The kernel's statements in their order, over axes that count as `counts` says. No loop occurs
  /// in it twice.
  Stmt body;
  llvm::DenseMap<const For*, LoopCount> counts;
  /// Of loops that count the slots of a ring as well.
  llvm::DenseMap<const For*, RingCounter> rings;
  /// The branches of two roles, where a kernel ends with them: the first one ends with a return,
  /// and the second one needs no condition behind that. Null where there are none.
  const If *returning = nullptr, *remaining = nullptr;
  /// Of the statements that are not the kernel's own, those that they stand for.
  llvm::DenseMap<const StmtNode*, const StmtNode*> origins;

  const LoopCount& count(const For& loop) const { return counts.find(&loop)->second; }
  /// Null where the loop counts no slots.
  const RingCounter* ring(const For& loop) const;
  /// The statement of the kernel that `stmt` stands for.
  const StmtNode* origin(const StmtNode* stmt) const;
};

CForm c_form(const KernelFunction& kernel);

}  // namespace hone
