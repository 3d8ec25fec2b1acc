#include "runtime/nvrtc/ptxas.h"

#include "gmock/gmock.h"

namespace hone {
namespace ptxas_test {

constexpr const char* log_of_two_kernels = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_75'
ptxas info    : Function properties for k
ptxas         .     128 bytes stack frame, 156 bytes spill stores, 172 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 128 bytes cumulative stack size, 360 bytes cmem[0]
ptxas info    : Compile time = 19.541 ms
ptxas info    : Compiling entry function '_Z1qv' for 'sm_75'
ptxas info    : Function properties for _Z1qv
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 5 registers, used 0 barriers, 80000 bytes smem, 352 bytes cmem[0]
)";

TEST(Ptxas, ReadsTheResourcesOfEachKernel) {
  const std::vector<PtxasInfo> kernels = parse_ptxas_log(log_of_two_kernels);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "k");
  EXPECT_EQ(kernels[0].registers, 64);
  EXPECT_EQ(kernels[0].barriers, 1);
  EXPECT_EQ(kernels[0].stack_bytes, 128);
  EXPECT_EQ(kernels[0].spill_store_bytes, 156);
  EXPECT_EQ(kernels[0].spill_load_bytes, 172);
  EXPECT_EQ(kernels[0].shared_bytes, 0);
  EXPECT_TRUE(kernels[0].spills());
  EXPECT_EQ(kernels[1].kernel, "_Z1qv");
  EXPECT_EQ(kernels[1].registers, 5);
  EXPECT_EQ(kernels[1].shared_bytes, 80000);
  EXPECT_FALSE(kernels[1].spills());
}

TEST(Ptxas, TakesALogThatSaysNothing) {
  EXPECT_TRUE(parse_ptxas_log("").empty());
  EXPECT_TRUE(parse_ptxas_log("ptxas info    : Used 64 registers\n").empty());
  EXPECT_EQ(parse_ptxas_log("Compiling entry function 'k' for\nptxas : Used registers").size(), 1u);
}

TEST(Ptxas, CollectsWarnings) {
  const std::string serialized =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized due to insufficient register resources for the wgmma pipeline in 'k'";
  const std::string unused = "k.cu(3): warning #177-D: variable \"x\" was declared but never used";
  EXPECT_THAT(parse_warnings(unused + "\n\n" + serialized + "\nptxas info    : Used 9 registers\n"),
              testing::ElementsAre(unused, serialized));
  EXPECT_TRUE(parse_warnings(log_of_two_kernels).empty());
}

}  // namespace ptxas_test
}  // namespace hone
