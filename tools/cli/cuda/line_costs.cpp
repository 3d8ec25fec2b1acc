#include "tools/cli/cuda/line_costs.h"

#include <algorithm>
#include <map>

#include "llvm/ADT/STLExtras.h"
#include "tools/cli/cuda/kernel_result.h"

namespace hone {
namespace {

/// The least part of a launch that is worth a line of a table.
constexpr double least_part_of_line = 0.05;
constexpr size_t most_lines = 8;

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

/// The pipes of a multiprocessor for arithmetic.
constexpr std::pair<LaunchResource, ptx::Pipe> arithmetic_pipes[] = {
    {LaunchResource::integer, ptx::Pipe::alu},
    {LaunchResource::fp32, ptx::Pipe::fma},
    {LaunchResource::fp64, ptx::Pipe::fp64},
    {LaunchResource::special, ptx::Pipe::special},
    {LaunchResource::tensor, ptx::Pipe::tensor}};

std::optional<LaunchResource> busy_pipe(const KernelRun& run) {
  if (!run.estimate) return std::nullopt;
  const LaunchTime& time = run.estimate->time.time;
  const auto* const busiest = std::max_element(
      std::begin(arithmetic_pipes), std::end(arithmetic_pipes),
      [&](const auto& lhs, const auto& rhs) { return time[lhs.first] < time[rhs.first]; });
  if (time.share(busiest->first) < 0.5) return std::nullopt;
  return busiest->first;
}

double instructions_of(const ptx::LinePace& line, LaunchResource resource) {
  for (const auto& [of, pipe] : arithmetic_pipes)
    if (of == resource) return line.by_pipe[static_cast<size_t>(pipe)];
  return 0;
}

void add_pace(const KernelRun& run, std::optional<LaunchResource> pipe, CostsByPlace& costs) {
  if (!run.estimate) return;
  for (const ptx::LinePace& line : run.estimate->pace.lines) {
    LineCost& cost = cost_at(costs, line.file, line.line);
    cost.issue += line.instructions;
    cost.waits += line.clocks;
    if (pipe) cost.pipe += instructions_of(line, *pipe);
  }
}

void make_part(CostsByPlace& costs, double LineCost::*amount) {
  double all = 0;
  for (const auto& [place, cost] : costs) all += cost.*amount;
  for (auto& [place, cost] : costs) cost.*amount = all > 0 ? cost.*amount / all : 0;
}

double most_of(const LineCost& cost, const KernelRun& run, std::optional<LaunchResource> pipe) {
  if (!run.estimate) return std::max(cost.load_store, cost.l2);
  const LaunchTime& time = run.estimate->time.time;
  const auto part = [&](LaunchResource resource) { return time.share(resource); };
  return std::max({cost.issue * part(LaunchResource::issue), pipe ? cost.pipe * part(*pipe) : 0,
                   cost.load_store * part(LaunchResource::load_store),
                   cost.l2 * std::max(part(LaunchResource::l2), part(LaunchResource::dram)),
                   cost.waits * part(LaunchResource::latency)});
}

/// A column of the table.
struct CostColumn {
  std::string heading;
  double LineCost::*part;
};

std::vector<CostColumn> columns_of(const LineCosts& costs) {
  std::vector<CostColumn> columns;
  if (costs.have_time) columns.push_back({"instructions", &LineCost::issue});
  if (costs.pipe)
    columns.push_back({*costs.pipe == LaunchResource::special ? "special" : name(*costs.pipe).str(),
                       &LineCost::pipe});
  columns.push_back({"shared or L1", &LineCost::load_store});
  columns.push_back({"L2", &LineCost::l2});
  if (costs.have_time) columns.push_back({"waits", &LineCost::waits});
  return columns;
}

}  // namespace

LineCosts line_costs(const KernelRun& run) {
  LineCosts costs;
  costs.have_time = run.estimate.has_value();
  costs.pipe = busy_pipe(run);
  CostsByPlace by_place;
  add_accesses(run, by_place);
  add_pace(run, costs.pipe, by_place);
  for (double LineCost::*amount :
       {&LineCost::issue, &LineCost::pipe, &LineCost::load_store, &LineCost::l2, &LineCost::waits})
    make_part(by_place, amount);
  for (auto& [place, cost] : by_place) {
    cost.most = most_of(cost, run, costs.pipe);
    costs.lines.push_back(std::move(cost));
  }
  llvm::stable_sort(costs.lines,
                    [](const LineCost& lhs, const LineCost& rhs) { return lhs.most > rhs.most; });
  return costs;
}

std::string costs_text(const LineCosts& costs) {
  const std::vector<CostColumn> columns = columns_of(costs);
  SourceLines lines;
  std::string text;
  for (const CostColumn& column : columns) text += fmt::format("{:>13}", column.heading);
  text += "  line\n";
  for (const LineCost& cost : llvm::ArrayRef(costs.lines).take_front(most_lines)) {
    if (cost.most < least_part_of_line) continue;
    for (const CostColumn& column : columns)
      text += fmt::format("{:>11.0f} %", 100 * cost.*column.part);
    text += fmt::format("  {}:{}  {}\n", cost.site.file, cost.site.line, lines.of(cost.site));
  }
  return text;
}

llvm::json::Array costs_json(const LineCosts& costs) {
  SourceLines lines;
  llvm::json::Array all;
  for (const LineCost& cost : costs.lines) {
    llvm::json::Object line{{"file", cost.site.file},
                            {"line", cost.site.line},
                            {"text", llvm::json::fixUTF8(lines.of(cost.site))},
                            {"load_store", cost.load_store},
                            {"l2", cost.l2}};
    if (costs.have_time) {
      line["issue"] = cost.issue;
      line["waits"] = cost.waits;
    }
    if (costs.pipe) {
      line["pipe"] = name(*costs.pipe);
      line["pipe_part"] = cost.pipe;
    }
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace hone
