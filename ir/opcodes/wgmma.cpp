// Products of matrices that a warpgroup computes together, by its tensor cores: wgmma. Sums lie in
// registers, spread over its lanes; the operands are tiles in shared memory, as the copy engine
// lays them out with a swizzle of 128 bytes: rows of as many bytes along k. Those k by n have
// panels of 128, 64 or 32 bytes, and a swizzle of as many.
#include <deque>
#include <numeric>

#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"

namespace hone {
namespace {

using Of = SpreadDigit::Of;

constexpr int tile_rows = 64, steps = 4, most_columns = 256;
constexpr int row_bytes = 128, chunk_bytes = 16;  ///< along k, and of what stays together there
constexpr int group_lanes = static_cast<int>(warpgroup_size);

/// A row of the table. `is_turned`: the operand on the right is k by n, in panels of 64, 32 or 16
/// columns of two bytes; it is n by k else, as operands of four bytes and of one have to be.
struct Product {
  int columns;
  DType type;
  bool is_turned;

  int depth() const { return row_bytes / static_cast<int>(size_of(type)); }
  /// The bytes of a row of the operand on the right, or of its panels: the largest that divide it.
  int right_row_bytes() const {
    return is_turned ? std::gcd(columns * static_cast<int>(size_of(type)), row_bytes) : row_bytes;
  }
  int panels() const { return columns * static_cast<int>(size_of(type)) / right_row_bytes(); }
  int chunk() const { return chunk_bytes / static_cast<int>(size_of(type)); }
  DType sum() const { return is_float(type) ? f32 : i32; }
  std::string name() const {
    return fmt::format("wgmma_m64n{}k{}{}", columns, depth(), is_turned ? "_kn" : "");
  }
  std::string ptx_type() const { return ptx_name(type).str(); }
  std::string word() const { return fmt::format("{}_{}", name(), ptx_type()); }
  /// The function of CUDA. Several types have rows of as many elements.
  std::string function() const { return has_arithmetic(type) ? name() : word(); }
  bool may_be_turned() const { return size_of(type) == 2; }
};

/// Sixteen rows a warp, and in these as an mma.sync has them; pairs of columns, eight by eight.
FragmentSpread spread_of_sums(int columns) {
  return {{{Of::lane, 32, 4, 0, 16},
           {Of::lane, 4, 8, 0, 1},
           {Of::value, 2, 2, 0, 8},
           {Of::lane, 1, 4, 1, 2},
           {Of::value, 1, 2, 1, 1},
           {Of::value, 4, columns / 8, 1, 8}}};
}

/// The chunks of a tile whose rows run along k, in the order in which they lie: the lanes share
/// them.
FragmentSpread spread_of_tile(const Product& product, int rows) {
  const int chunk = product.chunk();
  return {{{Of::lane, 8, 16, 0, 1},
           {Of::lane, 1, 8, 1, chunk},
           {Of::value, 1, chunk, 1, 1},
           {Of::value, chunk, rows / 16, 0, 16}},
          Scope::shared,
          {rows, product.depth()},
          row_bytes};
}

/// The same of panels, which are the first dimension where there are several.
FragmentSpread spread_of_panels(const Product& product) {
  const int chunk = product.chunk(), depth = product.depth(), panels = product.panels();
  const int chunks = product.right_row_bytes() / chunk_bytes, rows = group_lanes / chunks;
  const int row = panels > 1 ? 1 : 0, column = row + 1;
  FragmentSpread spread = {{{Of::lane, chunks, rows, row, 1},
                            {Of::lane, 1, chunks, column, chunk},
                            {Of::value, 1, chunk, column, 1},
                            {Of::value, chunk, depth / rows, row, rows}},
                           Scope::shared,
                           {depth, product.columns},
                           product.right_row_bytes()};
  if (panels > 1) spread.digits.push_back({Of::value, chunk * depth / rows, panels, 0, 1});
  return spread;
}

std::string meaning_of(const Product& product) {
  const int columns = product.columns, depth = product.depth();
  return fmt::format(R"(func wgmma(C: {0}[64, {1}], A: {2}[64, {3}], B: {2}[{4}]) {{
  for i in 0..64 {{
    for j in 0..{1} {{
      reduce k in 0..{3} {{
        C[i, j] += {0}(A[i, k]) * {0}(B[{5}])
      }}
    }}
  }}
}})",
                     name(product.sum()).str(), columns, name(product.type).str(), depth,
                     product.is_turned ? fmt::format("{}, {}", depth, columns)
                                       : fmt::format("{}, {}", columns, depth),
                     product.is_turned ? "k, j" : "j, k");
}

constexpr const char* descriptor = R"(
// A tile in shared memory as wgmma takes it: rows of `row` bytes, in a swizzle of as many. Panels
// lie `panel` bytes apart.
static __device__ unsigned long long matrix_descriptor(const void* tile, unsigned panel,
                                                       unsigned row) {
  const unsigned address = __cvta_generic_to_shared(tile);
  const unsigned long long swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
  return swizzle << 62 | (unsigned long long)(row / 2) << 32 |
         (unsigned long long)(panel / 16) << 16 | (address & 0x3ffff) >> 4;
}
)";

constexpr const char* commit = R"(
// The products that this warpgroup has started since its last group are the next one.
static __device__ void commit_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
)";

constexpr const char* wait = R"(
// Waits for the products of this warpgroup but those of its last `pending` groups.
template <int pending>
static __device__ void wait_wgmma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(pending) : "memory");
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

/// "m64n256k16.f32.bf16.bf16"
std::string shape_and_types(const Product& product) {
  return fmt::format("m64n{0}k{1}.{2}.{3}.{3}", product.columns, product.depth() / steps,
                     product.sum() == i32 ? "s32" : "f32", product.ptx_type());
}

/// The product of a step, whose operands are two more than those before it. Only floats have signs,
/// and only those of 16 bits an order of rows and columns.
std::string product_of_step(const Product& product, int step) {
  const int sums = product.columns / 2;
  const std::string order =
      product.may_be_turned() ? fmt::format(", 0, {}", product.is_turned ? 1 : 0) : "";
  return fmt::format(
      "      \"wgmma.mma_async.sync.aligned.{} \"\n"
      "      \"{{{}}}, \"\n"
      "      \"%{}, %{}, p{};\\n\"\n",
      shape_and_types(product), list_of(sums, "%{}", " \"\n      \"", ""), sums + 2 * step,
      sums + 2 * step + 1, product.sum() == i32 ? "" : ", 1, 1" + order);
}

std::string product_function(const Product& product) {
  const int row = product.right_row_bytes();
  const int right_step = product.is_turned ? product.depth() / steps * row / 16 : 2;
  std::string products, tiles;
  for (int step = 0; step < steps; ++step) {
    products += product_of_step(product, step);
    tiles += fmt::format("{}\"l\"(left + {}), \"l\"(right + {})", step == 0 ? "" : ", ", 2 * step,
                         right_step * step);
  }
  const bool is_int = product.sum() == i32;
  return fmt::format(
      R"(
// C += A B{5}, 64 by {0} of {7}, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. The sums are there when the group that this becomes part of has been waited for.
static __device__ void {4}({8}* c, const void* a, const void* b) {{
  const unsigned long long left = matrix_descriptor(a, 16, 128);
  const unsigned long long right = matrix_descriptor(b, {6}, {9});
  asm volatile(
      "{{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
{1}      "}}"
      : {2}
      : {3}
      : "memory");
}}
)",
      product.columns, products,
      list_of(product.columns / 2, is_int ? "\"+r\"(c[{}])" : "\"+f\"(c[{}])", "\n        ", ""),
      tiles, product.function(), product.is_turned ? "" : "^T",
      product.is_turned ? product.depth() * row : 16, product.depth(), is_int ? "int" : "float",
      row);
}

const std::deque<std::pair<std::string, Product>>& products() {
  static const auto all = [] {
    std::deque<std::pair<std::string, Product>> rows;
    for (const DType type : {f16, bf16, tf32, f8e4m3, f8e5m2, i8})
      for (const bool is_turned : {false, true})
        for (int columns = 16; columns <= most_columns; columns += 16) {
          const Product product = {columns, type, is_turned};
          if (!is_turned || product.may_be_turned()) rows.push_back({product.word(), product});
        }
    return rows;
  }();
  return all;
}

const Product& product_of(const Opcode& opcode) {
  const std::string word = opcode.word();
  return llvm::find_if(products(), [&](const auto& row) { return row.first == word; })->second;
}

CudaSpelling spelling_of_wgmma(const Instr& wgmma) {
  const Product& product = product_of(wgmma.opcode);
  const auto order = static_cast<int>(
      llvm::find_if(products(), [&](const auto& row) { return &row.second == &product; }) -
      products().begin());
  return {product.function() + "(&{0}, &{1}, &{2});",
          {{-1, descriptor}, {order, product_function(product)}}};
}

constexpr int order_behind_products = 1000;

CudaSpelling spelling_of_wgmma_commit(const Instr&) {
  return {"commit_wgmma();", {{order_behind_products, commit}}};
}

CudaSpelling spelling_of_wgmma_wait(const Instr& instr) {
  return {fmt::format("wait_wgmma<{}>();", instr.constants[0]),
          {{order_behind_products + 1, wait}}};
}

/// The records, with the texts that they refer to.
struct Products {
  std::deque<std::string> meanings;
  std::deque<Opcode> opcodes;
  std::string names = "matrix_descriptor commit_wgmma wait_wgmma";
  Family family;

  Products() {
    family.opcodes = {&op::commit_wgmma, &op::wait_wgmma};
    for (const auto& [word, product] : products()) {
      meanings.push_back(meaning_of(product));
      const FragmentSpread right =
          product.is_turned ? spread_of_panels(product) : spread_of_tile(product, product.columns);
      opcodes.emplace_back(word + " {element} <- {element}, {element}",
                           llvm::ArrayRef<Use>{Use::updates, Use::reads, Use::reads},
                           Opcode::Rules{.meaning = meanings.back().c_str(),
                                         .spreads = {spread_of_sums(product.columns),
                                                     spread_of_tile(product, tile_rows), right},
                                         .threads = static_cast<int>(warpgroup_size),
                                         .spelling = spelling_of_wgmma,
                                         .least_capability = 90,
                                         .is_of_one_architecture = true,
                                         .last_capability = 90,
                                         .work = "multiplies by wgmma"});
      family.opcodes.push_back(&opcodes.back());
      if (product.type != f16) names += " " + product.function();
    }
    family.names = names.c_str();
  }
};

}  // namespace

namespace op {

const Opcode commit_wgmma("commit_wgmma", {},
                          {.spelling = spelling_of_wgmma_commit,
                           .is_for_all = true,
                           .groups = {Groups::Part::commits, Timeline::tensor_core}});
const Opcode wait_wgmma("wait_wgmma {integer:the groups that may be pending}", {},
                        {.spelling = spelling_of_wgmma_wait,
                         .is_for_all = true,
                         .groups = {Groups::Part::awaits, Timeline::tensor_core}});

}  // namespace op

const Family& wgmma_family() {
  static const Products all;
  return all.family;
}

}  // namespace hone
