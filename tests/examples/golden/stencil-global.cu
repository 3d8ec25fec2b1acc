// out(y, x) = sum({dy, dx}, w(dy, dx) * in(y + dy, x + dx))
// auto [block_row, block_column, row, column] = s.tile({y, x}, {8, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(out, column);
//
// launch: grid ((W + 31) / 32, (H + 7) / 8, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void
stencil(const float* __restrict__ w, const float* __restrict__ in, float* __restrict__ out, int H, int W) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < H && x < W) {
    float out_reg = 0.0f;
    for (int dy = 0; dy < 3; ++dy) {
      for (int dx = 0; dx < 3; ++dx) {
        out_reg += w[dy * 3 + dx] * in[(y + dy) * (W + 2) + x + dx];
      }
    }
    out[y * W + x] = out_reg;
  }
}
