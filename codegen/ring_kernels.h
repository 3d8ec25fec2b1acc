// Kernels over elements of a ring in the place of floats: ir/scalar/ring.h. The simulated device
// runs them, no GPU does.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// The module over the ring: kernels that differ from those of `module` in types alone.
Module ring_form(const Module& module);

}  // namespace hone
