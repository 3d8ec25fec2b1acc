// Explains by tiles how accesses of a rung to the memories changed.
#pragma once

#include "tools/cli/explain/speed_facts.h"

namespace hone {

/// "A", "A and B", "A, B and C"
std::string enumerated(llvm::ArrayRef<std::string> names);

/// The tiles that are new, or have another shape, of tensors whose accesses of that class are not
/// as many as before; empty where there are none:
///
///   each block keeps tiles of A and B in shared memory and each thread keeps its part of C in
///   registers
///   A.shared and B.shared are 32 x 32 instead of 16 x 16
///
/// If registers spare accesses to shared memory, the shape of the tile there is no cause.
std::string reason_in_tiles(const Subject& before, const Subject& after, AccessClass access_class);

}  // namespace hone
