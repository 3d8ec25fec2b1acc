// Estimated times of rungs beside the measured ones that ladders keep, as tables of Markdown: those
// of docs/estimates.md. No GPU is needed.
//
//   estimate_bench                        all ladders, some minutes
//   estimate_bench matmul softmax         these
//   estimate_bench --summary matmul       a line for each run
//   estimate_bench --longest=1000 matmul  with rungs of up to a second on the GPU; default 100 ms
#include <cstdio>

#include "bench/estimates/estimates.h"
#include "examples/ladders/ladders.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

const std::vector<Option> options = {
    {"--summary", "", "a line for each run"},
    {"--longest", "MS", "leaves out rungs that took longer on the GPU; default 100"}};

bool is_wanted(const Arguments& arguments, const std::string& ladder) {
  const auto& wanted = arguments.positional();
  return wanted.empty() || llvm::is_contained(wanted, ladder);
}

void print_run(const RunEstimates& run, bool is_summary) {
  if (is_summary)
    fmt::print("{}", summary_line(run));
  else
    fmt::print("\n{}, {}, {}: rank correlation {:.2f}\n\n{}", run.ladder, to_text(run.sizes),
               run.gpu, run.rank_correlation(), rung_table(run));
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  const double longest = std::stod(arguments.value("--longest").value_or("100"));
  const bool is_summary = arguments.has("--summary");
  if (is_summary)
    fmt::print(
        "| ladder, sizes | rungs | rank correlation | estimated / measured | least, most |\n"
        "|---|---|---|---|---|\n");
  for (const Ladder& ladder : all_ladders()) {
    if (!is_wanted(arguments, ladder.name)) continue;
    for (const MeasuredRun& measured : read_figures(ladder.figures, ladder)) {
      const Gpu* const gpu = gpu_of_device(measured.device_name());
      if (!gpu) continue;
      const RunEstimates estimates = estimate_run(ladder, measured, *gpu, longest);
      if (estimates.rungs.size() > 1) print_run(estimates, is_summary);
    }
  }
  return 0;
}

}  // namespace
}  // namespace hone

int main(int count, char** words) {
  try {
    const std::vector<std::string> arguments(words + 1, words + count);
    return hone::run(hone::Arguments(arguments, hone::options));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
