#include <algorithm>
#include <mutex>

#include "ir/memory/warp_access.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/count/count.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

using Kind = MemoryDetail::Kind;

AccessClass class_of(const MemoryDetail& detail, Space space) {
  const bool is_shared = space == Space::shared;
  if (detail.kind == Kind::load)
    return is_shared ? AccessClass::shared_load : AccessClass::global_load;
  if (detail.kind == Kind::store)
    return is_shared ? AccessClass::shared_store : AccessClass::global_store;
  return is_shared ? AccessClass::shared_atomic : AccessClass::global_atomic;
}

/// Of one instruction of a warp, whose lanes move up to 16 bytes.
MemoryCounts counts_of(const WarpAccess& access, AccessClass access_class) {
  MemoryCounts counts;
  counts.requests = 1;
  counts.bytes = int64_t{std::popcount(access.active)} * access.width;
  const bool is_shared =
      access_class == AccessClass::shared_load || access_class == AccessClass::shared_store;
  if (is_shared) {
    const Wavefronts wavefronts = count_wavefronts(access);
    counts.wavefronts = wavefronts.actual;
    counts.ideal_wavefronts = wavefronts.ideal;
  } else if (access_class != AccessClass::shared_atomic) {
    counts.sectors = count_sectors(access);
    counts.lines = count_lines(access);
  }
  return counts;
}

/// Counts by access; an access by generic addresses may be one of two classes.
using AccessKey = std::pair<uint32_t, AccessClass>;
using AccessTable = std::map<AccessKey, MemoryCounts>;

class Counters : public LaunchObserver {
 public:
  explicit Counters(const Run& run) : run_(run) {}
  void watch(Block& block) override;
  void finish(Report& report) override;
  void add(const AccessTable& table, const Block& block);

 private:
  const Run& run_;
  std::mutex mutex_;
  AccessTable table_;
  LaunchCounts counts_;
};

class Counter : public Observer {
 public:
  explicit Counter(Counters& all) : all_(all) {}

  void access(const MemoryAccess& access) override {
    if (access.space != Space::shared && access.space != Space::global) return;
    const AccessClass access_class = class_of(access.detail, access.space);
    MemoryCounts& counts = table_[{access.number, access_class}];
    WarpAccess warp;
    warp.active = access.lanes;
    const int64_t bytes = access.detail.all_bytes();
    warp.width = static_cast<int>(std::min<int64_t>(bytes, widest_access));
    for (int64_t moved = 0; moved < bytes; moved += warp.width) {
      for (int lane = 0; lane < lanes; ++lane)
        warp.addresses[lane] = static_cast<int64_t>(access.address[lane]) + moved;
      counts += counts_of(warp, access_class);
    }
  }
  void end_block(Block& block) override { all_.add(table_, block); }

 private:
  Counters& all_;
  AccessTable table_;
};

void Counters::watch(Block& block) { block.observer = std::make_unique<Counter>(*this); }

void Counters::add(const AccessTable& table, const Block& block) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, counts] : table) table_[key] += counts;
  counts_.warp_instructions += block.counts.warp_instructions;
  counts_.barriers += block.counts.barriers;
  counts_.branches += block.counts.branches;
  counts_.divergent_branches += block.counts.divergent_branches;
  counts_.exchanges += block.counts.exchanges;
}

void Counters::finish(Report& report) {
  for (const auto& [key, counts] : table_) {
    const MemoryDetail& detail = run_.program.memory[key.first];
    AccessCounts access;
    access.site = site_of_text(run_.program, detail.place);
    access.access_class = key.second;
    access.bytes = static_cast<int>(detail.all_bytes());
    access.counts = counts;
    counts_.accesses.push_back(access);
    counts_.totals[static_cast<size_t>(key.second)] += counts;
  }
  llvm::sort(counts_.accesses, [](const AccessCounts& lhs, const AccessCounts& rhs) {
    return lhs.site.ptx_line < rhs.site.ptx_line;
  });
  report.counts = std::move(counts_);
}

}  // namespace

std::unique_ptr<LaunchObserver> make_counter(const Run& run) {
  return std::make_unique<Counters>(run);
}

}  // namespace hone::ptx
