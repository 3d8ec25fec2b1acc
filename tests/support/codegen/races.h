// Races of a kernel, and indices that its text does not hold, found by walking the accesses of
// every thread.
#pragma once

#include <optional>
#include <string>

#include "codegen/kernel.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// The mistake in how the threads of a kernel share memory, or nothing:
/// - two threads of a block touch one element with no barrier of theirs between, and one writes it;
/// - two blocks touch one element, and one writes it;
/// - the threads of a block do not come to the same barriers;
/// - index arithmetic leaves the 32 bits that C computes it in.
/// No values are computed: where a kernel goes does not depend on what is in its tensors. Kernels
/// of millions of steps are followed for the first ones alone: check mode looks at all of them.
std::optional<std::string> find_race(const KernelFunction& kernel, const Sizes& sizes);

}  // namespace hone
