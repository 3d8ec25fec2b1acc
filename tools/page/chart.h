// A chart of the speed of each rung, beside the least that the computation needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/model/gpus.h"
#include "tools/cli/measured.h"
#include "tools/page/markup.h"

namespace hone {

struct SpeedBar {
  std::string rung;
  std::string anchor;  ///< of the rung in the page
  double speed = 0;    ///< in the chart's unit; 0: not measured
  double allowed = 0;  ///< the speed that the rung's own requests allow; 0: not known
  bool is_host = false;
};

struct SpeedChart {
  std::string caption;  ///< device, driver, date and sizes; or why nothing is measured
  std::string unit;     ///< "GFLOP/s" or "GB/s": what the bound is of
  double bound = 0;     ///< no rung can be faster on that GPU; 0: not known
  std::string bound_text;
  std::vector<SpeedBar> bars;  ///< of all rungs, in their order

  bool is_measured() const;
};

/// The part of the bound that each rung's own requests allow, in the order of the rungs: 0 to 1, or
/// nothing where that is not known.
using AllowedParts = std::vector<std::optional<double>>;

/// The speeds at `sizes`, which are those of `run`; without a run, those that the rungs' requests
/// allow on `gpu`, which may be null.
SpeedChart speed_chart(const Ladder& ladder, const Sizes& sizes, const MeasuredRun* run,
                       const AllowedParts& allowed, const Gpu* gpu);

/// The least seconds that the ladder's computation takes: of its operations, or of its bytes. 0
/// where they are not known.
double least_seconds(const Ladder& ladder, const Sizes& sizes, const Gpu& gpu);

/// A picture of at least one bar, for a file: with colours of its own and no links.
Markup to_svg(const SpeedChart& chart);

/// "vectorized: 34,844 GFLOP/s, 52 % of the bound; its own requests allow 100 %"
std::string description(const SpeedBar& bar, const SpeedChart& chart);

/// The number behind a bar, or words in its place.
std::string value_text(const SpeedBar& bar, const SpeedChart& chart);

/// The largest speed of a bar, or the bound: the length of all others is a part of it.
double largest_speed(const SpeedChart& chart);

/// The names of a ladder's rungs as ids of HTML, each another one: "rung-thread-2d".
std::vector<std::string> anchors_of(const Ladder& ladder);

/// "34,844 GFLOP/s"
std::string speed_text(double speed, const std::string& unit);

}  // namespace hone
