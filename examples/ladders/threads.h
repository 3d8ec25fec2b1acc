// Idioms that schedules of reductions and rows share: plain functions over a schedule.
#pragma once

#include "dsl/schedule.h"

namespace hone {

/// The axis's name as a user may give it: k.scale is k_scale.
std::string plain_name(const Axis& axis);

/// The iterations of a reduction axis go round the threads of a block, in runs of `vector`
/// neighbours, and the threads combine what they have.
void combine_threads(Schedule& s, const Axis& axis, int64_t threads, const Combine& combine,
                     int64_t vector = 1);

/// The iterations of a spatial axis, likewise; a run is one access.
void deal_to_threads(Schedule& s, const Axis& axis, int64_t threads, int64_t vector = 1);

}  // namespace hone
