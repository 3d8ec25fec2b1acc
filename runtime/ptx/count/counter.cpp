#include "runtime/ptx/count/counter.h"

#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/count/count.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/text/demangle.h"
#include "runtime/sim/count/scale.h"

namespace hone::ptx {

CacheCounts& CacheCounts::operator+=(const CacheCounts& other) {
  missing_requests += other.missing_requests;
  missed_sectors += other.missed_sectors;
  first_sectors += other.first_sectors;
  stretches += other.stretches;
  return *this;
}

AccessTally& AccessTally::operator+=(const AccessTally& other) {
  counts += other.counts;
  in_ptx += other.in_ptx;
  cache += other.cache;
  if (array.empty()) array = other.array;
  return *this;
}

LaunchCounter::LaunchCounter(const Run& run)
    : run_(run),
      shared_(shared_of(*run.program.module, *run.kernel.function,
                        shared_layout(*run.program.module))) {}

const CompiledAccess* LaunchCounter::fate_of(uint32_t number) const {
  const auto& fates = run_.module.as_compiled().accesses;
  const bool is_changed =
      number < fates.size() && (fates[number].is_dropped || fates[number].group >= 0);
  return is_changed ? &fates[number] : nullptr;
}

bool LaunchCounter::moves_data(uint32_t number) const {
  const MemoryDetail& detail = run_.program.memory[number];
  return !detail.by && !detail.is_of_rows;
}

bool LaunchCounter::is_generic(uint32_t number) const {
  const auto& fates = run_.module.as_compiled().accesses;
  return number < fates.size() && fates[number].is_generic;
}

/// Copies that the thread starts pass it by, as do accesses that others may have written to.
bool LaunchCounter::is_cached(uint32_t number) const {
  const MemoryDetail& detail = run_.program.memory[number];
  return !detail.by && !detail.is_strong && !detail.is_volatile;
}

std::string LaunchCounter::array_at(const Found& place) const {
  if (place.owner) return shared_variable(place.address);
  const Allocation* const allocation = run_.module.memory().find(place.address);
  return allocation ? allocation->name : "";
}

std::string LaunchCounter::shared_variable(uint64_t address) const {
  const PlacedVariable* const found = shared_.find(window::place_in_block(address));
  return found ? plain_name(found->variable->name) : "dynamic shared memory";
}

void LaunchCounter::watch(Block& block) {
  block.observer = std::make_unique<BlockCounter>(*this, block);
}

void LaunchCounter::add(const AccessTable& table, const Others& others, const Block& block) {
  const std::lock_guard lock(mutex_);
  counts_.cache.stretches += others.stretches;
  for (size_t n = 0; n < data_.size(); ++n) data_[n] += others.data[n];
  updates_.add(others.updates);
  for (const auto& [key, tally] : table) table_[key] += tally;
  counts_.warp_instructions += block.counts.warp_instructions;
  counts_.lanes += block.counts.lanes;
  instructions_of_blocks_.emplace_back(block.number, block.counts.warp_instructions);
  counts_.barriers += block.counts.barriers;
  counts_.branches += block.counts.branches;
  counts_.divergent_branches += block.counts.divergent_branches;
  counts_.shuffles += block.counts.shuffles;
  counts_.local_requests += others.local_requests;
}

AccessCounts LaunchCounter::report_of(const AccessKey& key, const AccessTally& tally) const {
  const MemoryDetail& detail = run_.program.memory[key.first];
  AccessCounts access;
  access.site = site_of_text(run_.program, detail.place);
  access.line_of_kernel = line_of_kernel(run_.program, detail.place);
  access.array = tally.array;
  access.access_class = key.second;
  access.bytes = static_cast<int>(detail.all_bytes());
  access.counts = tally.counts;
  access.in_ptx = tally.in_ptx;
  access.cache = tally.cache;
  const CompiledAccess* const fate = fate_of(key.first);
  access.is_dropped = fate && fate->is_dropped;
  return access;
}

/// A tenth is what loops that wait take more, or edges less.
void LaunchCounter::find_full_block(int64_t blocks) {
  int64_t most = 0;
  for (const auto& [number, count] : instructions_of_blocks_) most = std::max(most, count);
  const auto distance = [&](int64_t number) { return std::abs(2 * number - blocks); };
  std::optional<std::pair<int64_t, int64_t>> nearest;  // with its distance
  for (const auto& [number, count] : instructions_of_blocks_) {
    counts_.busy_blocks += count * 2 >= most ? 1 : 0;
    const std::pair block = {distance(number), number};
    if (count * 10 >= most * 9 && (!nearest || block < *nearest)) nearest = block;
  }
  if (nearest) counts_.full_block = nearest->second;
}

void LaunchCounter::finish(Report& report) {
  find_full_block(report.blocks);
  const Scale scale(report.blocks, std::max<int64_t>(report.run_blocks, 1));
  for (auto& [key, tally] : table_) {
    tally.counts = scale(tally.counts);
    tally.in_ptx = scale(tally.in_ptx);
    for (int64_t* count :
         {&tally.cache.missing_requests, &tally.cache.missed_sectors, &tally.cache.first_sectors})
      *count = scale(*count);
    counts_.cache += tally.cache;
    counts_.accesses.push_back(report_of(key, tally));
    counts_.totals[static_cast<size_t>(key.second)] += tally.counts;
  }
  for (int64_t* count : {&counts_.warp_instructions, &counts_.lanes, &counts_.barriers,
                         &counts_.branches, &counts_.divergent_branches, &counts_.local_requests,
                         &counts_.busy_blocks, &counts_.cache.stretches})
    *count = scale(*count);
  counts_.shuffles = scale(counts_.shuffles);
  counts_.skips_products = run_.options.skips_products;
  counts_.updates_of_word = updates_.most_of_all(scale);
  for (size_t n = 0; n < data_.size(); ++n) counts_.totals[n].data_bytes += scale(data_[n]);
  llvm::stable_sort(counts_.accesses, [](const AccessCounts& lhs, const AccessCounts& rhs) {
    return lhs.site.ptx_line < rhs.site.ptx_line;
  });
  counts_.is_compiled = !run_.module.as_compiled().accesses.empty();
  report.counts = std::move(counts_);
}

std::unique_ptr<LaunchObserver> make_counter(const Run& run) {
  return std::make_unique<LaunchCounter>(run);
}

}  // namespace hone::ptx
