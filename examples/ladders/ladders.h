// The ladders that come with Hone: classic CUDA optimisations, one idea a rung.
#pragma once

#include <vector>

#include "tools/cli/ladder.h"

namespace hone {

Ladder matmul_ladder();
Ladder matmul_column_major_ladder();
Ladder matmul_pitched_ladder();
Ladder matmul_pitched_columns_ladder();
Ladder matmul_transposed_ladder();
Ladder matmul_double_ladder();
Ladder gemm_ladder();
Ladder hgemm_ladder();
Ladder hgemm_nt_ladder();
Ladder hgemm_f16_ladder();
Ladder hgemm_batched_ladder();
Ladder hgemm_grouped_ladder();
Ladder gemm_bias_gelu_ladder();
Ladder igemm_ladder();
Ladder gemm_tf32_ladder();
Ladder gemm_fp8_ladder();
Ladder gemm_fp8_blocks_ladder();
Ladder combine_ladder();
Ladder transpose_ladder();
Ladder stencil_ladder();
Ladder convolution_ladder();
Ladder conv2d_nhwc_ladder();
Ladder reduce_ladder();
Ladder argmax_ladder();
Ladder softmax_ladder();
Ladder layernorm_ladder();
Ladder rowsum_ladder();
Ladder colsum_ladder();
Ladder dot_ladder();
Ladder matvec_ladder();
Ladder histogram_ladder();
Ladder batched_ladder();

/// Those whose rungs compute what their programs say.
std::vector<Ladder> all_ladders();
/// Those whose rungs are wrong or slow on purpose, but for the one called sound.
std::vector<Ladder> broken_ladders();
/// Both.
std::vector<Ladder> shipped_ladders();

}  // namespace hone
