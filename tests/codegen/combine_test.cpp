// Reductions over threads and blocks, as kernel IR and as CUDA, and where their threads wait for
// one another. tests/runtime/reductions_test.cpp runs such kernels.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/codegen/races.h"
#include "tests/support/ir/golden.h"

namespace hone {
namespace combine_test {

/// A sum per row, which `threads` threads of a block share.
std::string row_sums(const std::string& combine, int threads, const std::string& update = "+= ") {
  return fmt::format(R"(func rows[M, N](A: f32[M, N], S: f32[M]) {{
    for i in 0..M @block.x {{
      S[i] = 0.0
      reduce t in 0..{0} @thread.x combine({1}) {{
        reduce k in 0..(N + {2}) / {0} {{
          if (k*{0} + t < N) {{ S[i] {3}A[i, k*{0} + t] }} }} }} }} }})",
                     threads, combine, threads - 1, update);
}

/// Four rows a block, one above the other in y.
std::string four_rows(const std::string& combine, int threads) {
  return fmt::format(R"(func rows[M](A: f32[M, {0}], S: f32[M]) {{
    for i.0 in 0..(M + 3) / 4 @block.x {{ for i.1 in 0..4 @thread.y {{
      if (i.0*4 + i.1 < M) {{
        S[i.0*4 + i.1] = 0.0
        reduce t in 0..{0} @thread.x combine({1}) {{ S[i.0*4 + i.1] += A[i.0*4 + i.1, t] }} }}
    }} }} }})",
                     threads, combine);
}

/// A sum that blocks share.
std::string total(const std::string& within, const std::string& across, int threads) {
  return fmt::format(R"(func total[N](A: f32[N], S: f32[]) {{
    S[] = 0.0
    reduce b in 0..(N + {2}) / {0} @block.x combine({3}) {{
      reduce t in 0..{0} @thread.x combine({1}) {{
        if (b*{0} + t < N) {{ S[] += A[b*{0} + t] }} }} }} }})",
                     threads, within, threads - 1, across);
}

/// The verdict on the barriers of a kernel.
enum class Barriers { needed, some_redundant };

/// Expects the last kernel of a function as it is kept, and none of its barriers to be missing.
void expect_kernel(const std::string& name, const std::string& text,
                   const std::vector<Sizes>& all_sizes, Barriers barriers = Barriers::needed) {
  SCOPED_TRACE(name);
  const KernelFunction kernel = lower(parse_function(text)).kernels.back();
  const std::string path = "tests/codegen/golden/" + name;
  expect_golden(path + ".ir", to_string(kernel) + "\n");
  expect_golden(path + ".cu", emit_cuda(kernel));
  const auto race = [&](const KernelFunction& candidate) {
    std::optional<std::string> found;
    for (const Sizes& sizes : all_sizes)
      if (!found) found = find_race(candidate, sizes);
    return found;
  };
  EXPECT_EQ(race(kernel), std::nullopt) << to_string(kernel);
  for (int n = 0; n < count_barriers(kernel) && barriers == Barriers::needed; ++n)
    EXPECT_NE(race(without_barrier(kernel, n)), std::nullopt)
        << "barrier " << n << " is redundant:\n"
        << to_string(kernel);
}

const std::vector<Sizes> row_sizes = {{{"M", 3}, {"N", 700}}, {{"M", 1}, {"N", 0}}};

TEST(Combine, ByATreeOfThreads) {
  expect_kernel("interleaved_modulo", row_sums("interleaved_modulo", 128), row_sizes);
  expect_kernel("interleaved_strided", row_sums("interleaved_strided", 128), row_sizes);
  expect_kernel("sequential", row_sums("sequential", 128), row_sizes);
  expect_kernel("sequential_unrolled", row_sums("sequential, unrolled", 128), row_sizes);
  expect_kernel("sequential_last_warp", row_sums("sequential, last_warp", 128), row_sizes);
  expect_kernel("interleaved_strided_unrolled", row_sums("interleaved_strided, unrolled", 16),
                row_sizes);
}

TEST(Combine, ByATreeOfAnyNumberOfThreads) {
  expect_kernel("interleaved_modulo_48", row_sums("interleaved_modulo", 48), row_sizes);
  expect_kernel("interleaved_strided_48", row_sums("interleaved_strided", 48), row_sizes);
  expect_kernel("sequential_48", row_sums("sequential", 48), row_sizes);
  expect_kernel("sequential_unrolled_48", row_sums("sequential, unrolled", 48), row_sizes,
                Barriers::some_redundant);  // a first level of 16 threads, and then 16 again
  expect_kernel("sequential_unrolled_last_warp_96", row_sums("sequential, unrolled, last_warp", 96),
                row_sizes, Barriers::some_redundant);
}

TEST(Combine, ByShuffles) {
  expect_kernel("shuffle", row_sums("shuffle", 32), row_sizes);
  expect_kernel("shuffle_24", row_sums("shuffle", 24), row_sizes);
  expect_kernel("shuffle_rows_of_8", four_rows("shuffle", 8), {{{"M", 8}}, {{"M", 5}}});
  expect_kernel("sequential_rows_of_24", four_rows("sequential", 24), {{{"M", 8}}, {{"M", 5}}});
  expect_kernel("two_level", row_sums("two_level", 128), row_sizes);
  expect_kernel("two_level_80", row_sums("two_level", 80), row_sizes);
}

TEST(Combine, ByAtomicUpdates) {
  expect_kernel("atomic", row_sums("atomic", 128), row_sizes);
  expect_kernel("atomic_product", row_sums("atomic", 128, "*= "), row_sizes);
  expect_kernel("atomic_blocks", total("two_level", "atomic", 64), {{{"N", 150}}, {{"N", 0}}});
}

TEST(Combine, ByTheLastBlock) {
  expect_kernel("last_block", total("sequential, unrolled, last_warp", "last_block", 64),
                {{{"N", 150}}, {{"N", 0}}}, Barriers::some_redundant);  // to all but the last block
  expect_kernel("last_warp", total("two_level", "last_block, last_warp", 64),
                {{{"N", 150}}, {{"N", 0}}}, Barriers::some_redundant);
}

TEST(Combine, TheLastBlockSetsUpNothingButItsResult) {
  const auto kernels = [](const std::string& tensor) {
    return lower(parse_function("func f(A: f32[8], C: f32[8], S: f32[8]) { for i in 0..8 { " +
                                tensor + R"([i] = 0.0 }
      reduce b in 0..8 @block.x combine(last_block) {
        C[b] += A[b]
        for i in 0..8 { S[i] += A[b] } } })"))
        .kernels.size();
  };
  EXPECT_EQ(kernels("S"), 1u);
  EXPECT_EQ(kernels("C"), 2u);
}

/// The threads of the setup would stand beside rows of lanes that exchange values.
TEST(Combine, ASetupWithThreadsOfItsOwnStaysApartFromLanes) {
  const auto kernels = [](const std::string& threads) {
    return lower(parse_function("func f(A: f32[8, 2], C: f32[2]) { for i in 0..2 " + threads +
                                R"( { C[i] = 0.0 }
      reduce b in 0..8 @block.x combine(last_block) { for j in 0..2 {
        reduce k in 0..2 @thread.x combine(shuffle) { C[j] += A[b, k] } } } })"))
        .kernels.size();
  };
  EXPECT_EQ(kernels(""), 1u);
  EXPECT_EQ(kernels("@thread.x"), 1u);
  EXPECT_EQ(kernels("@thread.y"), 2u);
}

TEST(Combine, RefusesRowsThatDoNotBeginWithAWarp) {
  EXPECT_EQ(
      lowering_error(R"(func f(A: f32[3, 24], S: f32[3]) {
              for i in 0..3 @thread.y { S[i] = 0.0
                reduce t in 0..24 @thread.x combine(shuffle) { S[i] += A[i, t] } } })"),
      "combine(shuffle) exchanges values within warps, and the rows of thread.x, 24 threads "
      "long in a block of (24, 3, 1), do not each begin with a warp, nor fill warps together\n"
      "bind all lanes of whole warps in the nest, or combine by a tree");
}

/// The last lanes of a row would be in the middle of a warp.
TEST(Combine, RefusesALastWarpThatRowsShare) {
  EXPECT_EQ(lowering_error(R"(func f(A: f32[2, 4], S: f32[2]) {
              for i in 0..2 @thread.y { S[i] = 0.0
                reduce t in 0..4 @thread.x combine(sequential, last_warp) { S[i] += A[i, t] } } })"),
            "combine(sequential, last_warp) exchanges values within warps, and the rows of "
            "thread.x, 4 threads long in a block of (4, 2, 1), do not each begin with a warp, nor "
            "fill warps together\nbind all lanes of whole warps in the nest, or combine by a tree");
}

/// Rows of lanes that are not there, as another loop has more of them.
TEST(Combine, RefusesWarpsThatAreNotFull) {
  EXPECT_EQ(lowering_error(R"(func f(A: f32[8, 8], S: f32[8]) {
              for b in 0..1 @block.x {
                for i in 0..3 @thread.y { S[i] = 0.0
                  reduce t in 0..8 @thread.x combine(shuffle) { S[i] += A[i, t] } }
                for j in 0..4 @thread.y { for u in 0..8 @thread.x { A[j + 4, u] = 0.0 } } } })"),
            "combine(shuffle) exchanges values within warps, and the rows of thread.x, 8 threads "
            "long in a block of (8, 4, 1), do not each begin with a warp, nor fill warps together\n"
            "bind all lanes of whole warps in the nest, or combine by a tree");
}

TEST(Combine, RefusesAConditionOnElementsAroundAnExchange) {
  EXPECT_EQ(lowering_error(R"(func f(A: f32[8, 32], S: f32[8]) {
              for i in 0..8 @thread.y { if (S[i] < 0.0) {
                reduce t in 0..32 @thread.x combine(shuffle) { S[i] += A[i, t] } } } })"),
            "threads combine under S[i] < 0.0, which may differ between them\n"
            "the condition may stand inside the reduction");
}

TEST(Combine, RefusesAWarpToFinishForThreadsAlongOtherDimensions) {
  EXPECT_EQ(lowering_error(R"(func f(A: f32[8, 4], S: f32[]) {
              S[] = 0.0
              reduce b in 0..8 @block.x combine(last_block, last_warp) {
                reduce k in 0..4 @thread.y combine(sequential) { S[] += A[b, k] } } })"),
            "combine(last_block, last_warp) leaves the results of blocks to one warp, and within a "
            "block k combines over thread.y\nbind it to thread.x, or leave out last_warp");
}

/// Two updates: their element is any, and no row of threads has one of its own.
TEST(Combine, OneThreadFinishesWhereTheLanesOfAWarpLackRows) {
  const std::string body = lowered_body(R"(func f(A: f32[4, 2], S: f32[2]) {
              for i in 0..2 { S[i] = 0.0 }
              reduce b in 0..2 @block.x combine(last_block, last_warp) {
                for j in 0..2 @thread.y {
                  reduce k in 0..2 @thread.x combine(sequential) {
                    S[j] += A[b, k] S[j] += A[b + 2, k] } } } })");
  const std::string finish = body.substr(body.find("arrive"));
  EXPECT_EQ(finish.find("shuffle"), std::string::npos) << finish;
  EXPECT_NE(finish.find("reduce part in 0..2 {"), std::string::npos) << finish;
}

/// The parts of a block that updates its result more than once, or maybe not at all, start from
/// nothing.
TEST(Combine, SetsUpPartsThatAreUpdated) {
  const auto contribution = [](const std::string& inside) {
    const std::string body = lowered_body(
        "func f(A: f32[8, 4], S: f32[]) { S[] = 0.0 "
        "reduce b in 0..8 @block.x combine(last_block) { " +
        inside + " } }");
    const std::string before = "let b = block.x\n";
    const size_t start = body.find(before) + before.size();
    return body.substr(start, body.find("arrive") - start);
  };
  EXPECT_EQ(contribution("S[] += A[b, 1]"), "S.parts[b] = A[b*4 + 1]\n");
  EXPECT_EQ(contribution("S[] += A[b, 0] S[] += A[b, 1]"), R"(S.parts[b] = 0.0
S.parts[b] += A[b*4]
S.parts[b] += A[b*4 + 1]
)");
  EXPECT_EQ(contribution("reduce k in 0..4 { S[] += A[b, k] }"), R"(S.parts[b] = 0.0
reduce k in 0..4 {
  S.parts[b] += A[b*4 + k]
}
)");
  EXPECT_EQ(contribution("if (A[b, 0] > 0.0) { S[] += A[b, 1] }"), R"(S.parts[b] = 0.0
if (A[b*4] > 0.0) {
  S.parts[b] += A[b*4 + 1]
}
)");
}

}  // namespace combine_test
}  // namespace hone
