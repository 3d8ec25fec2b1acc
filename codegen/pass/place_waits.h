// Waits between the threads of a block, and the edges that each of them is for.
#pragma once

#include "codegen/kernel.h"
#include "codegen/order/edges.h"

namespace hone {

enum class WaitKind : uint8_t {
  groups,           ///< for those of the thread alone
  block_barrier,    ///< all threads of the block
  cluster_barrier,  ///< and those of the other blocks of its cluster
};

/// A wait, and what it keeps in order.
struct Wait {
  WaitKind kind;
  Edges edges;
};

/// The waits that place_waits puts into the kernel, those of inner statements first.
std::vector<Wait> waits_of(const KernelFunction& kernel);

}  // namespace hone
