// The layouts that temporaries may have, tensors in global memory that callers of a launch
// allocate.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses layouts but those of whole dimensions in any order, at a pitch that holds a row.
void check_temporary_layout(const Preconditions& check, const Function& function,
                            const StmtNode* culprit, const TensorNode& temporary);

}  // namespace hone
