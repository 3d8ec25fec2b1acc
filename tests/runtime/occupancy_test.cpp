#include "runtime/model/occupancy.h"

#include <gtest/gtest.h>

#include <climits>
#include <numeric>

#include "codegen/emit/emit.h"
#include "codegen/parse_kernel.h"
#include "runtime/error.h"
#include "runtime/model/architecture.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/errors.h"

// NVIDIA's own arithmetic, where a toolkit is installed.
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

namespace hone {
namespace occupancy_test {

std::string refusal(llvm::StringRef arch, const BlockResources& block) {
  return thrown_message<RuntimeError>([&] { occupancy(arch, block); });
}

std::string text(llvm::StringRef arch, const BlockResources& block) {
  return to_string(occupancy(arch, block), arch);
}

TEST(Occupancy, SaysWhatLimitsIt) {
  EXPECT_EQ(text("sm_90", {256, 32, 0}),
            "8 blocks, 64 of 64 warps (100 %), limited by warps and registers");
  EXPECT_EQ(text("sm_90", {256, 128, 0}), "2 blocks, 16 of 64 warps (25 %), limited by registers");
  EXPECT_EQ(text("sm_90", {256, 32, 48 << 10}),
            "4 blocks, 32 of 64 warps (50 %), limited by shared memory");
  EXPECT_EQ(text("sm_86", {32, 32, 0}), "16 blocks, 16 of 48 warps (33.33 %), limited by blocks");
  EXPECT_EQ(text("sm_80", {1024, 64, 163 << 10}),
            "1 block, 32 of 64 warps (50 %), limited by registers and shared memory");
  EXPECT_EQ(text("sm_75", {64, 64, 4096}),
            "16 blocks, 32 of 32 warps (100 %), "
            "limited by warps, blocks, registers and shared memory");
}

TEST(Occupancy, HasTheBlocksThatEachResourceAllows) {
  const Occupancy result = occupancy("sm_90a", {256, 128, 8192});
  EXPECT_EQ(result.warps_limit, 8);
  EXPECT_EQ(result.blocks_limit, 32);
  EXPECT_EQ(result.registers_limit, 2);
  EXPECT_EQ(result.shared_limit, 25);  // 228 KB of 8 KB each, and 1 KB for the system
  EXPECT_EQ(result.blocks_per_sm, 2);
  EXPECT_EQ(result.warps_per_sm, 16);
  EXPECT_EQ(result.fraction, 0.25);
  EXPECT_EQ(result.limiters, (llvm::SmallVector<OccupancyLimit, 4>{OccupancyLimit::registers}));
}

/// The blocks of so many threads, which hold 48 numbers each, that a multiprocessor has at a time.
int compiled_blocks(int threads, const std::string& attributes) {
  const KernelFunction kernel = parse_kernel(fmt::format(
      R"(kernel hold(C: f32[49152]) grid(1, 1, 1) block({0}, 1, 1){1} @index32 {{
  alloc v: f32[48] @registers
  for i in 0..48 @unroll {{ v[i] = C[i*{0} + thread.x] }}
  barrier
  for i in 0..48 @unroll {{ C[i*{0} + thread.x] = v[47 - i] + v[i]*2.0 }}
}})",
      threads, attributes));
  const Compiled compiled = nvrtc_compile({emit_cuda(kernel), "hold", "sm_90", {}, ""});
  EXPECT_TRUE(compiled.warnings.empty());
  return occupancy("sm_90", {threads, compiled.kernels.front().registers, 0}).blocks_per_sm;
}

/// The assembler keeps what the schedule promises.
TEST(Occupancy, IsAtLeastThatOfLaunchBounds) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  EXPECT_EQ(compiled_blocks(1024, ""), 1);
  EXPECT_EQ(compiled_blocks(1024, " @resident(2)"), 2);
  EXPECT_LT(compiled_blocks(256, ""), 6);
  for (const int blocks : {6, 7, 8})
    EXPECT_GE(compiled_blocks(256, fmt::format(" @resident({})", blocks)), blocks);
  EXPECT_EQ(compiled_blocks(96, " @resident(21)"), 21);
}

TEST(Occupancy, ShowsItsArithmetic) {
  const auto arithmetic = [](llvm::StringRef arch, const BlockResources& block, size_t limit) {
    return occupancy_terms(arch, block)[limit].arithmetic;
  };
  EXPECT_EQ(arithmetic("sm_90", {256, 128, 8192}, 0), "256 threads are 8 warps; 64 / 8 = 8");
  EXPECT_EQ(arithmetic("sm_90", {20, 128, 8192}, 0), "20 threads are 1 warp; 64 / 1 = 64");
  EXPECT_EQ(arithmetic("sm_90", {256, 128, 8192}, 1), "a multiprocessor holds at most 32");
  EXPECT_EQ(
      arithmetic("sm_90", {256, 128, 8192}, 2),
      "128 registers * 32 threads = 4096 for a warp; 4 files of 16384 hold 4 warps each, 16 in "
      "all; 16 / 8 = 2");
  EXPECT_EQ(arithmetic("sm_90", {256, 35, 8192}, 2),
            "35 registers * 32 threads = 1120, 1280 in units of 256 for a warp; 4 files of 16384 "
            "hold 12 warps each, 48 in all; 48 / 8 = 6");
  EXPECT_EQ(arithmetic("sm_90", {256, 0, 8192}, 2), "not known");
  EXPECT_EQ(arithmetic("sm_90", {256, 128, 8200}, 3),
            "8200 bytes + 1024 of the system = 9224, 9344 in units of 128; 233472 / 9344 = 24");
  EXPECT_EQ(arithmetic("sm_75", {256, 128, 0}, 3), "none is taken");
}

TEST(Occupancy, HasArithmeticThatComesToItsLimits) {
  for (const int64_t threads : {1, 32, 33, 255, 1024})
    for (const int64_t registers : {16, 33, 63})
      for (const int64_t bytes : {1, 4096, 40000})
        for (const OccupancyTerm& term : occupancy_terms("sm_86", {threads, registers, bytes})) {
          EXPECT_TRUE(term.arithmetic.ends_with(" " + std::to_string(term.blocks)))
              << term.arithmetic;
        }
}

TEST(Occupancy, IsNotLimitedByWhatABlockDoesNotTake) {
  EXPECT_EQ(occupancy("sm_90", {256, 0, 0}).registers_limit, Occupancy::unlimited);
  EXPECT_EQ(occupancy("sm_75", {256, 0, 0}).shared_limit, Occupancy::unlimited);
  // From 8.0 on, the system takes 1 KB for each block.
  EXPECT_EQ(occupancy("sm_90", {256, 0, 0}).shared_limit, 228);
}

TEST(Occupancy, RefusesAnUnknownArchitecture) {
  for (const char* arch : {"sm_52", "sm_999", "sm_", "90", "gfx90a", ""})
    EXPECT_EQ(refusal(arch, {32, 32, 0}),
              fmt::format("what a multiprocessor of {} holds is not known; it is of sm_75, sm_80, "
                          "sm_86, sm_87, sm_89, sm_90, sm_100, sm_101, sm_103, sm_110, sm_120, "
                          "sm_121",
                          arch));
}

TEST(Occupancy, RefusesBlocksThatCannotRun) {
  EXPECT_EQ(refusal("sm_90", {1025, 32, 0}), "a block cannot have 1025 threads, only 1 to 1024");
  EXPECT_EQ(refusal("sm_90", {0, 32, 0}), "a block cannot have 0 threads, only 1 to 1024");
  EXPECT_EQ(refusal("sm_90", {32, 256, 0}), "a thread cannot have 256 registers, only up to 255");
  EXPECT_EQ(refusal("sm_90", {32, -1, 0}), "a thread cannot have -1 registers, only up to 255");
  EXPECT_EQ(refusal("sm_90", {1024, 65, 0}),
            "1024 threads with 65 registers each take 73728 registers, and sm_90 gives a block at "
            "most 65536; they can have 64 each");
  EXPECT_EQ(refusal("sm_90", {289, 200, 0}),
            "289 threads with 200 registers each take 76800 registers, and sm_90 gives a block at "
            "most 65536; they can have 168 each");
  EXPECT_EQ(refusal("sm_86", {32, 32, 101377}),
            "a block needs 101377 bytes of shared memory, and sm_86 gives it at most 101376");
  EXPECT_EQ(refusal("sm_86", {32, 32, -1}), "a block cannot have -1 bytes of shared memory");
}

TEST(Architecture, IsFoundByItsVariantsToo) {
  for (const char* arch : {"sm_90", "sm_90a", "compute_90"})
    EXPECT_EQ(architecture_limits(arch).capability, 90) << arch;
  EXPECT_EQ(architecture_limits("sm_103f").capability, 103);
  EXPECT_TRUE(llvm::is_sorted(known_architectures(), [](const auto& lhs, const auto& rhs) {
    return lhs.capability < rhs.capability;
  }));
}

#if __has_include(<cuda_occupancy.h>)

/// True if this toolkit knows the architecture.
bool set_device(const ArchitectureLimits& limits, cudaOccDeviceProp& device) {
  device.computeMajor = limits.capability / 10;
  device.computeMinor = limits.capability % 10;
  device.maxThreadsPerBlock = limits.max_threads;
  device.maxThreadsPerMultiprocessor = limits.warps_per_sm * limits.threads_per_warp;
  device.regsPerBlock = limits.registers_per_block;
  device.regsPerMultiprocessor = limits.registers_per_sm;
  device.warpSize = limits.threads_per_warp;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = limits.shared_bytes_per_sm;
  device.sharedMemPerBlockOptin = limits.shared_bytes_per_block;
  device.reservedSharedMemPerBlock = limits.reserved_bytes_per_block;
  device.numSms = 1;
  int blocks = 0;
  size_t bytes = 0;
  return cudaOccMaxBlocksPerMultiprocessor(&blocks, &device) == CUDA_OCC_SUCCESS &&
         cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &device) == CUDA_OCC_SUCCESS;
}

cudaOccResult reference(const cudaOccDeviceProp& device, const BlockResources& block) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = INT_MAX;
  function.numRegs = static_cast<int>(block.registers_per_thread);
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = static_cast<size_t>(block.shared_bytes);
  function.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  const auto error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, static_cast<int>(block.threads),
      static_cast<size_t>(block.shared_bytes));
  EXPECT_EQ(error, CUDA_OCC_SUCCESS);
  return result;
}

/// The bits of NVIDIA's header. It counts the block's one barrier too, which is never scarcer than
/// the block itself.
unsigned bits_of(llvm::ArrayRef<OccupancyLimit> limiters) {
  constexpr unsigned bits[] = {OCC_LIMIT_WARPS, OCC_LIMIT_BLOCKS, OCC_LIMIT_REGISTERS,
                               OCC_LIMIT_SHARED_MEMORY};
  unsigned all = 0;
  for (const OccupancyLimit limit : limiters) all |= bits[static_cast<int>(limit)];
  return all;
}

/// Both refuse, or all numbers are equal.
bool agrees(const ArchitectureLimits& limits, const cudaOccDeviceProp& device,
            const BlockResources& block) {
  const cudaOccResult expected = reference(device, block);
  Occupancy ours;
  try {
    ours = occupancy(fmt::format("sm_{}", limits.capability), block);
  } catch (const RuntimeError&) {
    return expected.activeBlocksPerMultiprocessor == 0;
  }
  return ours.blocks_per_sm == expected.activeBlocksPerMultiprocessor &&
         ours.warps_limit == expected.blockLimitWarps &&
         ours.blocks_limit == expected.blockLimitBlocks &&
         ours.registers_limit == expected.blockLimitRegs &&
         ours.shared_limit == expected.blockLimitSharedMem &&
         bits_of(ours.limiters) == (expected.limitingFactors & ~OCC_LIMIT_BARRIERS);
}

/// Around every step of the arithmetic: units, limits, halves of them.
std::vector<int64_t> shared_sizes(const ArchitectureLimits& limits) {
  std::vector<int64_t> sizes = {0, 1, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 3072, 4096};
  for (int64_t blocks = 1; blocks <= limits.blocks_per_sm + 1; ++blocks)
    for (const int64_t beside : {-129, -1, 0, 1, 128})
      sizes.push_back(limits.shared_bytes_per_sm / blocks - limits.reserved_bytes_per_block +
                      beside);
  for (const int64_t beside : {-1, 0, 1}) {
    sizes.push_back((48 << 10) + beside);
    sizes.push_back(limits.shared_bytes_per_block + beside);
  }
  return sizes;
}

/// Expects agreement for blocks of every number of warps, full and not, up to one more than there
/// can be.
void expect_agreement(const ArchitectureLimits& limits, const cudaOccDeviceProp& device,
                      llvm::ArrayRef<int64_t> registers, llvm::ArrayRef<int64_t> shared) {
  for (int64_t warps = 0; warps <= limits.max_threads / limits.threads_per_warp; ++warps)
    for (const int64_t more : {1, 2, 32})
      for (const int64_t of_thread : registers)
        for (const int64_t bytes : shared) {
          const BlockResources block = {warps * limits.threads_per_warp + more, of_thread, bytes};
          ASSERT_TRUE(agrees(limits, device, block))
              << fmt::format("sm_{}: {} threads, {} registers, {} bytes", limits.capability,
                             block.threads, of_thread, bytes);
        }
}

TEST(Occupancy, IsWhatTheToolkitCalculates) {
  // The header lets a thread have 256 registers; the hardware has 255, and so have we.
  std::vector<int64_t> all_registers(256);
  std::iota(all_registers.begin(), all_registers.end(), 0);
  for (const ArchitectureLimits& limits : known_architectures()) {
    cudaOccDeviceProp device;
    if (!set_device(limits, device)) {
      fmt::print("this toolkit does not know sm_{}\n", limits.capability);
      continue;
    }
    expect_agreement(limits, device, all_registers, {0, 6000, 48 << 10});
    expect_agreement(limits, device, {0, 33, 128}, shared_sizes(limits));
  }
}

#else

TEST(Occupancy, IsWhatTheToolkitCalculates) { GTEST_SKIP() << "cuda_occupancy.h is not installed"; }

#endif

}  // namespace occupancy_test
}  // namespace hone
