// Check mode of elements that hold no value of their tensor. A value that is moved as it is takes
// along that it is none, and where it comes from: an argument that gets its own value back keeps
// what it has.
#include "runtime/sim/check/checker.h"
#include "runtime/sim/report.h"

namespace hone {

/// True if two shared tensors have bytes in common.
bool Checker::has_overlaps(const Worker& worker) {
  llvm::SmallVector<std::pair<const std::byte*, const std::byte*>, 8> ranges;
  for (size_t n = 0; n < worker.places.size(); ++n) {
    const Memory& memory = worker.program.memories[n];
    if (!memory.is_shared()) continue;
    const std::byte* data = worker.places[n].data;
    ranges.emplace_back(data, data + memory.elements * size_of(memory.tensor->type));
  }
  llvm::sort(ranges);
  for (size_t n = 1; n < ranges.size(); ++n)
    if (ranges[n].first < ranges[n - 1].second) return true;
  return false;
}

/// True if the tensor of the access is the one that the last value of the cell was written to.
bool Checker::was_written_as(const Access& access, const ShadowCell& cell) const {
  const bool is_shared = launch_.program.memories[access.memory].is_shared();
  return !is_shared || launch_.program.accesses[cell.write.access()].memory == access.memory;
}

/// Elements of an argument may have been set by kernels before, and by blocks that this one knows
/// of.
bool Checker::is_set(const Running& running, int lane, int64_t number,
                     const ShadowCell& cell) const {
  if (!running.cells.may_be_unset || holds_value(running.access, cell)) return true;
  if (running.cells.is_shared || cell.write.exists()) return false;
  return !state_.shadow.was_unset(number) ||
         (arrival_.order_of(clocks_.stamp(running.worker.thread(lane), running.number)) ==
              BlockOrder::acquired &&
          state_.shadow.is_published(number, arrival_.counter));
}

/// True if the element, which begins with the cell `first`, may get a value of that origin that is
/// not set: nobody wants it, or it has been there.
bool Checker::keeps_unset(const Running& running, int lane, int64_t first, int64_t origin,
                          const ShadowCell& cell) const {
  return running.cells.is_temporary || (origin == first && !is_set(running, lane, first, cell));
}

/// Of an argument, the cell itself.
int64_t Checker::origin_of(const Running& running, int64_t cell) const {
  if (!running.cells.is_shared) return cell;
  return origins_.empty() ? LaneFlags::nowhere : origins_[cell];
}

void Checker::set_origin(int64_t cell, int64_t origin) {
  if (origins_.empty() && origin == LaneFlags::nowhere) return;
  origins_.resize(shared_.size(), LaneFlags::nowhere);
  origins_[cell] = origin;
}

void Checker::report_unset(Worker& worker, uint32_t number, int lane) {
  const Access& access = worker.program.accesses[number];
  report_register(worker, FindingKind::uninitialised_read, number, lane,
                  [&](int64_t element) { return why_unset(worker, access, element); });
}

void Checker::report_register(Worker& worker, FindingKind kind, uint32_t number, int lane,
                              llvm::function_ref<std::string(int64_t element)> detail) {
  const Access& access = worker.program.accesses[number];
  folded_.add(kind, number, number, [&] {
    Finding finding;
    finding.kind = kind;
    finding.tensor = worker.program.memories[access.memory].tensor;
    const int64_t element = open_access(worker, access).element(lane);
    finding.element = element_text(launch_, access, element);
    finding.detail = detail(element);
    finding.sites = {site_of(launch_, access, block_, worker.thread(lane))};
    return place(std::move(finding));
  });
}

std::string Checker::why_unset(const Worker& worker, const Access& access, int64_t element) const {
  const auto& memories = worker.program.memories;
  if (reuses_shared_ && memories[access.memory].is_shared()) {
    const Cells cells = cells_of(worker, access);
    const ShadowCell& cell = shared_[cells.origin + element * cells.per_element];
    if (cell.is_set && !holds_value(access, cell))
      return "the last value there is one of " +
             memories[worker.program.accesses[cell.write.access()].memory].tensor->name;
  }
  return "nothing was written there before";
}

}  // namespace hone
