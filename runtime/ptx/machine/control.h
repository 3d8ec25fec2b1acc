// Ops of control: jumps, calls, barriers, ends.
#pragma once

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

/// Lanes that stand here join: the target of a jump, or the place behind a call.
void run_join(Warp& warp, const Op& op);
/// To the op of that number, the detail.
void run_branch(Warp& warp, const Op& op);
/// To one of a table, the detail, by the first source.
void run_branch_by_index(Warp& warp, const Op& op);
/// The detail is the call.
void run_call(Warp& warp, const Op& op);
void run_return(Warp& warp, const Op& op);
void run_exit(Warp& warp, const Op& op);
void run_trap(Warp& warp, const Op& op);
/// The detail is the barrier.
void run_barrier(Warp& warp, const Op& op);
/// The first source names the lanes.
void run_warp_barrier(Warp& warp, const Op& op);
/// A fence of memory; the detail is 1 where it reaches other blocks.
void run_fence(Warp& warp, const Op& op);
/// A fence between threads and engines: fence.proxy.async.
void run_fence_of_engines(Warp& warp, const Op& op);
/// Of the cluster: arrive (the detail has bit 0), wait (bit 1).
void run_cluster_barrier(Warp& warp, const Op& op);
/// Nothing, but others may run.
void run_pause(Warp& warp, const Op& op);
void run_nothing(Warp& warp, const Op& op);

}  // namespace hone::ptx
