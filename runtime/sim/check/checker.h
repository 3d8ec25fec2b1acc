// The observer of check mode.
#pragma once

#include <atomic>

#include "runtime/sim/access.h"
#include "runtime/sim/check/check_findings.h"
#include "runtime/sim/check/clocks.h"
#include "runtime/sim/check/launch_shadow.h"
#include "runtime/sim/check/register_state.h"
#include "runtime/sim/check/sums_in_flight.h"

namespace hone {

/// The common state of the workers of a checked launch.
struct CheckState {
  explicit CheckState(const SimLaunch& launch) : shadow(launch) {}

  LaunchShadow shadow;
  Findings findings;
  int64_t skipped_barrier = -1;         ///< one that orders nothing
  std::atomic<bool> has_fault = false;  ///< a block did not come to its end
};

class Checker : public Observer {
 public:
  static const Instrumentation instrumentation;

  Checker(Worker& worker, CheckState& state);

  /// Lets others of the block run, by the order of the launch.
  static void on_statement(Worker& worker, const Instruction& instruction);

  void begin_block(Worker& worker, int64_t number) override;
  void synchronise(const Worker& worker, llvm::ArrayRef<uint32_t> barriers,
                   WarpBits warps) override;
  void start_operation(Worker& worker, const AsyncOperation& operation) override;
  void end_reads(Worker& worker, const AsyncOperation& operation) override;
  void end_writes(Worker& worker, const AsyncOperation& operation) override;
  void leave_operation(Worker& worker, const AsyncOperation& operation) override;
  void await_products(Worker& worker, int64_t pending) override;
  void fence(Worker& worker) override;
  void init_phases(Worker& worker, const PhaseUse& use) override;
  uint64_t arrive_at_phase(Worker& worker, const PhaseUse& use) override;
  void end_phase(uint32_t barrier) override;
  void pass_phase(Worker& worker, const PhaseUse& use) override;
  void end_block(Worker& worker) override;
  bool keeps_going(const Finding& finding) override;
  void finish() override;

 private:
  void start_cluster(const Worker& worker);
  void look_for_ended_blocks();
  bool are_in_one_block(int thread, int other) const;
  void join_within(const Worker& worker, const BarrierScope& scope, WarpBits warps);

  /// The cells of an access: element n of the tensor starts at origin + n * per_element.
  struct Cells {
    int64_t origin = 0, per_element = 1;
    bool is_shared = false;
    bool may_be_unset = false;
    bool is_temporary = false;
  };
  /// One access that runs.
  struct Running {
    Worker& worker;
    const Access& access;
    uint32_t number;  ///< of the access
    Address address;
    Cells cells;
  };

  void note_visit(int thread, uint32_t access, int64_t element);
  void note_visits(const Running& running);

  static void on_access(Worker& worker, const Instruction& instruction);
  static void on_register_access(Worker& worker, const Instruction& instruction);
  static void on_allocate(Worker& worker, const Instruction& instruction);
  static void on_shuffle(Worker& worker, const Instruction& instruction);
  static void on_arrival(Worker& worker, const Instruction& instruction);
  static void on_index_step(Worker& worker, const Instruction& instruction);

  void access(Worker& worker, uint32_t number);
  void read_registers(Worker& worker, uint32_t number);
  void write_registers(Worker& worker, uint32_t number);
  void look_for_product(Worker& worker, const Access& access, uint32_t number,
                        const Address& address);
  void clear_shared(const Worker& worker, uint32_t memory);
  void arrive(Worker& worker, uint32_t number, bool is_last);

  ShadowCell& cell_of(const Worker& worker, const PhaseUse& use);
  void look_for_init(Worker& worker, const PhaseUse& use);
  void look_for_early_end(uint32_t barrier);
  void look_for_phase_fence(Worker& worker, const AsyncOperation& operation);
  void look_for_left_copies(const Worker& worker);
  void note_lanes(const Worker& worker);

  template <class Shadow>
  void access(const Running& running, Shadow& shadow);
  template <class Shadow, class Clock>
  void access(const Running& running, Shadow& shadow, const Clock& clock);
  template <class Shadow, class Clock>
  void read(const Running& running, Shadow& shadow, const Clock& clock);
  template <class Shadow, class Clock>
  void write(const Running& running, Shadow& shadow, const Clock& clock);
  template <class Shadow, class Clock>
  void update(const Running& running, Shadow& shadow, const Clock& clock);
  void look_for_copy(const Running& running, int lane, const ShadowCell& cell);
  /// A write to the shared cell of that number.
  void look_for_store(const Running& running, int lane, int64_t cell);
  void for_moved_elements(
      Worker& worker, const AsyncOperation& operation,
      llvm::function_ref<void(const Running& shared, const Running& memory)> use);
  void for_read_elements(Worker& worker, const AsyncOperation& operation,
                         llvm::function_ref<void(const Running& shared)> use);
  void start_reads(Worker& worker, const AsyncOperation& operation);
  void begin_read(int64_t cell, Stamp stamp, FindingKind kind);
  void end_read(int64_t cell);
  /// The accesses of the copy engine for a thread, to single elements.
  void read_by_engine(const Running& running, int thread, bool needs_value,
                      FindingKind disturbed = FindingKind::unfinished_store);
  void write_by_engine(const Running& running, int thread, bool is_set);
  void bring_unset(const Running& from, const Running& to, int thread);
  bool may_stay_unset(const Running& from, const Running& to, int thread);
  bool is_fenced(const ShadowCell& cell, int thread) const;
  /// Of the element that all lanes have in common.
  static int64_t first_cell(const Running& running) {
    return running.cells.origin + running.address.uniform * running.cells.per_element;
  }
  static bool has_overlaps(const Worker& worker);
  /// A value of another tensor in the same bytes is none.
  bool holds_value(const Access& access, const ShadowCell& cell) const {
    return cell.is_set && (!reuses_shared_ || was_written_as(access, cell));
  }
  bool was_written_as(const Access& access, const ShadowCell& cell) const;
  bool is_set(const Running& running, int lane, int64_t number, const ShadowCell& cell) const;
  bool keeps_unset(const Running& running, int lane, int64_t first, int64_t origin,
                   const ShadowCell& cell) const;
  void set_origin(int64_t cell, int64_t origin);
  int64_t origin_of(const Running& running, int64_t cell) const;
  /// The lanes that read a set element, the one of that number in their vectors, and the origins of
  /// the others.
  template <class Shadow>
  LaneFlags set_lanes(const Running& running, Shadow& shadow, int64_t element) const;

  Cells cells_of(const Worker& worker, const Access& access) const;
  bool writes_same_value(const Running& running, int lane, Stamp other, int64_t element) const;
  static Stamp stamp_of(const Running& running, int lane) {
    return Stamp::of(0, running.number, running.worker.thread(lane));
  }
  /// Counts a finding about these accesses, at an element of the last one.
  void report(FindingKind kind, llvm::ArrayRef<Stamp> accesses, int64_t element,
              llvm::function_ref<std::string()> detail);
  void report_race(const Running& running, int lane, Stamp other, int64_t element = 0);
  void report_overflow(Worker& worker, uint32_t number, int lane, int64_t lhs, int64_t rhs);
  void report_unset(Worker& worker, uint32_t number, int lane);
  /// About a register of the lane.
  void report_register(Worker& worker, FindingKind kind, uint32_t number, int lane,
                       llvm::function_ref<std::string(int64_t element)> detail);
  std::string why_unset(const Worker& worker, const Access& access, int64_t element) const;
  void report_shuffle(Worker& worker, uint32_t statement, int lane, std::string detail);
  Finding place(Finding finding);

  /// Flags of values on their way from the elements that a move reads to those that it writes.
  struct Moving {
    LaneFlags flags;
    uint32_t source = 0;  ///< the access that read it
  };
  void put_all_set(const Running& running);
  Moving take(const Access& access);
  Moving take_joined();
  void shuffle(Worker& worker, const ShuffleDetail& shuffle, const int64_t* offsets,
               const int64_t* lanes);
  void check_lanes(Worker& worker, const ShuffleDetail& shuffle, const int64_t* lanes);

  CheckState& state_;
  const SimLaunch& launch_;
  bool starts_anew_;  ///< blocks forget all that was in shared memory before
  Clocks clocks_;
  Arrival arrival_;
  struct PhaseClocks {
    /// Collected by the arrivals: in the phase at hand, and in all before.
    Clocks::Floors at_hand, ended;
    /// The barrier's element, and the waits that were over in the phase at hand; the last arrival.
    int64_t element = 0;
    std::vector<Stamp> waits;
    Stamp arrival;
    /// A copy that has ended with a phase, and its first element, until somebody has waited for
    /// that phase.
    Stamp copy;
    int64_t copied = 0;
  };
  std::vector<PhaseClocks> phases_;  ///< by barrier
  /// By agent: the lanes with accesses since the last barrier of the warp, where there are phases.
  std::vector<uint32_t> unordered_lanes_;
  /// An access to the memory of another block of the cluster, and the first of its elements.
  struct Visit {
    Stamp stamp;
    int64_t element = 0;
  };
  std::vector<Visit> visits_;  ///< the last ones, by block and agent; empty without clusters
  int64_t block_ = 0, order_ = 0;
  bool has_fault_ = false;  ///< the block did not come to its end

  const std::byte* shared_begin_ = nullptr;
  int64_t shared_granule_ = 1;
  std::vector<ShadowCell> shared_;
  /// Of cells that are not set, by number: of values that have come there unset; empty where none
  /// has.
  std::vector<int64_t> origins_;
  bool reuses_shared_ = false;  ///< tensors lie in the bytes of others
  PagedShadow global_;
  std::vector<OtherStamps> others_;  ///< of cells, where there are several agents
  RegisterState registers_;
  SumsInFlight sums_;

  std::vector<std::vector<uint64_t>> fences_;  ///< the times of those of each thread
  /// Reads of engines that go on: the last one, and the finding where it is disturbed.
  struct EngineReads {
    Stamp stamp = {};
    FindingKind kind = FindingKind::unfinished_store;
    int count = 0;
  };
  llvm::DenseMap<int64_t, EngineReads> engine_reads_;  ///< of shared cells

  std::vector<Moving> moving_;
  size_t next_moving_ = 0;

  FoldedFindings folded_;
  Findings findings_;
};

/// The checker of a run in check mode.
Checker& checker_of(const Worker& worker);

}  // namespace hone
