// Waits between the threads of a block, and the edges that each of them is for.
#pragma once

#include "codegen/kernel.h"
#include "codegen/order/edges.h"

namespace hone {

/// A wait of these threads for each other, and what it keeps in order.
struct Wait {
  Reach who;
  Edges edges;
};

/// The waits that place_waits puts into the kernel, those of inner statements first.
std::vector<Wait> waits_of(const KernelFunction& kernel);

}  // namespace hone
