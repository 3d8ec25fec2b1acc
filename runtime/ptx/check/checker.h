// The observer of a block in check mode.
#pragma once

#include "runtime/ptx/check/check.h"
#include "runtime/ptx/check/grid_shadow.h"
#include "runtime/ptx/check/publication.h"
#include "runtime/ptx/machine/folded.h"
#include "runtime/sim/check/clocks.h"

namespace hone::ptx {

/// Properties of the program that decide how it is watched.
struct WatchPlan {
  int64_t granule = 4;       ///< bytes of a cell
  bool is_by_warp = false;   ///< parts of a block wait for each other
  bool has_fences = false;   ///< blocks, or warps, tell each other by flags
  bool has_engines = false;  ///< asynchronous operations, or mbarriers
  bool has_clusters = false;
};
WatchPlan watch_plan(const Run& run);

class Checkers : public LaunchObserver {
 public:
  explicit Checkers(const Run& run) : run(run), plan(watch_plan(run)) {}
  void watch(Block& block) override;

  const Run& run;
  const WatchPlan plan;
  GridShadow grid;
  Publications publications;
};

class Checker : public Observer {
 public:
  Checker(Checkers& state, Block& block);

  void access(const MemoryAccess& access) override;
  void synchronise(Block& block, llvm::ArrayRef<LaneMask> lanes_by_warp) override;
  void synchronise(Warp& warp, LaneMask lanes) override;
  void synchronise_cluster(llvm::ArrayRef<LaneMask> lanes_by_warp) override;
  void fence(Warp& warp) override;
  void use(Warp& warp, Ref ref, LaneMask lanes, const char* how) override;
  void use_address(Warp& warp, Ref ref) override;
  void end_block(Block& block) override;

  void start(Warp& warp, int lane, AsyncOperation& operation) override;
  void end_writes(const AsyncOperation& operation) override;
  void leave(const AsyncOperation& operation) override;
  void await(const AsyncOperation& operation, bool writes) override;
  void arrive(Warp& warp, int lane, const Found& mbarrier) override;
  void arrive(const AsyncOperation& operation) override;
  void end_phase(const Found& mbarrier) override;
  void pass(Warp& warp, int lane, const Found& mbarrier) override;
  bool are_set(const Found& place, int64_t bytes) override;
  void mark_set(const Found& place, int64_t bytes, bool is_set) override;
  void fence_engines(Warp& warp) override;

 private:
  /// The accesses before the arrivals at an mbarrier.
  struct Phases {
    Clocks::Floors at_hand, ended;
    bool has_others = false;  ///< arrivals from other blocks
    bool have_ended_others = false;
  };

  template <class Shadow>
  void watch(const MemoryAccess& access, Shadow& shadow);
  template <class Shadow, class Clock>
  void watch(const MemoryAccess& access, Shadow& shadow, const Clock& clock);
  template <class Clock>
  Stamp record(const MemoryAccess& access, ShadowCell& cell, int thread, const Clock& clock);
  template <class Order>
  Stamp lockstep_write(const ShadowCell& cell, Stamp mine, const Order& order) const;
  void follow_values(const MemoryAccess& access);
  void mark_in_cluster(const MemoryAccess& access);
  void load_values(const MemoryAccess& access);
  void store_values(const MemoryAccess& access);
  /// The lanes whose value of that number holds none in memory.
  LaneMask unset_of(const MemoryAccess& access, size_t value) const;
  void mark(const MemoryAccess& access, size_t value, LaneMask unset);
  void order_by_flags(const MemoryAccess& access);
  void acquire(int agent, LaneMask lanes, const Clocks::Floors& floors);
  void learn(int agent, const uint64_t* floors);
  bool is_of_past_epoch(const MemoryAccess& access, const ShadowCell& cell) const;
  void add_to_grid(int64_t granule, const ShadowCell& cell);
  bool writes_same_value(const MemoryAccess& access, int lane, Stamp other) const;
  /// `address` is that in this block, or of global memory.
  void report_race(const MemoryAccess& access, int lane, Stamp other, uint64_t address);
  void report_grid_race(const Block& block, int64_t granule, GridStamp other, GridStamp mine,
                        bool same_value);
  void report_unset(Warp& warp, uint32_t origin, int lane, const std::string& how);
  Site site_of(Stamp stamp, const Block& block) const;

  // Asynchronous operations: engines.cpp
  int engine_agent() const { return static_cast<int>(block_.warps.size()); }
  int engine_thread(int lane) const { return engine_agent() * lanes + lane; }
  bool is_of_engine(Stamp stamp) const;
  /// The stamp without its time.
  static uint64_t starter_key(Stamp stamp) {
    return Stamp::of(0, stamp.access(), stamp.lane()).bits;
  }
  Stamp engine_stamp(const AsyncOperation& operation, uint32_t access, uint64_t time) const;
  WarpOrder order_of(const AsyncOperation& operation) const;
  Checker& checker_of(const Block& owner);
  Checker& home_of(const AsyncOperation& operation);
  Clocks::Floors floors_behind(const AsyncOperation& operation, bool writes) const;
  /// The first and the end of the cells that the bytes are in.
  std::pair<int64_t, int64_t> cells_of(const Found& place, int64_t bytes) const;
  template <class Use>
  void for_each_cell(const Found& place, int64_t bytes, const Use& use);
  void start_read(Warp& warp, int lane, const AsyncOperation& operation, const Piece& piece);
  void start_write(const AsyncOperation& operation, const Piece& piece, bool is_own);
  void copy_values(const AsyncOperation& operation, const Piece& piece);
  bool lacks_fence(Stamp write) const;
  std::string place_name(const Block* owner, int64_t address) const;
  Report::Finding engine_finding(Stamp engine, const std::string& where) const;
  void report_engine_race(const AsyncOperation& operation, uint32_t access, Stamp met,
                          const Block* owner, int64_t address);
  void report_unfinished_sums(Warp& warp, int lane, const std::string& how);
  void report_use_under_way(const MemoryAccess& access, int lane, Stamp engine, uint64_t address);
  void report_missing_fence(const AsyncOperation& operation, Stamp write, int64_t address);
  void report_unset_copy(const AsyncOperation& operation, const Piece& piece);

  // The other blocks of the cluster: cluster.cpp
  int first_other() const { return engine_agent() + 1; }
  int agent_of_block(const Block& other) const { return first_other() + other.rank; }
  bool is_of_cluster(Stamp stamp) const {
    return state_.plan.has_clusters && clocks_.agent_of(stamp.lane()) >= first_other();
  }
  void watch_cluster(const MemoryAccess& access);
  void watch_lane(const MemoryAccess& access, int lane, const Found& place);
  template <class Clock>
  void watch_lane(const MemoryAccess& access, int lane, const Found& place, int thread,
                  const Clock& clock);
  template <class Use>
  void for_others(const Use& use);
  void hear_others();
  uint64_t cluster_location() const;
  void publish_to_cluster();
  void order_others(const MemoryAccess& access, int lane, const Found& place);
  bool is_over(Stamp use) const;
  void report_use_of_ended();

  Checkers& state_;
  Block& block_;
  Clocks clocks_;
  std::vector<ShadowCell> shared_;
  /// Of the access at hand: the lanes whose value in shared memory nobody wrote, by number.
  std::array<LaneMask, 16> unset_{};
  PagedShadow global_;
  std::vector<OtherStamps> others_;
  std::map<uint64_t, Clocks::Floors> flags_;  ///< what was done before a write to it, in the block
  Clocks::Floors fenced_;
  std::vector<uint64_t> epochs_;          ///< by agent: its time when it last came behind a flag
  std::map<uint64_t, Phases> phases_;     ///< by mbarrier
  std::map<uint64_t, int64_t> starters_;  ///< by access and lane, the thread that started the last
  Clocks::Floors engine_fences_;          ///< what threads have fenced for the engines
  Clocks::Floors exported_;               ///< and told other blocks of the cluster
  std::map<int, Stamp> uses_by_others_;   ///< the last ones of shared memory, by agent
};

}  // namespace hone::ptx
