// The descriptors of tiles in the CUDA text of wgmma, read as PTX defines them: tensor cores find
// each element where the layout of the tile has it. No GPU is needed to see that.
#include <gtest/gtest.h>

#include <regex>

#include "dsl/program.h"
#include "fmt/format.h"
#include "ir/core/instr.h"
#include "ir/memory/storage_map.h"
#include "ir/text/meaning.h"
#include "runtime/host_compiler.h"

namespace hone {
namespace wgmma_descriptors_test {

// ---- As PTX has it ------------------------------------------------------------------------------

/// Addresses and distances are in pieces of 16 bytes.
struct Descriptor {
  uint64_t bits = 0;

  int64_t field(int first) const { return static_cast<int64_t>(bits >> first & 0x3fff) * 16; }
  int64_t start() const { return field(0); }
  int64_t leading() const { return field(16); }
  int64_t stride() const { return field(32); }
  int64_t swizzle() const {
    constexpr int64_t bytes[] = {16, 128, 64, 32};
    return bytes[bits >> 62];
  }
};

/// The address of an element of a product that is 32 bytes deep. Eight rows of a swizzle's width
/// are an atom, and the next one lies a stride away. Where rows do not run along k, those are rows
/// of k, and what is beyond the width lies a leading distance away.
int64_t address_of(const Descriptor& tile, bool is_turned, int64_t size, int64_t row, int64_t k) {
  const int64_t width = tile.swizzle(), of_atoms = is_turned ? k : row;
  const int64_t along = (is_turned ? row : k) * size;
  const int64_t plain = tile.start() + of_atoms / 8 * tile.stride() + of_atoms % 8 * width +
                        along / width * tile.leading() + along % width;
  return plain ^ (plain >> 7 & (width / 16 - 1)) << 4;
}

// ---- The text -----------------------------------------------------------------------------------

constexpr int64_t base = 5 * 1024, steps = 4;

ElementRef place(const char* name, DType type) { return {Tensor(name, type, {1}).node(), {0}}; }

/// The functions of CUDA that the instruction needs.
std::string text_of(const Opcode& opcode) {
  const auto& arguments = meaning_of(opcode).arguments;
  const Stmt stmt =
      Instr::make(opcode, {place("C", arguments[0]->type), place("A", arguments[1]->type),
                           place("B", arguments[2]->type)});
  std::string text;
  for (const Helper& helper : opcode.rules.spelling(*llvm::cast<Instr>(stmt)).helpers)
    text += helper.text;
  return text;
}

/// The descriptor of a tile at `base`, as the text computes it.
uint64_t descriptor(const std::string& text, int64_t panel, int64_t row) {
  const size_t start = text.find("static __device__ unsigned long long matrix_descriptor");
  const std::string function = text.substr(start, text.find("\n}\n", start) + 3 - start);
  const SharedLibrary library = host_compile(
      {"#define __device__\n"
       "#define __cvta_generic_to_shared(pointer) ((unsigned)(unsigned long)(pointer))\n" +
           function +
           "unsigned long long of(unsigned long address, unsigned panel, unsigned row) {\n"
           "  return matrix_descriptor((const void*)address, panel, row);\n}\n",
       "descriptor",
       {}});
  return library.function<unsigned long long(unsigned long, unsigned, unsigned)>("of")(
      base, static_cast<unsigned>(panel), static_cast<unsigned>(row));
}

/// The numbers that an expression captures, in the order of the text.
std::vector<int64_t> numbers_in(const std::string& text, const std::string& expression) {
  std::vector<int64_t> numbers;
  const std::regex regex(expression);
  for (auto match = std::sregex_iterator(text.begin(), text.end(), regex);
       match != std::sregex_iterator(); ++match)
    numbers.push_back(std::stoll((*match)[1]));
  return numbers;
}

/// The first element of an operand that the text has at another place than the layout of its tile;
/// empty where there is none.
std::string problem_of(const Opcode& opcode, size_t operand, const std::string& text) {
  const bool is_of_64_rows = llvm::StringRef(opcode.word()).startswith("wgmma_m64");
  const bool is_left = (operand == 1) == is_of_64_rows;
  const TensorNode& matrix = *meaning_of(opcode).arguments[operand];
  const FragmentSpread& spread = opcode.rules.spreads[operand];
  const StorageMap map(*with_layout(matrix, spread.layout(matrix.type)));
  const bool is_turned =
      !numbers_in(text, is_left ? ", 1, 1, (1), [01];" : ", 1, 1, [01], (1);").empty();
  const int64_t size = size_of(matrix.type), depth = 32 / size;
  const int64_t rows = spread.tile[is_turned ? 1 : 0];
  const std::string call = fmt::format(R"(matrix_descriptor\({}, )", is_left ? "a" : "b");
  const uint64_t first = descriptor(text, numbers_in(text, call + R"((\d+), \d+\))")[0],
                                    numbers_in(text, call + R"(\d+, (\d+)\))")[0]);
  const auto moves = numbers_in(text, is_left ? R"(left \+ (\d+))" : R"(right \+ (\d+))");
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < depth; ++k) {
        const Descriptor tile = {first + moves[step]};
        const int64_t along = step * depth + k;
        const int64_t element = is_turned ? map.offset({along, row}) : map.offset({row, along});
        const int64_t address = address_of(tile, is_turned, size, row, k);
        if (address != base + element * size)
          return fmt::format("row {}, k {}: byte {} for {}", row, along, address - base,
                             element * size);
      }
  return "";
}

std::string problem_of(const Opcode& opcode, const std::string& text) {
  const std::string left = problem_of(opcode, 1, text);
  return left.empty() ? problem_of(opcode, 2, text) : left;
}

bool takes_tiles(const Opcode& opcode) {
  return opcode.rules.spreads.size() == 3 && opcode.rules.spreads[1].is_tile();
}

TEST(WgmmaDescriptors, FindEachElementOfATile) {
  int count = 0;
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes)
      if (takes_tiles(*opcode)) {
        ++count;
        EXPECT_EQ(problem_of(*opcode, text_of(*opcode)), "") << opcode->word();
      }
  EXPECT_EQ(count, 312);
}

// ---- Mistakes -----------------------------------------------------------------------------------

struct Change {
  const char *text, *other;
};

/// Each is one in the text of a product of panels: another distance or swizzle, tiles that are read
/// from elsewhere, rows and columns exchanged.
constexpr Change changes[] = {
    {"row == 128 ? 1", "row == 128 ? 2"},
    {"row == 128 ? 1", "row == 128 ? 0"},
    {"(row / 2) << 32", "(row / 4) << 32"},
    {"(row / 2) << 32", "(row / 1) << 32"},
    {"(panel / 16) << 16", "(panel / 8) << 16"},
    {"(panel / 16) << 16", "(panel / 16) << 17"},
    {"& 0x3ffff) >> 4", "& 0x3ffff) >> 3"},
    {"& 0x3ffff) >> 4", "& 0xfff) >> 4"},
    {"(b, 8192, 128)", "(b, 4096, 128)"},
    {"(b, 8192, 128)", "(b, 16, 128)"},
    {"(b, 8192, 128)", "(b, 8192, 64)"},
    {"left + 2", "left + 4"},
    {"left + 4", "left + 8"},
    {"left + 6", "left + 0"},
    {"right + 128", "right + 2"},
    {"right + 256", "right + 128"},
    {"right + 384", "right + 512"},
    {", 1, 1, 0, 1;", ", 1, 1, 0, 0;"},
};

/// The same in panels of 32 columns.
constexpr Change changes_of_narrow_panels[] = {
    {"row == 64 ? 2", "row == 64 ? 1"},
    {"(b, 4096, 64)", "(b, 4096, 128)"},
    {"(b, 4096, 64)", "(b, 8192, 64)"},
    {"right + 64", "right + 128"},
};

/// The same where both operands are turned: also those of the left one.
constexpr Change changes_on_the_left[] = {
    {"(a, 8192, 128)", "(a, 8192, 64)"}, {"left + 128", "left + 2"},
    {"left + 256", "left + 128"},        {"left + 384", "left + 512"},
    {", 1, 1, 1, 1;", ", 1, 1, 0, 1;"},
};

void expect_problems(const char* word, llvm::ArrayRef<Change> mistakes) {
  const Opcode& opcode = *find_opcode_with_lanes(word);
  for (const Change& change : mistakes) {
    std::string text = text_of(opcode);
    const std::string part = change.text;
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + 1), ++count)
      text.replace(at, part.size(), change.other);
    EXPECT_GT(count, 0U) << part;
    EXPECT_NE(problem_of(opcode, text), "") << part << " -> " << change.other;
  }
}

TEST(WgmmaDescriptors, ShowMistakes) {
  expect_problems("wgmma_m64n128k64_kn_bf16", changes);
  expect_problems("wgmma_m64n96k64_kn_bf16", changes_of_narrow_panels);
  expect_problems("wgmma_m64n32k64_km_kn_f16", changes_on_the_left);
}

}  // namespace wgmma_descriptors_test
}  // namespace hone
