#include "runtime/shared_limit.h"

#include "codegen/lower.h"
#include "codegen/shared_memory.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace shared_limit_test {

/// A block with so many bytes of shared memory.
Function block_with(int64_t bytes) {
  return parse_function(
      fmt::format("func tile(A: u8[{0}], C: u8[{0}]) {{ for b in 0..1 @block.x {{\n"
                  "alloc s: u8[{0}] @shared\ncopy s[0 .. +{0}] <- A[0 .. +{0}]\n"
                  "for t in 0..32 @thread.x {{ C[t] = s[31 - t] }} }} }}",
                  bytes));
}

std::string refusal(int64_t bytes, llvm::StringRef arch) {
  const KernelFunction kernel = lower(block_with(bytes)).kernels.front();
  return thrown_message<RuntimeError>([&] { check_shared_bytes(kernel, arch); });
}

TEST(SharedLimit, IsThatOfTheArchitecture) {
  const std::pair<const char*, int64_t> limits[] = {
      {"sm_75", 65536},   {"sm_80", 166912},  {"sm_86", 101376},     {"sm_89", 101376},
      {"sm_90", 232448},  {"sm_90a", 232448}, {"sm_100", 232448},    {"sm_100a", 232448},
      {"sm_120", 101376}, {"sm_87", 166912},  {"compute_90", 232448}};
  for (const auto& [arch, limit] : limits) {
    EXPECT_EQ(max_shared_bytes(arch), limit) << arch;
    EXPECT_EQ(refusal(limit, arch), "nothing was thrown") << arch;
    EXPECT_EQ(refusal(limit + 1, arch),
              fmt::format("tile needs {} bytes of shared memory, and {} gives a block at most {}",
                          limit + 1, arch, limit));
  }
}

TEST(SharedLimit, AsyncCopiesNeedNewerInstructions) {
  const KernelFunction kernel =
      lower(parse_function("func tile(A: f32[64], C: f32[64]) { for b in 0..1 @block.x {\n"
                           "alloc s: f32[64] @shared\ncopy s[0 .. +64] <- A[0 .. +64] @async\n"
                           "for t in 0..32 @thread.x { C[t] = s[31 - t] } } }"))
          .kernels.front();
  EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, "sm_75"); }),
            "tile copies by cp.async, which GPUs have from sm_80 on, and not sm_75");
  for (const char* arch : {"sm_80", "sm_90a", "sm_999"})
    EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, arch); }),
              "nothing was thrown");
}

TEST(SharedLimit, RegistersMoveOnAVariantOfAnArchitecture) {
  const KernelFunction kernel =
      lower(parse_function("func tile(A: f32[4, 64], C: f32[256]) { for t in 0..256 @thread.x {\n"
                           "alloc s: f32[2, 64] @shared\nfor k in 0..4 @roles(4, 40, 232) {\n"
                           "copy s[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)\n"
                           "C[t] += s[k % 2, t % 64] } } }"))
          .kernels.front();
  EXPECT_EQ(target_of(kernel, "sm_90"), "sm_90a");
  EXPECT_EQ(target_of(kernel, "sm_90a"), "sm_90a");
  EXPECT_EQ(target_of(kernel, "compute_90"), "compute_90a");
  EXPECT_EQ(target_of(kernel, ""), "");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, "sm_80"); }),
            "tile moves registers between warps, which GPUs have from sm_90 on, and not sm_80");
}

TEST(SharedLimit, KernelsOverlapOnNewerArchitectures) {
  const Module module =
      lower(parse_function("func f(A: f32[64], C: f32[64]) @launch_early {\n"
                           "for i in 0..64 @block.x { A[i] = 1.0 }\n"
                           "for j in 0..64 @block.x { C[j] = A[j] } }"));
  for (const KernelFunction& kernel : module.kernels) {
    EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, "sm_89"); }),
              kernel.name +
                  " overlaps with another kernel, which GPUs have from sm_90 on, and not "
                  "sm_89");
    EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, "sm_90"); }),
              "nothing was thrown");
  }
}

TEST(SharedLimit, IsWhatAllHaveWhereItIsNotKnown) {
  for (const char* arch : {"sm_999", "sm_", "gfx90a", ""}) {
    EXPECT_EQ(max_shared_bytes(arch), 49152) << arch;
    EXPECT_EQ(refusal(49152, arch), "nothing was thrown") << arch;
    EXPECT_NE(refusal(49153, arch), "nothing was thrown") << arch;
  }
}

TEST(SharedLimit, IsCheckedBeforeAKernelIsMade) {
  EXPECT_EQ(thrown_message<RuntimeError>(
                [] { compile(block_with(232449), {.device = Device::simulated()}); }),
            "tile needs 232449 bytes of shared memory, and sm_90 gives a block at most 232448");
}

TEST(SharedLimit, DynamicMemoryIsPartOfTheLaunch) {
  const auto launched_with = [](int64_t bytes) {
    return launch_dims(lower(block_with(bytes)).kernels.front(), {}).shared_bytes;
  };
  EXPECT_EQ(launched_with(49152), 0);
  EXPECT_EQ(launched_with(49153), 49153);
  EXPECT_EQ(launched_with(232448), 232448);
}

}  // namespace shared_limit_test
}  // namespace hone
