#include "tools/cli/estimate/estimate.h"

#include <algorithm>
#include <functional>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/model/architecture.h"

namespace hone {
namespace {

/// Between the end of a launch and the begin of the next one in the stream.
constexpr double seconds_between_launches = 1e-6;
/// Eighths of the L1 cache that lines stay in; the others wait for lines on their way.
constexpr int64_t part_of_l1 = 7;

}  // namespace

EstimatedTime& EstimatedTime::operator+=(const EstimatedTime& other) {
  time.seconds += seconds_between_launches + other.time.seconds;
  time.seconds_without_blocks += seconds_between_launches + other.time.seconds_without_blocks;
  for (size_t n = 0; n < launch_resources; ++n) time.busy[n] += other.time.busy[n];
  warp_instructions += other.warp_instructions;
  leaves_out_waits |= other.leaves_out_waits;
  return *this;
}

double all_passes(const LaunchEstimate& estimate) {
  return estimate.demand.clocks[static_cast<size_t>(LaunchResource::load_store)] *
         static_cast<double>(estimate.demand.blocks);
}

LaunchEstimator::LaunchEstimator(const Gpu& gpu, const BlockResources& block,
                                 const LoadedLaunch& launch)
    : gpu_(gpu),
      block_(block),
      launch_(launch),
      fitting_(occupancy(gpu.arch, block).blocks_per_sm) {}

int64_t LaunchEstimator::l1_bytes() const {
  const ArchitectureLimits& limits = architecture_limits(gpu_.arch);
  const int64_t each = (launch_.blocks() + gpu_.multiprocessors - 1) / gpu_.multiprocessors;
  const int64_t resident = std::clamp<int64_t>(each, 1, fitting_);
  const int64_t bytes = limits.shared_bytes_per_sm + limits.l1_bytes_per_sm;
  return std::max<int64_t>(bytes / resident - block_.shared_bytes, 0) / 8 * part_of_l1;
}

std::optional<LaunchEstimate> LaunchEstimator::estimate(const ptx::LaunchCounts& counts) const {
  const auto bytes_of_array = [&](llvm::StringRef array) {
    return launch_.module.memory().bytes_of(array);
  };
  const auto pace = ptx::pace_of_block(launch_.module, launch_.kernel, launch_.shape,
                                       launch_.params, counts, dram_share(counts, bytes_of_array));
  if (!pace) return std::nullopt;
  const LaunchDemand demand = demand_of(gpu_, {launch_.blocks(), fitting_, launch_.are_clustered()},
                                        counts, *pace, bytes_of_array);
  const EstimatedTime time = {launch_time(gpu_, demand),
                              pace->instructions * static_cast<double>(demand.blocks),
                              pace->leaves_out_waits};
  return LaunchEstimate{demand, *pace, time};
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

/// Resources that are busy for a tenth of the time at least, the busiest first: "issue slots 40 %,
/// L2 12 %"; "nothing" where there is none.
std::string shares_text(const LaunchTime& time) {
  std::vector<std::pair<double, size_t>> shares;
  for (size_t n = 0; n < launch_resources; ++n) {
    const auto resource = static_cast<LaunchResource>(n);
    const double share = time.share(resource);
    if (share >= 0.1 && resource != LaunchResource::latency) shares.emplace_back(share, n);
  }
  llvm::sort(shares, std::greater<>());
  std::vector<std::string> texts;
  texts.reserve(shares.size());
  for (const auto& [share, n] : shares)
    texts.push_back(
        fmt::format("{} {:.0f} %", name(static_cast<LaunchResource>(n)).str(), 100 * share));
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string to_string(const EstimatedTime& estimate, const std::string& indent) {
  const LaunchTime& time = estimate.time;
  std::string text = fmt::format("{}\n{}busy: {}\n{}to move it: {}", to_string(time), indent,
                                 shares_text(time), indent, remedy(time.bound()).str());
  if (estimate.leaves_out_waits)
    text += fmt::format("\n{}not in it: waits for the copy engine and for signals", indent);
  return text;
}

llvm::json::Value to_json(const Gpu& gpu, const EstimatedTime& estimate) {
  llvm::json::Array busy;
  for (size_t n = 0; n < launch_resources; ++n)
    busy.push_back(llvm::json::Object{{"resource", name(static_cast<LaunchResource>(n))},
                                      {"seconds", estimate.time.busy[n]}});
  return llvm::json::Object{{"gpu", gpu.name},
                            {"seconds", estimate.time.seconds},
                            {"bound", name(estimate.time.bound())},
                            {"busy", std::move(busy)},
                            {"warp_instructions", estimate.warp_instructions},
                            {"leaves_out_waits", estimate.leaves_out_waits}};
}

}  // namespace hone
