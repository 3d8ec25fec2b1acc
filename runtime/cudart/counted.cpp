#include "runtime/cudart/counted.h"

#include "fmt/ranges.h"
#include "runtime/cudart/findings.h"
#include "runtime/ptx/count/totals.h"

namespace hone::cudart {
namespace {

void add_to(CountReport& sum, const CountReport& report) {
  for (size_t n = 0; n < access_classes; ++n) sum.totals[n] += report.totals[n];
  sum.branch_total += report.branch_total;
  sum.shuffles += report.shuffles;
  sum.barriers += report.barriers;
}

}  // namespace

void CountedLaunches::add(const std::string& kernel, const ptx::LaunchShape& shape,
                          const ptx::Report& report) {
  CountReport counts = ptx::totals_of(report.counts, shape, demangled(kernel), report.run_blocks);
  Group& group =
      groups_[fmt::format("{} {} {} {}", kernel, shape.grid, shape.block, shape.dynamic_shared)];
  if (++group.launches == 1) {
    group.sum = counts;
  } else {
    add_to(group.sum, counts);
    group.are_equal &= ptx::counters_text(counts) == ptx::counters_text(group.last);
  }
  group.last = std::move(counts);
  are_compiled_ &= report.counts.is_compiled;
}

std::string CountedLaunches::text() const {
  if (groups_.empty()) return "";
  std::string text = are_compiled_ ? "requests as machine code of ptxas has them\n"
                                   : "requests as PTX has them; ptxas may merge or drop some\n";
  for (const auto& [key, group] : groups_) {
    const CountReport& shown = group.are_equal ? group.last : group.sum;
    text += fmt::format("\n{}, {} launch{}{}\n{}", shown.heading(), group.launches,
                        group.launches == 1 ? "" : "es",
                        group.launches == 1 ? ""
                        : group.are_equal   ? ", each"
                                            : ", all together",
                        ptx::counters_text(shown));
  }
  return text;
}

}  // namespace hone::cudart
