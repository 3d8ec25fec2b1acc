// Check mode of elements that hold no value of their tensor.
#include "runtime/sim/checker.h"
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

void Checker::report_unset(Worker& worker, uint32_t number, int lane) {
  const Access& access = worker.program.accesses[number];
  folded_.add(FindingKind::uninitialised_read, number, number, [&] {
    Finding finding;
    finding.kind = FindingKind::uninitialised_read;
    finding.tensor = worker.program.memories[access.memory].tensor;
    const int64_t element = open_access(worker, access).element(lane);
    finding.element = element_text(launch_, access, element);
    finding.detail = why_unset(worker, access, element);
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
