// The facts about what a launch does more or less of than another one.

#include <algorithm>
#include <cmath>

#include "llvm/ADT/STLExtras.h"
#include "tools/cli/cuda/launch_facts.h"
#include "tools/cli/number_text.h"

namespace hone {
namespace {

/// A part of the longer time that is worth a word, and the least factor.
constexpr double least_change_of_time = 0.02, least_factor = 1.05;

using AmountOfRun = double (*)(const KernelRun&);

/// An amount that a resource is busy with.
struct LaunchAmount {
  const char* what;  ///< a plural
  LaunchResource resource;
  AmountOfRun of;
  /// Of all that the resource is busy with; null where there is nothing else.
  AmountOfRun part = nullptr;
  /// Behind the amounts; null for nothing.
  std::string (*detail)(const KernelRun& before, const KernelRun& after) = nullptr;
};

const MemoryCounts& total_of(const KernelRun& run, AccessClass access_class) {
  return run.report.counts.totals[static_cast<size_t>(access_class)];
}

template <AccessClass access_class>
double passes(const KernelRun& run) {
  return static_cast<double>(total_of(run, access_class).passes());
}

template <AccessClass access_class>
double part_of_passes(const KernelRun& run) {
  const double all = all_passes(*run.estimate);
  return all > 0 ? passes_of(access_class, total_of(run, access_class)) / all : 0;
}

bool is_change(double before, double after) {
  const auto [least, most] = std::minmax(before, after);
  return most > 0 && most >= least_factor * least;
}

/// "requests 1024 -> 256, sectors of one 32 -> 4": what of it is another number than before.
template <AccessClass access_class>
std::string requests_text(const KernelRun& before, const KernelRun& after) {
  const MemoryCounts &old_counts = total_of(before, access_class),
                     &now = total_of(after, access_class);
  if (old_counts.requests == 0 || now.requests == 0) return "";
  std::string text;
  const auto add = [&](const char* what, auto amount) {
    const auto old_amount = static_cast<double>(amount(old_counts));
    const auto new_amount = static_cast<double>(amount(now));
    if (is_change(old_amount, new_amount))
      text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", what, number_text(old_amount),
                          number_text(new_amount));
  };
  add("requests", [](const MemoryCounts& counts) { return counts.requests; });
  if (is_shared(access_class))
    add("bank conflicts of one", [](const MemoryCounts& counts) {
      return static_cast<double>(counts.bank_conflicts()) / static_cast<double>(counts.requests);
    });
  else
    add("sectors of one", [](const MemoryCounts& counts) { return counts.sectors_per_request(); });
  add("bytes of one", [](const MemoryCounts& counts) {
    return static_cast<double>(counts.lane_bytes()) / static_cast<double>(counts.requests);
  });
  return text;
}

template <AccessClass access_class>
constexpr LaunchAmount passes_amount(const char* what) {
  return {what, LaunchResource::load_store, passes<access_class>, part_of_passes<access_class>,
          requests_text<access_class>};
}

template <ptx::Pipe pipe>
double instructions(const KernelRun& run) {
  const LaunchEstimate& estimate = *run.estimate;
  return estimate.pace.by_pipe[static_cast<size_t>(pipe)] *
         static_cast<double>(estimate.demand.blocks);
}

double all_instructions(const KernelRun& run) { return run.estimate->time.warp_instructions; }
double products(const KernelRun& run) {
  return run.estimate->pace.products * static_cast<double>(run.estimate->demand.blocks);
}
/// Those that move, without the weights of the demand.
double l2_bytes(const KernelRun& run) {
  const ptx::LaunchCounts& counts = run.report.counts;
  int64_t bytes = counts.cache.missed_sectors * 32;
  for (const AccessClass stored : {AccessClass::global_store, AccessClass::global_atomic})
    bytes += total_of(run, stored).l2_bytes();
  return static_cast<double>(bytes + total_of(run, AccessClass::global_load).engine_bytes);
}
double dram_bytes(const KernelRun& run) { return run.estimate->demand.dram_bytes; }
double updates_of_word(const KernelRun& run) { return run.estimate->demand.updates; }
double blocks_of_clusters(const KernelRun& run) {
  const LaunchDemand& demand = run.estimate->demand;
  return demand.are_clustered ? static_cast<double>(demand.blocks) : 0;
}
double microseconds_alone(const KernelRun& run) {
  return run.estimate->time.time[LaunchResource::latency] * 1e6;
}

std::string blocks_text(const KernelRun& before, const KernelRun& after) {
  const LaunchDemand &old_demand = before.estimate->demand, &now = after.estimate->demand;
  std::string text = fmt::format("clocks of one {} -> {}", number_text(old_demand.clocks_alone),
                                 number_text(now.clocks_alone));
  if (before.report.blocks != after.report.blocks)
    text += fmt::format(", blocks {} -> {}", before.report.blocks, after.report.blocks);
  if (old_demand.blocks_per_sm != now.blocks_per_sm)
    text += fmt::format(", blocks that fit on a multiprocessor {} -> {}", old_demand.blocks_per_sm,
                        now.blocks_per_sm);
  return text;
}

constexpr LaunchAmount launch_amounts[] = {
    {"instructions of warps", LaunchResource::issue, all_instructions},
    {"operations on integers", LaunchResource::integer, instructions<ptx::Pipe::alu>},
    {"operations on floats", LaunchResource::fp32, instructions<ptx::Pipe::fma>},
    {"operations on doubles", LaunchResource::fp64, instructions<ptx::Pipe::fp64>},
    {"special functions", LaunchResource::special, instructions<ptx::Pipe::special>},
    {"products of tensor cores", LaunchResource::tensor, products},
    passes_amount<AccessClass::global_load>("passes of global loads"),
    passes_amount<AccessClass::global_store>("passes of global stores"),
    passes_amount<AccessClass::shared_load>("passes of shared loads"),
    passes_amount<AccessClass::shared_store>("passes of shared stores"),
    passes_amount<AccessClass::global_atomic>("passes of global atomic updates"),
    passes_amount<AccessClass::shared_atomic>("passes of shared atomic updates"),
    {"bytes from and to L2", LaunchResource::l2, l2_bytes},
    {"bytes of DRAM", LaunchResource::dram, dram_bytes},
    {"atomic updates of one word", LaunchResource::updates, updates_of_word},
    {"blocks of clusters", LaunchResource::clusters, blocks_of_clusters},
    {"microseconds of all rounds of blocks", LaunchResource::latency, microseconds_alone, nullptr,
     blocks_text},
};

int64_t multiprocessors_at_work(const KernelRun& run, const Gpu& gpu) {
  return std::min<int64_t>(run.report.blocks, gpu.multiprocessors);
}

/// Seconds of the resource; of one that each multiprocessor has, with `multiprocessors` at work.
double seconds(const LaunchAmount& amount, const KernelRun& run, const Gpu& gpu,
               int64_t multiprocessors) {
  const double spread =
      static_cast<double>(multiprocessors_at_work(run, gpu)) / static_cast<double>(multiprocessors);
  return run.estimate->time.time[amount.resource] * (amount.part ? amount.part(run) : 1) *
         (is_shared_by_all(amount.resource) || amount.resource == LaunchResource::latency ? 1
                                                                                          : spread);
}

/// "passes of shared loads fall 32x, 1048576 -> 32768"
std::string change_text(const LaunchAmount& amount, const KernelRun& before,
                        const KernelRun& after) {
  const double old_amount = amount.of(before), now = amount.of(after);
  if (old_amount == 0) return fmt::format("{} are new: {}", amount.what, number_text(now));
  if (now == 0)
    return fmt::format("there are no {} any more, {} before", amount.what, number_text(old_amount));
  return fmt::format("{} {} {:.3g}x, {} -> {}", amount.what, now < old_amount ? "fall" : "rise",
                     std::max(now / old_amount, old_amount / now), number_text(old_amount),
                     number_text(now));
}

/// "92.1 us less", "2.2 ms more"
std::string added_text(double seconds) {
  const double us = std::abs(seconds) * 1e6;
  return fmt::format("{:.3g} {} {}", us < 1000 ? us : us / 1000, us < 1000 ? "us" : "ms",
                     seconds < 0 ? "less" : "more");
}

LaunchFact fact_of(const LaunchAmount& amount, const KernelRun& before, const KernelRun& after,
                   const Gpu& gpu) {
  const int64_t most =
      std::max(multiprocessors_at_work(before, gpu), multiprocessors_at_work(after, gpu));
  const double added = seconds(amount, after, gpu, most) - seconds(amount, before, gpu, most);
  const std::string detail = amount.detail ? amount.detail(before, after) : "";
  return {added, fmt::format("{}{}: {} for {}", change_text(amount, before, after),
                             detail.empty() ? "" : " (" + detail + ")", added_text(added),
                             name(amount.resource).str())};
}

/// The work is on more multiprocessors than before, or on fewer.
void add_spread(const KernelRun& before, const KernelRun& after, const Gpu& gpu,
                std::vector<LaunchFact>& facts) {
  const int64_t old_number = multiprocessors_at_work(before, gpu);
  const int64_t now = multiprocessors_at_work(after, gpu);
  if (old_number == now) return;
  const double factor = static_cast<double>(old_number) / static_cast<double>(now);
  const double added = before.estimate->time.time.seconds * (factor - 1);
  facts.push_back({added, fmt::format("multiprocessors at work {} {:.3g}x, {} -> {}: {}",
                                      factor < 1 ? "rise" : "fall", std::max(factor, 1 / factor),
                                      old_number, now, added_text(added))});
}

}  // namespace

std::vector<LaunchFact> changes(const KernelRun& before, const KernelRun& after, const Gpu& gpu) {
  const double longer =
      std::max(before.estimate->time.time.seconds, after.estimate->time.time.seconds);
  std::vector<LaunchFact> facts;
  add_spread(before, after, gpu, facts);
  for (const LaunchAmount& amount : launch_amounts) {
    const double old_amount = amount.of(before), now = amount.of(after);
    if (!is_change(old_amount, now)) continue;
    LaunchFact fact = fact_of(amount, before, after, gpu);
    // Else the time has another cause than the amount.
    const bool goes_with_amount = (now > old_amount) == (fact.seconds > 0);
    if (goes_with_amount && std::abs(fact.seconds) >= least_change_of_time * longer)
      facts.push_back(std::move(fact));
  }
  llvm::stable_sort(facts, [](const LaunchFact& lhs, const LaunchFact& rhs) {
    return std::abs(lhs.seconds) > std::abs(rhs.seconds);
  });
  return facts;
}

}  // namespace hone
