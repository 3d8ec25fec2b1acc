// out(y, x) = sum({dy, dx}, w(dy, dx) * in(y + dy, x + dx))
// auto [block_row, block_column, row, column] = s.tile({y, x}, {8, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(out, column);
// auto in_shared = s.cache_shared(in, column);
//
// launch: grid ((W + 31) / 32, (H + 7) / 8, 1), block (32, 8, 1), 1360 bytes of shared memory

extern "C" __global__ void
stencil(const float* __restrict__ w, const float* __restrict__ in, float* __restrict__ out, int H, int W) {
  __shared__ float in_shared[10][34];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  #pragma unroll
  for (int in_shared_s = 0; in_shared_s < 512; in_shared_s += 256) {
    const int in_shared_at = in_shared_s + row * 32 + column;
    const int in_shared_y = in_shared_at / 34;
    const int in_shared_x = in_shared_at % 34;
    if (in_shared_at < 340) {
      in_shared[in_shared_y][in_shared_x] = (block_row * 8 + in_shared_y < H + 2 && block_column * 32 + in_shared_x < W + 2) ? in[(block_row * 8 + in_shared_y) * (W + 2) + block_column * 32 + in_shared_x] : 0.0f;
    }
  }
  float out_reg = 0.0f;
  __syncthreads();
  for (int dy = 0; dy < 3; ++dy) {
    for (int dx = 0; dx < 3; ++dx) {
      out_reg += w[dy * 3 + dx] * in_shared[dy + row][column + dx];
    }
  }
  const int y = block_row * 8 + row;
  const int x = block_column * 32 + column;
  if (y < H && x < W) {
    out[y * W + x] = out_reg;
  }
}
