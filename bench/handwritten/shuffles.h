// CUDA text that hand-written kernels begin with.
#pragma once

namespace hone {

/// warp_sum(value), warp_max(value): of the 32 lanes, in all of them. load4, store4: four floats in
/// one access. infinity(), which NVRTC has no name for.
constexpr const char* shuffles = R"(
__device__ float infinity() { return __int_as_float(0x7f800000); }

__device__ float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ void store4(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }

__device__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

__device__ float warp_max(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  return value;
}
)";

/// arrive_last(counter, blocks): counts a block; whether it is the last one, which sees what the
/// others wrote. The counter is zero again then.
constexpr const char* arrive_last = R"(
__device__ bool arrive_last(unsigned* counter, unsigned blocks) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before) : "l"(counter), "r"(blocks - 1) : "memory");
  return before == blocks - 1;
}
)";

}  // namespace hone
