// Count mode: the requests of a kernel to memory, access by access, with the names that Nsight
// Compute has for them. Counted are the instructions of PTX; ptxas may merge, drop or repeat some.
#pragma once

#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

std::unique_ptr<LaunchObserver> make_counter(const Run& run);

}  // namespace hone::ptx
