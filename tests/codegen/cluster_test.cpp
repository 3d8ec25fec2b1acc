// Blocks of a cluster: their kernels, their waits, and the CUDA text.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "ir/text/parser.h"

namespace hone {
namespace cluster_test {

/// The largest value of each row, whose halves two blocks take.
constexpr const char* largest_of_rows = R"(func largest[M](A: f32[M, 64], C: f32[M, 64]) {
  for i in 0..M @block.x {
    alloc S: f32[] @registers
    S[] = -inf
    reduce c in 0..2 @cluster.x combine(cluster: exchange) {
      reduce k in 0..32 @thread.x combine(shuffle) {
        S[] max= A[i, c*32 + k]
      }
    }
    for c.C in 0..2 @cluster.x {
      for j in 0..32 @thread.x {
        C[i, c.C*32 + j] = A[i, c.C*32 + j] - S[]
      }
    }
  }
})";

constexpr const char* kernel_of_rows =
    R"(kernel largest[M](A: f32[M, 64], C: f32[M, 64]) grid(M*2, 1, 1) cluster(2) block(32, 1, 1) @index32 {
  alloc S.cluster: f32[2, 2] @cluster(0)
  barrier @cluster
  let i = block.x / 2
  alloc S: f32[] @registers
  let c = block.x % 2
  alloc S.part: f32[] @registers
  let k = thread.x
  alloc S.part.part: f32[] @registers
  S.part.part[] = -inf
  S.part.part[] max= A[i*64 + c*32 + k]
  for offset in 0..5 @unroll {
    S.part.part[] max= shuffle_exchange(S.part.part[], 16 >> offset, 32)
  }
  S.part[] = S.part.part[]
  if (thread.x == 0) {
    for block in 0..2 @unroll {
      S.cluster[block, c] = S.part[]
    }
  }
  S[] = -inf
  barrier @cluster
  let t = block.x % 2
  for block_2 in 0..2 @unroll {
    S[] max= S.cluster[t, block_2]
  }
  let c.C = block.x % 2
  let j = thread.x
  C[i*64 + c.C*32 + j] = A[i*64 + c.C*32 + j] - S[]
})";

KernelFunction lowered() { return lower(parse_function(largest_of_rows)).kernels.front(); }

TEST(Clusters, BlocksTellEachOtherWhatTheyHave) { EXPECT_EQ(to_string(lowered()), kernel_of_rows); }

TEST(Clusters, TheKernelReadsBack) {
  EXPECT_EQ(to_string(parse_kernel(kernel_of_rows)), kernel_of_rows);
}

TEST(Clusters, CudaWritesToTheMemoryOfOtherBlocks) {
  const std::string text = emit_cuda(lowered());
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("extern \"C\" __global__ void __cluster_dims__(2, 1, 1)\nlargest(")) << text;
  EXPECT_TRUE(has("*of_block(&S_cluster[c], block) = S_part;")) << text;
  EXPECT_TRUE(has("S = fmaxf(S, S_cluster[block_2]);")) << text;
}

TEST(Clusters, KernelsHaveTheFunctionsThatTheyCall) {
  const auto functions = [](const std::string& body) {
    const std::string text = emit_cuda(
        parse_kernel("kernel f(A: f32[64]) grid(2, 1, 1) cluster(2) block(32, 1, 1) @index32 {\n"
                     "  alloc T: f32[2, 32] @cluster(0)\n" +
                     body + "\n  A[block.x*32 + thread.x] = 1.0\n}"));
    std::string found;
    for (const char* name : {"void cluster_barrier()", "T* of_block("})
      if (text.find(name) != std::string::npos) found += std::string(name) + "; ";
    return found;
  };
  EXPECT_EQ(functions(""), "");
  EXPECT_EQ(functions("barrier @cluster"), "void cluster_barrier(); ");
  EXPECT_EQ(functions("T[1 - block.x % 2, thread.x] = 1.0"), "T* of_block(; ");
  EXPECT_EQ(functions("barrier @cluster\nT[1 - block.x % 2, thread.x] = 1.0"),
            "void cluster_barrier(); T* of_block(; ");
}

/// The number of a block or thread is known in a loop of one trip, so promised vectors stay whole.
TEST(Clusters, ALoopOfOneTripIsZeroForAllBlocksAndThreads) {
  for (const char* place : {"cluster.x", "thread.x", "block.y", "warp", "lane", "warpgroup"})
    for (const char* others : {"", "for o in 0..2 @cluster.x { D[o] = 0.0 }",
                               "for o in 0..256 @thread.x { D[o] = 0.0 }"}) {
      const Function function = parse_function(fmt::format(R"(
func p(A: f32[8], C: f32[8], D: f32[256]) {{
  for b in 0..4 @block.x {{
    {}
    for j in 0..1 @{} {{
      alloc R: f32[2] @registers
      for n in 0..2 {{
        R[n] = A[b*2 + n]
      }}
      copy C[b*2 + j*5 .. +2] <- R[0 .. +2] @vector(2)
    }}
  }}
}})",
                                                           others, place));
      EXPECT_FALSE(lower(function).kernels.empty()) << to_string(function);
    }
}

TEST(Clusters, ABlockAloneHasNone) {
  std::string text = largest_of_rows;
  for (const char* binding : {" @cluster.x combine(cluster: exchange)", " @cluster.x"})
    while (text.find(binding) != std::string::npos)
      text.erase(text.find(binding), std::string(binding).size());
  const KernelFunction kernel = lower(parse_function(text)).kernels.front();
  EXPECT_EQ(kernel.cluster, 1);
  EXPECT_EQ(emit_cuda(kernel).find("cluster"), std::string::npos);
}

}  // namespace cluster_test
}  // namespace hone
