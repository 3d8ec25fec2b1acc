// A kernel that starts before the one before it has ended, and waits for that (programmatic
// dependent launch).
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// The body of a kernel with a wait for the one before where it comes to global memory first.
/// Shared memory is set up meanwhile.
Stmt with_wait_for_kernel_before(const Stmt& body);

bool waits_for_kernel_before(const Stmt& body);

/// True where a body that waits touches global memory before that, or under a condition alone.
bool waits_too_late(const Stmt& body);

}  // namespace hone
