// The observer of a block in check mode.
#pragma once

#include "runtime/ptx/check/check.h"
#include "runtime/ptx/check/folded.h"
#include "runtime/ptx/check/grid_shadow.h"
#include "runtime/ptx/check/publication.h"
#include "runtime/sim/check/clocks.h"

namespace hone::ptx {

/// What the program has that decides how it is watched.
struct WatchPlan {
  int64_t granule = 4;      ///< bytes of a cell
  bool is_by_warp = false;  ///< parts of a block wait for each other
  bool has_fences = false;  ///< blocks, or warps, tell each other by flags
};
WatchPlan watch_plan(const Program& program);

class Checkers : public LaunchObserver {
 public:
  explicit Checkers(const Run& run)
      : run(run), plan(watch_plan(run.program)), findings(*run.program.module) {}
  void watch(Block& block) override;
  void finish(Report& report) override;

  const Run& run;
  const WatchPlan plan;
  GridShadow grid;
  Publications publications;
  FoldedFindings findings;
};

class Checker : public Observer {
 public:
  Checker(Checkers& state, Block& block);

  void access(const MemoryAccess& access) override;
  void synchronise(Block& block, llvm::ArrayRef<LaneMask> lanes_by_warp) override;
  void synchronise(Warp& warp, LaneMask lanes) override;
  void fence(Warp& warp) override;
  void use(Warp& warp, Ref ref, LaneMask lanes, const char* how) override;
  void use_address(Warp& warp, Ref ref) override;
  void report(Report::Finding finding, Place first, Place second) override;
  void end_block(Block& block) override;

 private:
  template <class Shadow>
  void watch(const MemoryAccess& access, Shadow& shadow);
  template <class Shadow, class Clock>
  void watch(const MemoryAccess& access, Shadow& shadow, const Clock& clock);
  template <class Clock>
  Stamp record(const MemoryAccess& access, ShadowCell& cell, int thread, const Clock& clock);
  template <class Order>
  Stamp lockstep_write(const MemoryAccess& access, const ShadowCell& cell, Stamp mine,
                       const Order& order) const;
  void follow_values(const MemoryAccess& access);
  void load_values(const MemoryAccess& access);
  void store_values(const MemoryAccess& access);
  /// The lanes whose value of that number holds none in memory.
  LaneMask unset_of(const MemoryAccess& access, size_t value) const;
  void mark(const MemoryAccess& access, size_t value, LaneMask unset);
  void order_by_flags(const MemoryAccess& access);
  bool writes_same_value(const MemoryAccess& access, int lane, Stamp other) const;
  void report_race(const MemoryAccess& access, int lane, Stamp other);
  void report_grid_race(const Block& block, int64_t granule, GridStamp other, GridStamp mine,
                        bool same_value);
  void report_unset(Warp& warp, uint32_t origin, int lane, const std::string& how);
  Site site_of(Stamp stamp, const Block& block) const;

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
};

}  // namespace hone::ptx
