#include "runtime/model/launch_time.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone {
bool is_shared_by_all(LaunchResource resource) {
  return LaunchResource::l2 <= resource && resource <= LaunchResource::clusters;
}

namespace {

/// Clocks from the end of a block to the first instruction of the one that takes its place.
constexpr double start_clocks = 1000;
/// The share of the stated bandwidth of DRAM that a kernel reaches which does nothing else.
constexpr double reachable_dram = 0.93;
/// Between two atomic updates of a word.
constexpr double seconds_of_update = 1.75e-9;
/// From the start of a block to that of the next one, in clusters.
constexpr double seconds_of_clustered_block = 2.45e-9;
/// No block is at work so long before a launch.
constexpr double seconds_of_launch = 0.7e-6;
/// Resources that are busy for less of the time bind nothing.
constexpr double least_share_of_bound = 0.8;

/// By resource: clocks, or seconds.
using Clocks = std::array<double, launch_resources>;

double& of(Clocks& clocks, LaunchResource resource) {
  return clocks[static_cast<size_t>(resource)];
}

void check(const LaunchDemand& demand) {
  const auto is_amount = [](double amount) { return amount >= 0 && !std::isinf(amount); };
  const bool are_amounts = llvm::all_of(demand.clocks, is_amount) &&
                           is_amount(demand.clocks_alone) && is_amount(demand.l2_bytes) &&
                           is_amount(demand.dram_bytes) && is_amount(demand.updates);
  if (!are_amounts || demand.blocks < 1 || demand.blocks_per_sm < 1)
    throw RuntimeError("a launch of {} blocks, {} at a time, needs amounts that are none",
                       demand.blocks, demand.blocks_per_sm);
}

/// Clocks of each resource for a block. Multiprocessors at work share L2 and DRAM.
Clocks clocks_of_block(const Gpu& gpu, const LaunchDemand& demand) {
  Clocks clocks = demand.clocks;
  const auto blocks = static_cast<double>(demand.blocks);
  const double at_work = std::min<double>(blocks, gpu.multiprocessors);
  const double l2_bytes = demand.l2_bytes / blocks;
  of(clocks, LaunchResource::l2) =
      std::max(l2_bytes * at_work * gpu.clock_ghz / gpu.l2_gb_per_s(), l2_bytes / l2_bytes_of_sm);
  of(clocks, LaunchResource::dram) =
      demand.dram_bytes / blocks * at_work * gpu.clock_ghz / (gpu.dram_gb_per_s * reachable_dram);
  of(clocks, LaunchResource::updates) =
      demand.updates / blocks * at_work * seconds_of_update * gpu.clock_ghz * 1e9;
  if (demand.are_clustered)
    of(clocks, LaunchResource::clusters) =
        at_work * seconds_of_clustered_block * gpu.clock_ghz * 1e9;
  return clocks;
}

LaunchResource busiest(const Clocks& clocks) {
  return static_cast<LaunchResource>(std::max_element(clocks.begin(), clocks.end()) -
                                     clocks.begin());
}

/// Clocks, or seconds, of a block among many others: those of the busiest resource, and more where
/// others are about as busy. The power is that which orders measured times best.
double clocks_together(const Clocks& clocks) {
  constexpr double power = 4;
  double sum = 0;
  for (const double need : clocks) sum += std::pow(need, power);
  return std::pow(sum, 1 / power);
}

/// Clocks until as many blocks have ended as there are on a multiprocessor.
double clocks_of_round(const Clocks& clocks, double alone, int64_t blocks) {
  const double together = clocks_together(clocks);
  Clocks queues{};  // blocks at each resource, on average
  double round = 0;
  for (int64_t n = 1; n <= blocks; ++n) {
    double squares = 0;
    for (const auto& [need, queue] : llvm::zip(clocks, queues))
      squares += std::pow(need * queue, 2);
    const auto customers = static_cast<double>(n);
    round = std::max(alone + std::sqrt(squares), customers * together);
    for (const auto& [need, queue] : llvm::zip(clocks, queues))
      queue = std::min(customers / round * need * (1 + queue), customers);
  }
  return round;
}

/// Of the multiprocessor that has most blocks; where all share the resource that binds, of any.
double clocks_of_launch(const Gpu& gpu, const LaunchDemand& demand, const Clocks& clocks,
                        double alone) {
  const double average = static_cast<double>(demand.blocks) / gpu.multiprocessors;
  const double blocks = is_shared_by_all(busiest(clocks)) ? average : std::ceil(average);
  const double resident = demand.blocks_per_sm;
  const auto round = [&](double n) {
    return clocks_of_round(clocks, alone, static_cast<int64_t>(std::ceil(n)));
  };
  if (blocks <= resident) return round(blocks);
  // Blocks begin when others end, so the last round is as full as the others after a while.
  constexpr double rounds_apart = 8;
  const double rounds = std::floor(blocks / resident), rest = blocks - rounds * resident;
  const bool is_apart = rounds < rounds_apart && !is_shared_by_all(busiest(clocks)) && rest > 0;
  return is_apart ? rounds * round(resident) + round(rest) : blocks / resident * round(resident);
}

}  // namespace

llvm::StringRef name(LaunchResource resource) {
  constexpr llvm::StringLiteral names[] = {"issue slots",
                                           "integer pipe",
                                           "fp32",
                                           "fp64",
                                           "special functions",
                                           "tensor cores",
                                           "shared memory and L1",
                                           "L2",
                                           "DRAM",
                                           "atomic updates",
                                           "starts of clusters",
                                           "latency"};
  return names[static_cast<size_t>(resource)];
}

LaunchTime launch_time(const Gpu& gpu, const LaunchDemand& demand) {
  check(demand);
  const Clocks clocks = clocks_of_block(gpu, demand);
  const double alone =
      std::max(demand.clocks_alone, *std::max_element(demand.clocks.begin(), demand.clocks.end())) +
      start_clocks;
  const double hertz = gpu.clock_ghz * 1e9;
  LaunchTime time;
  time.seconds_without_blocks = seconds_of_launch;
  time.seconds = clocks_of_launch(gpu, demand, clocks, alone) / hertz + seconds_of_launch;
  const double blocks_of_sm = std::ceil(static_cast<double>(demand.blocks) / gpu.multiprocessors);
  for (size_t n = 0; n < launch_resources; ++n) time.busy[n] = blocks_of_sm * clocks[n] / hertz;
  of(time.busy, LaunchResource::latency) =
      std::ceil(blocks_of_sm / demand.blocks_per_sm) * alone / hertz;
  return time;
}

LaunchResource LaunchTime::bound() const {
  Clocks resources = busy;
  of(resources, LaunchResource::latency) = 0;
  const bool is_busy = clocks_together(resources) >= least_share_of_bound * of_blocks();
  return is_busy ? busiest(resources) : LaunchResource::latency;
}

llvm::StringRef remedy(LaunchResource bound) {
  constexpr llvm::StringLiteral remedies[] = {
      "fewer instructions: more results a thread, wider accesses, unrolled loops",
      "fewer operations on indices: unrolled loops, sizes that are constants",
      "fewer operations",
      "fewer operations, or single precision",
      "fewer reciprocals, roots and exponentials, or approximations of them",
      "fewer operations, or narrower types",
      "fewer passes: registers that are used again, wider accesses, no bank conflicts, coalescing",
      "fewer sectors: larger tiles in shared memory, coalescing",
      "fewer bytes: each element once, narrower types",
      "fewer updates of one word: sums of warps and of blocks first, fewer blocks",
      "fewer clusters: more work for each",
      "more work at a time: more blocks or warps, loads ahead of their use, fewer barriers"};
  return remedies[static_cast<size_t>(bound)];
}

std::string to_string(const LaunchTime& time) {
  return fmt::format("about {:.3g} ms, bound by {}", time.seconds * 1e3, name(time.bound()).str());
}

}  // namespace hone
