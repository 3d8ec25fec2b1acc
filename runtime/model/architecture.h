// The limits of an architecture that has to be known.
#pragma once

#include "ir/target/gpu_limits.h"

namespace hone {

/// As find_architecture; throws RuntimeError that lists the known ones.
const ArchitectureLimits& architecture_limits(llvm::StringRef arch);

}  // namespace hone
