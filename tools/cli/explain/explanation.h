// The bottlenecks of a rung, in plain words, against another one: facts that change the roofline.
#pragma once

#include "tools/cli/explain/speed_facts.h"

namespace hone {

/// The facts that say most about `after`, at most `most` of them, beginning with the one that
/// changes the roofline most, with one of each direction; a line each. Without `before`, those that
/// the roofline is owed to.
///
///   global loads fall 32x: 2*K -> K/16 per result, because each block keeps tiles of A and B in
///   shared memory
std::vector<std::string> explain(const Profile* before, const Profile& after, const Gpu& gpu,
                                 size_t most = 3);

/// The fact that costs most of those that cost more than before; empty where none does.
std::string added_burden(const Profile& before, const Profile& after, const Gpu& gpu);

/// "512 floating-point operations, K/16 global loads and 1 global stores per result", as compiled,
/// where that is known.
std::string work_text(const Profile& profile, const Gpu& gpu);

}  // namespace hone
