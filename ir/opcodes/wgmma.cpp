// Products of matrices that a warpgroup computes together, by its tensor cores: wgmma. Sums lie in
// registers, spread over its lanes; the operands are tiles in shared memory, as the copy engine
// lays them out with a swizzle of 128 bytes: rows of as many bytes along k. Those k by m or k by n
// have panels of 128, 64 or 32 bytes, and a swizzle of as many.
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

/// An operand: so many rows of the left one, or columns of the right one. `is_turned`: it is k by
/// these, in panels of 64, 32 or 16 elements of two bytes; its rows run along k else, as those of
/// elements of four bytes and of one have to.
struct Operand {
  int count;
  DType type;
  bool is_turned;

  int size() const { return static_cast<int>(size_of(type)); }
  int depth() const { return row_bytes / size(); }
  int chunk() const { return chunk_bytes / size(); }
  /// Of a row, or of a panel's: the largest that divide it.
  int bytes_of_row() const { return is_turned ? std::gcd(count * size(), row_bytes) : row_bytes; }
  int panels() const { return count * size() / bytes_of_row(); }
  /// The bytes from one panel to the next.
  int panel() const { return is_turned ? depth() * bytes_of_row() : chunk_bytes; }
  /// From the elements that are multiplied at a time to the next ones, in chunks.
  int step() const {
    return is_turned ? panel() / steps / chunk_bytes : row_bytes / steps / chunk_bytes;
  }
  std::string shape() const {
    return is_turned ? fmt::format("{}, {}", depth(), count)
                     : fmt::format("{}, {}", count, depth());
  }
  FragmentSpread spread() const;
};

/// A row of the table: what the hardware multiplies, 64 rows on its left. `is_turned`: seen as
/// C^T = B^T A^T, so that it has 64 columns of C, and any multiple of 16 rows. B is the left one
/// then.
struct Product {
  Operand left, right;
  bool is_turned = false;

  int columns() const { return right.count; }
  DType type() const { return right.type; }
  int depth() const { return right.depth(); }
  DType sum() const { return is_float(type()) ? f32 : i32; }
  const Operand& a() const { return is_turned ? right : left; }
  const Operand& b() const { return is_turned ? left : right; }
  std::string ptx_type() const { return ptx_name(type()).str(); }
  std::string word() const { return fmt::format("{}_{}", name_of(a(), b()), ptx_type()); }
  /// The function of CUDA. Several types have rows of as many elements.
  std::string function() const {
    const std::string name = name_of(left, right);
    return has_arithmetic(type()) ? name : fmt::format("{}_{}", name, ptx_type());
  }

 private:
  static std::string name_of(const Operand& A, const Operand& B) {
    return fmt::format("wgmma_m{}n{}k{}{}{}", A.count, B.count, A.depth(), A.is_turned ? "_km" : "",
                       B.is_turned ? "_kn" : "");
  }
};

/// Only operands of 16 bits have an order of rows and columns.
bool may_be_turned(DType type) { return size_of(type) == 2; }

/// Sixteen rows a warp, and in these as an mma.sync has them; pairs of columns, eight by eight.
FragmentSpread spread_of_sums(const Product& product) {
  const int row = product.is_turned ? 1 : 0, column = 1 - row;
  return {{{Of::lane, 32, 4, row, 16},
           {Of::lane, 4, 8, row, 1},
           {Of::value, 2, 2, row, 8},
           {Of::lane, 1, 4, column, 2},
           {Of::value, 1, 2, column, 1},
           {Of::value, 4, product.columns() / 8, column, 8}}};
}

/// The chunks of a tile whose rows run along k, in the order in which they lie: the lanes share
/// them.
FragmentSpread spread_of_rows(const Operand& operand) {
  const int chunk = operand.chunk();
  return {{{Of::lane, 8, 16, 0, 1},
           {Of::lane, 1, 8, 1, chunk},
           {Of::value, 1, chunk, 1, 1},
           {Of::value, chunk, operand.count / 16, 0, 16}},
          Scope::shared,
          {operand.count, operand.depth()},
          row_bytes};
}

/// The same of panels, which are the first dimension where there are several.
FragmentSpread spread_of_panels(const Operand& operand) {
  const int chunk = operand.chunk(), depth = operand.depth(), panels = operand.panels();
  const int chunks = operand.bytes_of_row() / chunk_bytes, rows = group_lanes / chunks;
  const int row = panels > 1 ? 1 : 0, column = row + 1;
  FragmentSpread spread = {{{Of::lane, chunks, rows, row, 1},
                            {Of::lane, 1, chunks, column, chunk},
                            {Of::value, 1, chunk, column, 1},
                            {Of::value, chunk, depth / rows, row, rows}},
                           Scope::shared,
                           {depth, operand.count},
                           operand.bytes_of_row()};
  if (panels > 1) spread.digits.push_back({Of::value, chunk * depth / rows, panels, 0, 1});
  return spread;
}

FragmentSpread Operand::spread() const {
  return is_turned ? spread_of_panels(*this) : spread_of_rows(*this);
}

std::string meaning_of(const Product& product) {
  const Operand &A = product.a(), &B = product.b();
  return fmt::format(R"(func wgmma(C: {0}[{1}, {2}], A: {3}[{4}], B: {3}[{5}]) {{
  for i in 0..{1} {{
    for j in 0..{2} {{
      reduce k in 0..{6} {{
        C[i, j] += {0}(A[{7}]) * {0}(B[{8}])
      }}
    }}
  }}
}})",
                     name(product.sum()).str(), A.count, B.count, name(product.type()).str(),
                     A.shape(), B.shape(), product.depth(), A.is_turned ? "k, i" : "i, k",
                     B.is_turned ? "k, j" : "j, k");
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
  return fmt::format("m64n{0}k{1}.{2}.{3}.{3}", product.columns(), product.depth() / steps,
                     product.sum() == i32 ? "s32" : "f32", product.ptx_type());
}

/// The signs of floats, and what is turned.
std::string modifiers_of(const Product& product) {
  if (product.sum() == i32) return "";
  const std::string turns =
      fmt::format(", {:d}, {:d}", product.left.is_turned, product.right.is_turned);
  return ", 1, 1" + (may_be_turned(product.type()) ? turns : "");
}

/// The product of a step, whose operands are two more than those before it.
std::string product_of_step(const Product& product, int step) {
  const int sums = product.columns() / 2;
  return fmt::format(
      "      \"wgmma.mma_async.sync.aligned.{} \"\n"
      "      \"{{{}}}, \"\n"
      "      \"%{}, %{}, p{};\\n\"\n",
      shape_and_types(product), list_of(sums, "%{}", " \"\n      \"", ""), sums + 2 * step,
      sums + 2 * step + 1, modifiers_of(product));
}

/// "matrix_descriptor(a, 16, 128)"
std::string descriptor_of(const char* tile, const Operand& operand) {
  return fmt::format("matrix_descriptor({}, {}, {})", tile, operand.panel(),
                     operand.bytes_of_row());
}

std::string product_function(const Product& product) {
  std::string products, tiles;
  for (int step = 0; step < steps; ++step) {
    products += product_of_step(product, step);
    tiles += fmt::format("{}\"l\"(left + {}), \"l\"(right + {})", step == 0 ? "" : ", ",
                         product.left.step() * step, product.right.step() * step);
  }
  const bool is_int = product.sum() == i32;
  return fmt::format(
      R"(
// C += A{10} B{5}, 64 by {0} of {7}, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. The sums are there when the group that this becomes part of has been waited for.
static __device__ void {4}({8}* c, const void* a, const void* b) {{
  const unsigned long long left = {9};
  const unsigned long long right = {6};
  asm volatile(
      "{{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
{1}      "}}"
      : {2}
      : {3}
      : "memory");
}}
)",
      product.columns(), products,
      list_of(product.columns() / 2, is_int ? "\"+r\"(c[{}])" : "\"+f\"(c[{}])", "\n        ", ""),
      tiles, product.function(), product.right.is_turned ? "" : "^T",
      descriptor_of("b", product.right), product.depth(), is_int ? "int" : "float",
      descriptor_of("a", product.left), product.left.is_turned ? "^T" : "");
}

/// Those of a type; the ones that are turned come last. One of 64 by 64 needs no other form.
void add_products(DType type, bool is_turned, std::deque<Product>& rows) {
  for (const bool is_left_turned : {false, true})
    for (const bool is_right_turned : {false, true})
      for (int columns = 16; columns <= most_columns; columns += 16) {
        const bool has_order = is_left_turned || is_right_turned || is_turned;
        if (has_order && !may_be_turned(type)) continue;
        if (is_turned && columns == tile_rows) continue;
        rows.push_back(
            {{tile_rows, type, is_left_turned}, {columns, type, is_right_turned}, is_turned});
      }
}

const std::deque<Product>& products() {
  static const auto all = [] {
    std::deque<Product> rows;
    for (const bool is_turned : {false, true})
      for (const DType type : {f16, bf16, tf32, f8e4m3, f8e5m2, i8})
        add_products(type, is_turned, rows);
    return rows;
  }();
  return all;
}

/// The number of the first product whose function it is.
int order_of(const std::string& function) {
  const auto is_its = [&](const Product& row) { return row.function() == function; };
  return static_cast<int>(llvm::find_if(products(), is_its) - products().begin());
}

CudaSpelling spelling_of_wgmma(const Instr& wgmma) {
  const std::string word = wgmma.opcode.word();
  const Product& product =
      *llvm::find_if(products(), [&](const Product& row) { return row.word() == word; });
  const std::string function = product.function();
  return {function + (product.is_turned ? "(&{0}, &{2}, &{1});" : "(&{0}, &{1}, &{2});"),
          {{-1, descriptor}, {order_of(function), product_function(product)}}};
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
    for (const Product& product : products()) {
      meanings.push_back(meaning_of(product));
      opcodes.emplace_back(product.word() + " {element} <- {element}, {element}",
                           llvm::ArrayRef<Use>{Use::updates, Use::reads, Use::reads},
                           Opcode::Rules{.meaning = meanings.back().c_str(),
                                         .spreads = {spread_of_sums(product), product.a().spread(),
                                                     product.b().spread()},
                                         .threads = static_cast<int>(warpgroup_size),
                                         .spelling = spelling_of_wgmma,
                                         .least_capability = 90,
                                         .is_of_one_architecture = true,
                                         .last_capability = 90,
                                         .work = "multiplies by wgmma"});
      family.opcodes.push_back(&opcodes.back());
      if (product.type() != f16 && !product.is_turned) names += " " + product.function();
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
