// out(o, y, x) = sum({c, dy, dx}, w(o, c, dy, dx) * in(c, y + dy, x + dx))
// auto [block_row, block_column, row, column] = s.tile({y, x}, {8, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(o, block.z);
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(out, column);
//
// launch: grid ((W + 31) / 32, (H + 7) / 8, O), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void
convolution(const float* __restrict__ w, const float* __restrict__ in, float* __restrict__ out, int O, int H, int W, int C) {
  const int o = blockIdx.z;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < H && x < W) {
    float out_reg = 0.0f;
    for (int c = 0; c < C; ++c) {
      for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) {
          out_reg += w[o * C * 9 + c * 9 + dy * 3 + dx] * in[(c * (H + 2) + y + dy) * (W + 2) + x + dx];
        }
      }
    }
    out[(o * H + y) * W + x] = out_reg;
  }
}
