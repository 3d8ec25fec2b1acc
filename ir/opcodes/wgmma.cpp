// Products of matrices that a warpgroup computes together, by its tensor cores: wgmma. Sums lie in
// registers, spread over its lanes; the operands are tiles in shared memory, as the copy engine
// lays them out with a swizzle of 128 bytes: rows of 64 elements along k.
#include <deque>

#include "fmt/format.h"
#include "ir/core/violation.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"

namespace hone {
namespace {

using Of = SpreadDigit::Of;

constexpr int tile_rows = 64, tile_depth = 64, step_depth = 16, most_columns = 256;
constexpr int swizzle = 128, chunk = 8;  ///< bytes, and elements that stay together

std::string wgmma_word(int columns, DType type) {
  return fmt::format("wgmma_m64n{}k64_{}", columns, name(type).str());
}

/// Sixteen rows a warp, and in these as an mma.sync has them; pairs of columns, eight by eight.
FragmentSpread spread_of_sums(int columns) {
  return {{{Of::lane, 32, 4, 0, 16},
           {Of::lane, 4, 8, 0, 1},
           {Of::value, 2, 2, 0, 8},
           {Of::lane, 1, 4, 1, 2},
           {Of::value, 1, 2, 1, 1},
           {Of::value, 4, columns / 8, 1, 8}}};
}

/// The chunks of a tile of so many rows, in the order in which they lie: the lanes share them.
FragmentSpread spread_of_tile(int rows) {
  return {{{Of::lane, 8, 16, 0, 1},
           {Of::lane, 1, 8, 1, chunk},
           {Of::value, 1, chunk, 1, 1},
           {Of::value, chunk, rows / 16, 0, 16}},
          Scope::shared,
          swizzle};
}

std::string meaning_of(int columns, DType type) {
  return fmt::format(R"(func wgmma(C: f32[64, {0}], A: {1}[64, 64], B: {1}[{0}, 64]) {{
  for i in 0..64 {{
    for j in 0..{0} {{
      reduce k in 0..64 {{
        C[i, j] += f32(A[i, k]) * f32(B[j, k])
      }}
    }}
  }}
}})",
                     columns, name(type).str());
}

constexpr const char* descriptor = R"(
// A tile in shared memory as wgmma takes it: rows of 128 bytes, in a swizzle of as many.
static __device__ unsigned long long matrix_descriptor(const void* tile) {
  const unsigned address = __cvta_generic_to_shared(tile);
  return 1ull << 62 | 64ull << 32 | 1ull << 16 | (address & 0x3ffff) >> 4;
}
)";

/// "%0, %1, ...", eight in a line of the text.
std::string list_of(int count, const char* item, const char* line_end, const char* line_start) {
  std::string list;
  for (int n = 0; n < count; ++n) {
    if (n > 0) list += n % 8 == 0 ? fmt::format(",{}{}", line_end, line_start) : ", ";
    list += fmt::format(fmt::runtime(item), n);
  }
  return list;
}

std::string product_function(int columns, DType type) {
  const int sums = columns / 2;
  std::string products;
  for (int step = 0; step < tile_depth / step_depth; ++step)
    products += fmt::format(
        "      \"wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} \"\n"
        "      \"{{{2}}}, \"\n"
        "      \"%{3}, %{4}, p, 1, 1, 0, 0;\\n\"\n",
        columns, name(type).str(), list_of(sums, "%{}", " \"\n      \"", ""), sums + 2 * step,
        sums + 2 * step + 1);
  std::string tiles;
  for (int step = 0; step < tile_depth / step_depth; ++step)
    tiles +=
        fmt::format("{0}\"l\"(left + {1}), \"l\"(right + {1})", step == 0 ? "" : ", ", 2 * step);
  return fmt::format(
      R"(
// C += A B, 64 by {0} of 64, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. Ends when the sums are there.
static __device__ void wgmma_m64n{0}k64(float* c, const void* a, const void* b) {{
  const unsigned long long left = matrix_descriptor(a), right = matrix_descriptor(b);
  asm volatile(
      "{{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
{1}      "wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0; }}"
      : {2}
      : {3}
      : "memory");
}}
)",
      columns, products, list_of(sums, "\"+f\"(c[{}])", "\n        ", ""), tiles);
}

/// The row of an opcode: how many columns it has, and of which type.
struct Product {
  int columns;
  DType type;
};

const std::deque<std::pair<std::string, Product>>& products() {
  static const auto all = [] {
    std::deque<std::pair<std::string, Product>> rows;
    for (const DType type : {f16, bf16})
      for (int columns = 16; columns <= most_columns; columns += 16)
        rows.push_back({wgmma_word(columns, type), {columns, type}});
    return rows;
  }();
  return all;
}

const Product& product_of(const Opcode& opcode) {
  const std::string word = opcode.word();
  return llvm::find_if(products(), [&](const auto& row) { return row.first == word; })->second;
}

CudaSpelling spelling_of_wgmma(const Instr& wgmma, bool) {
  const auto [columns, type] = product_of(wgmma.opcode);
  const int order = columns + (type == bf16 ? most_columns : 0);
  return {fmt::format("wgmma_m64n{}k64(&{{0}}, &{{1}}, &{{2}});", columns),
          {{0, descriptor}, {order, product_function(columns, type)}}};
}

void check_wgmma(const Instr& wgmma) {
  const DType type = product_of(wgmma.opcode).type, types[] = {f32, type, type};
  for (const auto& [place, wanted] : llvm::zip(wgmma.places, types))
    require(place.tensor->type == wanted, "{} of {} is {}, and not {}", place.tensor->name,
            wgmma.opcode.word(), name(place.tensor->type).str(), name(wanted).str());
}

/// The records, with the texts that they refer to.
struct Products {
  std::deque<std::string> meanings;
  std::deque<Opcode> opcodes;
  std::string names = "matrix_descriptor";
  Family family;

  Products() {
    for (const auto& [word, product] : products()) {
      const auto& [columns, type] = product;
      meanings.push_back(meaning_of(columns, type));
      opcodes.emplace_back(
          word + " {element} <- {element}, {element}",
          llvm::ArrayRef<Use>{Use::updates, Use::reads, Use::reads},
          Opcode::Rules{.check = check_wgmma,
                        .meaning = meanings.back().c_str(),
                        .spreads = {spread_of_sums(columns), spread_of_tile(tile_rows),
                                    spread_of_tile(columns)},
                        .threads = static_cast<int>(warpgroup_size),
                        .spelling = spelling_of_wgmma,
                        .least_capability = 90,
                        .is_of_one_architecture = true,
                        .work = "multiplies by wgmma"});
      family.opcodes.push_back(&opcodes.back());
      if (type == bf16) names += fmt::format(" wgmma_m64n{}k64", columns);
    }
    family.names = names.c_str();
  }
};

}  // namespace

const Family& wgmma_family() {
  static const Products all;
  return all.family;
}

}  // namespace hone
