// out(n, y, x, o) = bf16(sum({r, s, c}, f32(select(y + r >= 1 && y + r <= H && x + s >= 1 && x + s <= W, in(n, y + r - 1, x + s - 1, c), 0.0bf16)) * f32(w(o, r, s, c))))
// auto [block_x, block_channel, pixel, channel] = s.tile({x, o}, {8, 32}, {.names = {"block_x", "block_channel", "pixel", "channel"}});
// Axis n_y = s.fuse(n, y);
// s.bind(n_y, block.x);
// s.bind(block_x, block.y);
// s.bind(block_channel, block.z);
// s.bind(pixel, thread.y);
// s.bind(channel, thread.x);
// s.cache_registers(out.acc, channel);
//
// launch: grid (batch*H, (W + 7) / 8, (O + 31) / 32), block (32, 8, 1), 0 bytes of shared memory

#include <cuda_bf16.h>

extern "C" __global__ void
conv2d_nhwc(const __nv_bfloat16* __restrict__ in, const __nv_bfloat16* __restrict__ w, __nv_bfloat16* __restrict__ out, int batch, int H, int W, int O, int C) {
  const int n_y = blockIdx.x;
  const int x = blockIdx.y * blockDim.y + threadIdx.y;
  const int o = blockIdx.z * 32 + threadIdx.x;
  if (x < W && o < O) {
    float out_reg = 0.0f;
    for (int r = 0; r < 3; ++r) {
      for (int s = 0; s < 3; ++s) {
        for (int c = 0; c < C; ++c) {
          out_reg += __bfloat162float((n_y % H + r >= 1 && n_y % H + r <= H && x + s >= 1 && x + s <= W) ? in[((n_y + r - 1) * W + x + s - 1) * C + c] : __float2bfloat16(0.0f)) * __bfloat162float(w[(o * 9 + r * 3 + s) * C + c]);
        }
      }
    }
    out[(n_y * W + x) * O + o] = __float2bfloat16(out_reg);
  }
}
