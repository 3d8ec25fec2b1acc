// Matrices that warps store to shared memory, run on the devices.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/interpreted.h"
#include "tests/support/runtime/reductions.h"
#include "tests/support/runtime/warpgroup_product.h"

namespace hone {
namespace matrix_stores_test {

using testing::HasSubstr;

/// The matrices that an instruction moves, and how they lie beside each other.
struct StoreRow {
  const char* word;
  int rows, columns;
  bool is_turned;
  bool has_columns = false;  ///< of the lanes: its rows lie in memory
};

constexpr StoreRow rows[] = {
    {"stmatrix_x1", 8, 8, false},
    {"stmatrix_x1_trans", 8, 8, true},
    {"stmatrix_x2", 16, 8, false},
    {"stmatrix_x2_trans", 16, 8, true},
    {"stmatrix_x4", 16, 16, false},
    {"stmatrix_x4_trans", 16, 16, true},
    {"stmatrix_x1_trans_columns", 8, 8, true, true},
    {"stmatrix_x2_trans_columns", 8, 16, true, true},
    {"stmatrix_x4_trans_columns", 16, 16, true, true},
};

/// Two warps that store three by two tiles each, to a tile whose layout keeps eight together.
std::string stores(const StoreRow& row, const char* type) {
  const bool is_by_column = row.is_turned && !row.has_columns;
  const char* layout = is_by_column ? " @order(1, 0) @pad(8)" : " @pad(8)";
  return fmt::format(R"(func f(A: {0}[{1}, {2}], C: {0}[{1}, {2}]) {{
  for b in 0..1 @block.x {{
    alloc S: {0}[{1}, {2}]{3} @shared
    for w in 0..2 @warp {{
      alloc T: {0}[{4}, {2}] @registers
      copy T[0 .. +{4}, 0 .. +{2}] <- A[w*{4} .. +{4}, 0 .. +{2}]
      copy S[w*{4} .. +{4}, 0 .. +{2}] <- T[0 .. +{4}, 0 .. +{2}] @{5}_{0}
    }}
    copy C[0 .. +{1}, 0 .. +{2}] <- S[0 .. +{1}, 0 .. +{2}]
  }}
}})",
                     type, 6 * row.rows, 2 * row.columns, layout, 3 * row.rows, row.word);
}

TEST(MatrixStores, PutEachElementWhereTheCopyDoes) {
  for (const StoreRow& row : rows)
    for (const char* type : {"f16", "bf16"}) {
      SCOPED_TRACE(fmt::format("{}_{}", row.word, type));
      const Function function = parse_function(stores(row, type));
      check_function(function);
      expect_as_interpreted(function, {});
    }
}

TEST(MatrixStores, AreNamedInPtx) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const StoreRow& row : rows) {
    const KernelFunction kernel = lower(parse_function(stores(row, "bf16"))).kernels.front();
    const auto compiled = compile_cached({emit_cuda(kernel), "f", "sm_90", {}, ""});
    const llvm::StringRef shape = llvm::StringRef(row.word).split('_').second;
    EXPECT_THAT(compiled->ptx,
                HasSubstr(fmt::format("stmatrix.sync.aligned.m8n8.{}{}.shared.b16",
                                      shape.take_front(2).str(), row.is_turned ? ".trans" : "")));
  }
}

// ---- Results of products ------------------------------------------------------------------------

using Fill = WarpgroupOptions::Fill;
using Result = WarpgroupOptions::Result;

void expect_right(const WarpgroupOptions& options, const Sizes& sizes) {
  const WarpgroupProduct product(options);
  expect_as_meant(product.program, product.scheduled(), sizes,
                  random_buffers(product.program.function(), sizes, 3));
}

/// At sizes that tiles do not divide, of both types.
TEST(MatrixStores, TakeRoundedSums) {
  for (const DType type : {f16, bf16})
    for (const bool is_turned : {false, true})
      expect_right({.columns = 128,
                    .type = type,
                    .is_turned = is_turned,
                    .fill = Fill::engine,
                    .blocks = 2,
                    .result = Result::rounded,
                    .warpgroups = 2,
                    .stores_matrices = true},
                   {{"M", 200}, {"N", 136}, {"K", 72}});
}

TEST(MatrixStores, TakeRoundedSumsAmongTheNextProducts) {
  expect_right({.columns = 64,
                .fill = Fill::engine,
                .blocks = 2,
                .result = Result::deferred,
                .warpgroups = 2,
                .stores_matrices = true},
               {{"M", 200}, {"N", 136}, {"K", 136}});
}

}  // namespace matrix_stores_test
}  // namespace hone
