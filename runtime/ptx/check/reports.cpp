// The findings of check mode, in words.

#include "fmt/format.h"
#include "runtime/files.h"
#include "runtime/ptx/check/checker.h"
#include "runtime/ptx/check/words.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/machine/unset.h"
#include "runtime/sim/finding.h"

namespace hone::ptx {
namespace {

using Kind = MemoryDetail::Kind;

bool is_plain_load(const MemoryDetail& detail) {
  return detail.kind == Kind::load && !detail.is_strong;
}

/// In global memory, a plain read beside atomic updates may be a first look, before an update.
FindingKind race_of(const MemoryDetail& first, const MemoryDetail& second, bool writes_same,
                    Space space) {
  if (writes_same) return FindingKind::equal_writes;
  if (first.is_volatile && second.is_volatile) return FindingKind::lanes_in_step;
  const bool reads = is_plain_load(first) || is_plain_load(second);
  const bool updates = first.kind == Kind::atomic || second.kind == Kind::atomic;
  return reads && updates && space == Space::global ? FindingKind::unordered_read
                                                    : FindingKind::race;
}

std::string access_text(const MemoryDetail& detail) {
  if (detail.by) return fmt::format("{} by {}", verb_of(detail), detail.by);
  if (detail.is_mbarrier) return "uses the mbarrier there";
  return fmt::format("{} {} byte{}", verb_of(detail), detail.all_bytes(),
                     detail.all_bytes() == 1 ? "" : "s");
}

enum class Apart { lanes, threads, blocks };

std::string cause_of(FindingKind kind, Apart apart, Space space) {
  if (kind == FindingKind::unordered_read)
    return "The read may see a value before or after the update; that is harmless where it is "
           "only a first look.";
  if (kind == FindingKind::lanes_in_step)
    return "Lanes of a warp exchange values without __syncwarp(): since Volta they need not run in "
           "step.";
  if (kind == FindingKind::equal_writes)
    return "Both write the same value, so it does not matter which one comes last.";
  if (apart == Apart::blocks)
    return "Nothing orders the blocks of the cluster: neither cluster.sync() nor an mbarrier.";
  if (apart == Apart::lanes)
    return "Lanes of a warp need not run in step: __syncwarp() orders their accesses.";
  return space == Space::shared ? "No __syncthreads() stands between the two accesses."
                                : "Nothing orders these threads: neither a barrier nor a flag.";
}

}  // namespace

Site Checker::site_of(Stamp stamp, const Block& block) const {
  const MemoryDetail& detail = block.run.program.memory[stamp.access()];
  if (!is_of_engine(stamp) && !is_of_cluster(stamp))
    return ptx::site_of(block, detail.place, stamp.lane(), access_text(detail));
  const auto starter = starters_.find(starter_key(stamp));
  const int64_t thread = starter == starters_.end() ? 0 : starter->second;
  Site site = ptx::site_of(block, detail.place, thread, access_text(detail));
  if (!is_of_cluster(stamp)) return site;
  const auto& cluster = block.run.shape.cluster;
  const auto place = index_in(cluster, clocks_.agent_of(stamp.lane()) - first_other());
  for (size_t dim = 0; dim < place.size(); ++dim)
    site.block[dim] = block.index[dim] / cluster[dim] * cluster[dim] + place[dim];
  return site;
}

/// Of two writes: what the other one wrote is there already, or is written along with it.
bool Checker::writes_same_value(const MemoryAccess& access, int lane, Stamp other) const {
  const MemoryDetail& detail = access.detail;
  if (detail.values.empty()) return false;
  const int other_lane = other.exists() ? other.lane() - access.warp.number * lanes : -1;
  const bool is_along = other.exists() && other.access() == access.number && other_lane >= 0 &&
                        other_lane < lane && access.address[other_lane] == access.address[lane];
  for (size_t n = 0; n < detail.values.size(); ++n) {
    const std::byte* const mine = access.warp.at<std::byte>(detail.values[n]) +
                                  static_cast<int64_t>(lane) * detail.register_bytes;
    const std::byte* const others =
        is_along ? access.warp.at<std::byte>(detail.values[n]) +
                       static_cast<int64_t>(other_lane) * detail.register_bytes
                 : access.data[lane] + n * detail.bytes;
    if (std::memcmp(mine, others, detail.bytes) != 0) return false;
  }
  return true;
}

void Checker::report_race(const MemoryAccess& access, int lane, Stamp other, uint64_t address) {
  const MemoryDetail& earlier = block_.run.program.memory[other.access()];
  if (is_of_engine(other)) return report_use_under_way(access, lane, other, address);
  const bool both_write = access.detail.kind == Kind::store && earlier.kind == Kind::store;
  const FindingKind kind = race_of(
      earlier, access.detail, both_write && writes_same_value(access, lane, other), access.space);
  const bool is_from_other = access.warp.block != &block_ || is_of_cluster(other);
  const Apart apart = is_from_other                                ? Apart::blocks
                      : other.lane() / lanes == access.warp.number ? Apart::lanes
                                                                   : Apart::threads;
  block_.run.findings.add(kind, earlier.place, access.detail.place, [&] {
    Report::Finding finding;
    finding.kind = kind;
    finding.what = access.space == Space::shared
                       ? name_of_shared(block_.run, address)
                       : name_of_global(block_.run, address, access.detail.bytes);
    finding.cause = cause_of(kind, apart, access.space);
    finding.sites = {site_of(other, block_),
                     ptx::site_of(*access.warp.block, access.detail.place, access.warp.thread(lane),
                                  access_text(access.detail))};
    return finding;
  });
}

void Checker::report_use_under_way(const MemoryAccess& access, int lane, Stamp engine,
                                   uint64_t address) {
  const MemoryDetail& earlier = block_.run.program.memory[engine.access()];
  const bool is_shared = access.space == Space::shared;
  Report::Finding finding = engine_finding(
      engine, place_name(is_shared ? &block_ : nullptr, static_cast<int64_t>(address)));
  block_.run.findings.add(finding.kind, earlier.place, access.detail.place, [&] {
    finding.sites = {site_of(engine, block_),
                     ptx::site_of(*access.warp.block, access.detail.place, access.warp.thread(lane),
                                  access_text(access.detail))};
    return finding;
  });
}

void Checker::report_grid_race(const Block& block, int64_t granule, GridStamp other, GridStamp mine,
                               bool same) {
  const Program& program = block.run.program;
  const MemoryDetail& first = program.memory[other.stamp.access()];
  const MemoryDetail& second = program.memory[mine.stamp.access()];
  const int shift = clocks_.shift();
  if ((state_.plan.has_fences || state_.plan.has_clusters) &&
      state_.publications.are_ordered({other.block, other.stamp}, {mine.block, mine.stamp}, shift))
    return;
  const FindingKind kind = race_of(first, second, same, Space::global);
  block_.run.findings.add(kind, first.place, second.place, [&] {
    Report::Finding finding;
    finding.kind = kind;
    finding.what = name_of_global(block.run, static_cast<uint64_t>(granule * state_.plan.granule),
                                  second.bytes);
    finding.cause = is_hint(kind) ? cause_of(kind, Apart::threads, Space::global)
                                  : "Nothing orders two blocks of a launch, unless one fences "
                                    "what it wrote and tells the other by an atomic update.";
    finding.sites = {site_of(other.stamp, block), site_of(mine.stamp, block)};
    finding.sites[0].block = index_in(block.run.shape.grid, other.block);
    return finding;
  });
}

void Checker::report_unset(Warp& warp, uint32_t origin, int lane, const std::string& how) {
  const Program& program = block_.run.program;
  if (is_of_product(origin)) return report_unfinished_sums(warp, lane, how);
  const bool is_access = (origin & origin_is_exchange) == 0;
  const Place here = place_of(warp);
  const Place from = is_access ? program.memory[origin].place : here;
  block_.run.findings.add(FindingKind::uninitialised_read, from, here, [&] {
    Report::Finding finding;
    finding.kind = FindingKind::uninitialised_read;
    finding.what = fmt::format("a value that nobody wrote {}", how);
    finding.cause = is_access ? "" : "A shuffle reads from a lane that takes no part in it.";
    if (is_access)
      finding.sites.push_back(
          ptx::site_of(block_, from, warp.thread(lane), access_text(program.memory[origin])));
    finding.sites.push_back(ptx::site_of(warp, lane, "uses the value"));
    return finding;
  });
}

void Checker::report_unfinished_sums(Warp& warp, int lane, const std::string& how) {
  const Place here = place_of(warp);
  block_.run.findings.add(FindingKind::unfinished_product, here, here, [&] {
    Report::Finding finding;
    finding.kind = FindingKind::unfinished_product;
    finding.what = fmt::format("a sum that wgmma still adds to {}", how);
    finding.cause = "wgmma.wait_group has to come first.";
    finding.sites.push_back(ptx::site_of(warp, lane, "uses the value"));
    return finding;
  });
}

// ---- As text ------------------------------------------------------------------------------------

namespace {

std::string to_string(const Site& site) {
  const std::string place = site.line > 0 ? fmt::format("{}:{}", short_path(site.file), site.line)
                                          : fmt::format("PTX line {}", site.ptx_line);
  return fmt::format("  {}: block {}, thread {} {}", place, triple(site.block), triple(site.thread),
                     site.access);
}

}  // namespace

std::string to_string(const Report::Finding& finding) {
  std::string text = fmt::format("{}: {}", to_string(finding.kind), finding.what);
  for (const Site& site : finding.sites) text += "\n" + to_string(site);
  if (!finding.cause.empty()) text += "\n  " + finding.cause;
  if (finding.count > 1) text += fmt::format("\n  and {} more like it", finding.count - 1);
  return text;
}

}  // namespace hone::ptx
