// The promises of callers about the sizes that they come with.
#pragma once

#include "ir/interpret/buffer.h"

namespace hone {

/// True if these sizes are such as the function assumes.
bool keeps_promises(const Function& function, const Sizes& sizes);

}  // namespace hone
