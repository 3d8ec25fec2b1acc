#include "examples/ladders/ladders.h"

#include "examples/ladders/figures.h"
#include "examples/ladders/problems.h"
#include "examples/ladders/source_files.h"
#include "examples/ladders/sources.h"

namespace hone {

std::vector<Ladder> all_ladders() {
  std::vector<Ladder> ladders = {matmul_ladder(),
                                 matmul_column_major_ladder(),
                                 matmul_pitched_ladder(),
                                 matmul_pitched_columns_ladder(),
                                 matmul_transposed_ladder(),
                                 matmul_double_ladder(),
                                 gemm_ladder(),
                                 hgemm_ladder(),
                                 hgemm_nt_ladder(),
                                 hgemm_f16_ladder(),
                                 hgemm_batched_ladder(),
                                 hgemm_grouped_ladder(),
                                 gemm_bias_gelu_ladder(),
                                 igemm_ladder(),
                                 gemm_tf32_ladder(),
                                 gemm_fp8_ladder(),
                                 gemm_fp8_blocks_ladder(),
                                 combine_ladder(),
                                 transpose_ladder(),
                                 stencil_ladder(),
                                 convolution_ladder(),
                                 conv2d_nhwc_ladder(),
                                 reduce_ladder(),
                                 argmax_ladder(),
                                 softmax_ladder(),
                                 layernorm_ladder(),
                                 rowsum_ladder(),
                                 colsum_ladder(),
                                 dot_ladder(),
                                 matvec_ladder(),
                                 histogram_ladder(),
                                 batched_ladder()};
  state_problems(ladders);
  name_sources(ladders);
  add_figures(ladders);
  for (Ladder& ladder : ladders) ladder.source = find_source_file;
  return ladders;
}

}  // namespace hone
