// The program of a ladder as the host, or the simulated device, computes large sizes in seconds.
#pragma once

#include "ir/core/stmt.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// The function, which has no schedule, with cores of the host at work and elements that stay in
/// caches. Each element is computed by the same operations in the same order.
///
///   for i in 0..M                 for i.0 in 0..ceil(M / 8) @parallel
///     for j in 0..N        =>       for k in 0..K
///       for k in 0..K                 for i.1 in 0..8
///         C[i, j] += ...                for j in 0..N
///                                         C[i.0*8 + i.1, j] += ...
///
/// A rewrite that a primitive refuses is left out.
Function spread_over_host(const Function& function, const Sizes& sizes);

/// The function with the outermost loop of each nest on the threads of blocks of 256: a schedule
/// that the simulated device runs a hundred times as fast as the interpreter does. Throws
/// ScheduleError where a loop cannot run so.
Function spread_over_lanes(const Function& function);

}  // namespace hone
