// Blocks that run: their warps, their shared memory, and the barriers that warps wait at.
#pragma once

#include <functional>

#include "runtime/ptx/device.h"
#include "runtime/ptx/machine/engine.h"
#include "runtime/ptx/machine/observer.h"
#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

/// Addresses of spaces other than global memory, as generic addresses have them: no host has memory
/// there.
namespace window {
inline constexpr uint64_t shared = uint64_t{1} << 48, local = uint64_t{2} << 48,
                          param = uint64_t{3} << 48, function = uint64_t{4} << 48;
inline constexpr uint64_t size = uint64_t{1} << 48;
inline constexpr int function_shift = 4;  ///< of the number of a function
/// In shared memory of a cluster: the rank of a block, and 1, from this bit on; 0: the own one.
inline constexpr int rank_shift = 24;
inline uint64_t place_in_block(uint64_t address) {
  return address & ((uint64_t{1} << rank_shift) - 1);
}
inline uint64_t of(Space space) {
  return space == Space::shared  ? shared
         : space == Space::local ? local
         : space == Space::param ? param
                                 : 0;
}
inline bool has(uint64_t window, uint64_t address) { return address - window < size; }
}  // namespace window

class FoldedFindings;

/// The data that the blocks of a launch have in common.
struct Run {
  const LoadedModule& module;
  const Program& program;
  const Code& kernel;
  const KernelInfo& info;
  const LaunchShape& shape;
  llvm::ArrayRef<std::byte> params;
  const LaunchOptions& options;
  FoldedFindings& findings;
  int64_t shared_bytes = 0;     ///< of a block, static ones first
  uint64_t grid_workspace = 0;  ///< of barriers of the grid, in device memory; 0: none

  /// The first byte of dynamic shared memory.
  int64_t dynamic_shared() const { return shared_bytes - shape.dynamic_shared; }
  int64_t threads() const { return shape.block[0] * shape.block[1] * shape.block[2]; }
  int64_t blocks() const { return shape.grid[0] * shape.grid[1] * shape.grid[2]; }
  int64_t cluster_blocks() const { return shape.cluster[0] * shape.cluster[1] * shape.cluster[2]; }
  /// True where the options ask for some of the blocks; those of a grid with a barrier run all the
  /// same.
  bool asks_for_sample() const {
    return options.only_block >= 0 || (options.most_blocks > 0 && options.most_blocks < blocks());
  }
};

/// Split::barrier of those that wait at that of the cluster.
inline constexpr int cluster_barrier = 16;

/// A barrier of a block, and those that have come to it.
struct Barrier {
  int64_t threads = 0;            ///< that it waits for; 0: all of the block
  std::vector<LaneMask> arrived;  ///< by warp
  std::vector<LaneMask> waiting;  ///< of these, the ones that wait
  LaneMask any = 0,
           all = all_lanes;  ///< of a reduction: not 0 where one holds; 0 where one does not
  int64_t count = 0;
};

/// The place of a number in a grid or a block of these extents; x counts fastest.
std::array<int64_t, 3> index_in(const std::array<int64_t, 3>& extents, int64_t number);

struct Team;

struct Block {
  Block(Team& team, int64_t number);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  bool has_ended() const;
  /// The threads of the active lanes come to a barrier.
  void arrive(Warp& warp, const Op& op);
  /// Of shared memory, as the kernel asked for them.
  uint64_t shared_bytes() const { return static_cast<uint64_t>(run.shared_bytes); }
  bool is_in_cluster_of(const Block& other) const;
  /// Barriers that wait for no one any more let their threads go on.
  void look_at_barriers();
  std::array<int64_t, 3> thread_index(int64_t thread) const;
  std::array<int64_t, 3> thread_index(const Warp& warp, int lane) const {
    return thread_index(warp.thread(lane));
  }

  Team& team;
  const Run& run;
  int64_t number = 0;  ///< in the grid
  std::array<int64_t, 3> index{};
  int rank = 0;  ///< in its cluster
  std::vector<Warp> warps;
  std::vector<std::byte> shared;  ///< Run::shared_bytes, and the rest of what hardware gives
  std::array<Barrier, 16> barriers;
  std::vector<LaneMask> at_cluster_barrier;  ///< by warp, the lanes that have come
  int64_t cluster_phase = 0;                 ///< grows when all of the cluster have
  std::unique_ptr<Observer> observer;        ///< null where nobody watches
  Engines engines;
  std::string output;        ///< of printf
  int64_t instructions = 0;  ///< of threads
  /// Of warps.
  struct Counts {
    int64_t lanes = 0;  ///< active ones, of warp_instructions
    int64_t warp_instructions = 0, barriers = 0, branches = 0, divergent_branches = 0;
    WarpCounts shuffles;
  } counts;
  int64_t steps_left = 0;
  /// The global memory that was accessed last.
  struct Range {
    uint64_t begin = 0, end = 0;
    Allocation* allocation = nullptr;
  };
  std::array<Range, 4> ranges{};
  size_t next_range = 0;

 private:
  bool is_complete(const Barrier& barrier) const;
  void complete(int id);
  void release(Warp& warp, int id, const Barrier& barrier);
  void release(Warp& warp, Split& split, const Barrier& barrier);
};

/// Blocks that run together: those of a cluster, and more where they wait for each other.
struct Team {
  explicit Team(const Run& run) : run(run) {}

  /// Runs them to their end. Throws Fault.
  void run_all();
  /// The block of that rank in the cluster of `block`; null where there is none.
  Block* peer(const Block& block, int64_t rank);

  const Run& run;
  std::vector<std::unique_ptr<Block>> blocks;
  /// Adds blocks of the launch that have not begun; false: there are none.
  std::function<bool(Team&)> admit;
  /// A block has come to its end.
  std::function<void(Block&)> finish;

 private:
  struct Round {
    bool has_run = false, spins = true;
    bool yields = true;  ///< all that run wait for mbarriers
  };
  Round run_round();
  void run_turn(Warp& warp, Round& round);
  bool finish_blocks();
  bool admit_others();
  bool release_gathered();
  bool advance_engines();
};

}  // namespace hone::ptx
