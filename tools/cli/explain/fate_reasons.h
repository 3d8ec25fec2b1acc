// Explains by the compiler's work how accesses of a rung to the memories changed.
#pragma once

#include "tools/cli/explain/speed_facts.h"

namespace hone {

/// Changes that the compiler makes to the accesses of a class, and did not before, or no longer
/// does; empty where there are none:
///
///   the compiler moves the store of C out of the loop k (line 17)
///   arrays may overlap, and the compiler no longer moves the store of C out of the loop k
std::string reason_in_fates(const Subject& before, const Subject& after, AccessClass access_class);

/// The cause of wider accesses, or of narrower ones: tensors whose accesses the compiler merges, or
/// no longer does, else those that the schedule moves by vectors, or no longer does:
///
///   the compiler merges loads of A.shared
///   the schedule moves A.shared and B.shared by vectors
///   the schedule moves A.shared by ldmatrix_x4_bf16
std::string reason_in_vectors(const Subject& before, const Subject& after, AccessClass access_class,
                              bool rises);

}  // namespace hone
