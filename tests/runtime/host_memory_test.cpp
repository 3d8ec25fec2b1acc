#include "runtime/host_memory.h"

#include <gmock/gmock.h>

#include "runtime/array.h"
#include "runtime/cuda/cuda_driver.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace host_memory_test {

using testing::MatchesRegex;

constexpr int64_t mebibyte = 1 << 20;

std::string refusal(int64_t bytes) {
  return thrown_message<OutOfMemoryError>([&] { HostMemoryClaim(bytes, "a test"); });
}

TEST(HostMemory, IsGivenBackWithTheClaim) {
  for (int n = 0; n < 3; ++n) {
    HostMemoryClaim claim(host_memory_bytes() / 2, "a test");
    HostMemoryClaim moved = std::move(claim);
    EXPECT_THAT(refusal(host_memory_bytes() / 2 + mebibyte),
                MatchesRegex("out of memory on the host: .*"));
  }
}

/// Neither is more than there is.
TEST(HostMemory, TheSumIsChecked) {
  const int64_t most = host_memory_bytes();
  HostMemoryClaim small(mebibyte, "a test");
  small.grow(most / 3, "a test");
  EXPECT_THAT(refusal(most - most / 3),
              MatchesRegex(fmt::format("out of memory on the host: {} bytes wanted for a test, .*",
                                       most - most / 3)));
}

TEST(HostMemory, OfArraysThatAreNotTouchedCounts) {
  const int64_t part = host_memory_bytes() / 3;
  std::vector<AnyArray> arrays;
  const std::string error = thrown_message<OutOfMemoryError>([&] {
    for (int n = 0; n < 4; ++n)
      arrays.emplace_back(u8, std::vector<int64_t>{part}, Device::host(), Fill::uninitialized);
  });
  EXPECT_THAT(error, MatchesRegex("out of memory on the host: .* bytes wanted for u8.*"));
  EXPECT_LE(arrays.size(), 3u);
}

TEST(HostMemory, OfAllArgumentsIsCheckedBeforeOneIsMade) {
  const TensorPtr A = make_tensor("A", u8, {ParamRef::make(make_param("n"))});
  const TensorPtr B = make_tensor("B", u8, {ParamRef::make(make_param("n"))});
  const int64_t part = host_memory_bytes() / 5 * 3;
  const auto check = [&](llvm::ArrayRef<TensorPtr> tensors) {
    return thrown_message<OutOfMemoryError>([&] {
      check_memory(Device::simulated(), tensors, {{"n", part}});
    });
  };
  EXPECT_THAT(check({A, B}), MatchesRegex(fmt::format("out of memory on the host: {} bytes wanted "
                                                      "for A and B, .*",
                                                      2 * part)));
}

TEST(HostMemory, OfAGpuIsCheckedInTheSameWay) {
  const FakeCuda cuda;
  const TensorPtr A = make_tensor("A", u8, {600'000}), B = make_tensor("B", u8, {600'000});
  EXPECT_EQ(thrown_message<OutOfMemoryError>([&] { check_memory(cuda.device(), {A}, {}); }),
            "nothing was thrown");
  EXPECT_EQ(thrown_message<OutOfMemoryError>([&] {
              check_memory(cuda.device(), {A, B}, {});
            }),
            "out of memory on cuda:0 (Fake GPU): 1200000 bytes wanted for A and B, 1048576 bytes "
            "free");
}

}  // namespace host_memory_test
}  // namespace hone
