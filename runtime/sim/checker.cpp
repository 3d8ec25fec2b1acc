#include "runtime/sim/checker.h"

#include <bit>
#include <cassert>
#include <numeric>

#include "runtime/sim/report.h"

namespace hone {
namespace {

Checker& checker_of(const Worker& worker) { return static_cast<Checker&>(*worker.observer); }

bool is_shared(const Memory& memory) {
  return memory.argument < 0 && memory.tensor->scope == Scope::shared;
}

/// Calls `use(lane)` for the active lanes; where lanes in a row read one element, for two of them,
/// which is all that a cell remembers.
template <class Use>
void for_lanes_that_count(const Worker& worker, const Address& address, const Use& use) {
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

const Instrumentation Checker::instrumentation = {
    on_access, on_register_access, on_allocate, on_barrier,   nullptr,
    nullptr,   on_shuffle,         on_arrival,  on_index_step};

// ---- The state of a block -----------------------------------------------------------------------

/// Shared memory is one range; its granule divides all elements and where they start.
Checker::Checker(Worker& worker, CheckState& state)
    : state_(state), launch_(worker.launch), registers_(worker) {
  assert(worker.program.accesses.size() <= Stamp::access_mask &&
         "more accesses than a stamp names");
  const std::byte* end = nullptr;
  for (size_t n = 0; n < worker.places.size(); ++n) {
    const Memory& memory = worker.program.memories[n];
    if (!is_shared(memory)) continue;
    const std::byte* data = worker.places[n].data;
    const std::byte* past = data + memory.elements * size_of(memory.tensor->type);
    shared_begin_ = shared_begin_ ? std::min(shared_begin_, data) : data;
    end = std::max(end, past);
  }
  if (!shared_begin_) return;
  shared_granule_ = 0;
  for (size_t n = 0; n < worker.places.size(); ++n)
    if (const Memory& memory = worker.program.memories[n]; is_shared(memory))
      shared_granule_ = std::gcd(std::gcd(shared_granule_, size_of(memory.tensor->type)),
                                 worker.places[n].data - shared_begin_);
  shared_.resize((end - shared_begin_) / shared_granule_ + 1);
}

void Checker::begin_block(Worker&, int64_t number) {
  floor_ = ++interval_;
  arrival_ = {};
  block_ = number;
  order_ = 0;
  moving_.clear();
  next_moving_ = 0;
}

void Checker::end_block(Worker&) {
  state_.shadow.add(block_, global_, arrival_);
  global_.clear();
}

bool Checker::keeps_going(const Finding& finding) {
  state_.has_fault = true;
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

void Checker::on_barrier(Worker& worker, const Instruction& instruction) {
  Checker& checker = checker_of(worker);
  if (instruction.detail == checker.state_.skipped_barrier) return;
  checker.floor_ = ++checker.interval_;
  Arrival& arrival = checker.arrival_;
  arrival.next_floor = std::min(arrival.next_floor, checker.floor_);
}

void Checker::on_allocate(Worker& worker, const Instruction& instruction) {
  Checker& checker = checker_of(worker);
  if (is_shared(worker.program.memories[instruction.detail]))
    checker.clear_shared(worker, instruction.detail);
  else
    checker.registers_.clear(instruction.detail);
}

void Checker::clear_shared(const Worker& worker, uint32_t memory) {
  const Place& place = worker.places[memory];
  const int64_t bytes = place.elements * size_of(worker.program.memories[memory].tensor->type);
  ShadowCell* const first = shared_.data() + (place.data - shared_begin_) / shared_granule_;
  for (int64_t n = 0; n < bytes / shared_granule_; ++n) first[n].is_set = false;
}

// ---- Accesses -----------------------------------------------------------------------------------

Checker::Cells Checker::cells_of(const Worker& worker, const Access& access) const {
  const Memory& memory = worker.program.memories[access.memory];
  const int64_t size = size_of(memory.tensor->type);
  if (is_shared(memory))
    return {(worker.places[access.memory].data - shared_begin_) / shared_granule_,
            size / shared_granule_, true, true};
  const LaunchShadow::Origin& origin = state_.shadow.origin(memory.argument);
  return {origin.cell, size / origin.granule, false,
          launch_.arguments[memory.argument].uninitialised};
}

void Checker::on_access(Worker& worker, const Instruction& instruction) {
  checker_of(worker).access(worker, instruction.detail);
}

/// Memory that nobody writes has no state.
void Checker::access(Worker& worker, uint32_t number) {
  const Access& access = worker.program.accesses[number];
  const Memory& memory = worker.program.memories[access.memory];
  Running running = {worker, access, number, open_access(worker, access), {}};
  if (!is_shared(memory) && !state_.shadow.origin(memory.argument).is_watched) {
    if (launch_.arguments[memory.argument].uninitialised)
      report_unset(worker, number, worker.mask->first());
    return put_all_set(running);
  }
  running.cells = cells_of(worker, access);
  if (is_shared(memory))
    this->access(running, shared_);
  else
    this->access(running, global_);
}

template <class Shadow>
void Checker::access(const Running& running, Shadow& shadow) {
  switch (running.access.kind) {
    case Access::Kind::read:
      return read(running, shadow);
    case Access::Kind::write:
      return write(running, shadow);
    case Access::Kind::update:
      return update(running, shadow);
  }
}

/// Elements of an argument may have been set by blocks that this one knows of.
bool Checker::is_set(const Running& running, int lane, int64_t number,
                     const ShadowCell& cell) const {
  if (cell.is_set || !running.cells.is_unset_at_first) return true;
  return !running.cells.is_shared &&
         arrival_.order_of(stamp(running, lane)) == BlockOrder::acquired &&
         state_.shadow.is_published(number, arrival_.counter);
}

template <class Shadow>
void Checker::read(const Running& running, Shadow& shadow) {
  const auto& [worker, access, number, address, cells] = running;
  const int64_t count = cells.per_element * access.width;
  bool all_set = true;
  for_lanes_that_count(worker, address, [&, &cells = cells](int lane) {
    const int64_t first = cells.origin + running.address.element(lane) * cells.per_element;
    for (int64_t n = first; n < first + count; ++n) {
      ShadowCell& cell = shadow[n];
      all_set &= cell.is_set;
      const Stamp other = cell.record_read(stamp(running, lane), floor());
      if (other.exists()) report_race(running, lane, other);
    }
  });
  if (all_set || !cells.is_unset_at_first) return put_all_set(running);
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
  LaneFlags flags = {false, std::vector<uint8_t>(running.worker.lanes, 1)};
  running.worker.mask->for_each([&](int lane) {
    const int64_t first = running.cells.origin +
                          (running.address.element(lane) + element) * running.cells.per_element;
    for (int64_t n = first; n < first + running.cells.per_element; ++n)
      flags.lanes[lane] &= static_cast<uint8_t>(is_set(running, lane, n, shadow[n]));
  });
  return flags;
}

template <class Shadow>
void Checker::write(const Running& running, Shadow& shadow) {
  const auto& [worker, access, number, address, cells] = running;
  for (int64_t element = 0; element < access.width; ++element) {
    const Moving moved = take(access);
    worker.mask->for_each([&, &cells = cells](int lane) {
      const int64_t first =
          cells.origin + (running.address.element(lane) + element) * cells.per_element;
      const bool is_set = moved.flags.has(lane);
      if (!is_set && !cells.is_shared) report_unset(running.worker, moved.source, lane);
      for (int64_t n = first; n < first + cells.per_element; ++n) {
        const Stamp other = shadow[n].record_write(stamp(running, lane), floor());
        shadow[n].is_set = is_set || !cells.is_unset_at_first;
        if (other.exists()) report_race(running, lane, other, element);
      }
    });
  }
}

/// Reads and writes.
template <class Shadow>
void Checker::update(const Running& running, Shadow& shadow) {
  const Moving moved = take(running.access);
  running.worker.mask->for_each([&](int lane) {
    if (!moved.flags.has(lane)) report_unset(running.worker, moved.source, lane);
    const int64_t first =
        running.cells.origin + running.address.element(lane) * running.cells.per_element;
    for (int64_t n = first; n < first + running.cells.per_element; ++n) {
      ShadowCell& cell = shadow[n];
      if (!is_set(running, lane, n, cell)) report_unset(running.worker, running.number, lane);
      const Stamp other = cell.record_update(stamp(running, lane), floor());
      cell.is_set = true;
      if (other.exists()) report_race(running, lane, other);
    }
  });
}

// ---- Registers ----------------------------------------------------------------------------------

void Checker::on_register_access(Worker& worker, const Instruction& instruction) {
  Checker& checker = checker_of(worker);
  if (worker.program.accesses[instruction.detail].kind == Access::Kind::read)
    checker.read_registers(worker, instruction.detail);
  else
    checker.write_registers(worker, instruction.detail);
}

void Checker::read_registers(Worker& worker, uint32_t number) {
  const Access& access = worker.program.accesses[number];
  const Address address = open_access(worker, access);
  if (access.moves) {
    moving_.push_back({registers_.flags(worker, access, address), number});
    return;
  }
  const int lane = registers_.first_unset(worker, access, address);
  if (lane >= 0) report_unset(worker, number, lane);
}

void Checker::write_registers(Worker& worker, uint32_t number) {
  const Access& access = worker.program.accesses[number];
  registers_.set(worker, access, open_access(worker, access), take(access).flags);
}

// ---- Moves --------------------------------------------------------------------------------------

void Checker::put_all_set(const Running& running) {
  if (!running.access.moves || running.access.kind != Access::Kind::read) return;
  for (int64_t n = 0; n < running.access.width; ++n) moving_.push_back({{}, running.number});
}

/// Writes of a move come in the order of its reads.
Checker::Moving Checker::take(const Access& access) {
  if (access.joins) return take_joined();
  if (!access.moves || next_moving_ == moving_.size()) return {};
  Moving moved = std::move(moving_[next_moving_++]);
  if (next_moving_ == moving_.size()) {
    moving_.clear();
    next_moving_ = 0;
  }
  return moved;
}

/// A combination of values is set where all of them are.
Checker::Moving Checker::take_joined() {
  Moving joined;
  for (Moving& moved : moving_) {
    if (moved.flags.all) continue;
    if (joined.flags.all)
      joined = std::move(moved);
    else
      for (size_t lane = 0; lane < joined.flags.lanes.size(); ++lane)
        joined.flags.lanes[lane] &= moved.flags.lanes[lane];
  }
  moving_.clear();
  next_moving_ = 0;
  return joined;
}

// ---- Findings -----------------------------------------------------------------------------------

/// Whether both write one value. The other one is in memory already, or is written along with it.
bool Checker::writes_same_value(const Running& running, int lane, Stamp other,
                                int64_t element) const {
  const auto& [worker, access, number, address, cells] = running;
  const DType type = worker.program.memories[access.memory].tensor->type;
  const Slot slot = access.values[element];
  const int64_t place = address.element(lane) + element;
  const bool is_written_along = other.access() == number && other.lane() < lane &&
                                worker.mask->has(other.lane()) &&
                                address.element(other.lane()) == address.element(lane);
  return with_type(type, [&, &worker = worker, &address = address]<DType t>() {
    const auto* values = worker.template at<Lane<t>>(slot);
    const Stored<t> mine = encode<t>(values[lane]);
    const Stored<t> others = is_written_along
                                 ? encode<t>(values[other.lane()])
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
  folded_.add(kind, other.access(), running.number, [&] {
    Finding finding;
    finding.kind = kind;
    finding.tensor = program.memories[running.access.memory].tensor;
    finding.element =
        element_text(launch_, running.access, running.address.element(lane) + element);
    finding.detail = "no barrier between two threads of a block";
    finding.sites = {site_of(launch_, other_access, block_, other.lane()),
                     site_of(launch_, running.access, block_, lane)};
    return place(std::move(finding));
  });
}

void Checker::report_unset(Worker& worker, uint32_t number, int lane) {
  const Access& access = worker.program.accesses[number];
  folded_.add(FindingKind::uninitialised_read, number, number, [&] {
    Finding finding;
    finding.kind = FindingKind::uninitialised_read;
    finding.tensor = worker.program.memories[access.memory].tensor;
    finding.element = element_text(launch_, access, open_access(worker, access).element(lane));
    finding.detail = "nothing was written there before";
    finding.sites = {site_of(launch_, access, block_, lane)};
    return place(std::move(finding));
  });
}

}  // namespace hone
