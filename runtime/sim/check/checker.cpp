#include "runtime/sim/check/checker.h"

#include <bit>
#include <cassert>
#include <numeric>

#include "runtime/sim/report.h"

namespace hone {
Checker& checker_of(const Worker& worker) { return static_cast<Checker&>(*worker.observer); }

namespace {

/// Calls `use(lane)` for the active lanes; where lanes in a row read one element, and are of one
/// agent, for two of them, which is all that a cell remembers.
template <class Use>
void for_lanes_that_count(const Worker& worker, const Address& address, bool is_one_agent,
                          const Use& use) {
  if (!is_one_agent) return worker.mask->for_each(use);
  const auto use_ends = [&](int first, int last) {
    use(first);
    if (last != first) use(last);
  };
  if (!address.base) return use_ends(worker.mask->first(), worker.mask->last());
  const Rows rows = address.base->rows;
  if (rows.length == 0 || rows.step != 0 || !worker.mask->is_full())
    return worker.mask->for_each(use);
  for (int start = 0; start < worker.lanes; start += rows.length)
    use_ends(start, start + rows.length - 1);
}

}  // namespace

const Instrumentation Checker::instrumentation = {.access = on_access,
                                                  .box_access = on_access,
                                                  .register_access = on_register_access,
                                                  .allocate = on_allocate,
                                                  .shuffle = on_shuffle,
                                                  .arrival = on_arrival,
                                                  .index_step = on_index_step};

namespace {

/// Parts of a block come together, too.
bool has_partial_waits(const SimProgram& program) {
  if (program.kernel.cluster > 1 || program.phase_barriers > 0 || program.has_fences) return true;
  return llvm::any_of(program.barriers, [](const BarrierDetail& barrier) {
    return barrier.scope.kind != BarrierScope::Kind::block;
  });
}

/// Allocations do so, but for those of a part of a block.
bool starts_anew(const SimLaunch& launch) {
  return launch.options.order != 0 || !launch.program.operations.empty() ||
         has_partial_waits(launch.program) ||
         llvm::any_of(launch.program.branches,
                      [](const BranchDetail& branch) { return branch.waits; });
}

}  // namespace

// ---- The state of a block -----------------------------------------------------------------------

/// Shared memory is one range; its granule divides all elements and where they start.
Checker::Checker(Worker& worker, CheckState& state)
    : state_(state),
      launch_(worker.launch),
      starts_anew_(starts_anew(worker.launch)),
      clocks_(worker.launch.lanes(), has_partial_waits(worker.program)),
      registers_(worker),
      sums_(worker) {
  assert(worker.program.accesses.size() <= Stamp::access_mask &&
         "more accesses than a stamp names");
  const std::byte* end = nullptr;
  for (size_t n = 0; n < worker.places.size(); ++n) {
    const Memory& memory = worker.program.memories[n];
    if (!memory.is_shared()) continue;
    const std::byte* data = worker.places[n].data;
    const std::byte* past = data + memory.elements * size_of(memory.tensor->type);
    shared_begin_ = shared_begin_ ? std::min(shared_begin_, data) : data;
    end = std::max(end, past);
  }
  if (!shared_begin_) return;
  shared_granule_ = 0;
  for (size_t n = 0; n < worker.places.size(); ++n)
    if (const Memory& memory = worker.program.memories[n]; memory.is_shared())
      shared_granule_ = std::gcd(std::gcd(shared_granule_, size_of(memory.tensor->type)),
                                 worker.places[n].data - shared_begin_);
  shared_.resize((end - shared_begin_) / shared_granule_ + 1);
  reuses_shared_ = has_overlaps(worker);
}

void Checker::begin_block(Worker& worker, int64_t number) {
  clocks_.begin();
  if (starts_anew_) std::fill(shared_.begin(), shared_.end(), ShadowCell());
  origins_.clear();
  others_.clear();
  phases_.assign(launch_.program.phase_barriers, {});
  if (!phases_.empty()) unordered_lanes_.assign(clocks_.agents(), 0);
  arrival_ = {};
  block_ = number;
  order_ = 0;
  has_fault_ = false;
  if (launch_.program.has_fences) fences_.assign(launch_.lanes(), {});
  engine_reads_.clear();
  sums_.begin_block();
  moving_.clear();
  next_moving_ = 0;
  if (launch_.cluster() > 1) start_cluster(worker);
}

void Checker::end_block(Worker& worker) {
  if (!has_fault_) look_for_ended_blocks();
  if (!has_fault_) look_for_left_copies(worker);
  state_.shadow.add(block_, global_, others_, arrival_);
  global_.clear();
}

bool Checker::keeps_going(const Finding& finding) {
  state_.has_fault = has_fault_ = true;
  findings_.add(place(finding));
  return true;
}

Finding Checker::place(Finding finding) {
  finding.block = block_;
  finding.order = order_++;
  return finding;
}

void Checker::finish() {
  folded_.move_to(findings_);
  state_.findings.add(findings_);
}

void Checker::synchronise(const Worker& worker, llvm::ArrayRef<uint32_t> barriers, WarpBits warps) {
  if (llvm::is_contained(barriers, state_.skipped_barrier)) return;
  for (size_t agent = 0; agent < unordered_lanes_.size(); ++agent)
    if ((warps >> agent & 1) != 0) unordered_lanes_[agent] = 0;
  if (clocks_.agents() == 1)
    clocks_.join(1);
  else
    join_within(worker, worker.program.barriers[barriers.front()].scope, warps);
  arrival_.update(clocks_);
}

void Checker::on_statement(Worker& worker, const Instruction&) { worker.let_others_run(); }

void Checker::on_allocate(Worker& worker, const Instruction& instruction) {
  Checker& checker = checker_of(worker);
  if (worker.program.memories[instruction.detail].is_shared())
    checker.clear_shared(worker, instruction.detail);
  else
    checker.registers_.clear(worker, instruction.detail);
}

/// Marks the tile as not set. A part of the block does not: the others may still use their values.
void Checker::clear_shared(const Worker& worker, uint32_t memory) {
  if (!worker.is_whole()) return;
  const Memory& cleared = worker.program.memories[memory];
  const int64_t per_element = size_of(cleared.tensor->type) / shared_granule_;
  const int64_t origin = (worker.places[memory].data - shared_begin_) / shared_granule_;
  for (int64_t block = 0; block < launch_.cluster(); ++block) {
    const int64_t start = origin + block * cleared.part_stride * per_element;
    for (int64_t n = start; n < start + cleared.own_elements * per_element; ++n) {
      shared_[n].is_set = false;
      set_origin(n, LaneFlags::nowhere);
    }
  }
}

// ---- Accesses -----------------------------------------------------------------------------------

Checker::Cells Checker::cells_of(const Worker& worker, const Access& access) const {
  const Memory& memory = worker.program.memories[access.memory];
  const int64_t size = size_of(memory.tensor->type);
  if (memory.is_shared())
    return {(worker.places[access.memory].data - shared_begin_) / shared_granule_,
            size / shared_granule_, true, true};
  const LaunchShadow::Origin& origin = state_.shadow.origin(memory.argument);
  const UnsetElements* unset = launch_.arguments[memory.argument].unset;
  return {origin.cell, size / origin.granule, false, state_.shadow.may_be_unset(memory.argument),
          unset && unset->is_temporary};
}

void Checker::on_access(Worker& worker, const Instruction& instruction) {
  checker_of(worker).access(worker, instruction.detail);
}

/// Memory that nobody writes, and that is set, has no state.
void Checker::access(Worker& worker, uint32_t number) {
  const Access& access = worker.program.accesses[number];
  const Memory& memory = worker.program.memories[access.memory];
  Running running = {worker, access, number, open_access(worker, access), {}};
  if (!memory.is_shared() && !state_.shadow.origin(memory.argument).is_watched)
    return put_all_set(running);
  running.cells = cells_of(worker, access);
  if (!unordered_lanes_.empty()) note_lanes(worker);
  if (memory.is_shared() && !visits_.empty()) note_visits(running);
  if (memory.is_shared())
    this->access(running, shared_);
  else
    this->access(running, global_);
}

template <class Shadow>
void Checker::access(const Running& running, Shadow& shadow) {
  if (clocks_.agents() == 1) return access(running, shadow, BlockClock(clocks_, running.number));
  access(running, shadow, WarpClocks{clocks_, running.number, others_});
}

template <class Shadow, class Clock>
void Checker::access(const Running& running, Shadow& shadow, const Clock& clock) {
  switch (running.access.kind) {
    case Access::Kind::read:
      return read(running, shadow, clock);
    case Access::Kind::write:
      return write(running, shadow, clock);
    case Access::Kind::update:
      return update(running, shadow, clock);
  }
}

template <class Shadow, class Clock>
void Checker::read(const Running& running, Shadow& shadow, const Clock& clock) {
  const auto& [worker, access, number, address, cells] = running;
  const int64_t count = cells.per_element * access.width;
  bool all_set = true;
  for_lanes_that_count(worker, address, Clock::is_one_agent, [&, &cells = cells](int lane) {
    const int thread = running.worker.thread(lane);
    const int64_t first = cells.origin + running.address.element(lane) * cells.per_element;
    for (int64_t n = first; n < first + count; ++n) {
      ShadowCell& cell = shadow[n];
      all_set &= is_set(running, lane, n, cell);
      look_for_copy(running, lane, cell);
      const Stamp other =
          cell.record_read(clock.stamp(thread), clock.order_of(thread), clock.more_of(cell));
      if (other.exists()) report_race(running, lane, other);
    }
  });
  if (all_set) return put_all_set(running);
  for (int64_t element = 0; element < access.width; ++element) {
    LaneFlags flags = set_lanes(running, shadow, element);
    const auto unset = llvm::find(flags.lanes, 0);
    if (access.moves)
      moving_.push_back({std::move(flags), running.number});
    else if (unset != flags.lanes.end())
      report_unset(running.worker, running.number, static_cast<int>(unset - flags.lanes.begin()));
  }
}

template <class Shadow>
LaneFlags Checker::set_lanes(const Running& running, Shadow& shadow, int64_t element) const {
  LaneFlags flags = {false, std::vector<uint8_t>(running.worker.lanes, 1),
                     std::vector<int64_t>(running.worker.lanes, LaneFlags::nowhere)};
  running.worker.mask->for_each([&](int lane) {
    const int64_t first = running.cells.origin +
                          (running.address.element(lane) + element) * running.cells.per_element;
    flags.origins[lane] = origin_of(running, first);
    for (int64_t n = first; n < first + running.cells.per_element; ++n)
      flags.lanes[lane] &= static_cast<uint8_t>(is_set(running, lane, n, shadow[n]));
  });
  return flags;
}

template <class Shadow, class Clock>
void Checker::write(const Running& running, Shadow& shadow, const Clock& clock) {
  const auto& [worker, access, number, address, cells] = running;
  for (int64_t element = 0; element < access.width; ++element) {
    const Moving moved = take(access);
    worker.mask->for_each([&, &cells = cells](int lane) {
      const int64_t first =
          cells.origin + (running.address.element(lane) + element) * cells.per_element;
      const int thread = running.worker.thread(lane);
      const bool is_set = moved.flags.has(lane);
      const int64_t origin = moved.flags.origin(lane);
      if (cells.is_shared)
        set_origin(first, origin);
      else if (!is_set && !keeps_unset(running, lane, first, origin, shadow[first]))
        report_unset(running.worker, moved.source, lane);
      for (int64_t n = first; n < first + cells.per_element; ++n) {
        ShadowCell& cell = shadow[n];
        look_for_copy(running, lane, cell);
        if (cells.is_shared) look_for_store(running, lane, n);
        const Stamp other =
            cell.record_write(clock.stamp(thread), clock.order_of(thread), clock.more_of(cell));
        cell.is_set = is_set || !cells.may_be_unset;
        cell.is_under_way = running.access.is_async;
        if (other.exists()) report_race(running, lane, other, element);
      }
    });
  }
}

/// Reads and writes.
template <class Shadow, class Clock>
void Checker::update(const Running& running, Shadow& shadow, const Clock& clock) {
  const Moving moved = take(running.access);
  running.worker.mask->for_each([&](int lane) {
    if (!moved.flags.has(lane)) report_unset(running.worker, moved.source, lane);
    const int thread = running.worker.thread(lane);
    const int64_t first =
        running.cells.origin + running.address.element(lane) * running.cells.per_element;
    for (int64_t n = first; n < first + running.cells.per_element; ++n) {
      ShadowCell& cell = shadow[n];
      if (!is_set(running, lane, n, cell)) report_unset(running.worker, running.number, lane);
      look_for_copy(running, lane, cell);
      if (running.cells.is_shared) look_for_store(running, lane, n);
      const Stamp other =
          cell.record_update(clock.stamp(thread), clock.order_of(thread), clock.more_of(cell));
      cell.is_set = true;
      if (other.exists()) report_race(running, lane, other);
    }
  });
}

// ---- Findings -----------------------------------------------------------------------------------

/// True if both write one value. The other one is in memory already, or is written along with it.
bool Checker::writes_same_value(const Running& running, int lane, Stamp other,
                                int64_t element) const {
  const auto& [worker, access, number, address, cells] = running;
  if (access.values.empty()) return false;  // of a box
  const DType type = worker.program.memories[access.memory].tensor->type;
  const Slot slot = access.values[element];
  const int64_t place = address.element(lane) + element;
  const int other_lane = other.lane() - worker.first_lane;
  const bool is_written_along = other.access() == number && other_lane >= 0 && other_lane < lane &&
                                worker.mask->has(other_lane) &&
                                address.element(other_lane) == address.element(lane);
  return with_type(type, [&, &worker = worker, &address = address]<DType t>() {
    const auto* values = worker.template at<Lane<t>>(slot);
    const Stored<t> mine = encode<t>(values[lane]);
    const Stored<t> others = is_written_along
                                 ? encode<t>(values[other_lane])
                                 : reinterpret_cast<const Stored<t>*>(address.data)[place];
    using Bytes = std::array<std::byte, sizeof mine>;
    return std::bit_cast<Bytes>(mine) == std::bit_cast<Bytes>(others);
  });
}

void Checker::report_race(const Running& running, int lane, Stamp other, int64_t element) {
  const SimProgram& program = running.worker.program;
  const Access& other_access = program.accesses[other.access()];
  const bool both_write =
      running.access.kind == Access::Kind::write && other_access.kind == Access::Kind::write;
  const bool is_same = both_write && writes_same_value(running, lane, other, element);
  const FindingKind kind = is_same ? FindingKind::same_value_race : FindingKind::race;
  report(kind, {other, stamp_of(running, lane)}, running.address.element(lane) + element, [&] {
    return are_in_one_block(running.worker.thread(lane), other.lane())
               ? "no barrier between two threads of a block"
               : "no barrier of the cluster between two of its blocks";
  });
}

void Checker::report(FindingKind kind, llvm::ArrayRef<Stamp> accesses, int64_t element,
                     llvm::function_ref<std::string()> detail) {
  folded_.add(kind, accesses.front().access(), accesses.back().access(), [&] {
    const auto& all = launch_.program.accesses;
    const Access& last = all[accesses.back().access()];
    Finding finding;
    finding.kind = kind;
    finding.tensor = launch_.program.memories[last.memory].tensor;
    finding.element = element_text(launch_, last, element);
    finding.detail = detail();
    for (const Stamp stamp : accesses)
      finding.sites.push_back(site_of(launch_, all[stamp.access()], block_, stamp.lane()));
    return place(std::move(finding));
  });
}

}  // namespace hone
