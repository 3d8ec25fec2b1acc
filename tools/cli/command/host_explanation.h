// Rungs of the host in plain words, as they are written: their work for a result, and the distance
// in memory between the accesses of their innermost loops.
#pragma once

#include "tools/cli/command/host_counters.h"

namespace hone {

/// A rung of the host, counted.
struct HostProfile {
  Sizes sizes;
  HostCounts counts;
};

/// The changes from `before`, at most `most` of them: lines of the cache first, then accesses,
/// operations and loops.
///
///   lines of 64 bytes that innermost loops come to fall 5.67x: 1088 -> 192 per result, because the
///   loop i reads A 4 bytes apart, and the loop k read it 4*M bytes apart
std::vector<std::string> explain_host(const HostProfile& before, const HostProfile& after,
                                      size_t most);

/// "2*K operations, 3*K loads and K + 1 stores per result, as written"
std::string work_text(const HostProfile& profile);

/// The accesses and their steps, a line each, indented by four:
///
///   A[k*M + i] is read 4*M bytes apart in the loop k, a line of 64 bytes each time
std::string steps_text(const HostProfile& profile);

}  // namespace hone
