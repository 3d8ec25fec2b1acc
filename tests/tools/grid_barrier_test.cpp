// Samples of the blocks of kernels that wait for the whole grid, and of others in the same file.
#include "command.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace grid_barrier_test {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* text = R"(#include <cooperative_groups.h>
__global__ void shift(int* x) {
  int next = x[(blockIdx.x + 1) % gridDim.x];
  cooperative_groups::this_grid().sync();
  x[blockIdx.x] = next;
}
__global__ void fill(int* x) { x[blockIdx.x] = 1; }
)";

class GridBarriers : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    write_new_file(folder_.file("grid.cu"), text);
  }
  /// Of 16 blocks, two are asked for.
  CommandResult with_two_blocks(const char* command, const std::string& kernel) const {
    return hone({command, folder_.file("grid.cu"), "--kernel=" + kernel, "--grid=16", "--block=1",
                 "--arg=i32:ones:16", "--blocks=2"});
  }

  TemporaryFolder folder_;
};

TEST_F(GridBarriers, HaveAllBlocksRun) {
  const char* const note = "note: all 16 blocks run: they wait for each other\n";
  const CommandResult checked = with_two_blocks("check", "shift");
  EXPECT_EQ(checked.complained, note);
  EXPECT_THAT(checked.printed, EndsWith("shift: no findings in 16 blocks of 1 thread\n"));
  EXPECT_THAT(with_two_blocks("counters", "shift").complained, HasSubstr(note));
}

TEST_F(GridBarriers, LeaveOtherKernelsTheirSamples) {
  const CommandResult checked = with_two_blocks("check", "fill");
  EXPECT_EQ(checked.complained, "");
  EXPECT_THAT(checked.printed, EndsWith("fill: no findings in 2 of 16 blocks of 1 thread\n"));
}

}  // namespace grid_barrier_test
}  // namespace hone
