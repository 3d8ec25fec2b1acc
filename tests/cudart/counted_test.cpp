#include "runtime/cudart/counted.h"

#include "gmock/gmock.h"

namespace hone::cudart {
namespace counted_test {

using testing::HasSubstr;
using testing::Not;

/// A launch with so many requests of one sector for loads of global memory.
ptx::Report report_of(int64_t requests, bool is_compiled = true, int64_t blocks = 1) {
  ptx::Report report;
  report.blocks = report.run_blocks = blocks;
  report.counts.is_compiled = is_compiled;
  MemoryCounts& loads = report.counts.totals[static_cast<size_t>(AccessClass::global_load)];
  loads.requests = loads.sectors = requests;
  return report;
}

TEST(CudartCounted, NothingIsToldOfNoLaunch) { EXPECT_EQ(CountedLaunches().text(), ""); }

TEST(CudartCounted, EqualLaunchesAreToldOnceAndOthersSummedUp) {
  CountedLaunches counted;
  for (const int64_t requests : {5, 5}) counted.add("_Z3addv", {}, report_of(requests));
  EXPECT_THAT(counted.text(), HasSubstr("\nadd(): grid (1, 1, 1), block (1, 1, 1), 2 launches, "
                                        "each\n"));
  EXPECT_THAT(counted.text(), HasSubstr("global_load_sectors                     5  "));
  counted.add("_Z3addv", {}, report_of(7));
  counted.add("_Z3addv", {}, report_of(7));
  EXPECT_THAT(counted.text(), HasSubstr("4 launches, all together\n"));
  EXPECT_THAT(counted.text(), HasSubstr("global_load_sectors                    24  "));
}

TEST(CudartCounted, ShapesAreToldApartAndMachineCodeIsThatOfAll) {
  CountedLaunches counted;
  counted.add("one", {}, report_of(5));
  EXPECT_THAT(counted.text(), HasSubstr("as machine code of ptxas has them\n"));
  counted.add("one", {{2, 1, 1}, {32, 1, 1}}, report_of(5, false, 2));
  EXPECT_THAT(counted.text(), HasSubstr("as PTX has them"));
  EXPECT_THAT(counted.text(), HasSubstr("\none: grid (2, 1, 1), block (32, 1, 1), 1 launch\n"));
  EXPECT_THAT(counted.text(), Not(HasSubstr("2 launches")));
}

}  // namespace counted_test
}  // namespace hone::cudart
