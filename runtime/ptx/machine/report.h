// Mistakes of a run, with their places.
#pragma once

#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

/// A mistake that ends the launch.
struct Fault {
  Report::Finding finding;
};

/// A place in the text, as a thread comes to it. `access` says what it does: "writes 4 bytes of
/// shared memory at byte 128".
Site site_of(const Block& block, Place place, int64_t thread, std::string access);
/// The same without a thread.
Site site_of_text(const Program& program, Place place);
/// The line of the function's own text that an inlined place was called from; 0: not known.
int line_of_kernel(const Program& program, Place place);
/// The place of the op at hand.
Site site_of(const Warp& warp, int lane, std::string access);
Place place_of(const Warp& warp);

/// The parts of a message: one line about it, the access, and a sentence about the cause.
struct Mistake {
  FindingKind kind;
  std::string what, access, cause{};
};

/// Throws Fault about the op at hand, for a lane.
[[noreturn]] void fail(const Warp& warp, int lane, const Mistake& mistake);
/// A finding about the op at hand that does not end the launch; only check mode keeps it.
void report(const Warp& warp, int lane, const Mistake& mistake);
/// One that all modes keep: an access that leaves its memory. It is described once.
void report_stray(const Warp& warp, int lane, llvm::function_ref<Mistake()> describe);

/// Lanes of a warp wait at one barrier at several places of the program.
void report_divergent_barrier(const Warp& warp, int id);
/// Those that come to a barrier name another number of threads than those before.
void check_barrier_count(const Warp& warp, int id, const Barrier& barrier, int64_t threads);
/// Throws Fault: nobody in these blocks can go on.
[[noreturn]] void report_deadlock(const Team& team);
/// The same where all look at mbarriers again and again.
[[noreturn]] void report_vain_waits(const Team& team);
[[noreturn]] void report_out_of_steps(const Block& block);

}  // namespace hone::ptx
