// The sizes at which the rungs of a page are counted.
#include "tools/page/count_plan.h"

#include "tests/tools/command.h"
#include "tools/cli/judge/rung_kernels.h"

namespace hone {
namespace count_plan_test {

/// The number of the sizes at which the page shows a rung that takes so many milliseconds, where
/// the one that it builds on takes 0.4, and a block has 1e8 operations.
size_t shown(double milliseconds) {
  Ladder ladder = small_axpy();
  ladder.flops = [](const Sizes& sizes) { return 1e8 * static_cast<double>(sizes.at("N")) / 128; };
  Rung again = ladder.rungs[1];
  again.name = "again";
  again.builds_on = "blocks";
  ladder.rungs.push_back(again);
  PageOptions options;
  options.runs = read_figures("[" + figure_row("blocks", "cuda:0", 0.4, 4096) + "," +
                                  figure_row("again", "cuda:0", milliseconds, 4096) + "]",
                              ladder);
  options.sizes = options.runs.front().sizes;
  options.count.most_blocks = 1;
  const Module module = kernels_of({&ladder, &ladder.rungs[1]}, {}, ladder.sizes).module, none;
  const CountPlan plan(ladder, options, {&none, &module, &module});
  EXPECT_EQ(plan.shown(1), plan.sizes().size() - 1) << "blocks takes long, and is no slower";
  return plan.shown(2);
}

TEST(CountPlan, CountsMoreWorkOfASlowerRung) {
  EXPECT_EQ(shown(0.8), 0u);
  EXPECT_EQ(shown(0.4), 1u);
  EXPECT_EQ(shown(0.2), 1u);
}

}  // namespace count_plan_test
}  // namespace hone
