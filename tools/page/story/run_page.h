// The speeds of the rungs at the sizes of a run.
#pragma once

#include "tools/page/chart.h"
#include "tools/page/story/standing.h"

namespace hone {

/// A chart, and the place of each rung.
struct RunPage {
  Sizes sizes;
  std::string label;  ///< "M=4096 N=4096", with the GPU where that is not the one of the first
  SpeedChart chart;   ///< of all rungs, in their order
  std::vector<RungStanding> standings;  ///< of all rungs, in their order
  std::vector<size_t> order;            ///< of the rungs in a table
};

/// Of each run, that at `sizes` first: where there is none, its rungs are not measured.
std::vector<RunPage> run_pages(const Ladder& ladder, const Sizes& sizes,
                               llvm::ArrayRef<MeasuredRun> runs, const AllowedParts& allowed,
                               const Gpu* gpu);

/// The bars of the main line alone, or all where it has none.
SpeedChart main_line_of(const RunPage& run);

}  // namespace hone
