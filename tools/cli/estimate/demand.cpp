#include "tools/cli/estimate/demand.h"

#include <algorithm>
#include <map>
#include <string>

namespace hone {
namespace {

constexpr double sector_bytes = 32;
/// Clocks that a load of global memory keeps the pipe of L1 and shared memory, for each line: its
/// addresses are twice as long.
constexpr double passes_of_global_load = 1.2;
/// The cost of a jump from one stretch of DRAM to another, in bytes.
constexpr double bytes_of_jump = 4;

double amount(int64_t count) { return static_cast<double>(count); }

const MemoryCounts& total(const ptx::LaunchCounts& counts, AccessClass access_class) {
  return counts.totals[static_cast<size_t>(access_class)];
}

/// Bytes that the loads, or the stores, of each array move beyond L1.
std::map<std::string, double> bytes_beyond_l1(const ptx::LaunchCounts& counts, bool are_stores) {
  std::map<std::string, double> bytes;
  for (const ptx::AccessCounts& access : counts.accesses) {
    const bool is_store = access.access_class == AccessClass::global_store;
    const bool is_load = access.access_class == AccessClass::global_load;
    if (are_stores ? !is_store : !is_load) continue;
    const int64_t sectors = is_store ? access.counts.sectors : access.cache.missed_sectors;
    bytes[access.array] += amount(sectors) * sector_bytes + amount(access.counts.engine_bytes);
  }
  return bytes;
}

/// Each byte of an array once.
double bytes_of_dram(const ptx::LaunchCounts& counts, bool are_stores,
                     BytesOfArray bytes_of_array) {
  double bytes = 0;
  for (const auto& [array, moved] : bytes_beyond_l1(counts, are_stores)) {
    const double known = amount(bytes_of_array(array));
    bytes += known > 0 ? std::min(moved, known) : moved;
  }
  return bytes;
}

double l2_bytes(const ptx::LaunchCounts& counts) {
  double all = 0;
  for (size_t n = 0; n < access_classes; ++n)
    all += l2_bytes_of(static_cast<AccessClass>(n), counts.totals[n], counts.cache);
  return all;
}

/// Bytes that blocks load again and L2 no longer has.
double bytes_loaded_again(const Gpu& gpu, const LaunchBlocks& blocks,
                          const ptx::LaunchCounts& counts) {
  const MemoryCounts& stores = total(counts, AccessClass::global_store);
  const double first = amount(counts.cache.first_sectors) * sector_bytes;
  const int64_t at_work = std::min(blocks.resident * gpu.multiprocessors, blocks.all);
  const double in_use =
      (first + amount(stores.lane_bytes())) * amount(at_work) / amount(blocks.all);
  const double capacity = gpu.l2_mb * (1 << 20) / 2;
  if (capacity == 0 || in_use <= capacity) return 0;
  const double again = amount(counts.cache.missed_sectors) * sector_bytes - first;
  return (1 - capacity / in_use) * std::max(again, 0.0);
}

double dram_bytes(const Gpu& gpu, const LaunchBlocks& blocks, const ptx::LaunchCounts& counts,
                  BytesOfArray bytes_of_array) {
  const double bytes = bytes_of_dram(counts, false, bytes_of_array) +
                       bytes_of_dram(counts, true, bytes_of_array) +
                       bytes_loaded_again(gpu, blocks, counts);
  const double first = amount(counts.cache.first_sectors) * sector_bytes;
  const double jumps = first > 0 ? amount(counts.cache.stretches) / first : 0;  // of a byte
  return bytes * (1 + bytes_of_jump * jumps);
}

double of_pipe(const ptx::BlockPace& pace, ptx::Pipe pipe) {
  return pace.by_pipe[static_cast<size_t>(pipe)];
}

/// Operations of a multiprocessor in a clock.
double per_clock(const Gpu& gpu, double tflops) {
  return tflops * 1e3 / (gpu.clock_ghz * gpu.multiprocessors);
}

/// Clocks for a block. Schedulers issue four instructions of warps; integers have 64 lanes, special
/// functions 16.
void add_pipes(const Gpu& gpu, const ptx::BlockPace& pace, LaunchDemand& demand) {
  constexpr double lanes = 32, flops = 2 * lanes;
  demand[LaunchResource::issue] = pace.instructions / 4;
  demand[LaunchResource::integer] = of_pipe(pace, ptx::Pipe::alu) / 2;
  demand[LaunchResource::fp32] = of_pipe(pace, ptx::Pipe::fma) * lanes / gpu.fp32_per_clock;
  demand[LaunchResource::special] = of_pipe(pace, ptx::Pipe::special) * 2;
  if (gpu.fp64_tflops > 0)
    demand[LaunchResource::fp64] =
        of_pipe(pace, ptx::Pipe::fp64) * flops / per_clock(gpu, gpu.fp64_tflops);
  if (gpu.tensor_tflops > 0)
    demand[LaunchResource::tensor] = pace.products * 2 / per_clock(gpu, gpu.tensor_tflops);
}

double passes(const ptx::LaunchCounts& counts) {
  double all = amount(counts.local_requests);  // neighbouring lanes have neighbouring words
  for (size_t n = 0; n < access_classes; ++n)
    all += passes_of(static_cast<AccessClass>(n), counts.totals[n]);
  return all;
}

/// Blocks with little to do take no place, unless there are too few for all.
int64_t blocks_at_work(const Gpu& gpu, const LaunchBlocks& blocks,
                       const ptx::LaunchCounts& counts) {
  const bool have_places = counts.busy_blocks < blocks.resident * gpu.multiprocessors;
  return have_places ? std::max<int64_t>(counts.busy_blocks, 1) : blocks.all;
}

}  // namespace

double passes_of(AccessClass access_class, const MemoryCounts& counts) {
  const bool is_load = access_class == AccessClass::global_load;
  return amount(counts.passes()) * (is_load ? passes_of_global_load : 1);
}

double l2_bytes_of(AccessClass access_class, const MemoryCounts& counts,
                   const ptx::CacheCounts& cache) {
  switch (access_class) {
    case AccessClass::global_load:
      return sector_bytes * amount(cache.missed_sectors) + amount(counts.engine_bytes);
    case AccessClass::global_store: {
      const double all = amount(counts.sectors);
      const double filled = std::min(all, amount(counts.lane_bytes()) / sector_bytes);
      return 2 * sector_bytes * (filled + 2 * (all - filled)) + amount(counts.engine_bytes);
    }
    case AccessClass::global_atomic:
      return 4 * sector_bytes * amount(counts.bytes) / 4;
    case AccessClass::shared_load:
    case AccessClass::shared_store:
    case AccessClass::shared_atomic:
      return 0;
  }
  llvm_unreachable("unknown class of accesses");
}

double dram_share(const ptx::LaunchCounts& counts, BytesOfArray bytes_of_array) {
  const double missed = amount(counts.cache.missed_sectors) * sector_bytes;
  return missed > 0 ? std::min(bytes_of_dram(counts, false, bytes_of_array) / missed, 1.0) : 0;
}

LaunchDemand demand_of(const Gpu& gpu, const LaunchBlocks& blocks, const ptx::LaunchCounts& counts,
                       const ptx::BlockPace& pace, BytesOfArray bytes_of_array) {
  LaunchDemand demand;
  demand.blocks = blocks_at_work(gpu, blocks, counts);
  demand.blocks_per_sm = static_cast<int>(blocks.resident);
  demand.clocks_alone = pace.clocks;
  add_pipes(gpu, pace, demand);
  demand[LaunchResource::load_store] = passes(counts) / amount(demand.blocks);
  demand.l2_bytes = l2_bytes(counts);
  demand.dram_bytes = dram_bytes(gpu, blocks, counts, bytes_of_array);
  demand.updates = amount(counts.updates_of_word);
  demand.are_clustered = blocks.are_clustered;
  return demand;
}

}  // namespace hone
