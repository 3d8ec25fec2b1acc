// The passes, in the order in which they run. Each rewrites the body of one kernel.
#pragma once

#include "codegen/lower.h"

namespace hone {

/// Copies become loops over their region, clipped at the ends of the tensors. Before threads are
/// mapped, so that what is known about loops can drop the clipping.
void expand_copies(KernelFunction& kernel);

/// Loops bound to blocks and threads become lets over indices; phases of a block get the barriers
/// that they need between them. Sets `grid` and `block`.
void map_threads(KernelFunction& kernel);

/// Sums of thread indices that stand for one axis get its name: i = block.y*32 + thread.y. Before
/// flattening, while dimensions are apart.
void name_indices(KernelFunction& kernel);

/// Global tensors get one flat index, in the order of their layout.
void flatten_accesses(KernelFunction& kernel);

/// Chooses between 32- and 64-bit indices where the options leave it open.
void choose_index_width(KernelFunction& kernel);

}  // namespace hone
