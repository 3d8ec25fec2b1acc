#include "tools/page/story/run_page.h"

#include "llvm/ADT/STLExtras.h"
#include "tools/cli/judge/selection.h"

namespace hone {
namespace {

RunPage run_page(const Ladder& ladder, const Sizes& sizes, const MeasuredRun* run,
                 const AllowedParts& allowed, const Gpu* gpu) {
  RunPage page;
  page.sizes = sizes;
  page.label = to_text(sizes);
  page.chart = speed_chart(ladder, sizes, run, allowed, gpu);
  page.standings = standings_of(ladder, run);
  page.order = table_order(ladder, page.standings);
  return page;
}

}  // namespace

std::vector<RunPage> run_pages(const Ladder& ladder, const Sizes& sizes,
                               llvm::ArrayRef<MeasuredRun> runs, const AllowedParts& allowed,
                               const Gpu* gpu) {
  std::vector<RunPage> pages;
  if (!first_run_at(runs, sizes)) pages.push_back(run_page(ladder, sizes, nullptr, allowed, gpu));
  for (const MeasuredRun& run : runs) {
    const bool is_counted = run.sizes == sizes;
    pages.push_back(run_page(ladder, run.sizes, &run, is_counted ? allowed : AllowedParts(), gpu));
    if (run.device_name() != runs.front().device_name())
      pages.back().label += ", " + run.device_name();
  }
  return pages;
}

SpeedChart main_line_of(const RunPage& run) {
  SpeedChart chart = run.chart;
  chart.bars.clear();
  for (size_t n = 0; n < run.standings.size(); ++n)
    if (run.standings[n].line == RungLine::main) chart.bars.push_back(run.chart.bars[n]);
  return chart.bars.empty() ? run.chart : chart;
}

}  // namespace hone
