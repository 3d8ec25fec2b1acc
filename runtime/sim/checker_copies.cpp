// Asynchronous copies in check mode: from its start to the wait of its thread, nobody touches the
// elements that a copy writes.
#include "runtime/sim/async_copies.h"
#include "runtime/sim/bulk_boxes.h"
#include "runtime/sim/checker.h"
#include "runtime/sim/report.h"

namespace hone {

/// It counts as a write by the thread at this time: barriers behind it show it to others. An
/// arrival after the copy shows it, too: then it is a write of that time.
void Checker::end_copy(Worker& worker, const PendingCopy& copy, std::optional<uint64_t> arrival) {
  const Access& access = worker.program.accesses[copy.access];
  const Cells cells = cells_of(worker, access);
  const int64_t first = cells.origin + copy.element * cells.per_element;
  const uint64_t time = arrival.value_or(clocks_.time(clocks_.agent_of(copy.thread)));
  for (int64_t n = first; n < first + access.width * cells.per_element; ++n) {
    shared_[n].write = Stamp::of(time, copy.access, copy.thread);
    shared_[n].is_under_way = false;
  }
}

/// Whatever is done to the elements of a box before this is to come before it.
void Checker::start_bulk(Worker& worker, const BulkDetail& bulk) {
  access(worker, bulk.target);
  const int argument = worker.program.memories[bulk.map.operand].argument;
  if (!state_.shadow.may_be_unset(argument) || !state_.shadow.origin(argument).is_watched) return;
  const auto& accesses = worker.program.accesses;
  const Address tile = open_access(worker, accesses[bulk.target]);
  worker.mask->for_each([&](int lane) {
    move_unset(worker, lane,
               {bulk, bulk.target, bulk.source, tile.element(lane),
                open_box(worker, bulk, accesses[bulk.source], lane)});
  });
}

/// Elements without a value have none in the tile.
void Checker::move_unset(Worker& worker, int lane, const Box& box) {
  for_moved_elements(worker, box, [&](const Running& tile, const Running& memory) {
    const int64_t source = first_cell(memory), target = first_cell(tile);
    if (is_set(memory, lane, source, global_[source])) return;
    set_origin(target, source);
    for (int64_t n = target; n < target + tile.cells.per_element; ++n) shared_[n].is_set = false;
  });
}

void Checker::look_for_copy(const Running& running, int lane, const ShadowCell& cell) {
  if (!cell.is_under_way) return;
  const SimProgram& program = running.worker.program;
  const Access& copy = program.accesses[cell.write.access()];
  folded_.add(FindingKind::unfinished_copy, cell.write.access(), running.number, [&] {
    Finding finding;
    finding.kind = FindingKind::unfinished_copy;
    finding.tensor = program.memories[running.access.memory].tensor;
    finding.element = element_text(launch_, running.access, running.address.element(lane));
    finding.detail = "the thread that has started the copy has not waited for it";
    finding.sites = {site_of(launch_, copy, block_, cell.write.lane()),
                     site_of(launch_, running.access, block_, running.worker.thread(lane))};
    return place(std::move(finding));
  });
}

}  // namespace hone
