// Bulk stores in check mode. The copy engine reads a tile by another way to memory than threads: it
// sees what a thread has written before a fence that the thread which asks for the store knows of.
// Until that thread has waited, nobody writes to the elements.
#include "runtime/sim/bulk_boxes.h"
#include "runtime/sim/checker.h"
#include "runtime/sim/report.h"

namespace hone {

void Checker::fence_engine(Worker& worker) {
  int last_agent = -1;
  worker.mask->for_each([&](int lane) {
    const int thread = worker.thread(lane), agent = clocks_.agent_of(thread);
    if (agent != last_agent) clocks_.tick(thread);
    last_agent = agent;
    fences_[thread].push_back(clocks_.time(agent) - 1);
  });
}

Checker::Box Checker::box_of(const PendingStore& store) {
  return {*store.bulk, store.bulk->source, store.bulk->target, store.element, store.coordinates};
}

/// Elements of the tile and of the tensor, one by one.
void Checker::for_moved_elements(
    Worker& worker, const Box& box,
    llvm::function_ref<void(const Running& tile, const Running& memory)> use) {
  const BulkDetail& bulk = box.bulk;
  const auto running = [&](uint32_t number) {
    const Access& access = worker.program.accesses[number];
    return Running{worker, access, number, {}, cells_of(worker, access)};
  };
  Running tile = running(box.tile), memory = running(box.memory);
  const int64_t size = size_of(bulk.map.type);
  const BulkTensor tensor(worker, bulk.map);
  for_each_chunk(tensor, bulk.map, box.coordinates, [&](const BoxChunk& chunk) {
    for (int64_t at = 0; at < chunk.bytes; at += size) {
      tile.address.uniform = box.element + (chunk.in_tile + at) / size;
      memory.address.uniform = (chunk.in_memory + at) / size;
      use(tile, memory);
    }
  });
}

void Checker::start_store(Worker& worker, const PendingStore& store) {
  if (!unordered_lanes_.empty()) note_lanes(worker);
  const int argument = worker.program.memories[store.bulk->map.operand].argument;
  const bool is_watched = state_.shadow.origin(argument).is_watched;
  for_moved_elements(worker, box_of(store), [&](const Running& tile, const Running& memory) {
    const int64_t cell = first_cell(tile), target = first_cell(memory);
    const bool is_set = holds_value(tile.access, shared_[cell]);
    const bool needs_value = is_set || !is_watched ||
                             !keeps_unset(memory, store.thread - worker.first_lane, target,
                                          origin_of(tile, cell), global_[target]);
    read_stored(tile, store.thread, WarpClocks{clocks_, tile.number, others_}, needs_value);
    if (is_watched)
      write_stored(memory, store.thread, WarpClocks{clocks_, memory.number, others_}, is_set);
  });
}

/// It counts as a read by the thread at this time.
void Checker::end_store(Worker& worker, const PendingStore& store) {
  for_moved_elements(worker, box_of(store), [&](const Running& tile, const Running&) {
    const WarpClocks clock{clocks_, tile.number, others_};
    const int64_t first = first_cell(tile);
    for (int64_t n = first; n < first + tile.cells.per_element; ++n) {
      stored_.erase(n);
      shared_[n].record_read(clock.stamp(store.thread), clock.order_of(store.thread),
                             clock.more_of(shared_[n]));
    }
  });
}

void Checker::leave_store(Worker& worker, const PendingStore& store) {
  const Access& access = worker.program.accesses[store.bulk->source];
  folded_.add(FindingKind::unfinished_store, store.bulk->source, store.bulk->source, [&] {
    Finding finding;
    finding.kind = FindingKind::unfinished_store;
    finding.tensor = worker.program.memories[access.memory].tensor;
    finding.element = element_text(launch_, access, store.element);
    finding.detail = "the block ends before the thread that has asked for the store has waited";
    finding.sites = {site_of(launch_, access, block_, store.thread)};
    return place(std::move(finding));
  });
}

Finding Checker::finding_of(FindingKind kind, const Running& running, std::string detail) const {
  Finding finding;
  finding.kind = kind;
  finding.tensor = running.worker.program.memories[running.access.memory].tensor;
  finding.element = element_text(launch_, running.access, running.address.uniform);
  finding.detail = std::move(detail);
  return finding;
}

template <class Clock>
void Checker::read_stored(const Running& running, int thread, const Clock& clock,
                          bool needs_value) {
  const int lane = thread - running.worker.first_lane;
  const int64_t first = first_cell(running);
  for (int64_t n = first; n < first + running.cells.per_element; ++n) {
    ShadowCell& cell = shared_[n];
    look_for_copy(running, lane, cell);
    stored_[n] = clock.stamp(thread);
    const Stamp other =
        cell.record_read(clock.stamp(thread), clock.order_of(thread), clock.more_of(cell));
    if (other.exists()) report_race(running, lane, other);
    const bool is_set = holds_value(running.access, cell);
    if (!is_set && !needs_value) continue;
    if (is_set && (other.exists() || is_fenced(cell, thread, clock))) continue;
    const FindingKind kind = is_set ? FindingKind::missing_fence : FindingKind::uninitialised_read;
    folded_.add(kind, is_set ? cell.write.access() : running.number, running.number, [&] {
      const auto& accesses = running.worker.program.accesses;
      Finding finding =
          finding_of(kind, running,
                     is_set ? "no fence between the write of a thread and the copy engine"
                            : why_unset(running.worker, running.access, running.address.uniform));
      if (is_set)
        finding.sites = {
            site_of(launch_, accesses[cell.write.access()], block_, cell.write.lane())};
      finding.sites.push_back(site_of(launch_, running.access, block_, thread));
      return place(std::move(finding));
    });
  }
}

template <class Clock>
void Checker::write_stored(const Running& running, int thread, const Clock& clock, bool is_set) {
  const int64_t first = first_cell(running);
  for (int64_t n = first; n < first + running.cells.per_element; ++n) {
    ShadowCell& cell = global_[n];
    const Stamp other =
        cell.record_write(clock.stamp(thread), clock.order_of(thread), clock.more_of(cell));
    cell.is_set = is_set || !running.cells.may_be_unset;
    if (other.exists()) report_race(running, thread - running.worker.first_lane, other);
  }
}

/// The engine has written it itself, or knows of the writes of threads.
template <class Clock>
bool Checker::is_fenced(const ShadowCell& cell, int thread, const Clock& clock) const {
  const auto is_known = [&](Stamp write) {
    if (!write.exists() || launch_.program.accesses[write.access()].box_alignment != 0) return true;
    const std::vector<uint64_t>& fences = fences_[write.lane()];
    const auto fence = llvm::lower_bound(fences, write.interval());
    return fence != fences.end() &&
           !meet(Stamp::of(*fence, 0, write.lane()), clock.stamp(thread), clock.order_of(thread));
  };
  return is_known(cell.write) && is_known(cell.updates.first) && is_known(cell.updates.second);
}

void Checker::look_for_store(const Running& running, int lane, int64_t cell) {
  const auto stored = stored_.find(cell);
  if (stored == stored_.end()) return;
  const Stamp reader = stored->second;
  folded_.add(FindingKind::unfinished_store, reader.access(), running.number, [&] {
    Finding finding = finding_of(FindingKind::unfinished_store, running,
                                 "the thread that has asked for the store has not waited for it");
    finding.element = element_text(launch_, running.access, running.address.element(lane));
    const auto& accesses = running.worker.program.accesses;
    finding.sites = {site_of(launch_, accesses[reader.access()], block_, reader.lane()),
                     site_of(launch_, running.access, block_, running.worker.thread(lane))};
    return place(std::move(finding));
  });
}

}  // namespace hone
