// Goals of exercises: facts about what a schedule made, counted on the simulated device.
#pragma once

#include "examples/lessons/measure.h"

namespace hone {

/// An answer with right results, at the sizes that its goals are counted at.
struct Attempt {
  const Program& program;
  const Function* loops;  ///< null of a kernel
  const Measured& measured;
  const Sizes& sizes;
};

struct Goal {
  std::string text;  ///< "at most 4 sectors per request of A"
  /// The difference from the goal: "a request for A takes 32 sectors". Empty if it is reached.
  std::function<std::string(const Attempt&)> shortfall;
  std::string hint = {};  ///< a sentence
};

/// Of the accesses of a class to a tensor. Without accesses the goal is not reached.
Goal sectors_at_most(const char* tensor, AccessClass access_class, double limit, const char* hint);
Goal vectors_of(int64_t width, const char* tensor, AccessClass access_class, const char* hint);

/// Elements of a tensor that threads load or store, per element of the result.
Goal elements_at_most(const char* tensor, AccessClass access_class, double limit, const char* hint);

/// A tensor in shared memory is written and read: "A.shared".
Goal uses_tile(const char* tile, const char* hint);
Goal no_bank_conflicts(const char* hint);
Goal shared_bytes_at_most(int64_t limit, const char* hint);

/// Of the kernel with the most threads; the shapes along x and y.
Goal threads_per_block(int64_t least, int64_t most, const char* hint);
Goal block_of(int64_t x, int64_t y, const char* hint);
Goal grid_of(int64_t x, int64_t y, const char* hint);
Goal blocks_at_least(int64_t least, const char* hint);
/// Of the whole grid: a loop that is bound to nothing takes threads away.
Goal threads_at_least(int64_t least, const char* hint =
                                         "A loop that could be the grid's stays "
                                         "inside the threads: bind its axis.");
Goal barriers_at_most(double limit, const char* hint);
Goal busy_lanes_at_least(double lanes, const char* hint);
Goal shuffles(const char* hint);
/// Per warp.
Goal shuffles_at_most(double limit, const char* hint);
/// Warps on a multiprocessor of sm_90 by threads and shared memory alone.
Goal occupancy_at_least(double fraction, const char* hint);
Goal tile_registers_at_most(int64_t limit, const char* hint);

Goal kernels_at_most(size_t limit, const char* hint);
Goal no_guards(const char* hint);
/// The loop nest, as it prints.
Goal same_loops(const char* text, const char* hint);

}  // namespace hone
