// A host thread that runs blocks of a launch: the values of the block at hand, and which of its
// threads are active.
#pragma once

#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>

#include "runtime/host_memory.h"
#include "runtime/sim/device.h"
#include "runtime/sim/lane_group.h"
#include "runtime/sim/lanes.h"
#include "runtime/sim/observer.h"
#include "runtime/sim/phases.h"

namespace hone {

/// The common state of the workers of a launch.
struct SimLaunch {
  /// Throws RuntimeError where sizes, arguments and shape are not what the kernel or a GPU takes.
  SimLaunch(const SimProgram& program, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments,
            const SimOptions& options);

  const SimProgram& program;
  const Sizes& sizes;
  llvm::ArrayRef<SimArgument> arguments;
  const SimOptions& options;
  std::array<int64_t, 3> grid{}, block{};
  /// The number of trips through each loop and those inside, each time it runs, conditions aside.
  std::vector<int64_t> loop_trips;
  /// The numbers of those that run, in order, where it is not all of them.
  std::vector<int64_t> chosen_blocks;
  /// Makes the observer of a worker; none where nothing is watched.
  std::function<std::unique_ptr<Observer>(Worker&)> observe;

  /// The blocks of a cluster run as one, whose threads follow those of the block before.
  int64_t cluster() const { return program.kernel.cluster; }
  int block_lanes() const { return static_cast<int>(block[0] * block[1] * block[2]); }
  int lanes() const { return block_lanes() * static_cast<int>(cluster()); }
  int64_t blocks() const { return grid[0] * grid[1] * grid[2] / cluster(); }
  /// The place in the grid of the block that has the thread, in the blocks that run as one.
  std::array<int64_t, 3> place_of(int64_t number, int thread) const;
  /// The place of the thread in its block.
  std::array<int64_t, 3> thread_of(int thread) const;
  /// The number of blocks that run, and the number of the n-th of them.
  int64_t runs() const {
    return chosen_blocks.empty() ? blocks() : static_cast<int64_t>(chosen_blocks.size());
  }
  int64_t block_number(int64_t n) const { return chosen_blocks.empty() ? n : chosen_blocks[n]; }

  /// Runs the blocks, spread over host threads. Throws the SimError of the first block that fails,
  /// unless its observer keeps going.
  void run() const;
};

/// One of the barriers of a block that its threads wait at.
struct BarrierObject {
  WarpBits warps = 0;                         ///< that have come, a bit each
  llvm::SmallVector<uint32_t, 4> statements;  ///< their places, by the barriers of the program
  int64_t threads = 0;                        ///< that it waits for, as the first to come has said
};

/// Runs the group of lanes that it is; those that are parted from it stand by.
struct Worker : LaneGroup {
  explicit Worker(const SimLaunch& launch);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs the block of that number; x counts fastest. Throws SimError.
  void run_block(int64_t number);

  bool is_whole() const { return lanes == launch.lanes(); }
  /// The barrier that a warp comes to.
  size_t barrier_for(const BarrierScope& scope, int warp) const;
  /// The threads of the block, in whole warps.
  int all_threads() const { return (launch.lanes() + warp_lanes - 1) / warp_lanes * warp_lanes; }

  /// The lanes of a value, or the one value where it is uniform.
  template <class T>
  T* at(Slot slot) const {
    return reinterpret_cast<T*>(slots[slot]);
  }

  /// Bytes from the lanes of one value to those of the next, for a lane of `lane_bytes`.
  size_t lane_stride(int lane_bytes) const;

  // turns.cpp

  /// Runs code of a loop or a branch next, so many times.
  void enter(const Instruction& opener, uint32_t code, int64_t trips = 1, bool waits = false);
  /// Parts the group before its lanes `starts`, in order; the first part goes on.
  void part(llvm::ArrayRef<int> starts);
  /// Lets others run, if there are any; goes on along with those that come to the same place.
  void yield();
  /// The same where a random order says so; it may part the group before.
  void let_others_run();
  /// Goes on when all that the barrier of that number waits for have come to it.
  void wait_at(uint32_t number);
  /// Comes to the instruction at hand again when a phase has ended.
  void wait_at_phase(const Instruction& instruction);
  /// Comes to the instruction at hand again with neighbours that come to it.
  void gather(const Instruction& instruction);
  /// Those that wait for phases look at them again.
  void wake();

  const SimLaunch& launch;
  const SimProgram& program;

  std::vector<LaneGroup> others;  ///< of the block, which do not run now; the next one first
  /// Those with names, of all blocks of a cluster, and then those of their warpgroups.
  std::vector<BarrierObject> barriers;
  PhaseBarriers phases;
  Engines engines;
  uint64_t last_stamp = 1;
  std::array<int64_t, 3> block_index{};
  int64_t steps_left = 0;
  int64_t block_number = 0;
  std::unique_ptr<Observer> observer;

 private:
  size_t bytes_of(SlotKind kind) const;
  size_t bytes_of(const Memory& memory) const;
  size_t shared_bytes() const;
  void allocate();
  void become_whole();
  void place_slots();
  void set_uniforms();
  void set_thread_indices();

  // turns.cpp
  void run_turns();
  void run_turn();
  bool go_on();
  void stop(State state_then);
  std::optional<size_t> next_turn();
  bool bring_operation();
  bool take_turn();
  void join_others();
  void join_gathered();
  bool is_in_random_order() const { return launch.options.order != 0; }
  uint64_t random(uint64_t limit);
  std::vector<LaneGroup> part(LaneGroup& group, llvm::ArrayRef<int> starts);
  void come_to(uint32_t number);
  void check_place() const;
  int64_t threads_at(const BarrierScope& scope) const;
  void release(WarpBits warps);
  void release(LaneGroup& group, WarpBits warps, std::vector<LaneGroup>& parts);

  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  HostMemoryClaim claim_;  ///< to the arena
  std::unique_ptr<std::byte[], Free> arena_;
  const int block_lanes_padded_;
  uint64_t random_ = 0;
  const Instruction* stopped_end_ = nullptr;  ///< of the code at hand, where the turn has ended
};

}  // namespace hone
