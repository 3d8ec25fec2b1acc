#include "tools/page/story/problem.h"

#include "fmt/ranges.h"
#include "tools/cli/judge/selection.h"
#include "tools/cli/number_text.h"
#include "tools/draw/draw.h"
#include "tools/page/chart.h"

namespace hone {
namespace {

/// "137 GFLOP", "0.201 GB"
std::string billions(double amount, const char* unit) {
  return fmt::format("{:.3g} G{}", amount / 1e9, unit);
}

/// "at M=4096 N=4096: 137 GFLOP and at least 0.201 GB of memory"
std::string work_text(const Ladder& ladder, const Sizes& sizes) {
  std::vector<std::string> parts;
  if (ladder.flops) parts.push_back(billions(ladder.flops(sizes), "FLOP"));
  if (ladder.bytes)
    parts.push_back("at least " + billions(ladder.bytes(sizes), "B") + " to and from memory");
  if (parts.empty()) return "";
  return fmt::format("At {} that is {}.", to_text(sizes), fmt::join(parts, ", and "));
}

std::string least_time_text(const Ladder& ladder, const Sizes& sizes, const Gpu* gpu) {
  const double seconds = gpu ? least_seconds(ladder, sizes, *gpu) : 0;
  if (seconds <= 0) return "";
  return fmt::format(" No schedule can make an {} take less than {} ms for it.", gpu->name,
                     number_text(seconds * 1e3));
}

/// A picture of a program that has too many loops to be drawn is left out.
std::vector<PageDrawing> drawings_of_problem(const Function& program, const Sizes& sizes) {
  std::vector<PageDrawing> drawings;
  try {
    for (const Figure& figure : space_figures(program, sizes))
      drawings.push_back(page_drawing(figure));
  } catch (const std::exception&) {
    drawings.clear();
  }
  return drawings;
}

}  // namespace

ProblemPage problem_page(const Ladder& ladder, const Sizes& sizes, const Sizes& drawn_sizes,
                         const Gpu* gpu, llvm::ArrayRef<RungStanding> standings) {
  ProblemPage page;
  const Function program = ladder.program({}).function();
  page.definitions.assign(program.history.begin(), program.history.end());
  page.text = ladder.problem;
  page.amounts = work_text(ladder, sizes) + least_time_text(ladder, sizes, gpu);
  page.drawings = drawings_of_problem(program, drawn_sizes);
  page.plan = plan_text(ladder, standings);
  return page;
}

}  // namespace hone
