// out(o, y, x) = sum({c, dy, dx}, w(o, c, dy, dx) * in(c, y + dy, x + dx))
// auto [o_0, y_0, x_0, o_1, y_1, x_1] = s.tile({o, y, x}, {8, 16, 16});
// s.reorder({o_0, y_0, x_0, y_1, x_1, c, dy, dx, o_1});
// s.bind(o_0, block.z);
// s.bind(y_0, block.y);
// s.bind(x_0, block.x);
// s.bind(y_1, thread.y);
// s.bind(x_1, thread.x);
// s.cache_registers(out, x_1);
// auto in_shared = s.cache_shared(in, c);
// auto w_shared = s.cache_shared(w, c);
//
// launch: grid ((W + 15) / 16, (H + 15) / 16, (O + 7) / 8), block (16, 16, 1), 1584 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
convolution(const float* __restrict__ w, const float* __restrict__ in, float* __restrict__ out, int O, int H, int W, int C) {
  __shared__ float in_shared[18][18];
  __shared__ float w_shared[8][3][3];
  const int o_0 = blockIdx.z;
  const int y_0 = blockIdx.y;
  const int x_0 = blockIdx.x;
  const int y_1 = threadIdx.y;
  const int x_1 = threadIdx.x;
  const int w_shared_o = (y_1 * 16 + x_1) / 9;
  const int w_shared_1 = (y_1 * 16 + x_1) / 3 % 3;
  const int w_shared_2 = (y_1 * 16 + x_1) % 3;
  float out_reg[8] = {};
  for (int c = 0; c < C; ++c) {
    #pragma unroll
    for (int in_shared_s = 0; in_shared_s < 512; in_shared_s += 256) {
      const int in_shared_at = in_shared_s + y_1 * 16 + x_1;
      const int in_shared_y = in_shared_at / 18;
      const int in_shared_x = in_shared_at % 18;
      if (in_shared_at < 324) {
        in_shared[in_shared_y][in_shared_x] = (y_0 * 16 + in_shared_y < H + 2 && x_0 * 16 + in_shared_x < W + 2) ? in[(c * (H + 2) + y_0 * 16 + in_shared_y) * (W + 2) + x_0 * 16 + in_shared_x] : 0.0f;
      }
    }
    if (y_1 * 16 + x_1 < 72) {
      w_shared[w_shared_o][w_shared_1][w_shared_2] = o_0 * 8 + w_shared_o < O ? w[(o_0 * 8 + w_shared_o) * C * 9 + c * 9 + w_shared_1 * 3 + w_shared_2] : 0.0f;
    }
    __syncthreads();
    for (int dy = 0; dy < 3; ++dy) {
      for (int dx = 0; dx < 3; ++dx) {
        #pragma unroll
        for (int o_1 = 0; o_1 < 8; ++o_1) {
          out_reg[o_1] += w_shared[o_1][dy][dx] * in_shared[dy + y_1][dx + x_1];
        }
      }
    }
    __syncthreads();
  }
  const int y = y_0 * 16 + y_1;
  const int x = x_0 * 16 + x_1;
  if (y < H && x < W) {
    #pragma unroll
    for (int out_at = 0; out_at < 8; ++out_at) {
      if (o_0 * 8 + out_at < O) {
        out[((o_0 * 8 + out_at) * H + y) * W + x] = out_reg[out_at];
      }
    }
  }
}
