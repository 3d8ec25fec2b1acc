// Whether values may be combined in other groups than those that the text has.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/dependences.h"

namespace hone {

/// What `accesses`, all of a loop's body, make of a tensor, of which `carried` are the loop's
/// dependences.
Regrouping regrouping_of(const TensorPtr& tensor, llvm::ArrayRef<MemoryAccess> accesses,
                         llvm::ArrayRef<CarriedDependence> carried);

}  // namespace hone
