// B(j, i) = A(i, j)
// auto [j_0, i_0, j_1, i_1] = s.tile({j, i}, {32, 32});
// auto [j_1_0, j_1_1] = s.split(j_1, 8);
// s.bind(j_0, block.x);
// s.bind(i_0, block.y);
// s.bind(j_1_1, thread.y);
// s.bind(i_1, thread.x);
// auto A_shared = s.cache_shared(A, i_0);
// s.layout(A_shared, Layout().pad(1));
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 8, 1), 4224 bytes of shared memory

extern "C" __global__ void
transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M) {
  __shared__ float A_shared[32][33];
  const int j_0 = blockIdx.x;
  const int i_0 = blockIdx.y;
  #pragma unroll
  for (int A_shared_s = 0; A_shared_s < 32; A_shared_s += 8) {
    const int A_shared_ty = threadIdx.y;
    const int A_shared_tx = threadIdx.x;
    A_shared[A_shared_s + A_shared_ty][A_shared_tx] = (i_0 * 32 + A_shared_s + A_shared_ty < M && j_0 * 32 + A_shared_tx < N) ? A[(i_0 * 32 + A_shared_s + A_shared_ty) * N + j_0 * 32 + A_shared_tx] : 0.0f;
  }
  __syncthreads();
  for (int j_1_0 = 0; j_1_0 < 32; j_1_0 += 8) {
    const int j_1_1 = threadIdx.y;
    const int i_1 = threadIdx.x;
    const int j_base = j_0 * 32 + j_1_1;
    const int i = i_0 * 32 + i_1;
    if (j_base + j_1_0 < N && i < M) {
      B[(j_base + j_1_0) * M + i] = A_shared[i_1][j_1_0 + j_1_1];
    }
  }
}
