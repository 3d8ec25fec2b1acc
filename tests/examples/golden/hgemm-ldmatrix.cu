// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume_aligned(A, 16);
// s.assume(K % 8 == 0);
// s.assume_aligned(B, 16);
// s.assume(N % 8 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {128, 128}, {.tail = Tail::pad});
// auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {64, 32});
// auto [i_1_1_0, j_1_1_0, i_1_1_1, j_1_1_1] = s.tile({i_1_1, j_1_1}, {16, 8});
// auto [k_0, k_1] = s.split(k, 32, {.tail = Tail::pad});
// auto [k_1_0, k_1_1] = s.split(k_1, 16);
// s.reorder({i_0, j_0, i_1_0, j_1_0, k_0, k_1_0, i_1_1_0, j_1_1_0, i_1_1_1, j_1_1_1, k_1_1});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind({i_1_0, j_1_0}, warp);
// auto [i_1_1_1_init_0, i_1_1_1_init_1] = s.split(s.axis("i.1.1.1.init"), 8);
// auto [j_1_1_1_init_0, j_1_1_1_init_1] = s.split(s.axis("j.1.1.1.init"), 8);
// auto [j_1_1_1_init_1_0, j_1_1_1_init_1_1] = s.split(j_1_1_1_init_1, 2);
// s.bind({i_1_1_1_init_1, j_1_1_1_init_1_0}, lane);
// auto [i_1_1_1_post_0, i_1_1_1_post_1] = s.split(s.axis("i.1.1.1.post"), 8);
// auto [j_1_1_1_post_0, j_1_1_1_post_1] = s.split(s.axis("j.1.1.1.post"), 8);
// auto [j_1_1_1_post_1_0, j_1_1_1_post_1_1] = s.split(j_1_1_1_post_1, 2);
// s.bind({i_1_1_1_post_1, j_1_1_1_post_1_0}, lane);
// s.tensorize(i_1_1_1, "mma_m16n8k16_bf16");
// s.cache_registers(C.acc, j_1_0);
// auto A_shared = s.cache_shared(A, k_0, {.vectorize = 8, .layout = Layout().pad(8)});
// auto B_shared = s.cache_shared(B, k_0, {.vectorize = 8, .layout = Layout().pad(8)});
// s.cache_registers(A_shared, k_1_0);
// s.cache_registers(B_shared, k_1_0);
// s.unroll(k_1_0);
// s.assume_aligned(C, 16);
// s.assume(N % 8 == 0);
// s.vectorize(j_1_1_1_post_1_1);
// s.tensorize(s.tensor("A.reg"), "ldmatrix_x4_bf16");
// s.tensorize(s.tensor("B.reg"), "ldmatrix_x4_trans_bf16");
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (256, 1, 1), 18944 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::hgemm {

// Loads the matrices whose rows of eight lie where the lanes say.
static __device__ void ldmatrix_x4(void* to, const void* from) {
  unsigned* r = static_cast<unsigned*>(to);
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// Loads the matrices whose rows of eight lie where the lanes say, transposed.
static __device__ void ldmatrix_x4_trans(void* to, const void* from) {
  unsigned* r = static_cast<unsigned*>(to);
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// C += A B, 16 by 8 of 16, of the values that the lanes of a warp have.
static __device__ void mma_m16n8k16_bf16(float* c, const void* left, const void* right) {
  const unsigned* a = static_cast<const unsigned*>(left);
  const unsigned* b = static_cast<const unsigned*>(right);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256)
hgemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int i_1_0 = warp / 4;
  const int j_1_0 = warp % 4;
  const int A_shared_lane = lane % 16;
  const int A_shared_lane_2 = lane / 16;
  const int B_shared_lane = lane % 16;
  const int B_shared_lane_2 = lane / 16;
  const int i_1_1_1_post_1 = lane / 4;
  const int j_1_1_1_post_1_0 = lane % 4;
  __shared__ __align__(16) __nv_bfloat16 A_shared[128][40];
  __shared__ __align__(16) __nv_bfloat16 B_shared[32][136];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_base = i_1_0 * 64 + i_1_1_1_post_1;
  const int j_base = j_1_0 * 32 + j_1_1_1_post_1_0 * 2;
  __align__(16) float C_reg[4][4][2][2];
  #pragma unroll
  for (int i_1_1_0_init = 0; i_1_1_0_init < 4; ++i_1_1_0_init) {
    #pragma unroll
    for (int j_1_1_0_init = 0; j_1_1_0_init < 4; ++j_1_1_0_init) {
      #pragma unroll
      for (int i_1_1_1_init_0 = 0; i_1_1_1_init_0 < 2; ++i_1_1_1_init_0) {
        #pragma unroll
        for (int j_1_1_1_init_0 = 0; j_1_1_1_init_0 < 1; ++j_1_1_1_init_0) {
          #pragma unroll
          for (int j_1_1_1_init_1_1 = 0; j_1_1_1_init_1_1 < 2; ++j_1_1_1_init_1_1) {
            C_reg[i_1_1_0_init][j_1_1_0_init + j_1_1_1_init_0][i_1_1_1_init_0][j_1_1_1_init_1_1] = 0.0f;
          }
        }
      }
    }
  }
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 64) {
      const int A_shared_i = threadIdx.x / 4;
      const int A_shared_k = threadIdx.x % 4;
      __align__(16) __nv_bfloat16 A_vec[8];
      *reinterpret_cast<int4*>(A_vec) =
          (i_0 * 128 + A_shared_s + A_shared_i < M && k_0 + A_shared_k * 8 < K) ? *reinterpret_cast<const int4*>(&A[(i_0 * 128 + A_shared_s + A_shared_i) * K + k_0 + A_shared_k * 8]) : int4{};
      *reinterpret_cast<int4*>(&A_shared[A_shared_s + A_shared_i][A_shared_k * 8]) =
          *reinterpret_cast<const int4*>(A_vec);
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 32; B_shared_s += 16) {
      const int B_shared_k = threadIdx.x / 16;
      const int B_shared_j = threadIdx.x % 16;
      __align__(16) __nv_bfloat16 B_vec[8];
      *reinterpret_cast<int4*>(B_vec) =
          (k_0 + B_shared_s + B_shared_k < K && j_0 * 128 + B_shared_j * 8 < N) ? *reinterpret_cast<const int4*>(&B[(k_0 + B_shared_s + B_shared_k) * N + j_0 * 128 + B_shared_j * 8]) : int4{};
      *reinterpret_cast<int4*>(&B_shared[B_shared_s + B_shared_k][B_shared_j * 8]) =
          *reinterpret_cast<const int4*>(B_vec);
    }
    __syncthreads();
    #pragma unroll
    for (int k_1_0 = 0; k_1_0 < 32; k_1_0 += 16) {
      __align__(16) __nv_bfloat16 A_reg[4][2][2][2];
      #pragma unroll
      for (int tile = 0; tile < 4; ++tile) {
        #pragma unroll
        for (int tile_2 = 0; tile_2 < 16; tile_2 += 16) {
          ldmatrix_x4(&A_reg[tile][0][0][tile_2], &A_shared[i_1_0 * 64 + tile * 16 + A_shared_lane][k_1_0 + tile_2 + A_shared_lane_2 * 8]);
        }
      }
      __align__(16) __nv_bfloat16 B_reg[4][4];
      #pragma unroll
      for (int tile_3 = 0; tile_3 < 16; tile_3 += 16) {
        #pragma unroll
        for (int tile_4 = 0; tile_4 < 4; tile_4 += 2) {
          ldmatrix_x4_trans(&B_reg[tile_4][tile_3], &B_shared[k_1_0 + tile_3 + B_shared_lane][j_1_0 * 32 + tile_4 * 8 + B_shared_lane_2 * 8]);
        }
      }
      #pragma unroll
      for (int i_1_1_0 = 0; i_1_1_0 < 4; ++i_1_1_0) {
        #pragma unroll
        for (int j_1_1_0 = 0; j_1_1_0 < 4; ++j_1_1_0) {
          mma_m16n8k16_bf16(&C_reg[i_1_1_0][j_1_1_0][0][0], &A_reg[i_1_1_0][0][0][0], &B_reg[j_1_1_0][0]);
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int i_1_1_0_post = 0; i_1_1_0_post < 4; ++i_1_1_0_post) {
    #pragma unroll
    for (int j_1_1_0_post = 0; j_1_1_0_post < 4; ++j_1_1_0_post) {
      #pragma unroll
      for (int i_1_1_1_post_0 = 0; i_1_1_1_post_0 < 2; ++i_1_1_1_post_0) {
        #pragma unroll
        for (int j_1_1_1_post_0 = 0; j_1_1_1_post_0 < 1; ++j_1_1_1_post_0) {
          if (i_0 * 128 + i_base + i_1_1_0_post * 16 + i_1_1_1_post_0 * 8 < M && j_0 * 128 + j_base + j_1_1_0_post * 8 + j_1_1_1_post_0 * 8 < N) {
            __align__(4) __nv_bfloat16 C_vec[2];
            #pragma unroll
            for (int j_1_1_1_post_1_1 = 0; j_1_1_1_post_1_1 < 2; ++j_1_1_1_post_1_1) {
              C_vec[j_1_1_1_post_1_1] = __float2bfloat16(C_reg[i_1_1_0_post][j_1_1_0_post + j_1_1_1_post_0][i_1_1_1_post_0][j_1_1_1_post_1_1]);
            }
            *reinterpret_cast<int*>(&C[(i_0 * 128 + i_base + i_1_1_0_post * 16 + i_1_1_1_post_0 * 8) * N + j_0 * 128 + j_base + j_1_1_0_post * 8 + j_1_1_1_post_0 * 8]) =
                *reinterpret_cast<const int*>(C_vec);
          }
        }
      }
    }
  }
}

}  // namespace hone::hgemm
