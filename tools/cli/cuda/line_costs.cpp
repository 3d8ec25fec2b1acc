#include "tools/cli/cuda/line_costs.h"

#include <algorithm>
#include <map>

#include "llvm/ADT/STLExtras.h"
#include "tools/cli/cuda/kernel_counts.h"
#include "tools/cli/cuda/kernel_result.h"

namespace hone {
namespace {

/// The least part of a launch that is worth a line of a table.
constexpr double least_part_of_line = 0.05;

using CostsByPlace = std::map<std::pair<std::string, int>, LineCost>;

LineCost& cost_at(CostsByPlace& costs, const std::string& file, int line) {
  LineCost& cost = costs[{file, line}];
  cost.site.file = file;
  cost.site.line = line;
  return cost;
}

void add_accesses(const KernelRun& run, CostsByPlace& costs) {
  for (const ptx::AccessCounts& access : run.report.counts.accesses) {
    LineCost& cost = cost_at(costs, access.site.file, access.site.line);
    cost.load_store += passes_of(access.access_class, access.counts);
    cost.l2 += l2_bytes_of(access.access_class, access.counts, access.cache);
  }
}

void add_pace(const KernelRun& run, CostsByPlace& costs) {
  if (!run.estimate) return;
  for (const ptx::LinePace& line : run.estimate->pace.lines) {
    LineCost& cost = cost_at(costs, line.file, line.line);
    cost.issue += line.instructions;
    cost.waits += line.clocks;
  }
}

void make_part(CostsByPlace& costs, double LineCost::*amount) {
  double all = 0;
  for (const auto& [place, cost] : costs) all += cost.*amount;
  for (auto& [place, cost] : costs) cost.*amount = all > 0 ? cost.*amount / all : 0;
}

double most_of(const LineCost& cost, const KernelRun& run) {
  if (!run.estimate) return std::max(cost.load_store, cost.l2);
  const LaunchTime& time = run.estimate->time.time;
  const auto part = [&](LaunchResource resource) {
    return std::min(time[resource] / time.seconds, 1.0);
  };
  return std::max({cost.issue * part(LaunchResource::issue),
                   cost.load_store * part(LaunchResource::load_store),
                   cost.l2 * std::max(part(LaunchResource::l2), part(LaunchResource::dram)),
                   cost.waits * part(LaunchResource::latency)});
}

}  // namespace

std::vector<LineCost> line_costs(const KernelRun& run) {
  CostsByPlace by_place;
  add_accesses(run, by_place);
  add_pace(run, by_place);
  for (double LineCost::*amount :
       {&LineCost::issue, &LineCost::load_store, &LineCost::l2, &LineCost::waits})
    make_part(by_place, amount);
  std::vector<LineCost> costs;
  for (auto& [place, cost] : by_place) {
    cost.most = most_of(cost, run);
    costs.push_back(std::move(cost));
  }
  llvm::stable_sort(costs,
                    [](const LineCost& lhs, const LineCost& rhs) { return lhs.most > rhs.most; });
  return costs;
}

std::string costs_text(llvm::ArrayRef<LineCost> costs, size_t most_lines) {
  const auto percent = [](double part) { return fmt::format("{:.0f} %", 100 * part); };
  SourceLines lines;
  std::string text = fmt::format("{:>12} {:>12} {:>7} {:>7}  line\n", "instructions",
                                 "shared or L1", "L2", "waits");
  for (const LineCost& cost : costs.take_front(most_lines))
    if (cost.most >= least_part_of_line)
      text += fmt::format("{:>12} {:>12} {:>7} {:>7}  {}:{}  {}\n", percent(cost.issue),
                          percent(cost.load_store), percent(cost.l2), percent(cost.waits),
                          cost.site.file, cost.site.line, lines.of(cost.site));
  return text;
}

llvm::json::Array costs_json(llvm::ArrayRef<LineCost> costs) {
  SourceLines lines;
  llvm::json::Array all;
  for (const LineCost& cost : costs)
    all.push_back(llvm::json::Object{{"file", cost.site.file},
                                     {"line", cost.site.line},
                                     {"text", llvm::json::fixUTF8(lines.of(cost.site))},
                                     {"issue", cost.issue},
                                     {"load_store", cost.load_store},
                                     {"l2", cost.l2},
                                     {"waits", cost.waits}});
  return all;
}

}  // namespace hone
