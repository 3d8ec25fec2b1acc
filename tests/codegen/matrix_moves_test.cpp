// The instructions that move matrices of 8 by 8 between shared memory and the lanes of a warp.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/pass/passes.h"
#include "fmt/format.h"
#include "ir/core/opcode.h"
#include "ir/core/tensor.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace matrix_moves_test {

using testing::HasSubstr;

/// A row of the table of instructions, with what PTX says of it.
struct MoveRow {
  const char* word;
  const char* ptx;
  int matrices;
  bool is_turned;
};

constexpr MoveRow loads[] = {
    {"ldmatrix_x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4, false},
    {"ldmatrix_x4_trans", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, true},
    {"ldmatrix_x2_trans", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, true},
};

constexpr MoveRow stores[] = {
    {"stmatrix_x1", "stmatrix.sync.aligned.m8n8.x1.shared.b16", 1, false},
    {"stmatrix_x1_trans", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", 1, true},
    {"stmatrix_x2", "stmatrix.sync.aligned.m8n8.x2.shared.b16", 2, false},
    {"stmatrix_x2_trans", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, true},
    {"stmatrix_x4", "stmatrix.sync.aligned.m8n8.x4.shared.b16", 4, false},
    {"stmatrix_x4_trans", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, true},
};

/// The same instructions for lanes that have neighbours of a column: matrix_stores_test runs them.
constexpr MoveRow stores_of_columns[] = {
    {"stmatrix_x1_trans_columns", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", 1, true},
    {"stmatrix_x2_trans_columns", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, true},
    {"stmatrix_x4_trans_columns", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, true},
};

std::vector<MoveRow> all_rows() {
  std::vector<MoveRow> rows(std::begin(loads), std::end(loads));
  rows.insert(rows.end(), std::begin(stores), std::end(stores));
  rows.insert(rows.end(), std::begin(stores_of_columns), std::end(stores_of_columns));
  return rows;
}

const Opcode& opcode_of(const MoveRow& row, const char* type) {
  return *find_opcode_with_lanes(fmt::format("{}_{}", row.word, type));
}

/// As PTX has them. Matrix m is register m of each lane, and lane 8 m + r names the address of its
/// row r of eight. The element c of that row is in lane 4 r + c / 2, where it is half c % 2 of the
/// register. A transposed one is in lane 4 c + r / 2, where it is half r % 2.
void expect_ptx_spreads(const Opcode& opcode, const MoveRow& row) {
  const bool is_store = llvm::StringRef(row.word).startswith("st");
  const FragmentSpread &rows = opcode.rules.spreads[is_store ? 0 : 1],
                       &fragment = opcode.rules.spreads[is_store ? 1 : 0];
  EXPECT_EQ(rows.scope, Scope::shared);
  EXPECT_EQ(fragment.scope, Scope::registers);
  EXPECT_EQ(rows.values(), 8);
  EXPECT_EQ(fragment.values(), 2 * row.matrices);
  std::set<llvm::SmallVector<int64_t, 4>> elements;
  for (int m = 0; m < row.matrices; ++m)
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 8; ++c) {
        const int lane_row = row.is_turned ? c : r, lane_column = row.is_turned ? r : c;
        const auto element =
            fragment.element(4 * lane_row + lane_column / 2, 2 * m + lane_column % 2);
        EXPECT_EQ(rows.element(8 * m + r, c), element) << m << " " << r << " " << c;
        EXPECT_TRUE(elements.insert(element).second) << m << " " << r << " " << c;
      }
  EXPECT_EQ(elements.size(), 64U * row.matrices);
}

TEST(MatrixMoveTable, HasTheSpreadsOfPtx) {
  for (const MoveRow& row : all_rows())
    for (const char* type : {"f16", "bf16"}) {
      SCOPED_TRACE(fmt::format("{}_{}", row.word, type));
      expect_ptx_spreads(opcode_of(row, type), row);
    }
}

/// Lanes that name no row of their own have those of lanes before.
TEST(MatrixMoveTable, SaysWhichLanesNameRows) {
  for (const MoveRow& row : all_rows()) {
    const bool is_store = llvm::StringRef(row.word).startswith("st");
    const uint32_t own = opcode_of(row, "bf16").rules.spreads[is_store ? 0 : 1].own_lanes();
    EXPECT_EQ(own, row.matrices == 4 ? ~0U : (1U << 8 * row.matrices) - 1) << row.word;
  }
}

/// A store takes the sums that an mma leaves, as soon as they are rounded.
TEST(MatrixMoveTable, StoresTakeResults) {
  const FragmentSpread& sums = find_opcode_with_lanes("mma_m16n8k16_bf16")->rules.spreads[0];
  for (const char* word : {"stmatrix_x4_bf16", "stmatrix_x4_trans_bf16", "stmatrix_x2_bf16"}) {
    const FragmentSpread& stored = find_opcode_with_lanes(word)->rules.spreads[1];
    for (int lane = 0; lane < 32; ++lane)
      for (int value = 0; value < 4; ++value)
        EXPECT_EQ(stored.element(lane, value), sums.element(lane, value)) << word;
  }
}

TEST(MatrixMoveTable, HasNoOtherRows) {
  std::set<std::string> known;
  for (const MoveRow& row : all_rows())
    for (const char* type : {"f16", "bf16"}) known.insert(opcode_of(row, type).word());
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes) {
      const std::string word = opcode->word();
      EXPECT_EQ(known.count(word) > 0, word.find("matrix") != std::string::npos) << word;
    }
}

// ---- The program --------------------------------------------------------------------------------

/// A warp that stores a tile of `rows` by `columns`, through shared memory of this layout.
std::string stored(const std::string& word, int rows, int columns, const std::string& layout) {
  return fmt::format(R"(func f(A: bf16[{0}, {1}], C: bf16[{0}, {1}]) {{
  alloc S: bf16[{0}, {1}]{3} @shared
  for w in 0..1 @warp {{
    alloc T: bf16[{0}, {1}] @registers
    copy T[0 .. +{0}, 0 .. +{1}] <- A[0 .. +{0}, 0 .. +{1}]
    copy S[0 .. +{0}, 0 .. +{1}] <- T[0 .. +{0}, 0 .. +{1}] @{2}_bf16
  }}
  copy C[0 .. +{0}, 0 .. +{1}] <- S[0 .. +{0}, 0 .. +{1}]
}})",
                     rows, columns, word, layout);
}

KernelFunction kernel_of(const std::string& text) {
  return lower(parse_function(text)).kernels.front();
}

/// Each lane names the row of the tile that it stores.
TEST(MatrixStores, AreNamedByLanes) {
  EXPECT_EQ(after_pass(issue_instructions, R"(func f(A: bf16[16, 32], C: bf16[16, 32]) {
  alloc S: bf16[16, 32] @shared
  alloc T: bf16[16, 32] @registers
  copy S[0 .. +16, 0 .. +32] <- T[0 .. +16, 0 .. +32] @stmatrix_x4_bf16
  C[0, 0] = S[0, 0]
})"),
            R"(alloc S: bf16[16, 32] @shared
alloc T: bf16[16, 32] @registers
for tile in 0..1 @unroll {
  for tile_2 in 0..2 @unroll {
    for S.lane in 0..16 @lane {
      for S.lane_2 in 0..2 @lane(16) {
        stmatrix_x4_bf16 S[tile*16 + S.lane, tile_2*16 + S.lane_2*8] <- T[tile*16, tile_2*16]
      }
    }
  }
}
C[0, 0] = S[0, 0])");
}

TEST(MatrixStores, HaveFunctionsOfOneInstruction) {
  const std::string text = emit_cuda(kernel_of(stored("stmatrix_x4", 16, 16, " @pad(8)")));
  EXPECT_THAT(text, HasSubstr(R"(
// Stores matrices where the lanes say that their rows of eight lie.
static __device__ void stmatrix_x4(void* to, const void* from) {
  const unsigned* r = static_cast<const unsigned*>(from);
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n      stmatrix_x4(&S[tile + S_lane][tile_2 + S_lane_2 * 8], &T[0][0][tile_2]);\n"));
}

TEST(MatrixStores, AreThoseOfPtx) {
  for (const MoveRow& row : stores) {
    SCOPED_TRACE(row.word);
    const int rows = row.matrices == 1 ? 8 : 16, columns = row.matrices == 4 ? 16 : 8;
    const std::string text =
        emit_cuda(kernel_of(stored(row.word, rows, columns, row.is_turned ? " @order(1, 0)" : "")));
    EXPECT_THAT(text, HasSubstr(fmt::format("\"{} [%0], {{%1", row.ptx)));
    EXPECT_THAT(text, HasSubstr(fmt::format("\"r\"(r[{}])\n", row.matrices - 1)));
  }
}

}  // namespace matrix_moves_test
}  // namespace hone
