// Loads of matrices of 8 by 8 elements of two bytes from shared memory, to the lanes of a warp as
// mma.sync takes them: ldmatrix. Each lane says where a row of eight lies.
#include <deque>

#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"

namespace hone {
namespace {

using Of = SpreadDigit::Of;

/// A row of the table. `is_turned`: lanes have neighbours of a column, as operands on the right do.
struct MatrixLoad {
  const char* shape;
  int columns;  ///< of the tile; it has 16 rows
  bool is_turned;
  DType type;
};

constexpr MatrixLoad matrix_loads[] = {
    {"x4", 16, false, f16},  {"x4_trans", 16, true, f16},  {"x2_trans", 8, true, f16},
    {"x4", 16, false, bf16}, {"x4_trans", 16, true, bf16}, {"x2_trans", 8, true, bf16},
};

std::string word_of(const MatrixLoad& load) {
  return fmt::format("ldmatrix_{}_{}", load.shape, name(load.type).str());
}

/// As the operands of mma.sync with k of 16 are.
FragmentSpread spread_of_fragment(const MatrixLoad& load) {
  if (!load.is_turned)
    return {{{Of::lane, 4, 8, 0, 1},
             {Of::value, 2, 2, 0, 8},
             {Of::lane, 1, 4, 1, 2},
             {Of::value, 1, 2, 1, 1},
             {Of::value, 4, 2, 1, 8}}};
  FragmentSpread spread = {{{Of::lane, 1, 4, 0, 2},
                            {Of::value, 1, 2, 0, 1},
                            {Of::value, 2, 2, 0, 8},
                            {Of::lane, 4, 8, 1, 1}}};
  if (load.columns == 16) spread.digits.push_back({Of::value, 4, 2, 1, 8});
  return spread;
}

/// The rows that the lanes name: sixteen on the left, and then those on the right.
FragmentSpread spread_of_rows(const MatrixLoad& load) {
  FragmentSpread spread = {{{Of::lane, 1, 16, 0, 1}, {Of::value, 1, 8, 1, 1}}, Scope::shared};
  if (load.columns == 16) spread.digits.push_back({Of::lane, 16, 2, 1, 8});
  return spread;
}

std::string load_meaning(const MatrixLoad& load) {
  return fmt::format(R"(func load(D: {0}[16, {1}], S: {0}[16, {1}]) {{
  for i in 0..16 {{
    for j in 0..{1} {{
      D[i, j] = S[i, j]
    }}
  }}
}})",
                     name(load.type).str(), load.columns);
}

std::string helper_of(const MatrixLoad& load) {
  const bool is_wide = load.columns == 16;
  return fmt::format(
      R"(
// Loads the matrices whose rows of eight lie where the lanes say{0}.
static __device__ void ldmatrix_{1}(void* to, const void* from) {{
  unsigned* r = static_cast<unsigned*>(to);
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.{2}{3}.shared.b16 {{{4}}}, [%{5}];"
               : {6}
               : "r"(address)
               : "memory");
}}
)",
      load.is_turned ? ", transposed" : "", load.shape, is_wide ? "x4" : "x2",
      load.is_turned ? ".trans" : "", is_wide ? "%0, %1, %2, %3" : "%0, %1", is_wide ? 4 : 2,
      is_wide ? R"("=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))" : R"("=r"(r[0]), "=r"(r[1]))");
}

const MatrixLoad& load_of(const Opcode& opcode) {
  const std::string word = opcode.word();
  return *llvm::find_if(matrix_loads,
                        [&](const MatrixLoad& load) { return word_of(load) == word; });
}

CudaSpelling spelling_of_load(const Instr& instr) {
  const MatrixLoad& load = load_of(instr.opcode);
  const int order = (load.is_turned ? 2 : 0) + load.columns / 16;
  return {fmt::format("ldmatrix_{}(&{{0}}, &{{1}});", load.shape), {{order, helper_of(load)}}};
}

/// The records, with the texts that they refer to.
struct MatrixLoads {
  std::deque<std::string> meanings;
  std::deque<Opcode> opcodes;
  Family family;

  MatrixLoads() {
    for (const MatrixLoad& load : matrix_loads) {
      meanings.push_back(load_meaning(load));
      opcodes.emplace_back(
          word_of(load) + " {element} <- {element}", llvm::ArrayRef<Use>{Use::writes, Use::reads},
          Opcode::Rules{.meaning = meanings.back().c_str(),
                        .spreads = {spread_of_fragment(load), spread_of_rows(load)},
                        .spelling = spelling_of_load,
                        .least_capability = 75,
                        .work = "loads by ldmatrix"});
      family.opcodes.push_back(&opcodes.back());
    }
    family.names = "ldmatrix_x4 ldmatrix_x4_trans ldmatrix_x2_trans";
  }
};

}  // namespace

const Family& ldmatrix_family() {
  static const MatrixLoads loads;
  return loads.family;
}

}  // namespace hone
