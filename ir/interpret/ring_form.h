// A program, and the kernels of a schedule, over elements of a ring in the place of floats:
// ir/scalar/ring.h.
#pragma once

#include "ir/core/stmt.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// Gives tensors and statements their form over the ring: where types have floats they get elements
/// of as many bytes. Loops, layouts, accesses, instructions and waits stay what they are. A tensor
/// has one form in all that an object is asked for.
class RingForms {
 public:
  TensorPtr of(const TensorPtr& tensor);
  Stmt of(const Stmt& stmt);

 private:
  llvm::DenseMap<const TensorNode*, TensorPtr> tensors_;
};

/// A program, or the meaning of an instruction, over the ring. Its arguments have the names and the
/// shapes of those of `function`.
Function ring_form(const Function& function);

}  // namespace hone
