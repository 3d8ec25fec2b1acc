#include "bench/estimates/estimates.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/estimate/rank_correlation.h"

namespace hone {
namespace {

constexpr int64_t counted_blocks = 4;

double to_three_digits(double number) { return std::stod(fmt::format("{:.3g}", number)); }

double ratio(const RungEstimate& rung) { return rung.estimated / rung.measured; }

bool is_closer_to_nothing(const RungEstimate& lhs, const RungEstimate& rhs) {
  return ratio(lhs) < ratio(rhs);
}

}  // namespace

double RunEstimates::rank_correlation() const {
  std::vector<double> measured, estimated;
  for (const RungEstimate& rung : rungs) {
    measured.push_back(rung.measured);
    estimated.push_back(to_three_digits(rung.estimated));
  }
  return hone::rank_correlation(estimated, measured);
}

double RunEstimates::mean_ratio() const {
  double sum = 0;
  for (const RungEstimate& rung : rungs) sum += std::log(ratio(rung));
  return std::exp(sum / static_cast<double>(rungs.size()));
}

double RunEstimates::least_ratio() const {
  return ratio(*std::min_element(rungs.begin(), rungs.end(), is_closer_to_nothing));
}

double RunEstimates::largest_ratio() const {
  return ratio(*std::max_element(rungs.begin(), rungs.end(), is_closer_to_nothing));
}

RunEstimates estimate_run(const Ladder& ladder, const MeasuredRun& run, const Gpu& gpu,
                          double longest) {
  RunEstimates estimates = {ladder.name, gpu.name, run.sizes, {}, {}};
  const ProfileTarget target = {gpu.arch, &gpu};
  for (const Rung& rung : ladder.rungs) {
    const MeasuredRung* const measured = run.of(rung.name);
    if (rung.target != RungTarget::gpu || !measured) continue;
    std::optional<EstimatedTime> time;
    if (measured->milliseconds <= longest)
      time = time_of(profile_rung({&ladder, &rung}, run.sizes, /*seed=*/1,
                                  {.most_blocks = counted_blocks}, target));
    if (time)
      estimates.rungs.push_back(
          {rung.name, measured->milliseconds, time->time.seconds * 1e3, time->time.bound()});
    else
      estimates.left_out.push_back(rung.name);
  }
  return estimates;
}

std::string summary_line(const RunEstimates& run) {
  const double correlation = run.rank_correlation();
  return fmt::format("| {}, {} | {} | {} | {:.2f} | {:.2f} to {:.2f} |\n", run.ladder,
                     to_text(run.sizes), run.rungs.size(),
                     std::isnan(correlation) ? "-" : fmt::format("{:.2f}", correlation),
                     run.mean_ratio(), run.least_ratio(), run.largest_ratio());
}

std::string rung_table(const RunEstimates& run) {
  std::vector<RungEstimate> rungs = run.rungs;
  llvm::stable_sort(rungs, [](const RungEstimate& lhs, const RungEstimate& rhs) {
    return lhs.measured < rhs.measured;
  });
  std::string text =
      "| rung | measured, ms | estimated, ms | ratio | bound by |\n"
      "|---|---|---|---|---|\n";
  for (const RungEstimate& rung : rungs)
    text += fmt::format("| {} | {:.4g} | {:.3g} | {:.2f} | {} |\n", rung.rung, rung.measured,
                        rung.estimated, ratio(rung), name(rung.bound).str());
  for (const std::string& rung : run.left_out) text += fmt::format("| {} | | | | |\n", rung);
  return text;
}

}  // namespace hone
