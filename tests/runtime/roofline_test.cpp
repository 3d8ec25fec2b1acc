#include "runtime/model/roofline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/error.h"
#include "runtime/model/architecture.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace roofline_test {

/// A GPU of round numbers: 10 TFLOP/s, 1000 GB/s, 640 GB/s of L2, 1280 GB/s of shared memory.
const Gpu round_gpu = {"round", "sm_90", 10, 500, 1.0, 10, 1000};

TEST(Roofline, IsTheTimeOfTheResourceThatNeedsMost) {
  const Work work = {.flops = 1e10, .dram_bytes = 5e8, .l2_bytes = 3.2e8, .shared_wavefronts = 2e6};
  const Bound bound = roofline(round_gpu, work);
  EXPECT_DOUBLE_EQ(bound.fp32_seconds, 1e-3);
  EXPECT_DOUBLE_EQ(bound.dram_seconds, 0.5e-3);
  EXPECT_DOUBLE_EQ(bound.l2_seconds, 0.5e-3);
  EXPECT_DOUBLE_EQ(bound.shared_seconds, 0.2e-3);
  EXPECT_EQ(bound.resource, Resource::fp32);
  EXPECT_DOUBLE_EQ(bound.seconds, 1e-3);
  EXPECT_DOUBLE_EQ(bound.tflops, 10);
  EXPECT_DOUBLE_EQ(bound.intensity, 20);
  EXPECT_EQ(to_string(bound, round_gpu),
            "at least 1 ms, by fp32; at most 10 TFLOP/s, 100 % of the peak; 20 FLOP per byte of "
            "DRAM, and 10 where the roofs meet");
}

TEST(Roofline, NamesEachResource) {
  const auto bound_by = [](const Work& work) {
    return to_string(roofline(round_gpu, work), round_gpu);
  };
  EXPECT_EQ(bound_by({.flops = 1e9, .dram_bytes = 1e9}),
            "at least 1 ms, by DRAM; at most 1 TFLOP/s, 10 % of the peak; 1 FLOP per byte of DRAM, "
            "and 10 where the roofs meet");
  EXPECT_EQ(bound_by({.flops = 1e9, .l2_bytes = 6.4e8}),
            "at least 1 ms, by L2; at most 1 TFLOP/s, 10 % of the peak");
  EXPECT_EQ(bound_by({.flops = 1e9, .shared_wavefronts = 1e7}),
            "at least 1 ms, by shared memory; at most 1 TFLOP/s, 10 % of the peak");
}

TEST(Roofline, IsOfTheMultiprocessorsAtWork) {
  const Work work = {.flops = 1e10, .dram_bytes = 5e8, .l2_bytes = 3.2e8, .shared_wavefronts = 2e6};
  Work few = work, many = work;
  few.blocks = 2;
  many.blocks = 11;
  const Bound bound = roofline(round_gpu, few);
  EXPECT_DOUBLE_EQ(bound.fp32_seconds, 5e-3);
  EXPECT_DOUBLE_EQ(bound.dram_seconds, 0.5e-3);
  EXPECT_DOUBLE_EQ(bound.l2_seconds, 2.5e-3);
  EXPECT_DOUBLE_EQ(bound.shared_seconds, 1e-3);
  EXPECT_DOUBLE_EQ(bound.tflops, 2);
  EXPECT_DOUBLE_EQ(roofline(round_gpu, many).seconds, 1e-3);
  // One after the other, each with its own.
  EXPECT_DOUBLE_EQ(roofline(round_gpu, {few, many}).fp32_seconds, 6e-3);
  EXPECT_DOUBLE_EQ(roofline(round_gpu, {few, many}).intensity, 20);
}

/// The same GPU with 5 TFLOP/s in double precision.
Gpu gpu_with_doubles() {
  Gpu gpu = round_gpu;
  gpu.fp64_tflops = 5;
  return gpu;
}

TEST(Roofline, HasAPeakForDoubles) {
  const Gpu gpu = gpu_with_doubles();
  const Work doubles = {.flops = 1e10, .double_flops = 1e10, .dram_bytes = 5e8};
  const Bound bound = roofline(gpu, doubles);
  EXPECT_EQ(bound.fp32_seconds, 0);
  EXPECT_DOUBLE_EQ(bound.fp64_seconds, 2e-3);
  EXPECT_EQ(bound.resource, Resource::fp64);
  EXPECT_EQ(to_string(bound, gpu),
            "at least 2 ms, by fp64; at most 5 TFLOP/s, 100 % of the peak in double precision; 20 "
            "FLOP per byte of DRAM, and 5 where the roofs meet");
  const Work few = {.flops = 1e10, .double_flops = 4e9, .dram_bytes = 5e8};
  EXPECT_EQ(to_string(roofline(gpu, few), gpu),
            "at least 0.8 ms, by fp64; at most 12.5 TFLOP/s, 125 % of the peak; 20 FLOP per byte "
            "of DRAM, and 10 where the roofs meet");
}

TEST(Roofline, HasAPeakForTensorCores) {
  Gpu gpu = round_gpu;
  gpu.tensor_tflops = 100;
  const Work products = {.flops = 1.1e11, .tensor_flops = 1e11, .dram_bytes = 5e8};
  const Bound bound = roofline(gpu, products);
  EXPECT_DOUBLE_EQ(bound.fp32_seconds, 1e-3);
  EXPECT_DOUBLE_EQ(bound.tensor_seconds, 1e-3);
  const Work alone = {.flops = 1e11, .tensor_flops = 1e11, .dram_bytes = 5e8};
  EXPECT_EQ(to_string(roofline(gpu, alone), gpu),
            "at least 1 ms, by tensor cores; at most 100 TFLOP/s, 100 % of the peak of tensor "
            "cores; 200 FLOP per byte of DRAM, and 100 where the roofs meet");
  const Work few = {.flops = 1e10, .tensor_flops = 4e9};
  EXPECT_EQ(roofline(gpu, few).arithmetic, Arithmetic::fp32);
  Work one_block = alone;
  one_block.blocks = 1;
  EXPECT_DOUBLE_EQ(roofline(gpu, one_block).tensor_seconds, 1e-2);
  EXPECT_EQ(roofline(round_gpu, alone).share_of_peak(round_gpu), std::nullopt);
}

TEST(Roofline, ProductsOfTf32TakeTwiceAsLongAndThoseOfBytesHalfAsLong) {
  Gpu gpu = round_gpu;
  gpu.tensor_tflops = 100;
  const Work products = {.flops = 1e11, .tensor_flops = 1e11, .tensor_time = 2};
  EXPECT_DOUBLE_EQ(roofline(gpu, products).tensor_seconds, 2e-3);
  EXPECT_EQ(roofline(gpu, products).arithmetic, Arithmetic::tf32);
  EXPECT_DOUBLE_EQ(roofline(gpu, products).share_of_peak(gpu).value_or(0), 1);
  const Work bytes = {.flops = 1e11, .tensor_flops = 1e11, .tensor_time = 0.5};
  EXPECT_DOUBLE_EQ(roofline(gpu, bytes).tensor_seconds, 5e-4);
  EXPECT_EQ(roofline(gpu, bytes).arithmetic, Arithmetic::fp8);
}

TEST(Roofline, HasNoShareOfAPeakThatIsNotKnown) {
  const Work doubles = {.flops = 1e10, .double_flops = 1e10, .dram_bytes = 5e8};
  const Bound bound = roofline(round_gpu, doubles);
  EXPECT_EQ(bound.share_of_peak(round_gpu), std::nullopt);
  EXPECT_EQ(to_string(bound, round_gpu),
            "at least 0.5 ms, by DRAM; at most 20 TFLOP/s; 20 FLOP per byte of DRAM");
}

TEST(Roofline, OfNoWorkIsNothing) {
  const Bound bound = roofline(round_gpu, Work());
  EXPECT_EQ(bound.seconds, 0);
  EXPECT_EQ(bound.tflops, 0);
  EXPECT_TRUE(std::isinf(bound.intensity));
}

TEST(Roofline, RefusesWorkThatCannotBe) {
  const auto refusal = [](const Work& work) {
    return thrown_message<RuntimeError>([&] { roofline(round_gpu, work); });
  };
  EXPECT_EQ(refusal({.flops = -1}), "a launch cannot have -1 FLOPs");
  EXPECT_EQ(refusal({.tensor_flops = -2}), "a launch cannot have -2 FLOPs of tensor cores");
  EXPECT_EQ(refusal({.dram_bytes = NAN}), "a launch cannot have nan bytes of DRAM");
  EXPECT_EQ(refusal({.l2_bytes = INFINITY}), "a launch cannot have inf bytes of L2");
  EXPECT_EQ(refusal({.shared_wavefronts = -2}),
            "a launch cannot have -2 wavefronts of shared memory");
  EXPECT_EQ(refusal({.blocks = -3}), "a launch cannot have -3 blocks");
}

TEST(Gpus, HaveTheSpeedThatTheirClockGives) {
  for (const Gpu& gpu : known_gpus()) {
    const double tflops = gpu.multiprocessors * gpu.fp32_per_clock * 2 * gpu.clock_ghz / 1e3;
    EXPECT_NEAR(tflops, gpu.fp32_tflops, 0.01 * gpu.fp32_tflops) << gpu.name;
    EXPECT_NE(find_architecture(gpu.arch), nullptr) << gpu.name;
    const double parts = std::round(gpu.fp32_tflops / gpu.fp64_tflops);
    EXPECT_TRUE(parts == 2 || parts == 32 || parts == 64) << gpu.name;
    EXPECT_NEAR(gpu.fp64_tflops, tflops / parts, 0.02 * gpu.fp64_tflops) << gpu.name;
  }
}

/// Products of floats of 16 bits, a power of two a clock; those of Hopper and Blackwell are stated
/// for a lower clock.
TEST(Gpus, HaveTheTensorCoresThatTheirClockGives) {
  for (const Gpu& gpu : known_gpus()) {
    const double flops = gpu.tensor_tflops * 1e3 / gpu.multiprocessors / gpu.clock_ghz;
    const double whole = std::exp2(std::round(std::log2(flops)));
    EXPECT_NEAR(flops, whole, 0.08 * whole) << gpu.name;
    EXPECT_GE(whole, 512) << gpu.name;
    const double parts = std::round(gpu.tensor_int8_tops / gpu.tensor_tflops);
    EXPECT_TRUE(parts == 2 || parts == 4) << gpu.name;
    EXPECT_NEAR(gpu.tensor_int8_tops, parts * gpu.tensor_tflops, 0.02 * gpu.tensor_int8_tops)
        << gpu.name;
  }
}

TEST(Gpus, HaveThePeaksThatTheirMakerStates) {
  const Gpu& h100 = find_gpu("H100 SXM");
  EXPECT_NEAR(h100.shared_gb_per_s(), 33454, 1);  // 132 SMs, 128 bytes, 1.98 GHz
  EXPECT_NEAR(h100.l2_gb_per_s(), 10890, 1);      // 5500 bytes, as measured
  EXPECT_NEAR(h100.ridge(), 19.96, 0.01);
  EXPECT_NEAR(h100.ridge(Arithmetic::fp64), 9.99, 0.01);
  // The whitepaper's 5120 bytes per clock are less than the 6912 that 108 SMs can take.
  EXPECT_NEAR(find_gpu("A100 SXM 80GB").l2_gb_per_s(), 7219.2, 0.1);
}

TEST(Gpus, AreFoundHoweverTheyAreWritten) {
  for (const char* name : {"H100 SXM", "h100-sxm", "NVIDIA H100 SXM", "h100_sxm"})
    EXPECT_EQ(find_gpu(name).name, "H100 SXM") << name;
  for (const Gpu& gpu : known_gpus()) EXPECT_EQ(&find_gpu(gpu.name), &gpu);
}

TEST(Gpus, ThatAreNotKnownAreRefused) {
  EXPECT_EQ(thrown_message<RuntimeError>([] { find_gpu("H101"); }),
            "no GPU H101 is known; there are T4, A100 SXM 40GB, A100 SXM 80GB, A10, RTX 3090, L4, "
            "L40S, RTX 4090, H100 PCIe, H100 SXM, H200 SXM, B200, RTX 5090");
}

TEST(Roofline, OfALargeProductOnAnH100IsItsArithmetic) {
  const double n = 4096;
  const Work work = {.flops = 2 * n * n * n,
                     .dram_bytes = 3 * 4 * n * n,
                     .l2_bytes = 4 * n * n * n / 32,
                     .shared_wavefronts = n * n * n / 4 / 32};
  const Bound bound = roofline(find_gpu("H100 SXM"), work);
  EXPECT_EQ(bound.resource, Resource::fp32);
  EXPECT_NEAR(bound.seconds, 2.054e-3, 1e-6);
}

}  // namespace roofline_test
}  // namespace hone
