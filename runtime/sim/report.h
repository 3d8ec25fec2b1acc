// Reports of mistakes, as a SimError: the access or operation, the numbers, the block, the thread
// and the statement.
#pragma once

#include "runtime/sim/access.h"
#include "runtime/sim/finding.h"

namespace hone {

/// The exception of the functions below: the message, and the same as data.
class SimFault : public SimError {
 public:
  SimFault(const std::string& message, Finding finding)
      : SimError("{}", message), finding(std::move(finding)) {}

  Finding finding;
};

/// For the first active lane that is out of bounds:
/// "C[i*N + j]: element 1024 is outside 0..1000 (index [10, 24] of shape [10, 100]), block
/// (1, 0, 0), thread (31, 0, 0), in: C[i*N + j] = C.reg[]".
[[noreturn]] void report_out_of_bounds(const Worker& worker, const Access& access);

/// "A[i .. +4]: element 5 lies at byte 20 of A, no multiple of the 16 bytes of the access, block
/// (0, 0, 0), thread (5, 0, 0), in: copy C[0 .. +4] <- A[i .. +4] @vector(4)".
[[noreturn]] void report_misaligned(const Worker& worker, const Access& access, int lane);

/// What is wrong with the box that an access of the engine moves for a lane.
[[noreturn]] void report_box(const Worker& worker, const Access& access, FindingKind kind, int lane,
                             const std::string& what);

/// `what` happens in a lane: "7 / 0 is a division by zero".
[[noreturn]] void report_lane(const Worker& worker, int lane, uint32_t statement,
                              const std::string& what);

// ---- Waits: report_waits.cpp

/// A barrier that not all active lanes of the warp reach that begins with the lane `first`.
[[noreturn]] void report_divergent_warp(const Worker& worker, uint32_t barrier, int first);
/// Warps come to a named barrier where others wait, and name another count of threads.
[[noreturn]] void report_barrier_counts(const Worker& worker, uint32_t barrier, int64_t others);
/// A lane of the warp does something to a barrier with phases that it cannot: "k.full[2] is
/// initialised again".
[[noreturn]] void report_phase(const Worker& worker, const PhaseUse& use, const std::string& what);
/// Nobody in a block can go on: all have ended or wait, and not at one barrier of the block.
[[noreturn]] void report_stuck(const Worker& worker);

// ---- Loops

/// A loop that made the block run out of steps.
[[noreturn]] void report_out_of_steps(const Worker& worker, uint32_t statement);

// ---- How a finding is described -----------------------------------------------------------------

/// As in the kernel's text: "A[i]", of a vector "A[i .. +4]".
std::string text_of(const Access& access);
/// "[10, 24]": the index of an element of an access in its tensor, of an argument by its full
/// shape.
std::string element_text(const SimLaunch& launch, const Access& access, int64_t element);
FindingSite site_of(const SimLaunch& launch, const Access& access, int64_t block, int thread);
/// Of a statement that is no access, for a lane of the group that runs.
FindingSite site_of(const Worker& worker, uint32_t statement, int lane);
/// The same for a thread of the block.
FindingSite site_of_thread(const Worker& worker, uint32_t statement, int thread);
/// "block (0, 0, 0)" and "block (0, 0, 0), thread (32, 0, 0)".
std::string in_block(const Worker& worker);
std::string in_thread(const Worker& worker, int thread);

// ---- Findings about arrivals --------------------------------------------------------------------

/// `count` threads of a block arrive, where one is to count it in.
Finding several_arrivals(const Worker& worker, const Access& access, int count);
/// The counters of the launch that are not 0 in the end.
std::vector<Finding> missing_arrivals(const SimLaunch& launch);

}  // namespace hone
