// Products of small matrices that a warp computes together, by its tensor cores: mma.sync. Each of
// its lanes has some elements of each matrix in its registers.
#include <deque>

#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"

namespace hone {
namespace {

using Of = SpreadDigit::Of;

/// A row of the table: C += A B, where C is 16 by 8, A is 16 by `k`, and B is `k` by 8.
struct Shape {
  const char* word;  ///< behind "mma_"
  int k;
  DType operand, result;
  const char* types;  ///< of D, A, B and C, as PTX has them
  int least_capability;
};

constexpr Shape shapes[] = {
    {"m16n8k8_f16", 8, f16, f32, "f32.f16.f16.f32", 80},
    {"m16n8k16_f16", 16, f16, f32, "f32.f16.f16.f32", 80},
    {"m16n8k8_bf16", 8, bf16, f32, "f32.bf16.bf16.f32", 80},
    {"m16n8k16_bf16", 16, bf16, f32, "f32.bf16.bf16.f32", 80},
    {"m16n8k4_tf32", 4, tf32, f32, "f32.tf32.tf32.f32", 80},
    {"m16n8k8_tf32", 8, tf32, f32, "f32.tf32.tf32.f32", 80},
    {"m16n8k32_e4m3", 32, f8e4m3, f32, "f32.e4m3.e4m3.f32", 89},
    {"m16n8k32_e5m2", 32, f8e5m2, f32, "f32.e5m2.e5m2.f32", 89},
    {"m16n8k16_s8", 16, i8, i32, "s32.s8.s8.s32", 80},
    {"m16n8k32_s8", 32, i8, i32, "s32.s8.s8.s32", 80},
};

/// Elements that share a register.
int packed(const Shape& shape) { return static_cast<int>(4 / size_of(shape.operand)); }

/// Registers of a lane that hold elements of `rows` by `columns`.
int registers(const Shape& shape, int rows, int columns) {
  return rows * columns / 32 / packed(shape);
}

/// Rows go by groups of four lanes, and then by the upper eight; along k a lane has what shares a
/// register, and the same from the middle on.
FragmentSpread spread_of_left(const Shape& shape) {
  const int n = packed(shape);
  return spread_of({{Of::lane, 4, 8, 0, 1},
                    {Of::value, n, 2, 0, 8},
                    {Of::lane, 1, 4, 1, n},
                    {Of::value, 1, n, 1, 1},
                    {Of::value, 2 * n, shape.k / (4 * n), 1, 4 * n}});
}

FragmentSpread spread_of_right(const Shape& shape) {
  const int n = packed(shape);
  return spread_of({{Of::lane, 1, 4, 0, n},
                    {Of::value, 1, n, 0, 1},
                    {Of::lane, 4, 8, 1, 1},
                    {Of::value, n, shape.k / (4 * n), 0, 4 * n}});
}

FragmentSpread spread_of_result() {
  return {{{Of::lane, 4, 8, 0, 1},
           {Of::value, 2, 2, 0, 8},
           {Of::lane, 1, 4, 1, 2},
           {Of::value, 1, 2, 1, 1}}};
}

std::string product_of(const Shape& shape) {
  const std::string in = name(shape.operand).str(), out = name(shape.result).str();
  return fmt::format(R"(func mma(C: {1}[16, 8], A: {0}[16, {2}], B: {0}[{2}, 8]) {{
  for i in 0..16 {{
    for j in 0..8 {{
      reduce k in 0..{2} {{
        C[i, j] += {1}(A[i, k]) * {1}(B[k, j])
      }}
    }}
  }}
}})",
                     in, out, shape.k);
}

/// "{%4, %5}", {"r"(a[0]), "r"(a[1])}
struct AsmList {
  std::string places, operands;
};
AsmList asm_list(const char* constraint, const char* array, int count, int first) {
  AsmList list;
  for (int n = 0; n < count; ++n) {
    const char* comma = n == 0 ? "" : ", ";
    list.places += fmt::format("{}%{}", comma, first + n);
    list.operands += fmt::format("{}\"{}\"({}[{}])", comma, constraint, array, n);
  }
  return list;
}

std::string mma_function(const Shape& shape) {
  const int left = registers(shape, 16, shape.k), right = registers(shape, shape.k, 8);
  const AsmList c = asm_list(shape.result == f32 ? "+f" : "+r", "c", 4, 0),
                a = asm_list("r", "a", left, 4), b = asm_list("r", "b", right, 4 + left);
  return fmt::format(
      R"(
// C += A B, 16 by 8 of {0}, of the values that the lanes of a warp have.
static __device__ void mma_{1}({2}* c, const void* left, const void* right) {{
  const unsigned* a = static_cast<const unsigned*>(left);
  const unsigned* b = static_cast<const unsigned*>(right);
  asm("mma.sync.aligned.m16n8k{0}.row.col.{3} "
               "{{{4}}}, {{{5}}}, {{{6}}}, {{{4}}};"
               : {7}
               : {8}, {9});
}}
)",
      shape.k, shape.word, shape.result == f32 ? "float" : "int", shape.types, c.places, a.places,
      b.places, c.operands, a.operands, b.operands);
}

const Shape& shape_of(const Opcode& opcode) {
  const std::string word = opcode.word();
  return *llvm::find_if(shapes, [&](const Shape& shape) {
    return llvm::StringRef(word).drop_front(4) == shape.word;
  });
}

CudaSpelling spelling_of_mma(const Instr& mma) {
  const Shape& shape = shape_of(mma.opcode);
  return {fmt::format("mma_{}(&{{0}}, &{{1}}, &{{2}});", shape.word),
          {{static_cast<int>(&shape - shapes), mma_function(shape)}}};
}

/// The records, with the texts that they refer to.
struct Table {
  std::deque<std::string> meanings;
  std::deque<Opcode> opcodes;
  Family family;

  Table() {
    for (const Shape& shape : shapes) {
      meanings.push_back(product_of(shape));
      opcodes.emplace_back(
          fmt::format("mma_{} {{element}} <- {{element}}, {{element}}", shape.word),
          llvm::ArrayRef<Use>{Use::updates, Use::reads, Use::reads},
          Opcode::Rules{
              .meaning = meanings.back().c_str(),
              .spreads = {spread_of_result(), spread_of_left(shape), spread_of_right(shape)},
              .spelling = spelling_of_mma,
              .least_capability = shape.least_capability,
              .work = "multiplies by mma.sync"});
      family.opcodes.push_back(&opcodes.back());
      names += fmt::format("{}mma_{}", names.empty() ? "" : " ", shape.word);
    }
    family.names = names.c_str();
  }

  std::string names;
};

}  // namespace

const Family& mma_family() {
  static const Table table;
  return table.family;
}

}  // namespace hone
