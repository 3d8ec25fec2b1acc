#include "runtime/nvrtc/ptx_signature.h"

#include <gmock/gmock.h>

namespace hone {
namespace ptx_signature_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PtxSignatures, HaveTheBytesOfEachParameter) {
  const auto kernels = read_signatures(R"(.version 8.0
.func (.param .b32 out) helper(.param .b32 x) { ret; }
.visible .entry matmul(
	.param .u64 .ptr .global .align 1 matmul_param_0,
	.param .f64 matmul_param_1,
	.param .u32 matmul_param_2,
	.param .align 64 .b8 map[128]
)
.maxntid 256, 1, 1
{
	ret;
}
.entry nothing() { ret; }
.entry none { ret; }
)");
  ASSERT_EQ(kernels.size(), 3);
  EXPECT_EQ(kernels[0].name, "matmul");
  EXPECT_THAT(kernels[0].param_bytes, ElementsAre(8, 8, 4, 128));
  EXPECT_EQ(kernels[1].name, "nothing");
  EXPECT_THAT(kernels[1].param_bytes, IsEmpty());
  EXPECT_THAT(kernels[2].param_bytes, IsEmpty());
}

}  // namespace ptx_signature_test
}  // namespace hone
