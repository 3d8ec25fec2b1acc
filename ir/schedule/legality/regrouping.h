// The permission to combine values in other groups than the program does.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/dependences.h"

namespace hone {

/// The verdict on the updates of a tensor in a loop whose body makes `accesses`. `carried` are the
/// dependences of the loop.
Regrouping regrouping_of(const TensorPtr& tensor, llvm::ArrayRef<MemoryAccess> accesses,
                         llvm::ArrayRef<CarriedDependence> carried);

}  // namespace hone
