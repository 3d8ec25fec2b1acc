// Sums of four products of bytes, which a thread adds to a sum of 32 bits: dp4a. Each operand has
// the four bytes of a register.
#include <deque>

#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"

namespace hone {
namespace {

constexpr int products = 4;

/// A row of the table.
struct Dot {
  const char* word;
  DType operand;
  const char* c_type;  ///< of four bytes, and of their sum
  const char* sum;     ///< of that type
};

constexpr Dot dots[] = {{"dp4a_s8", i8, "int", "*c"},
                        {"dp4a_u8", u8, "unsigned", "static_cast<unsigned>(*c)"}};

std::string meaning_of_dot(const Dot& dot) {
  return fmt::format(R"(func dot(C: i32[], A: {0}[{1}], B: {0}[{1}]) {{
  reduce k in 0..{1} {{
    C[] += i32(A[k]) * i32(B[k])
  }}
}})",
                     name(dot.operand).str(), products);
}

/// Sums wrap around, as those of int do.
std::string helper_of(const Dot& dot) {
  return fmt::format(R"(
// Adds four products of the bytes of both operands.
static __device__ void {0}(int* c, const void* a, const void* b) {{
  *c = __dp4a(*static_cast<const {1}*>(a), *static_cast<const {1}*>(b), {2});
}}
)",
                     dot.word, dot.c_type, dot.sum);
}

CudaSpelling spelling_of(const Instr& instr) {
  const std::string word = instr.opcode.word();
  const Dot* dot = llvm::find_if(dots, [&](const Dot& row) { return word == row.word; });
  return {word + "(&{0}, &{1}, &{2});", {{static_cast<int>(dot - dots), helper_of(*dot)}}};
}

/// The records, with the texts that they refer to.
struct Dots {
  std::deque<std::string> meanings;
  std::deque<Opcode> opcodes;
  Family family;

  Dots() {
    FragmentSpread sum, bytes;
    bytes.digits.push_back({SpreadDigit::Of::value, 1, products, 0, 1});
    for (const Dot& dot : dots) {
      meanings.push_back(meaning_of_dot(dot));
      opcodes.emplace_back(std::string(dot.word) + " {element} <- {element}, {element}",
                           llvm::ArrayRef<Use>{Use::updates, Use::reads, Use::reads},
                           Opcode::Rules{.meaning = meanings.back().c_str(),
                                         .spreads = {sum, bytes, bytes},
                                         .threads = 1,
                                         .spelling = spelling_of,
                                         .least_capability = 61,
                                         .work = "products by dp4a"});
      family.opcodes.push_back(&opcodes.back());
    }
    family.names = "dp4a_s8 dp4a_u8";
  }
};

}  // namespace

const Family& dp4a_family() {
  static const Dots rows;
  return rows.family;
}

}  // namespace hone
