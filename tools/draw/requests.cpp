// Parts that the figures of requests have in common.
#include <numeric>

#include "fmt/format.h"
#include "runtime/sim/lanes.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

/// Sectors, or wavefronts.
int64_t cost_of(const RequestPattern& pattern) {
  return pattern.each.sectors + pattern.each.wavefronts;
}

bool is_alike(const RecordedAccess& lhs, const RecordedAccess& rhs) {
  return lhs.report.tensor->name == rhs.report.tensor->name &&
         lhs.report.access_class == rhs.report.access_class &&
         lhs.other_requests == rhs.other_requests &&
         std::equal(lhs.patterns.begin(), lhs.patterns.end(), rhs.patterns.begin(),
                    rhs.patterns.end(), [](const RequestPattern& one, const RequestPattern& other) {
                      return one.count == other.count && has_same_shape(one.request, other.request);
                    });
}

void add_accesses(std::vector<AlikeAccesses>& groups, const RecordedKernel& kernel,
                  llvm::function_ref<bool(AccessClass)> wanted) {
  const size_t first_group = groups.size();
  const auto& accesses = kernel.report.accesses;
  for (size_t number = 0; number < accesses.size(); ++number) {
    const RecordedAccess& access = accesses[number];
    if (!wanted(access.report.access_class) || access.patterns.empty()) continue;
    const auto group =
        std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(first_group), groups.end(),
                     [&](const AlikeAccesses& one) { return is_alike(one.first(), access); });
    if (group != groups.end())
      group->numbers.push_back(static_cast<int>(number));
    else
      groups.push_back({&kernel, {static_cast<int>(number)}});
  }
}

}  // namespace

std::vector<AlikeAccesses> alike_accesses(const RecordedRun& run,
                                          llvm::function_ref<bool(AccessClass)> wanted) {
  std::vector<AlikeAccesses> groups;
  for (const RecordedKernel& kernel : run.kernels) add_accesses(groups, kernel, wanted);
  return groups;
}

int64_t AlikeAccesses::requests() const {
  return first().report.counts.requests * static_cast<int64_t>(numbers.size());
}

std::string AlikeAccesses::subject() const {
  return fmt::format("{}, {}", tensor().name(), to_string(first().report.access_class));
}

std::string AlikeAccesses::source() const {
  const std::string text = first().report.text;
  if (numbers.size() == 1) return text;
  return fmt::format("{} and {} with the same requests", text,
                     amount(static_cast<int64_t>(numbers.size()) - 1, "other access"));
}

std::string text_of(const RequestPattern& pattern) {
  return fmt::format("warp {} of block {}", pattern.warp, triple(pattern.block));
}

std::vector<int> lanes_of(uint32_t lanes) {
  std::vector<int> numbers;
  for (int lane = 0; lane < warp_lanes; ++lane)
    if ((lanes >> lane & 1) != 0) numbers.push_back(lane);
  return numbers;
}

Figure begin_request_figure(const RecordedRun& run, const AlikeAccesses& accesses,
                            const RequestPattern& pattern, std::string_view kind) {
  Figure figure;
  figure.kind = kind;
  figure.kernel = accesses.kernel->kernel->name;
  figure.subject = accesses.subject();
  figure.title = run.kernels.size() == 1 ? figure.subject
                                         : fmt::format("{}: {}", figure.kernel, figure.subject);
  figure.accesses = accesses.numbers;
  figure.facts["lanes"] = static_cast<double>(lanes_of(pattern.request.active).size());
  figure.facts["bytes"] = static_cast<double>(pattern.each.bytes);
  figure.facts["requests"] = static_cast<double>(accesses.requests());
  figure.facts["requests_alike"] =
      static_cast<double>(pattern.count * static_cast<int64_t>(accesses.numbers.size()));
  return figure;
}

FigurePanel lanes_panel(const AlikeAccesses& accesses, const RequestPattern& pattern) {
  FigurePanel panel(fmt::format("the lanes of {}", text_of(pattern)), 1, warp_lanes);
  for (int lane = 0; lane < warp_lanes; ++lane) {
    FigureCell& cell = panel.at(0, lane);
    cell.is_there = true;
    const int64_t thread = pattern.warp * warp_lanes + lane;
    if ((pattern.request.active >> lane & 1) == 0) {
      cell.text = "-";
      cell.tip = fmt::format("lane {} asks for nothing", lane);
      continue;
    }
    cell.text = std::to_string(lane);
    cell.value = pattern.request.addresses[lane];
    cell.tip = fmt::format("lane {}, thread {}: {} from byte {} on", lane,
                           triple(accesses.kernel->thread(thread)),
                           amount(pattern.request.width, "byte"), grouped(cell.value));
  }
  return panel;
}

std::string share_text(const AlikeAccesses& accesses, const RequestPattern& pattern) {
  const int64_t all = accesses.requests();
  int64_t alike = 0;
  for (const RequestPattern& other : accesses.first().patterns)
    if (cost_of(other) == cost_of(pattern)) alike += other.count;
  alike *= static_cast<int64_t>(accesses.numbers.size());
  const RecordReport& report = accesses.kernel->report;
  const std::string where = report.recorded_blocks == report.blocks()
                                ? ""
                                : fmt::format(" of {}", amount(report.recorded_blocks, "block"));
  if (all == 1) return fmt::format("It is the only request{}.", where);
  if (all == alike) return fmt::format("All {} requests{} cost as much.", grouped(all), where);
  return fmt::format("Of the {} requests{}, {} {} as much.", grouped(all), where, grouped(alike),
                     alike == 1 ? "costs" : "cost");
}

std::vector<size_t> drawn_patterns(const RecordedAccess& access, bool is_all) {
  std::vector<size_t> numbers(access.patterns.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (is_all || numbers.empty()) return numbers;
  std::map<int64_t, int64_t> requests;
  for (const RequestPattern& pattern : access.patterns) requests[cost_of(pattern)] += pattern.count;
  const auto first_of = [&](int64_t cost) {
    return *llvm::find_if(numbers,
                          [&](size_t number) { return cost_of(access.patterns[number]) == cost; });
  };
  const auto [usual, most] =
      *std::max_element(requests.begin(), requests.end(),
                        [](const auto& lhs, const auto& rhs) { return lhs.second < rhs.second; });
  const int64_t worst = requests.rbegin()->first;
  std::vector<size_t> drawn = {first_of(usual)};
  if (worst >= 2 * usual) drawn.push_back(first_of(worst));
  return drawn;
}

}  // namespace hone
