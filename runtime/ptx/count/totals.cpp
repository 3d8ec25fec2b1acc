#include "runtime/ptx/count/totals.h"

#include "fmt/format.h"
#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

CountReport totals_of(const LaunchCounts& counts, const LaunchShape& shape,
                      const std::string& kernel, int64_t run_blocks) {
  CountReport report;
  report.kernel = kernel;
  report.grid = shape.grid;
  report.block = shape.block;
  report.counted_blocks = run_blocks;
  report.totals = counts.totals;
  report.branch_total = {counts.branches, counts.divergent_branches};
  report.barriers = counts.barriers;
  report.shuffles = counts.shuffles;
  return report;
}

std::string counters_text(const CountReport& report) {
  std::string text;
  for (const Counter& counter : counters()) {
    const double value = counter.value(report);
    if (value == 0) continue;
    const std::string line =
        fmt::format("{:<27} {:>13}  {}", counter.name, counter_digits(value), counter.metric);
    text += llvm::StringRef(line).rtrim().str() + "\n";
  }
  return text;
}

llvm::json::Array counters_json(const CountReport& report) {
  llvm::json::Array all;
  for (const Counter& counter : counters())
    if (const double value = counter.value(report); value != 0)
      all.push_back(
          llvm::json::Object{{"name", counter.name}, {"value", value}, {"metric", counter.metric}});
  return all;
}

}  // namespace hone::ptx
