// out(y, x) = sum({dy, dx}, w(dy, dx) * in(y + dy, x + dx))
// auto [y_0, x_0, y_1, x_1] = s.tile({y, x}, {8, 32});
// s.bind(y_0, block.y);
// s.bind(x_0, block.x);
// s.bind(y_1, thread.y);
// s.bind(x_1, thread.x);
// s.cache_registers(out, x_1);
// auto in_shared = s.cache_shared(in, x_1);
//
// launch: grid ((W + 31) / 32, (H + 7) / 8, 1), block (32, 8, 1), 1360 bytes of shared memory

extern "C" __global__ void
stencil(const float* __restrict__ w, const float* __restrict__ in, float* __restrict__ out, int H, int W) {
  __shared__ float in_shared[10][34];
  const int y_0 = blockIdx.y;
  const int x_0 = blockIdx.x;
  const int y_1 = threadIdx.y;
  const int x_1 = threadIdx.x;
  #pragma unroll
  for (int in_shared_s = 0; in_shared_s < 512; in_shared_s += 256) {
    const int in_shared_at = in_shared_s + y_1 * 32 + x_1;
    const int in_shared_y = in_shared_at / 34;
    const int in_shared_x = in_shared_at % 34;
    if (in_shared_at < 340) {
      in_shared[in_shared_y][in_shared_x] = (y_0 * 8 + in_shared_y < H + 2 && x_0 * 32 + in_shared_x < W + 2) ? in[(y_0 * 8 + in_shared_y) * (W + 2) + x_0 * 32 + in_shared_x] : 0.0f;
    }
  }
  float out_reg = 0.0f;
  __syncthreads();
  for (int dy = 0; dy < 3; ++dy) {
    for (int dx = 0; dx < 3; ++dx) {
      out_reg += w[dy * 3 + dx] * in_shared[dy + y_1][dx + x_1];
    }
  }
  const int y = y_0 * 8 + y_1;
  const int x = x_0 * 32 + x_1;
  if (y < H && x < W) {
    out[y * W + x] = out_reg;
  }
}
