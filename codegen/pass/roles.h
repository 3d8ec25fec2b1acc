// Kernels whose warps have roles are lowered a role at a time.
#pragma once

#include <vector>

#include "codegen/kernel.h"

namespace hone {

/// The part of a kernel that one role runs, with threads of its own from 0 on.
struct RoleSlice {
  KernelFunction kernel;
  int64_t registers = 0;           ///< of a thread; 0: those that the kernel starts with
  int64_t threads_of_release = 1;  ///< for which one of them releases a slot, of consumers
  int64_t blocks = 1;              ///< of a cluster, whose rings are filled together
};

/// The slice of the consumers, and that of the producers, of a kernel with a loop that has roles.
/// Statements on the mbarriers of its rings stand in both. Behind the placing of waits, while
/// copies are leaves.
std::vector<RoleSlice> slices_by_role(const KernelFunction& kernel);

/// The loop with a wait at the start of its body, behind the copies of producers: those are other
/// warps'.
Stmt with_wait_first(const For& loop, const Stmt& wait, const Stmt& body);

/// The slices as one kernel, whose threads are the consumers and then the producers. In each slice
/// threads have been mapped.
void join_roles(KernelFunction& kernel, const std::vector<RoleSlice>& slices);

}  // namespace hone
