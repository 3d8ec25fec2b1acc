// CUDA text in the place of a kernel whose launch also gives it the maps of tensors.
#include "command.h"
#include "examples/ladders/ladders.h"
#include "runtime/device.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace edit_tensor_maps_test {

using testing::HasSubstr;
using testing::StartsWith;

/// Runs the text in the place of the kernel of matmul/tma.
class EditedMaps : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  CommandResult run(const std::string& text) {
    const TemporaryFolder folder;
    path_ = folder.file("my.cu");
    write_new_file(path_, text);
    return hone_on({matmul_ladder()}, {"run", "matmul/tma", "--replace-source", path_, "-DM=128",
                                       "-DN=256", "-DK=32"});
  }

  std::string path_;
};

TEST_F(EditedMaps, AreParametersOfTheTextAsShown) {
  const std::string text =
      hone_on({matmul_ladder()}, {"show", "matmul/tma", "--emit", "cuda"}).printed;
  ASSERT_THAT(text, HasSubstr("const __grid_constant__ TensorMap B_map"));
  const CommandResult result = run(text);
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed, StartsWith("matmul/tma with " + path_ + " on "));
  EXPECT_THAT(result.printed, HasSubstr(", correct ("));
}

/// A kernel of that name with other parameters behind the arrays and sizes.
std::string with_parameters(const std::string& maps) {
  return "struct alignas(64) TensorMap { char bytes[128]; };\n"
         "extern \"C\" __global__ void matmul(const float* A, const float* B, float* C, int M, "
         "int N, int K" +
         maps + ") {}\n";
}

TEST_F(EditedMaps, AreCounted) {
  const auto refusal = [&](const std::string& bytes) {
    return "error: " + path_ + ": the parameters of matmul have 8, 8, 8, 4, 4, 4" + bytes +
           " bytes, and a launch gives it 8 with 8, 8, 8, 4, 4, 4, 128, 128 bytes. It is declared "
           "so:\nextern \"C\" __global__ void __launch_bounds__(384, 1)\nmatmul(const float* "
           "__restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int "
           "K, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap B_map)\n";
  };
  const std::string map = ", const __grid_constant__ TensorMap ";
  std::string complained = run(with_parameters("")).complained;
  EXPECT_EQ(complained, refusal(""));
  complained = run(with_parameters(map + "A_map")).complained;
  EXPECT_EQ(complained, refusal(", 128"));
  complained = run(with_parameters(", const TensorMap* A_map, const TensorMap* B_map")).complained;
  EXPECT_EQ(complained, refusal(", 8, 8"));
}

}  // namespace edit_tensor_maps_test
}  // namespace hone
