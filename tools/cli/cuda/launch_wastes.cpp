// The facts about what a launch does in vain.

#include <algorithm>
#include <cmath>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/cuda/kernel_counts.h"
#include "tools/cli/cuda/launch_facts.h"
#include "tools/cli/number_text.h"

namespace hone {
namespace {

/// A part of the time that is worth a word.
constexpr double least_waste = 0.05;

double as_double(int64_t count) { return static_cast<double>(count); }

double quotient(int64_t dividend, int64_t divisor) {
  return divisor == 0 ? 0 : as_double(dividend) / as_double(divisor);
}

/// One launch, and the facts that are known of it.
class WasteFinder {
 public:
  WasteFinder(const KernelRun& run, const Gpu& gpu)
      : run_(run),
        counts_(run.report.counts),
        gpu_(gpu),
        time_(run.estimate->time.time),
        all_passes_(all_passes(*run.estimate)) {}

  std::vector<LaunchFact> find() {
    for (const ptx::AccessCounts& access : accesses_by_line(counts_))
      is_shared(access.access_class) ? add_conflicts(access) : add_sectors(access);
    add_idle_lanes();
    add_local_memory();
    add_empty_places();
    add_short_blocks();
    add_few_warps();
    llvm::stable_sort(facts_, [](const LaunchFact& lhs, const LaunchFact& rhs) {
      return lhs.seconds > rhs.seconds;
    });
    return std::move(facts_);
  }

 private:
  void add(double seconds, std::string text) {
    if (seconds >= least_waste * time_.seconds) facts_.push_back({seconds, std::move(text)});
  }

  /// Of the seconds of a resource those that a part of its uses takes.
  double seconds_of(LaunchResource resource, double part, double all) const {
    return all > 0 ? time_[resource] * part / all : 0;
  }
  /// "sum.cu:8: a request of the global load of x"
  static std::string request_text(const ptx::AccessCounts& access) {
    const bool is_store = access.access_class == AccessClass::global_store ||
                          access.access_class == AccessClass::shared_store;
    return fmt::format("{}:{}: a request of the {}{}", access.site.file, access.site.line,
                       to_string(access.access_class),
                       access.array.empty() ? "" : (is_store ? " to " : " of ") + access.array);
  }

  void add_conflicts(const ptx::AccessCounts& access) {
    const MemoryCounts& counts = access.counts;
    if (counts.bank_conflicts() <= 0) return;
    add(seconds_of(LaunchResource::load_store, as_double(counts.bank_conflicts()), all_passes_),
        fmt::format("{} takes {} passes, {} of them for bank conflicts", request_text(access),
                    number_text(quotient(counts.wavefronts, counts.requests)),
                    number_text(quotient(counts.bank_conflicts(), counts.requests))));
  }

  /// Lanes whose elements lie apart ask for sectors that they use in part.
  void add_sectors(const ptx::AccessCounts& access) {
    constexpr double sector_bytes = 32, sectors_of_line = 4;
    const MemoryCounts& counts = access.counts;
    const double least =
        std::max(as_double(counts.lane_bytes()) / sector_bytes, as_double(counts.requests));
    if (counts.sectors == 0 || is_atomic(access.access_class) || least >= as_double(counts.sectors))
      return;
    const double passes = passes_of(access.access_class, counts);
    const double least_passes = std::max(as_double(counts.requests), least / sectors_of_line);
    const double vain = 1 - least / as_double(counts.sectors);
    const double bytes = l2_bytes_of(access.access_class, counts, access.cache);
    add(std::max(seconds_of(LaunchResource::l2, vain * bytes, run_.estimate->demand.l2_bytes),
                 seconds_of(LaunchResource::load_store, passes - least_passes, all_passes_)),
        fmt::format("{} takes {} sectors, and {} would hold its bytes", request_text(access),
                    number_text(counts.sectors_per_request()),
                    number_text(least / as_double(counts.requests))));
  }

  void add_idle_lanes() {
    const double lanes = quotient(counts_.lanes, counts_.warp_instructions);
    add(time_[LaunchResource::issue] * (1 - lanes / 32),
        fmt::format("{:.1f} of the 32 lanes of a warp are at work, on average", lanes));
  }

  void add_local_memory() {
    const PtxasInfo& info = *run_.resources();
    const int64_t spilled = info.spill_store_bytes + info.spill_load_bytes;
    const double part =
        quotient(counts_.local_requests, std::max<int64_t>(counts_.warp_instructions, 1));
    add(std::max(time_[LaunchResource::issue], time_[LaunchResource::latency]) * part,
        fmt::format("{:.0f} % of the instructions go to local memory: arrays of a thread whose "
                    "indices are not constants{}",
                    100 * part, spilled > 0 ? ", and registers that are spilled" : ""));
  }

  /// Blocks are no multiple of the multiprocessors, and these have no others to wait for.
  void add_empty_places() {
    const int64_t blocks = run_.report.blocks, sms = gpu_.multiprocessors;
    const int64_t rounds = (blocks + sms - 1) / sms;
    const LaunchResource bound = time_.bound();
    if (blocks > sms && (bound == LaunchResource::l2 || bound == LaunchResource::dram)) return;
    add(time_.of_blocks() * (1 - quotient(blocks, rounds * sms)),
        blocks < sms
            ? fmt::format("{} block{} for {} multiprocessors: {} of these have nothing to do",
                          blocks, blocks == 1 ? "" : "s", sms, sms - blocks)
            : fmt::format("{} blocks for {} multiprocessors: some have {} to run, and others {}",
                          blocks, sms, rounds, rounds - 1));
  }

  void add_short_blocks() {
    const int64_t blocks = run_.report.blocks, others = blocks - counts_.busy_blocks;
    add(time_.of_blocks() * quotient(others, blocks) / 2,
        fmt::format("{} of {} blocks have less than half of the instructions that others have",
                    others, blocks));
  }

  /// The warps that a multiprocessor has at a time, where these are too few for it.
  void add_few_warps() {
    if (time_.bound() != LaunchResource::latency) return;
    const Occupancy fitting = occupancy(gpu_.arch, *run_.block());
    const int64_t sms = gpu_.multiprocessors;
    const int64_t given = (run_.report.blocks + sms - 1) / sms;
    const int64_t warps = fitting.warps_per_sm / fitting.blocks_per_sm *
                          std::min<int64_t>(given, fitting.blocks_per_sm);
    const int64_t most = std::lround(fitting.warps_per_sm / fitting.fraction);
    double busiest = 0;
    for (size_t n = 0; n < launch_resources; ++n)
      if (static_cast<LaunchResource>(n) != LaunchResource::latency)
        busiest = std::max(busiest, time_.busy[n]);
    if (warps * 2 > most) return;
    add(time_.of_blocks() - busiest,
        fmt::format(
            "a multiprocessor has {} of {} warps at a time to wait with{}", warps, most,
            given < fitting.blocks_per_sm
                ? ", as there are no more blocks"
                : fmt::format(", because of {}", fmt::join(names(fitting.limiters), " and "))));
  }

  static std::vector<std::string> names(llvm::ArrayRef<OccupancyLimit> limits) {
    std::vector<std::string> all;
    for (const OccupancyLimit limit : limits)
      all.push_back(limit == OccupancyLimit::blocks ? "the most blocks that it takes"
                                                    : name(limit).str());
    return all;
  }

  const KernelRun& run_;
  const ptx::LaunchCounts& counts_;
  const Gpu& gpu_;
  const LaunchTime& time_;
  double all_passes_;
  std::vector<LaunchFact> facts_;
};

}  // namespace

std::vector<LaunchFact> wastes(const KernelRun& run, const Gpu& gpu) {
  return WasteFinder(run, gpu).find();
}

}  // namespace hone
