// out(o, y, x) = sum({c, dy, dx}, w(o, c, dy, dx) * in(c, y + dy, x + dx))
// auto [block_channel, block_row, block_column, channel, row, column] = s.tile({o, y, x}, {8, 16, 16}, {.names = {"block_channel", "block_row", "block_column", "channel", "row", "column"}});
// s.reorder({block_channel, block_row, block_column, row, column, c, dy, dx, channel});
// s.bind(block_channel, block.z);
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(out, column);
// auto in_shared = s.cache_shared(in, c);
// auto w_shared = s.cache_shared(w, c);
//
// launch: grid ((W + 15) / 16, (H + 15) / 16, (O + 7) / 8), block (16, 16, 1), 1584 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
convolution(const float* __restrict__ w, const float* __restrict__ in, float* __restrict__ out, int O, int H, int W, int C) {
  __shared__ float in_shared[18][18];
  __shared__ float w_shared[8][3][3];
  const int block_channel = blockIdx.z;
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  const int w_shared_o = (row * 16 + column) / 9;
  const int w_shared_1 = (row * 16 + column) / 3 % 3;
  const int w_shared_2 = (row * 16 + column) % 3;
  float out_reg[8] = {};
  for (int c = 0; c < C; ++c) {
    #pragma unroll
    for (int in_shared_s = 0; in_shared_s < 512; in_shared_s += 256) {
      const int in_shared_at = in_shared_s + row * 16 + column;
      const int in_shared_y = in_shared_at / 18;
      const int in_shared_x = in_shared_at % 18;
      if (in_shared_at < 324) {
        in_shared[in_shared_y][in_shared_x] = (block_row * 16 + in_shared_y < H + 2 && block_column * 16 + in_shared_x < W + 2) ? in[(c * (H + 2) + block_row * 16 + in_shared_y) * (W + 2) + block_column * 16 + in_shared_x] : 0.0f;
      }
    }
    if (row * 16 + column < 72) {
      w_shared[w_shared_o][w_shared_1][w_shared_2] = block_channel * 8 + w_shared_o < O ? w[(block_channel * 8 + w_shared_o) * C * 9 + c * 9 + w_shared_1 * 3 + w_shared_2] : 0.0f;
    }
    __syncthreads();
    for (int dy = 0; dy < 3; ++dy) {
      for (int dx = 0; dx < 3; ++dx) {
        #pragma unroll
        for (int channel = 0; channel < 8; ++channel) {
          out_reg[channel] += w_shared[channel][dy][dx] * in_shared[dy + row][column + dx];
        }
      }
    }
    __syncthreads();
  }
  const int y = block_row * 16 + row;
  const int x = block_column * 16 + column;
  if (y < H && x < W) {
    #pragma unroll
    for (int out_at = 0; out_at < 8; ++out_at) {
      if (block_channel * 8 + out_at < O) {
        out[((block_channel * 8 + out_at) * H + y) * W + x] = out_reg[out_at];
      }
    }
  }
}
