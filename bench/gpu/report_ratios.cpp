#include <cmath>
#include <map>

#include "bench/gpu/report.h"

namespace hone {
namespace {

/// The ratios of a rung.
struct Ratios {
  int count = 0, slower = 0, without = 0;
  double logarithms = 0, least = 0;
  std::string least_at;  ///< the size

  void add(const Comparison& comparison) {
    if (!comparison.times || !comparison.passed()) {
      ++without;
      return;
    }
    const double ratio = comparison.times->ratio.median;
    logarithms += std::log(ratio);
    slower += ratio < 1;
    if (count++ > 0 && ratio >= least) return;
    least = ratio;
    least_at = comparison.size;
  }
};

std::string line_of(const std::string& rung, const Ratios& ratios) {
  std::string text = fmt::format("{}: ", rung);
  if (ratios.count > 0)
    text += fmt::format("geometric mean of {} ratios {:.3f}, least {:.3f} at {}, {} below 1; ",
                        ratios.count, std::exp(ratios.logarithms / ratios.count), ratios.least,
                        ratios.least_at, ratios.slower);
  return text + fmt::format("{} sizes skipped, failed or wrong\n", ratios.without);
}

}  // namespace

std::string ratio_lines(const std::vector<Comparison>& comparisons) {
  std::map<std::string, Ratios> rungs;
  for (const Comparison& comparison : comparisons) rungs[comparison.name()].add(comparison);
  std::string text;
  for (const auto& [rung, ratios] : rungs) text += line_of(rung, ratios);
  return text;
}

}  // namespace hone
