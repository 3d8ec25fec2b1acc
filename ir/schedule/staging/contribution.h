// Tiles that add their elements to a tensor, as iterations that run at the same time do.
#pragma once

#include "ir/schedule/staging/staged.h"
#include "ir/traverse/rename.h"

namespace hone {

/// True if iterations around, which run at the same time, combine their results in the tensor by
/// updates of memory: they must not read its elements.
bool is_combined(const Preconditions& check, const Staged& staged, const TensorPtr& tensor);

/// `body`, which adds up in the tile, between setting that to the identity and adding it to the
/// tensor. Loops that do so are unrolled for registers; for a shared tile they are there to be
/// bound. Refuses elements that nothing may be combined into, where the identity may change these.
Stmt with_contribution(const Preconditions& check, const Staged& staged, const TensorPtr& tensor,
                       const TensorPtr& tile, const Stmt& body, Names names);

}  // namespace hone
