// Boxes of tensors that bulk copies move, by maps of the simulated device.

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "runtime/error.h"
#include "runtime/ptx/tensor_map.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::boxes_test {
namespace {

class PtxBoxes : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// A kernel with a map for its first parameter: `load` brings a box of `bytes` to `tile`, and
/// `then` goes on.
std::string kernel_with_map(const std::string& load, int bytes, const std::string& then) {
  return fmt::format(R"(
struct alignas(64) Map {{ unsigned char bytes[128]; }};
__device__ unsigned at(const void* p) {{ return __cvta_generic_to_shared(p); }}
extern "C" __global__ void move(const __grid_constant__ Map map, float* out) {{
  __shared__ __align__(1024) float tile[1024];
  __shared__ __align__(8) unsigned long long full;
  int t = threadIdx.x;
  if (t == 0) {{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&full)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], {1};" :: "r"(at(&full)) : "memory");
    asm volatile("{0}" :: "r"(at(tile)), "l"(&map), "r"(at(&full)) : "memory");
  }}
  __syncthreads();
  asm volatile("{{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }}" :: "r"(at(&full)) : "memory");
  {2}
}})",
                     load, bytes, then);
}

std::string load_of(int rank, const std::string& coordinates) {
  return fmt::format(
      "cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {{{}}}], [%2];",
      rank, coordinates);
}

TensorMap map_of(const float* data, std::initializer_list<uint64_t> extents,
                 std::initializer_list<uint32_t> box) {
  TensorMap map;
  map.address = reinterpret_cast<uint64_t>(data);
  map.type = Type::f32;
  map.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), map.extents.begin());
  std::copy(box.begin(), box.end(), map.box.begin());
  map.strides[0] = sizeof(float);
  for (int dim = 1; dim < map.rank; ++dim)
    map.strides[dim] = map.strides[dim - 1] * map.extents[dim - 1];
  return map;
}

constexpr const char* write_all =
    "for (int n = t; n < 1024; n += 32) out[n] = n < {} ? tile[n] : 0;";

TEST_F(PtxBoxes, FillWhatLiesOutsideOfTheTensor) {
  CudaKernel kernel(
      kernel_with_map(load_of(2, "4, -1"), 8 * 4 * 4, "if (t < 32) out[t] = tile[t];"));
  const float* const a = kernel.array(counting(8 * 6), "A");
  float* const out = kernel.unset<float>(32, "out");
  for (const bool fills_nan : {false, true}) {
    TensorMap map = map_of(a, {8, 6}, {8, 4});
    map.fills_nan = fills_nan;
    EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {encode(map), out})), "");
    for (int n = 0; n < 32; ++n) {
      const int i = n / 8 - 1, j = n % 8 + 4;
      const bool is_inside = i >= 0 && j < 8;
      if (!is_inside && fills_nan)
        EXPECT_NE(out[n], out[n]) << n;
      else
        EXPECT_EQ(out[n], is_inside ? i * 8 + j + 1 : 0) << n;
    }
  }
}

TEST_F(PtxBoxes, HaveUpToFiveDimensions) {
  CudaKernel kernel(kernel_with_map(load_of(5, "0, 1, 0, 1, 0"), 4 * 16 * 4,
                                    "for (int n = t; n < 64; n += 32) out[n] = tile[n];"));
  const float* const a = kernel.array(counting(4 * 3 * 2 * 3 * 2), "A");
  float* const out = kernel.unset<float>(64, "out");
  const TensorMap map = map_of(a, {4, 3, 2, 3, 2}, {4, 2, 2, 2, 2});
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {encode(map), out})), "");
  for (int n = 0; n < 64; ++n) {
    const int i0 = n % 4, i1 = n / 4 % 2 + 1, i2 = n / 8 % 2, i3 = n / 16 % 2 + 1, i4 = n / 32;
    EXPECT_EQ(out[n], i0 + 4 * (i1 + 3 * (i2 + 2 * (i3 + 3 * i4))) + 1) << n;
  }
}

TEST_F(PtxBoxes, AreSwizzledByTheRowsOf128Bytes) {
  for (const int swizzle : {32, 64, 128}) {
    const int row = swizzle / 4;
    CudaKernel kernel(kernel_with_map(load_of(2, "0, 0"), row * 16 * 4,
                                      fmt::format(fmt::runtime(write_all), row * 16)));
    const float* const a = kernel.array(counting(row * 16), "A");
    float* const out = kernel.unset<float>(1024, "out");
    TensorMap map = map_of(a, {static_cast<uint64_t>(row), 16}, {static_cast<uint32_t>(row), 16});
    map.swizzle = swizzle;
    EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {encode(map), out})), "");
    for (int n = 0; n < row * 16; ++n) {
      const int byte = 4 * n, chunk = byte / 16 ^ (byte / 128 & (swizzle / 16 - 1));
      ASSERT_EQ(out[chunk * 4 + n % 4], n + 1) << swizzle << " " << n;
    }
  }
}

TEST_F(PtxBoxes, AreStoredAndAddedWithinTheTensor) {
  const auto store = [](const std::string& form) {
    return R"(
  tile[t] *= 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile(")" +
           form + R"( [%0, {4, 3}], [%1];" :: "l"(&map), "r"(at(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  })";
  };
  for (const bool adds : {false, true}) {
    CudaKernel kernel(kernel_with_map(
        load_of(2, "0, 0"), 8 * 4 * 4,
        store(adds ? "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
                   : "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group")));
    float* const a = kernel.array(counting(8 * 6), "A");
    float* const out = kernel.unset<float>(1, "out");
    const TensorMap map = map_of(a, {8, 6}, {8, 4});
    EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {encode(map), out})), "");
    for (int n = 0; n < 48; ++n) {
      const int i = n / 8 - 3, j = n % 8 - 4;
      const bool is_inside = i >= 0 && j >= 0;
      const int stored = 2 * (i * 8 + j + 1);
      EXPECT_EQ(a[n], (is_inside && !adds ? 0 : n + 1) + (is_inside ? stored : 0)) << n;
    }
  }
}

TEST_F(PtxBoxes, ComeToAllBlocksOfAMulticast) {
  CudaKernel kernel(R"(
struct alignas(64) Map { unsigned char bytes[128]; };
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) move(const __grid_constant__ Map map, float* out) {
  __shared__ __align__(1024) float tile[32];
  __shared__ __align__(8) unsigned long long full;
  int t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&full)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" :: "r"(at(&full)) : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (t == 0 && blockIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {8}], [%2], %3;"
      :: "r"(at(tile)), "l"(&map), "r"(at(&full)), "h"((unsigned short)3) : "memory");
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" :: "r"(at(&full)) : "memory");
  out[blockIdx.x * 32 + t] = tile[t];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
})");
  const float* const a = kernel.array(counting(64), "A");
  float* const out = kernel.unset<float>(64, "out");
  const EncodedTensorMap map = encode(map_of(a, {64}, {32}));
  EXPECT_EQ(findings_of(kernel.run({.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}},
                                   {map, out})),
            "");
  for (int n = 0; n < 64; ++n) EXPECT_EQ(out[n], n % 32 + 9) << n;
}

TEST_F(PtxBoxes, NeedAMapOfTheSimulatedDevice) {
  CudaKernel kernel(kernel_with_map(load_of(1, "0"), 128, ""));
  float* const out = kernel.unset<float>(1, "out");
  const EncodedTensorMap map{};
  EXPECT_EQ(
      findings_of(kernel.run({.block = {32, 1, 1}}, {map, out})),
      "invalid operation: the 128 bytes of the tensor map are none of the simulated device: a "
      "map of a driver cannot be used here\n"
      "  test.cu:11: block (0, 0, 0), thread (0, 0, 0) starts the copy\n");
}

TEST(PtxTensorMaps, AreRefusedWhereADriverRefusesThem) {
  const auto refusal = [](TensorMap map) -> std::string {
    try {
      encode(map);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "";
  };
  const TensorMap good = map_of(nullptr, {64, 64}, {32, 8});
  EXPECT_EQ(refusal(good), "");
  TensorMap bad = good;
  bad.strides[1] = 12;
  EXPECT_EQ(refusal(bad),
            "a tensor map: a stride of 12 bytes, which is no multiple of 16 below 2^40");
  bad = good;
  bad.box[0] = 3;
  EXPECT_EQ(refusal(bad), "a tensor map: rows of a box of 12 bytes, which are no multiple of 16");
  bad = good;
  bad.swizzle = 64;
  EXPECT_EQ(refusal(bad), "a tensor map: rows of a box of 128 bytes with a swizzle of 64");
}

TEST(PtxTensorMaps, AreReadAsTheyWereWritten) {
  TensorMap map = map_of(nullptr, {uint64_t{1} << 32, 7}, {32, 5});
  map.strides[1] = 48;
  map.swizzle = 128;
  map.element_strides[1] = 3;
  const auto read = decode(encode(map).data());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->extents, map.extents);
  EXPECT_EQ(read->strides, map.strides);
  EXPECT_EQ(read->box, map.box);
  EXPECT_EQ(read->swizzle, 128);
  EXPECT_EQ(read->element_strides[1], 3u);
}

}  // namespace
}  // namespace hone::ptx::boxes_test
