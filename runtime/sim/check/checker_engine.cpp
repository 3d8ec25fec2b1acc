// Operations of engines in check mode. From the start of one to its end nobody touches the elements
// in shared memory that it writes, and nobody writes those that it reads. An engine that moves
// boxes reads by another way to memory than threads: it sees what a thread has written before a
// fence that the thread which starts the operation knows of.
#include "ir/target/gpu_limits.h"
#include "runtime/sim/boxes.h"
#include "runtime/sim/check/checker.h"
#include "runtime/sim/report.h"

namespace hone {

void Checker::fence(Worker& worker) {
  int last_agent = -1;
  worker.mask->for_each([&](int lane) {
    const int thread = worker.thread(lane), agent = clocks_.agent_of(thread);
    if (agent != last_agent) clocks_.tick(thread);
    last_agent = agent;
    fences_[thread].push_back(clocks_.time(agent) - 1);
  });
}

/// Elements that a box moves, one by one, where they are in both memories.
void Checker::for_moved_elements(
    Worker& worker, const AsyncOperation& operation,
    llvm::function_ref<void(const Running& shared, const Running& memory)> use) {
  const auto running = [&](uint32_t number) {
    const Access& access = worker.program.accesses[number];
    return Running{worker, access, number, {}, cells_of(worker, access)};
  };
  Running shared = running(operation.detail->shared), memory = running(operation.detail->memory);
  const int64_t size = size_of(operation.detail->type);
  for_each_chunk(worker, operation, [&](const BoxChunk& chunk) {
    for (int64_t at = 0; at < chunk.bytes; at += size) {
      shared.address.uniform = operation.element + (chunk.in_tile + at) / size;
      memory.address.uniform = (chunk.in_memory + at) / size;
      use(shared, memory);
    }
  });
}

/// As at a barrier of the warp.
void Checker::await_products(Worker& worker, int64_t pending) {
  sums_.end(worker, pending);
  if (clocks_.agents() == 1) return;
  int last = -1;
  worker.mask->for_each([&](int lane) {
    const int agent = clocks_.agent_of(worker.thread(lane));
    if (agent == last) return;
    last = agent;
    clocks_.join(WarpBits{1} << agent);
    if (!unordered_lanes_.empty()) unordered_lanes_[agent] = 0;
  });
}

namespace {

/// The thread that an operation is of: of a product, the first of its warp.
int reader_of(const AsyncOperation& operation) {
  return operation.detail->reads_alone() ? operation.thread & -static_cast<int>(warp_size)
                                         : operation.thread;
}

}  // namespace

/// The elements of an operation that reads alone.
void Checker::for_read_elements(Worker& worker, const AsyncOperation& operation,
                                llvm::function_ref<void(const Running& shared)> use) {
  const uint32_t number = operation.detail->shared;
  const Access& access = worker.program.accesses[number];
  Running shared{worker, access, number, {}, cells_of(worker, access)};
  const int64_t elements = operation.detail->bytes / size_of(operation.detail->type);
  for (int64_t n = 0; n < elements; ++n) {
    shared.address.uniform = operation.element + n;
    use(shared);
  }
}

/// A warp reads the elements of all its lanes.
void Checker::start_reads(Worker& worker, const AsyncOperation& operation) {
  for_read_elements(worker, operation, [&](const Running& shared) {
    read_by_engine(shared, reader_of(operation), true, FindingKind::unfinished_product);
  });
}

void Checker::begin_read(int64_t cell, Stamp stamp, FindingKind kind) {
  EngineReads& reads = engine_reads_[cell];
  reads = {stamp, kind, reads.count + 1};
}

void Checker::end_read(int64_t cell) {
  const auto reads = engine_reads_.find(cell);
  if (reads != engine_reads_.end() && --reads->second.count == 0) engine_reads_.erase(reads);
}

/// All accesses of other operations have been watched like those of threads, and so has that to a
/// tile that is filled.
void Checker::start_operation(Worker& worker, const AsyncOperation& operation) {
  const AsyncDetail& detail = *operation.detail;
  if (detail.reads_alone()) return start_reads(worker, operation);
  if (!detail.box) return;
  if (detail.phase) look_for_phase_fence(worker, operation);
  const int thread = operation.thread, argument = static_cast<int>(detail.box->operand);
  const bool is_watched = state_.shadow.origin(argument).is_watched;
  if (detail.fills && !(is_watched && state_.shadow.may_be_unset(argument))) return;
  if (!detail.fills && !unordered_lanes_.empty()) note_lanes(worker);
  for_moved_elements(worker, operation, [&](const Running& shared, const Running& memory) {
    if (detail.fills) return bring_unset(memory, shared, thread);
    const bool is_set = holds_value(shared.access, shared_[first_cell(shared)]);
    read_by_engine(shared, thread,
                   is_set || !is_watched || !may_stay_unset(shared, memory, thread));
    if (is_watched) write_by_engine(memory, thread, is_set);
  });
}

/// An element without a value has none in the tile.
void Checker::bring_unset(const Running& from, const Running& to, int thread) {
  const int64_t source = first_cell(from), target = first_cell(to);
  if (is_set(from, thread - from.worker.first_lane, source, global_[source])) return;
  set_origin(target, source);
  for (int64_t n = target; n < target + to.cells.per_element; ++n) shared_[n].is_set = false;
}

/// True if an element without a value may go there.
bool Checker::may_stay_unset(const Running& from, const Running& to, int thread) {
  const int64_t target = first_cell(to);
  return to.access.kind == Access::Kind::write &&
         keeps_unset(to, thread - to.worker.first_lane, target, origin_of(from, first_cell(from)),
                     global_[target]);
}

void Checker::read_by_engine(const Running& running, int thread, bool needs_value,
                             FindingKind disturbed) {
  const WarpClocks clock{clocks_, running.number, others_};
  const Stamp mine = clock.stamp(thread);
  const int64_t first = first_cell(running), element = running.address.uniform;
  for (int64_t n = first; n < first + running.cells.per_element; ++n) {
    ShadowCell& cell = shared_[n];
    const int lane = thread - running.worker.first_lane;
    look_for_copy(running, lane, cell);
    begin_read(n, mine, disturbed);
    const Stamp other = cell.record_read(mine, clock.order_of(thread), clock.more_of(cell));
    if (other.exists()) report_race(running, lane, other);
    if (!holds_value(running.access, cell)) {
      if (needs_value)
        report(FindingKind::uninitialised_read, mine, element,
               [&] { return why_unset(running.worker, running.access, element); });
    } else if (!other.exists() && !is_fenced(cell, thread)) {
      report(FindingKind::missing_fence, {cell.write, mine}, element,
             [] { return "no fence between the write of a thread and the copy engine"; });
    }
  }
}

void Checker::write_by_engine(const Running& running, int thread, bool is_set) {
  const WarpClocks clock{clocks_, running.number, others_};
  const Stamp mine = clock.stamp(thread);
  const int64_t first = first_cell(running);
  for (int64_t n = first; n < first + running.cells.per_element; ++n) {
    ShadowCell& cell = global_[n];
    const bool is_update = running.access.kind == Access::Kind::update;
    const int lane = thread - running.worker.first_lane;
    if (!is_update) look_for_copy(running, lane, cell);
    const Stamp other = is_update
                            ? cell.record_update(mine, clock.order_of(thread), clock.more_of(cell))
                            : cell.record_write(mine, clock.order_of(thread), clock.more_of(cell));
    cell.is_set = is_set || !running.cells.may_be_unset;
    cell.is_under_way = true;
    if (other.exists()) report_race(running, lane, other);
  }
}

/// The engine has written it itself, or knows of the writes of threads.
bool Checker::is_fenced(const ShadowCell& cell, int thread) const {
  const auto is_known = [&](Stamp write) {
    if (!write.exists() || launch_.program.accesses[write.access()].box_alignment != 0) return true;
    const std::vector<uint64_t>& fences = fences_[write.lane()];
    const auto fence = llvm::lower_bound(fences, write.interval());
    return fence != fences.end() && !meet(Stamp::of(*fence, 0, write.lane()),
                                          clocks_.stamp(thread, 0), clocks_.warp_order(thread));
  };
  return is_known(cell.write) && is_known(cell.updates.first) && is_known(cell.updates.second);
}

/// It counts as a read by the thread at this time.
void Checker::end_reads(Worker& worker, const AsyncOperation& operation) {
  const int thread = reader_of(operation);
  const auto end = [&](const Running& shared) {
    const WarpClocks clock{clocks_, shared.number, others_};
    const int64_t first = first_cell(shared);
    for (int64_t n = first; n < first + shared.cells.per_element; ++n) {
      end_read(n);
      shared_[n].record_read(clock.stamp(thread), clock.order_of(thread),
                             clock.more_of(shared_[n]));
    }
  };
  if (operation.detail->reads_alone()) return for_read_elements(worker, operation, end);
  for_moved_elements(worker, operation,
                     [&](const Running& shared, const Running&) { end(shared); });
}

/// A store counts as a write of the time at which it has started. A fill counts as one by the
/// thread at this time: barriers behind it show it to others. An arrival after the start shows it,
/// too: then it is a write of that time.
void Checker::end_writes(Worker& worker, const AsyncOperation& operation) {
  if (operation.detail->box && !operation.detail->fills)
    for_moved_elements(worker, operation, [&](const Running&, const Running& memory) {
      const int64_t first = first_cell(memory);
      for (int64_t n = first; n < first + memory.cells.per_element; ++n)
        global_[n].is_under_way = false;
    });
  if (!operation.detail->fills) return;
  const uint32_t number = operation.detail->shared;
  const Access& access = worker.program.accesses[number];
  const Cells cells = cells_of(worker, access);
  const int64_t first = cells.origin + operation.element * cells.per_element;
  if (operation.detail->phase) {
    phases_[operation.barrier].copy = clocks_.stamp(operation.thread, number);
    phases_[operation.barrier].copied = operation.element;
  }
  const uint64_t time = operation.told.value_or(clocks_.time(clocks_.agent_of(operation.thread)));
  for (int64_t n = first; n < first + access.width * cells.per_element; ++n) {
    shared_[n].write = Stamp::of(time, number, operation.thread);
    shared_[n].is_under_way = false;
  }
}

/// The engine counts bytes at an mbarrier, of which it knows behind a fence as of what threads
/// write.
void Checker::look_for_phase_fence(Worker& worker, const AsyncOperation& operation) {
  const uint32_t number = worker.program.phase_uses[*operation.detail->phase].access;
  const Access& access = worker.program.accesses[number];
  const Running running = {worker, access, number, open_access(worker, access),
                           cells_of(worker, access)};
  const int lane = operation.thread - worker.first_lane;
  const int64_t element = running.address.element(lane);
  const ShadowCell& cell = shared_[running.cells.origin + element * running.cells.per_element];
  if (is_fenced(cell, operation.thread)) return;
  report(FindingKind::missing_fence, {cell.write, stamp_of(running, lane)}, element,
         [] { return "no fence between the initialisation and the copy engine"; });
}

/// A block that ends gives its shared memory to others.
void Checker::look_for_left_copies(const Worker& worker) {
  const auto leave = [&](Stamp copy, int64_t element) {
    report(FindingKind::unfinished_copy, copy, element,
           [] { return "the block ends before anybody has waited for the copy"; });
  };
  const auto leave_all = [&](llvm::ArrayRef<AsyncOperation> operations) {
    for (const AsyncOperation& operation : operations)
      leave(clocks_.stamp(operation.thread, operation.detail->shared), operation.element);
  };
  leave_all(worker.engines.asked);
  for (const PhaseBarrier& barrier : worker.phases.barriers) leave_all(barrier.brought);
  for (const PhaseClocks& phases : phases_)
    if (phases.copy.exists()) leave(phases.copy, phases.copied);
}

void Checker::leave_operation(Worker&, const AsyncOperation& operation) {
  const bool is_product = operation.detail->reads_alone();
  report(is_product ? FindingKind::unfinished_product : FindingKind::unfinished_store,
         clocks_.stamp(operation.thread, operation.detail->shared), operation.element, [&] {
           return is_product
                      ? "the block ends before the warpgroup that multiplies the tile has waited"
                      : "the block ends before the thread that has asked for the store has waited";
         });
}

void Checker::look_for_copy(const Running& running, int lane, const ShadowCell& cell) {
  if (!cell.is_under_way) return;
  const bool is_store = !running.cells.is_shared;
  report(is_store ? FindingKind::unfinished_store : FindingKind::unfinished_copy,
         {cell.write, stamp_of(running, lane)}, running.address.element(lane), [&] {
           return is_store
                      ? "the thread that has asked for the store has not waited until it is written"
                      : "the thread that has started the copy has not waited for it";
         });
}

void Checker::look_for_store(const Running& running, int lane, int64_t cell) {
  const auto read = engine_reads_.find(cell);
  if (read == engine_reads_.end()) return;
  const FindingKind kind = read->second.kind;
  report(kind, {read->second.stamp, stamp_of(running, lane)}, running.address.element(lane), [&] {
    return kind == FindingKind::unfinished_product
               ? "the warpgroup that multiplies the tile has not waited for that"
               : "the thread that has asked for the store has not waited for it";
  });
}

}  // namespace hone
