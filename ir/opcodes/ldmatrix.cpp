// Moves of matrices of 8 by 8 elements of two bytes between shared memory and the lanes of a warp,
// as mma.sync takes them and leaves them: ldmatrix and stmatrix. Each lane says where a row of
// eight lies.
#include <deque>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/opcodes/opcodes.h"

namespace hone {
namespace {

using Of = SpreadDigit::Of;

/// A row of the table: matrices below each other, and then beside each other. A turned load gives
/// lanes neighbours of a column, as operands on the right have them. A turned store takes
/// neighbours of a row, as results have them, and its lanes name columns of eight. `has_columns`:
/// the same instruction takes neighbours of a column, as the result of a product has them whose
/// factors have changed places, and its lanes name rows.
struct MatrixMove {
  bool is_store;
  const char* shape;
  int rows, columns;  ///< of the tile; where lanes have columns, the other way round
  bool is_turned = false;
  bool has_columns = false;

  int registers() const { return rows * columns / 64; }
  const char* instruction() const { return is_store ? "stmatrix" : "ldmatrix"; }
  std::string function() const { return fmt::format("{}_{}", instruction(), shape); }
  std::string word(DType type) const {
    return fmt::format("{}_{}{}", function(), has_columns ? "columns_" : "", name(type).str());
  }
};

constexpr MatrixMove matrix_moves[] = {
    {false, "x4", 16, 16},
    {false, "x4_trans", 16, 16, true},
    {false, "x2_trans", 16, 8, true},
    {true, "x4", 16, 16},
    {true, "x4_trans", 16, 16, true},
    {true, "x2", 16, 8},
    {true, "x2_trans", 16, 8, true},
    {true, "x1", 8, 8},
    {true, "x1_trans", 8, 8, true},
    {true, "x4_trans", 16, 16, true, true},
    {true, "x2_trans", 16, 8, true, true},
    {true, "x1_trans", 8, 8, true, true},
};

/// The spread of a matrix whose rows are the columns of the one that it spreads.
FragmentSpread of_columns(FragmentSpread spread) {
  for (SpreadDigit& digit : spread.digits) digit.dim = 1 - digit.dim;
  return spread;
}

/// As mma.sync with k of 16 has its operands, and its results.
FragmentSpread spread_of_fragment(const MatrixMove& move) {
  const SpreadDigit lower = {Of::value, 2, move.rows / 8, 0, 8};
  const SpreadDigit right = {Of::value, 4, move.columns / 8, 1, 8};
  if (!move.is_store && move.is_turned)
    return spread_of(
        {{Of::lane, 1, 4, 0, 2}, {Of::value, 1, 2, 0, 1}, lower, {Of::lane, 4, 8, 1, 1}, right});
  return spread_of(
      {{Of::lane, 4, 8, 0, 1}, lower, {Of::lane, 1, 4, 1, 2}, {Of::value, 1, 2, 1, 1}, right});
}

/// The rows of eight that the lanes name: those on the left from the top down, and then those on
/// the right. Where they are columns, those of the upper matrix come before those of the lower one.
FragmentSpread spread_of_rows(const MatrixMove& move) {
  const SpreadDigit right = {Of::lane, 16, move.columns / 8, 1, 8};
  if (move.is_store && move.is_turned)
    return spread_of({{Of::lane, 1, 8, 1, 1},
                      {Of::value, 1, 8, 0, 1},
                      {Of::lane, 8, move.rows / 8, 0, 8},
                      right},
                     Scope::shared);
  return spread_of({{Of::lane, 1, move.rows, 0, 1}, {Of::value, 1, 8, 1, 1}, right}, Scope::shared);
}

std::string meaning_of_move(const MatrixMove& move, DType type) {
  return fmt::format(R"(func {0}(D: {1}[{2}, {3}], S: {1}[{2}, {3}]) {{
  for i in 0..{2} {{
    for j in 0..{3} {{
      D[i, j] = S[i, j]
    }}
  }}
}})",
                     move.is_store ? "store" : "load", name(type).str(),
                     move.has_columns ? move.columns : move.rows,
                     move.has_columns ? move.rows : move.columns);
}

/// The registers of a lane: "{%0, %1}", and what they are bound to.
struct AsmRegisters {
  std::string places, operands;

  AsmRegisters(const MatrixMove& move, int first, const char* constraint) {
    std::vector<std::string> numbers, elements;
    for (int n = 0; n < move.registers(); ++n) {
      numbers.push_back(fmt::format("%{}", first + n));
      elements.push_back(fmt::format("\"{}\"(r[{}])", constraint, n));
    }
    places = fmt::format("{{{}}}", fmt::join(numbers, ", "));
    operands = fmt::format("{}", fmt::join(elements, ", "));
  }
};

std::string helper_of_load(const MatrixMove& move) {
  const AsmRegisters registers(move, 0, "=r");
  return fmt::format(R"(
// Loads the matrices whose rows of eight lie where the lanes say{0}.
static __device__ void {1}(void* to, const void* from) {{
  unsigned* r = static_cast<unsigned*>(to);
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.{2}{3}.shared.b16 {4}, [%{5}];"
               : {6}
               : "r"(address)
               : "memory");
}}
)",
                     move.is_turned ? ", transposed" : "", move.function(),
                     llvm::StringRef(move.shape).take_front(2).str(),
                     move.is_turned ? ".trans" : "", registers.places, move.registers(),
                     registers.operands);
}

std::string helper_of_store(const MatrixMove& move) {
  const AsmRegisters registers(move, 1, "r");
  return fmt::format(R"(
// Stores matrices where the lanes say that their {0} of eight lie.
static __device__ void {1}(void* to, const void* from) {{
  const unsigned* r = static_cast<const unsigned*>(from);
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("stmatrix.sync.aligned.m8n8.{2}{3}.shared.b16 [%0], {4};"
               :
               : "r"(address), {5}
               : "memory");
}}
)",
                     move.is_turned ? "columns" : "rows", move.function(),
                     llvm::StringRef(move.shape).take_front(2).str(),
                     move.is_turned ? ".trans" : "", registers.places, registers.operands);
}

const MatrixMove& move_of(const Opcode& opcode) {
  const std::string word = opcode.word();
  return *llvm::find_if(matrix_moves, [&](const MatrixMove& move) {
    return word == move.word(f16) || word == move.word(bf16);
  });
}

CudaSpelling spelling_of_move(const Instr& instr) {
  const MatrixMove& move = move_of(instr.opcode);
  const auto* first = llvm::find_if(
      matrix_moves, [&](const MatrixMove& row) { return row.function() == move.function(); });
  return {move.function() + "(&{0}, &{1});",
          {{static_cast<int>(first - std::begin(matrix_moves)),
            move.is_store ? helper_of_store(move) : helper_of_load(move)}}};
}

/// The records, with the texts that they refer to.
struct MatrixMoves {
  std::deque<std::string> meanings;
  std::deque<Opcode> opcodes;
  std::string names;
  Family family;

  MatrixMoves() {
    for (const DType type : {f16, bf16})
      for (const MatrixMove& move : matrix_moves) add(move, type);
    for (const MatrixMove& move : matrix_moves)
      if (!move.has_columns) names += move.function() + " ";
    family.names = names.c_str();
  }

  void add(const MatrixMove& move, DType type) {
    meanings.push_back(meaning_of_move(move, type));
    FragmentSpread to = spread_of_fragment(move), from = spread_of_rows(move);
    if (move.is_store) std::swap(to, from);
    if (move.has_columns) {
      to = of_columns(to);
      from = of_columns(from);
    }
    opcodes.emplace_back(
        move.word(type) + " {element} <- {element}", llvm::ArrayRef<Use>{Use::writes, Use::reads},
        Opcode::Rules{.meaning = meanings.back().c_str(),
                      .spreads = {to, from},
                      .spelling = spelling_of_move,
                      .least_capability = move.is_store ? 90 : 75,
                      .work = move.is_store ? "stores by stmatrix" : "loads by ldmatrix"});
    family.opcodes.push_back(&opcodes.back());
  }
};

}  // namespace

const Family& ldmatrix_family() {
  static const MatrixMoves moves;
  return moves.family;
}

}  // namespace hone
