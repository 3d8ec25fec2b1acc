// C(i, j) = sum(k, i32(A(i, k)) * i32(B(j, k)))
// s.assume_aligned(B, 16);
// s.assume_aligned(A, 16);
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 128}, {.tail = Tail::pad, .names = {"block_row", "block_column", nullptr, nullptr}});
// auto [row, thread_row] = s.split(i_1, 16, {.names = {"row", "thread_row"}});
// auto [column, thread_column] = s.split(j_1, 16, {.names = {"column", "thread_column"}});
// auto [step, k_1] = s.split(k, 64, {.tail = Tail::pad, .names = {"step", nullptr}});
// auto [k_piece, k_1_1] = s.split(k_1, 16, {.names = {"k_piece", nullptr}});
// auto [k_word, k_2] = s.split(k_1_1, 4, {.names = {"k_word", "k"}});
// s.reorder({block_row, block_column, thread_row, thread_column, step, k_piece, k_word, row, column, k_2});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row, thread.y);
// s.bind(thread_column, thread.x);
// s.tensorize(k_2, "dp4a_s8");
// s.cache_registers(C, thread_column);
// auto A_shared = s.cache_shared(A, step, {.vectorize = 16, .layout = Layout().pad(16)});
// s.cache_registers(A_shared, k_piece, {.vectorize = 16});
// s.copy_async(A_shared);
// auto B_shared = s.cache_shared(B, step, {.vectorize = 16, .layout = Layout().pad(16)});
// s.cache_registers(B_shared, k_piece, {.vectorize = 16});
// s.copy_async(B_shared);
// s.pipeline(step, 2);
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (16, 16, 1), 40960 bytes of shared memory

namespace hone::igemm_s8 {

// Starts a copy of 16 bytes to shared memory, of zeros where `is_inside` is false.
static __device__ void copy_async_16_or_zeros(void* to, const void* from, bool is_inside) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(address), "l"(from), "r"(is_inside ? 16 : 0)
               : "memory");
}

// The copies that this thread has started since its last group are the next one.
static __device__ void commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all groups of this thread but the last `pending` ones.
template <int pending>
static __device__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}

// Adds four products of the bytes of both operands.
static __device__ void dp4a_s8(int* c, const void* a, const void* b) {
  *c = __dp4a(*static_cast<const int*>(a), *static_cast<const int*>(b), *c);
}

extern "C" __global__ void __launch_bounds__(256)
igemm_s8(const signed char* __restrict__ A, const signed char* __restrict__ B, int* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) signed char A_shared[2][128][80];
  __shared__ __align__(16) signed char B_shared[2][128][80];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.y;
  const int thread_column = threadIdx.x;
  const int A_shared_i = thread_column / 4;
  const int A_shared_1 = thread_column % 4;
  const int B_shared_j = thread_column / 4;
  const int B_shared_1 = thread_column % 4;
  const int A_shared_i_2 = thread_column / 4;
  const int A_shared_k = thread_column % 4;
  const int B_shared_j_2 = thread_column / 4;
  const int B_shared_k = thread_column % 4;
  __align__(16) int C_reg[8][8] = {};
  if (0 < (K + 63) / 64) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 64) {
      copy_async_16_or_zeros(&A_shared[0][A_shared_s + thread_row * 4 + A_shared_i][A_shared_1 * 16],
          &A[(block_row * 128 + A_shared_s + thread_row * 4 + A_shared_i) * K + A_shared_1 * 16], block_row * 128 + A_shared_s + thread_row * 4 + A_shared_i < M && A_shared_1 * 16 < K);
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 128; B_shared_s += 64) {
      copy_async_16_or_zeros(&B_shared[0][B_shared_s + thread_row * 4 + B_shared_j][B_shared_1 * 16],
          &B[(block_column * 128 + B_shared_s + thread_row * 4 + B_shared_j) * K + B_shared_1 * 16], block_column * 128 + B_shared_s + thread_row * 4 + B_shared_j < N && B_shared_1 * 16 < K);
    }
  }
  commit_group();
  for (int step = 0; step < (K + 63) / 64; ++step) {
    wait_group<0>();
    __syncthreads();
    if (step + 1 < (K + 63) / 64) {
      #pragma unroll
      for (int A_shared_s_2 = 0; A_shared_s_2 < 128; A_shared_s_2 += 64) {
        copy_async_16_or_zeros(&A_shared[(step + 1) % 2][A_shared_s_2 + thread_row * 4 + A_shared_i_2][A_shared_k * 16],
            &A[(block_row * 128 + A_shared_s_2 + thread_row * 4 + A_shared_i_2) * K + step * 64 + A_shared_k * 16 + 64], block_row * 128 + A_shared_s_2 + thread_row * 4 + A_shared_i_2 < M && step * 64 + A_shared_k * 16 + 64 < K);
      }
      #pragma unroll
      for (int B_shared_s_2 = 0; B_shared_s_2 < 128; B_shared_s_2 += 64) {
        copy_async_16_or_zeros(&B_shared[(step + 1) % 2][B_shared_s_2 + thread_row * 4 + B_shared_j_2][B_shared_k * 16],
            &B[(block_column * 128 + B_shared_s_2 + thread_row * 4 + B_shared_j_2) * K + step * 64 + B_shared_k * 16 + 64], block_column * 128 + B_shared_s_2 + thread_row * 4 + B_shared_j_2 < N && step * 64 + B_shared_k * 16 + 64 < K);
      }
    }
    commit_group();
    for (int k_piece = 0; k_piece < 64; k_piece += 16) {
      __align__(16) signed char A_reg[8][16];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        *reinterpret_cast<int4*>(&A_reg[A_reg_at][0]) =
            *reinterpret_cast<const int4*>(&A_shared[step % 2][thread_row + A_reg_at * 16][k_piece]);
      }
      __align__(16) signed char B_reg[8][16];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; ++B_reg_at) {
        *reinterpret_cast<int4*>(&B_reg[B_reg_at][0]) =
            *reinterpret_cast<const int4*>(&B_shared[step % 2][thread_column + B_reg_at * 16][k_piece]);
      }
      #pragma unroll
      for (int k_word = 0; k_word < 16; k_word += 4) {
        #pragma unroll
        for (int row = 0; row < 8; ++row) {
          #pragma unroll
          for (int column = 0; column < 8; ++column) {
            dp4a_s8(&C_reg[row][column], &A_reg[row][k_word], &B_reg[column][k_word]);
          }
        }
      }
    }
  }
  const int i = block_row * 128 + thread_row;
  const int j = block_column * 128 + thread_column;
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    if (i + C_at * 16 < M) {
      #pragma unroll
      for (int C_at_2 = 0; C_at_2 < 8; ++C_at_2) {
        if (j + C_at_2 * 16 < N) {
          C[(i + C_at * 16) * N + j + C_at_2 * 16] = C_reg[C_at][C_at_2];
        }
      }
    }
  }
}

}  // namespace hone::igemm_s8
