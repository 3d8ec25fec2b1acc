// Nests that an instruction of a warp computes, in kernels and in CUDA.
#include <gmock/gmock.h>

#include <set>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/pass/passes.h"
#include "dsl/schedule.h"
#include "fmt/format.h"
#include "ir/core/opcode.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace tensorize_test {

using testing::HasSubstr;
using testing::Not;

/// A row of the table of instructions, with what PTX says of it.
struct MmaRow {
  const char* word;
  int64_t k;
  DType operand, result;
  const char* ptx;
  int left_registers, right_registers;
};

constexpr MmaRow rows[] = {
    {"mma_m16n8k8_f16", 8, f16, f32, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1},
    {"mma_m16n8k16_f16", 16, f16, f32, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2},
    {"mma_m16n8k8_bf16", 8, bf16, f32, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1},
    {"mma_m16n8k16_bf16", 16, bf16, f32, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2},
    {"mma_m16n8k16_s8", 16, i8, i32, "m16n8k16.row.col.s32.s8.s8.s32", 2, 1},
    {"mma_m16n8k32_s8", 32, i8, i32, "m16n8k32.row.col.s32.s8.s8.s32", 4, 2},
    {"mma_m16n8k4_tf32", 4, tf32, f32, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1},
    {"mma_m16n8k8_tf32", 8, tf32, f32, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2},
    {"mma_m16n8k32_e4m3", 32, f8e4m3, f32, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2},
    {"mma_m16n8k32_e5m2", 32, f8e5m2, f32, "m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2},
};
constexpr MmaRow bf16_row = rows[3];

/// C = A B, 32 by 32 of 32, by two warps, each of which has 16 by 32 sums.
Schedule product(const MmaRow& row) {
  const Tensor A("A", row.operand, {32, 32}), B("B", row.operand, {32, 32});
  const Tensor C("C", row.result, {32, 32});
  const Axis i("i", 32), j("j", 32);
  const ReduceAxis k("k", 32);
  Schedule s(
      Program("product", C(i, j) = sum(k, cast(row.result, A(i, k)) * cast(row.result, B(k, j)))));
  auto [warp_row, tile_column, y, x] = s.tile({i, j}, {16, 8});
  auto [k_tile, of_tile] = s.split(k, row.k);
  s.reorder({warp_row, k_tile, tile_column, y, x, of_tile});
  s.bind(warp_row, warp);
  auto [upper, lane_row] = s.split(s.axis("i.1.init"), 8);
  auto [lane_column, pair] = s.split(s.axis("j.1.init"), 2);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(y, row.word);
  s.cache_registers(C, warp_row);
  const Cache A_shared = s.cache_shared(A, warp_row);
  const Cache B_shared = s.cache_shared(B, warp_row);
  s.cache_registers(A_shared, k_tile);
  s.cache_registers(B_shared, k_tile);
  return s;
}

KernelFunction kernel_of(const MmaRow& row) {
  return lower(product(row).function()).kernels.front();
}

// ---- The program --------------------------------------------------------------------------------

/// The places are the first elements of what the warp has together.
TEST(TensorizeLowering, ANestBecomesItsInstruction) {
  EXPECT_EQ(after_pass(issue_instructions,
                       R"(func f(A: bf16[16, 16], B: bf16[2, 16, 8], C: f32[16, 32]) {
  alloc C.reg: f32[16, 32] @registers
  alloc A.reg: bf16[16, 16] @registers
  alloc B.reg: bf16[2, 16, 8] @registers
  for m in 0..4 @unroll {
    for i in 0..16 @mma_m16n8k16_bf16 { for j in 0..8 { reduce k in 0..16 {
      C.reg[i, m*8 + j] += f32(A.reg[i, k]) * f32(B.reg[m % 2, k, j]) } } }
  }
  C[0, 0] = C.reg[0, 0]
})"),
            R"(alloc C.reg: f32[16, 32] @registers
alloc A.reg: bf16[16, 16] @registers
alloc B.reg: bf16[2, 16, 8] @registers
for m in 0..4 @unroll {
  mma_m16n8k16_bf16 C.reg[0, m*8] <- A.reg[0, 0], B.reg[m % 2, 0, 0]
}
C[0, 0] = C.reg[0, 0])");
}

/// A lane has its values of a tile side by side, in the order in which the instruction takes them.
TEST(TensorizeLowering, LanesHaveTheirValuesOfEachTile) {
  const std::string text = to_string(kernel_of(bf16_row));
  for (const char* line :
       {") grid(1, 1, 1) block(64, 1, 1) @index32 {\n",  //
        "  alloc C.reg: f32[4, 2, 2] @registers\n",
        "        C.reg[j.0.init, i.1.init.0, j.1.init.1] = 0.0\n",
        "    alloc A.reg: bf16[2, 2, 2] @registers\n",
        "  let A.reg.t = lane % 4\n  let A.reg.t_2 = lane / 4\n",
        "A.reg[A.reg.o, A.reg.o_2, A.reg.at] = A.shared[i.0*16 + A.reg.o_2*8 + A.reg.t_2, "
        "k.0*16 + A.reg.o*8 + A.reg.t*2 + A.reg.at]\n",
        "    alloc B.reg: bf16[4, 4] @registers\n",
        "B.reg[B.reg.o_2, B.reg.o*2 + B.reg.at] = B.shared[k.0*16 + B.reg.o*8 + B.reg.t*2 + "
        "B.reg.at, B.reg.o_2*8 + B.reg.t_2]\n",
        "    for j.0 in 0..4 @unroll {\n"
        "      mma_m16n8k16_bf16 C.reg[j.0, 0, 0] <- A.reg[0, 0, 0], B.reg[j.0, 0]\n",
        "copy C[i.0*512 + C.reg.o_2*256 + C.reg.t_2*32 + C.reg.o*8 + C.reg.t*2 .. +2] <- "
        "C.reg[C.reg.o, C.reg.o_2, 0 .. +2] @vector(2)\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

/// Nothing but the instruction multiplies.
TEST(TensorizeLowering, EachRowIsAnInstructionOfItsKernel) {
  for (const MmaRow& row : rows) {
    SCOPED_TRACE(row.word);
    const std::string text = to_string(kernel_of(row));
    EXPECT_THAT(text, HasSubstr(fmt::format("\n      {} C.reg[", row.word)));
    EXPECT_THAT(text, Not(HasSubstr("+=")));
  }
}

TEST(TensorizeLowering, CudaCallsAFunctionOfOneInstruction) {
  const std::string text = emit_cuda(kernel_of(bf16_row));
  EXPECT_THAT(text, HasSubstr(R"(
// C += A B, 16 by 8 of 16, of the values that the lanes of a warp have.
static __device__ void mma_m16n8k16_bf16(float* c, const void* left, const void* right) {
  const unsigned* a = static_cast<const unsigned*>(left);
  const unsigned* b = static_cast<const unsigned*>(right);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
)"));
  EXPECT_THAT(text, HasSubstr("  __align__(16) float C_reg[4][2][2] = {};\n"));
  EXPECT_THAT(text, HasSubstr("mma_m16n8k16_bf16(&C_reg[j_0][0][0], &A_reg[0][0][0], "
                              "&B_reg[j_0][0]);\n"));
}

TEST(TensorizeLowering, AFunctionHasTheRegistersOfItsInstruction) {
  for (const MmaRow& row : rows) {
    SCOPED_TRACE(row.word);
    const std::string text = emit_cuda(kernel_of(row));
    EXPECT_THAT(text, HasSubstr(fmt::format("\"mma.sync.aligned.{} \"", row.ptx)));
    const auto expect_registers = [&](const char* constraint, const char* array, int count) {
      const auto operand = [&](int n) {
        return fmt::format("\"{}\"({}[{}])", constraint, array, n);
      };
      for (int n = 0; n < count; ++n) EXPECT_THAT(text, HasSubstr(operand(n)));
      EXPECT_THAT(text, Not(HasSubstr(operand(count))));
    };
    expect_registers(row.result == f32 ? "+f" : "+r", "c", 4);
    expect_registers("r", "a", row.left_registers);
    expect_registers("r", "b", row.right_registers);
    const int operands = 4 + row.left_registers + row.right_registers;
    EXPECT_THAT(text, HasSubstr(fmt::format("%{}}}, {{%0, %1, %2, %3}};", operands - 1)));
  }
}

/// On a CPU, the nest is loops like others.
TEST(TensorizeLowering, HostsRunTheLoops) {
  const std::string nest = R"(func f(A: i8[16, 16], B: i8[16, 8], C: i32[16, 8]) {
  for i in 0..16@ { for j in 0..8 { reduce k in 0..16 {
    C[i, j] += i32(A[i, k]) * i32(B[k, j]) } } } })";
  const auto host_text = [](std::string text, const std::string& binding) {
    text.replace(text.find('@'), 1, binding);
    return emit_c(lower_host(parse_function(text)).kernels.front());
  };
  EXPECT_EQ(host_text(nest, " @mma_m16n8k16_s8"), host_text(nest, ""));
}

/// A nest that sets up results joins the next one where its threads leave the warps of that whole.
TEST(TensorizeLowering, BlocksStayWholeWarps) {
  const auto kernels = [](int results) {
    return lower(parse_function(fmt::format(
                     R"(func f(a: bf16[16, 16], b: bf16[16, 8], X: f32[4, {0}], S: f32[{0}]) {{
  for u in 0..{0} @thread.x {{ S[u] = 0.0 }}
  reduce q in 0..4 @block.x combine(last_block) {{
    alloc A: bf16[16, 16] @registers
    alloc B: bf16[16, 8] @registers
    alloc C: f32[16, 8] @registers
    alloc D: f32[16, 8] @shared
    copy A[0 .. +16, 0 .. +16] <- a[0 .. +16, 0 .. +16]
    copy B[0 .. +16, 0 .. +8] <- b[0 .. +16, 0 .. +8]
    copy C[0 .. +16, 0 .. +8] <- X[0 .. +16, 0 .. +8]
    for i in 0..16 @mma_m16n8k16_bf16 {{ for j in 0..8 {{ reduce k in 0..16 {{
      C[i, j] += f32(A[i, k]) * f32(B[k, j]) }} }} }}
    copy D[0 .. +16, 0 .. +8] <- C[0 .. +16, 0 .. +8]
    for w in 0..{0} {{ S[w] += X[q, w] + D[w % 16, 0] }}
  }}
}})",
                     results)))
        .kernels.size();
  };
  EXPECT_EQ(kernels(32), 1u);
  EXPECT_EQ(kernels(48), 2u);
}

// ---- The table ----------------------------------------------------------------------------------

/// Every element of a matrix is one value of one lane.
TEST(MmaTable, SpreadsAreBijections) {
  for (const MmaRow& row : rows) {
    SCOPED_TRACE(row.word);
    const Opcode* opcode = find_opcode_with_lanes(row.word);
    ASSERT_TRUE(opcode);
    const int64_t shapes[][2] = {{16, 8}, {16, row.k}, {row.k, 8}};
    ASSERT_EQ(opcode->rules.spreads.size(), std::size(shapes));
    for (const auto& [spread, shape] : llvm::zip(opcode->rules.spreads, shapes)) {
      std::set<llvm::SmallVector<int64_t, 4>> elements;
      for (int lane = 0; lane < 32; ++lane)
        for (int value = 0; value < spread.values(); ++value) {
          const auto element = spread.element(lane, value);
          ASSERT_EQ(element.size(), 2u);
          for (int dim = 0; dim < 2; ++dim)
            EXPECT_TRUE(0 <= element[dim] && element[dim] < shape[dim]) << lane << " " << value;
          EXPECT_TRUE(elements.insert(element).second) << lane << " " << value;
        }
      EXPECT_EQ(elements.size(), static_cast<size_t>(shape[0] * shape[1]));
    }
  }
}

/// The values of a lane fill the registers that PTX has for them.
TEST(MmaTable, ValuesFillRegisters) {
  for (const MmaRow& row : rows) {
    const auto& spreads = find_opcode_with_lanes(row.word)->rules.spreads;
    const auto registers = [&](int operand, DType type) {
      return spreads[operand].values() * size_of(type) / 4;
    };
    EXPECT_EQ(registers(0, row.result), 4) << row.word;
    EXPECT_EQ(registers(1, row.operand), row.left_registers) << row.word;
    EXPECT_EQ(registers(2, row.operand), row.right_registers) << row.word;
  }
}

TEST(MmaTable, HasNoOtherRows) {
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes) {
      const std::string word = opcode->word();
      EXPECT_TRUE(!llvm::StringRef(word).startswith("mma_") ||
                  llvm::any_of(rows, [&](const MmaRow& row) { return word == row.word; }))
          << word;
    }
}

// ---- Refusals -----------------------------------------------------------------------------------

/// A product whose operands lie where the scopes say, with a condition of its statement.
std::string product_in(const char* A, const char* B, const char* C, const char* condition = "") {
  return fmt::format(R"(func f(a: bf16[16, 16], b: bf16[16, 8], c: f32[16, 8]) {{
  alloc A: bf16[16, 16] @{}
  alloc B: bf16[16, 8] @{}
  alloc C: f32[16, 8] @{}
  copy A[0 .. +16, 0 .. +16] <- a[0 .. +16, 0 .. +16]
  copy B[0 .. +16, 0 .. +8] <- b[0 .. +16, 0 .. +8]
  copy C[0 .. +16, 0 .. +8] <- c[0 .. +16, 0 .. +8]
  for i in 0..16 @mma_m16n8k16_bf16 {{ for j in 0..8 {{ reduce k in 0..16 {{
    {} C[i, j] += f32(A[i, k]) * f32(B[k, j]) {}
  }} }} }}
  copy c[0 .. +16, 0 .. +8] <- C[0 .. +16, 0 .. +8]
}})",
                     A, B, C, condition, *condition ? "}" : "");
}

TEST(TensorizeLoweringRefusals, OfOperandsThatAreNotInRegisters) {
  EXPECT_EQ(lowering_error(product_in("registers", "registers", "registers")), "no error");
  EXPECT_EQ(lowering_error(product_in("shared", "registers", "registers")),
            "mma_m16n8k16_bf16 takes A from registers, and it is in shared memory\n"
            "cache_registers(A, an axis around i)");
  EXPECT_EQ(lowering_error(product_in("registers", "shared", "registers")),
            "mma_m16n8k16_bf16 takes B from registers, and it is in shared memory\n"
            "cache_registers(B, an axis around i)");
  EXPECT_EQ(lowering_error(product_in("registers", "registers", "shared")),
            "mma_m16n8k16_bf16 takes C from registers, and it is in shared memory\n"
            "cache_registers(C, an axis around i)");
  EXPECT_EQ(lowering_error(R"(func f(A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8]) {
  for i in 0..16 @mma_m16n8k16_bf16 { for j in 0..8 { reduce k in 0..16 {
    C[i, j] += f32(A[i, k]) * f32(B[k, j]) } } } })"),
            "mma_m16n8k16_bf16 takes C from registers, and it is in global memory\n"
            "cache_registers(C, an axis around i)");
}

TEST(TensorizeLoweringRefusals, MarkTheNest) {
  try {
    lower(parse_function(product_in("shared", "registers", "registers")));
    ADD_FAILURE() << "accepted";
  } catch (const ScheduleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("error: compile: mma_m16n8k16_bf16 takes A from "));
    EXPECT_THAT(error.what(), HasSubstr("for i in 0..16 @mma_m16n8k16_bf16 {  <-- here\n"));
  }
}

constexpr const char* padding_note =
    "\ntiles that are split with Tail::pad are filled with zeros, and need none";

TEST(TensorizeLoweringRefusals, OfConditionsThatAreLeft) {
  EXPECT_EQ(lowering_error(product_in("registers", "registers", "registers", "if (i < 12) {")),
            std::string("mma_m16n8k16_bf16 has no guard, and its nest is computed where i < 12") +
                padding_note);
  std::string filled = product_in("registers", "registers", "registers");
  filled.replace(filled.find("f32(A[i, k])"), 12, "f32(select(k < 9, A[i, k], 0.0))");
  EXPECT_EQ(lowering_error(filled),
            std::string("mma_m16n8k16_bf16 has no guard, and its nest is computed where k < 9") +
                padding_note);
}

}  // namespace tensorize_test
}  // namespace hone
