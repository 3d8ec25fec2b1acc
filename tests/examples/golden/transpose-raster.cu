// B(j, i) = A(i, j)
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// auto [j_0, i_0, j_1, i_1] = s.tile({j, i}, {64, 64});
// s.bind(j_0, block.y);
// s.bind(i_0, block.x);
// auto A_shared = s.cache_shared(A, i_0, {.layout = Layout::order({1, 0}).swizzle({.chunk = 4, .period = 8, .rows = 4})});
// auto [A_shared_0, A_shared_1] = s.copy_loops(A_shared);
// auto [A_shared_0_0, A_shared_1_0, A_shared_0_1, A_shared_1_1] = s.tile({A_shared_0, A_shared_1}, {4, 4});
// auto [A_shared_0_0_0, A_shared_1_0_0, A_shared_0_0_1, A_shared_1_0_1] = s.tile({A_shared_0_0, A_shared_1_0}, {4, 8});
// Axis A_shared_0_0_1_A_shared_1_0_1 = s.fuse(A_shared_0_0_1, A_shared_1_0_1);
// Axis A_shared_0_0_0_A_shared_1_0_0 = s.fuse(A_shared_0_0_0, A_shared_1_0_0);
// Axis A_shared_0_0_0_A_shared_1_0_0_A_shared_0_0_1_A_shared_1_0_1 = s.fuse(A_shared_0_0_0_A_shared_1_0_0, A_shared_0_0_1_A_shared_1_0_1);
// s.bind(A_shared_0_0_0_A_shared_1_0_0_A_shared_0_0_1_A_shared_1_0_1, thread.x);
// s.reorder({A_shared_1_1, A_shared_0_1});
// s.cache_registers(A, A_shared_0_0_0_A_shared_1_0_0_A_shared_0_0_1_A_shared_1_0_1, {.vectorize = 4});
// s.vectorize(A_shared_0_1);
// auto [j_1_0, i_1_0, j_1_1, i_1_1] = s.tile({j_1, i_1}, {4, 4});
// auto [j_1_0_0, i_1_0_0, j_1_0_1, i_1_0_1] = s.tile({j_1_0, i_1_0}, {4, 8});
// Axis j_1_0_1_i_1_0_1 = s.fuse(j_1_0_1, i_1_0_1);
// Axis j_1_0_0_i_1_0_0 = s.fuse(j_1_0_0, i_1_0_0);
// Axis j_1_0_0_i_1_0_0_j_1_0_1_i_1_0_1 = s.fuse(j_1_0_0_i_1_0_0, j_1_0_1_i_1_0_1);
// s.bind(j_1_0_0_i_1_0_0_j_1_0_1_i_1_0_1, thread.x);
// s.unroll(j_1_1);
// s.vectorize(i_1_1);
//
// launch: grid ((M + 63) / 64, (N + 63) / 64, 1), block (256, 1, 1), 16384 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M) {
  __shared__ __align__(16) float A_shared[64][64];
  const int j_0 = blockIdx.y;
  const int i_0 = blockIdx.x;
  const int A_shared_0_0_0 = threadIdx.x / 64;
  const int A_shared_1_0_0 = threadIdx.x / 32 % 2;
  const int A_shared_0_0_1 = threadIdx.x % 32 / 8;
  const int A_shared_1_0_1 = threadIdx.x % 8;
  float A_reg[4][4];
  const int A_shared_0 = A_shared_0_0_0 * 16 + A_shared_0_0_1 * 4;
  const int A_shared_1 = A_shared_1_0_1 * 4 + A_shared_1_0_0 * 32;
  #pragma unroll
  for (int A_reg_at = 0; A_reg_at < 4; ++A_reg_at) {
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) =
        (i_0 * 64 + A_shared_0 + A_reg_at < M && j_0 * 64 + A_shared_1 < N) ? *reinterpret_cast<const float4*>(&A[(i_0 * 64 + A_shared_0 + A_reg_at) * N + j_0 * 64 + A_shared_1]) : float4{};
    #pragma unroll
    for (int A_reg_v = 0; A_reg_v < 4; ++A_reg_v) {
      A_reg[A_reg_at][A_reg_v] = A_vec[A_reg_v];
    }
  }
  #pragma unroll
  for (int A_shared_1_1 = 0; A_shared_1_1 < 4; ++A_shared_1_1) {
    __align__(16) float A_shared_vec[4];
    #pragma unroll
    for (int A_shared_0_1 = 0; A_shared_0_1 < 4; ++A_shared_0_1) {
      A_shared_vec[A_shared_0_1] = A_reg[A_shared_0_1][A_shared_1_1];
    }
    *reinterpret_cast<float4*>(&A_shared[A_shared_1_0_1 * 4 + A_shared_1_0_0 * 32 + A_shared_1_1][A_shared_0_0_0 * 16 + A_shared_0_0_1 * 4 ^ A_shared_1_0_1 * 4]) =
        *reinterpret_cast<const float4*>(A_shared_vec);
  }
  __syncthreads();
  const int j_1_0_0 = threadIdx.x / 64;
  const int i_1_0_0 = threadIdx.x / 32 % 2;
  const int j_1_0_1 = threadIdx.x % 32 / 8;
  const int i_1_0_1 = threadIdx.x % 8;
  const int j = j_0 * 64 + j_1_0_0 * 16 + j_1_0_1 * 4;
  const int i = i_0 * 64 + i_1_0_0 * 32 + i_1_0_1 * 4;
  if (j < N && i < M) {
    #pragma unroll
    for (int j_1_1 = 0; j_1_1 < 4; ++j_1_1) {
      *reinterpret_cast<float4*>(&B[(j + j_1_1) * M + i]) =
          *reinterpret_cast<const float4*>(&A_shared[j_1_0_0 * 16 + j_1_0_1 * 4 + j_1_1][i_1_0_0 * 32 + i_1_0_1 * 4 ^ (j_1_0_0 * 4 + j_1_0_1) % 8 * 4]);
    }
  }
}
