// Goals about tensor cores: what they multiply, and what threads still load.
#pragma once

#include "examples/exercises/goals.h"

namespace hone {

Goal products_by_tensor_cores(const char* hint);
/// Of all warps, to shared memory.
Goal shared_loads_at_most(int64_t requests, const char* hint);
/// The copy engine brings all that the kernel reads.
Goal no_global_loads(const char* hint);

}  // namespace hone
