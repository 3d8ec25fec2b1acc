// S(j) = sum(k, X(k, j))
// s.assume(N % 128 == 0);
// auto [chunk, k_1] = s.split(k, 64, {.names = {"chunk", nullptr}});
// auto [row, warp_row] = s.split(k_1, 8, {.names = {"row", "warp_row"}});
// auto [S_rf, chunk_2, block_row] = s.rfactor(S, chunk, {.names = {nullptr, "block_row"}});
// auto [S_rf_rf, warp_row_2, part] = s.rfactor(S_rf, warp_row, {.names = {nullptr, "part"}});
// auto [block_column, column] = s.split(j, 128, {.names = {"block_column", "column"}});
// s.reorder({block_row, block_column, column});
// auto [warp_column, column_2] = s.split(column, 32, {.names = {"warp_column", "column"}});
// s.bind(block_row, block.y, Combine::atomic);
// s.bind(block_column, block.x);
// s.bind(warp_column, thread.y);
// s.bind(column_2, thread.x);
// s.compute_at(S_rf, column_2);
// s.compute_at(S_rf_rf, block_column, {.scope = Scope::shared});
// s.unroll(part);
// auto [vector, element] = s.split(s.axis("j.rf.rf"), 4, {.names = {"vector", "element"}});
// s.bind(warp_row_2, thread.y);
// s.bind(vector, thread.x);
// s.reorder({row, element});
// s.cache_registers(S_rf_rf, vector, {.vectorize = 4});
// s.cache_registers(X, row, {.vectorize = 4});
// s.unroll(row);
// s.bind(s.axis("block_column.init"), block.x);
// s.bind(s.axis("column.init"), thread.x);
//
// launch: grid (N / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
colsum_0(float* __restrict__ S, int N) {
  const int block_column_init = blockIdx.x;
  const int column_init = threadIdx.x;
  S[block_column_init * 128 + column_init] = 0.0f;
}
// S(j) = sum(k, X(k, j))
// s.assume(N % 128 == 0);
// auto [chunk, k_1] = s.split(k, 64, {.names = {"chunk", nullptr}});
// auto [row, warp_row] = s.split(k_1, 8, {.names = {"row", "warp_row"}});
// auto [S_rf, chunk_2, block_row] = s.rfactor(S, chunk, {.names = {nullptr, "block_row"}});
// auto [S_rf_rf, warp_row_2, part] = s.rfactor(S_rf, warp_row, {.names = {nullptr, "part"}});
// auto [block_column, column] = s.split(j, 128, {.names = {"block_column", "column"}});
// s.reorder({block_row, block_column, column});
// auto [warp_column, column_2] = s.split(column, 32, {.names = {"warp_column", "column"}});
// s.bind(block_row, block.y, Combine::atomic);
// s.bind(block_column, block.x);
// s.bind(warp_column, thread.y);
// s.bind(column_2, thread.x);
// s.compute_at(S_rf, column_2);
// s.compute_at(S_rf_rf, block_column, {.scope = Scope::shared});
// s.unroll(part);
// auto [vector, element] = s.split(s.axis("j.rf.rf"), 4, {.names = {"vector", "element"}});
// s.bind(warp_row_2, thread.y);
// s.bind(vector, thread.x);
// s.reorder({row, element});
// s.cache_registers(S_rf_rf, vector, {.vectorize = 4});
// s.cache_registers(X, row, {.vectorize = 4});
// s.unroll(row);
// s.bind(s.axis("block_column.init"), block.x);
// s.bind(s.axis("column.init"), thread.x);
//
// launch: grid (N / 128, (M + 63) / 64, 1), block (32, 8, 1), 4096 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
colsum_1(const float* __restrict__ X, float* __restrict__ S, int N, int M) {
  __shared__ __align__(16) float S_rf_rf[8][128];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int warp_row = threadIdx.y;
  const int vector = threadIdx.x;
  __align__(16) float S_reg[4] = {};
  const int k_base = block_row * 64 + warp_row;
  #pragma unroll
  for (int row = 0; row < 64; row += 8) {
    float X_reg[4];
    __align__(16) float X_vec[4];
    *reinterpret_cast<float4*>(X_vec) =
        (k_base + row < M) ? *reinterpret_cast<const float4*>(&X[(k_base + row) * N + block_column * 128 + vector * 4]) : float4{};
    #pragma unroll
    for (int X_reg_v = 0; X_reg_v < 4; ++X_reg_v) {
      X_reg[X_reg_v] = X_vec[X_reg_v];
    }
    #pragma unroll
    for (int element = 0; element < 4; ++element) {
      S_reg[element] += X_reg[element];
    }
  }
  *reinterpret_cast<float4*>(&S_rf_rf[warp_row][vector * 4]) =
      *reinterpret_cast<const float4*>(S_reg);
  __syncthreads();
  const int warp_column = threadIdx.y;
  if (warp_column < 4) {
    const int column = threadIdx.x;
    float S_rf = 0.0f;
    #pragma unroll
    for (int part = 0; part < 8; ++part) {
      S_rf += S_rf_rf[part][warp_column * 32 + column];
    }
    atomicAdd(&S[block_column * 128 + warp_column * 32 + column], S_rf);
  }
}
