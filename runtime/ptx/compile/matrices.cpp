// Matrices of a warp: ldmatrix, stmatrix, movmatrix, mma.sync, wmma.

#include "fmt/format.h"
#include "runtime/ptx/compile/matrix_form.h"
#include "runtime/ptx/matrices/fragment.h"

namespace hone::ptx {

Op& emit_for_warp(FunctionCompiler& compiler, const Instruction& instruction, Op::Execute execute,
                  uint32_t detail) {
  const Ref everyone = compiler.common.constants.get(all_lanes, 4);
  Op& op = compiler.emit(instruction, execute, Op::Kind::control, detail);
  op.sources[4] = everyone;
  return op;
}

llvm::SmallVector<Ref, 8> registers_of(FunctionCompiler& compiler, const Instruction& instruction,
                                       const Operand& operand, Type type) {
  llvm::SmallVector<Ref, 8> registers;
  for (const Operand& part : parts_of(operand))
    registers.push_back(compiler.value(instruction, part, type));
  return registers;
}

std::optional<MatrixShape> shape_of(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    MatrixShape shape;
    if (std::sscanf(modifier.c_str(), "m%dn%dk%d", &shape.rows, &shape.columns, &shape.depth) == 3)
      return shape;
  }
  return std::nullopt;
}

llvm::SmallVector<Type, 4> types_of(const Instruction& instruction) {
  llvm::SmallVector<Type, 4> types;
  for (const std::string& modifier : instruction.modifiers)
    if (const auto type = type_named(modifier)) types.push_back(*type);
  return types;
}

int elements_of_register(Type type) { return std::max(4 / std::max(bytes_of(type), 1), 1); }

Type register_type(Type element) { return bytes_of(element) == 8 ? Type::b64 : Type::b32; }

namespace {

// ---- ldmatrix, stmatrix -------------------------------------------------------------------------

/// Rows of 16 bytes. ldmatrix: registers, [address]; stmatrix: [address], registers.
void compile_rows(FunctionCompiler& compiler, const Instruction& instruction) {
  constexpr int64_t row_bytes = 16;
  const bool loads = instruction.opcode == "ldmatrix", turns = instruction.has("trans");
  if (!instruction.has("m8n8") || !instruction.has("b16"))
    return compiler.refuse(instruction, "matrices other than m8n8 of b16 are not known");
  const AddressOperand address =
      address_operand(compiler, instruction, instruction.operands[loads ? 1 : 0], Space::shared);
  const uint32_t number = add_access(compiler, instruction,
                                     loads ? MemoryDetail::Kind::load : MemoryDetail::Kind::store,
                                     address.space, row_bytes, nullptr);
  MemoryDetail& detail = compiler.program.memory[number];
  detail.values =
      registers_of(compiler, instruction, instruction.operands[loads ? 0 : 1], Type::b32);
  detail.is_of_rows = true;
  detail.offset = address.offset;
  detail.address_bytes = address.bytes;
  emit_for_warp(compiler, instruction, loads ? load_matrix_op(turns) : store_matrix_op(turns),
                number)
      .sources[0] = address.base;
}

void compile_move_matrix(FunctionCompiler& compiler, const Instruction& instruction) {
  const Ref source = compiler.value(instruction, instruction.operands[1], Type::b32);
  Op& op = emit_for_warp(compiler, instruction, run_transpose_matrix, 0);
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = source;
}

// ---- Products -----------------------------------------------------------------------------------

Spread spread_of(FunctionCompiler& compiler, const Instruction& instruction, size_t operand,
                 Type type, int rows, int columns) {
  Spread spread;
  spread.type = type;
  spread.rows = rows;
  spread.columns = columns;
  spread.packed = elements_of_register(type);
  spread.registers =
      registers_of(compiler, instruction, instruction.operands[operand], register_type(type));
  return spread;
}

/// D, A, B and C; of wmma with f16, D and C alone.
std::optional<std::array<Type, 4>> product_types(const Instruction& instruction) {
  const auto types = types_of(instruction);
  if (types.size() == 4) return std::array{types[0], types[1], types[2], types[3]};
  if (types.size() == 2) return std::array{types[0], Type::f16, Type::f16, types[1]};
  return std::nullopt;
}

bool are_summed(const ProductDetail& product) {
  const auto is_integer = [](const Spread& spread) { return !is_real(spread.type); };
  return is_integer(product.left) == is_integer(product.sum) &&
         is_integer(product.right) == is_integer(product.sum) &&
         is_integer(product.result) == is_integer(product.sum) &&
         (product.left.type == Type::f64) == (product.sum.type == Type::f64);
}

/// Tensor cores have products of 16 rows, and of 8 columns.
bool is_turned(const MatrixShape& shape) { return shape.rows == 8 && shape.columns == 32; }

bool place_spreads(ProductDetail& product, bool is_wmma) {
  const auto place = [&](Spread& spread, MatrixRole role) {
    if (!fits(spread, is_wmma)) return false;
    spread.is_turned = is_wmma && is_turned({product.rows, product.columns, product.depth});
    place_elements(spread, role);
    return true;
  };
  return place(product.left, MatrixRole::left) && place(product.right, MatrixRole::right) &&
         place(product.sum, MatrixRole::sum) && place(product.result, MatrixRole::sum);
}

bool has_unknown_form(const Instruction& instruction) {
  for (const char* unknown : {"sp", "sp::ordered_metadata", "xor", "and", "block_scale"})
    if (instruction.has(unknown)) return true;
  return false;
}

/// D, A, B, C
void compile_product(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool is_wmma = instruction.opcode == "wmma";
  const auto shape = shape_of(instruction);
  const auto types = product_types(instruction);
  if (!shape || !types || has_unknown_form(instruction) || instruction.operands.size() != 4)
    return compiler.refuse(instruction, "the form is not known");
  const auto [m, n, k] = *shape;
  ProductDetail product = {m, n, k};
  product.result = spread_of(compiler, instruction, 0, (*types)[0], m, n);
  product.left = spread_of(compiler, instruction, 1, (*types)[1], m, k);
  product.right = spread_of(compiler, instruction, 2, (*types)[2], k, n);
  product.sum = spread_of(compiler, instruction, 3, (*types)[3], m, n);
  product.saturates = instruction.has("satfinite");
  if (!place_spreads(product, is_wmma) || !are_summed(product))
    return compiler.refuse(instruction, "the shape is not known");
  const auto number = static_cast<uint32_t>(compiler.program.products.size());
  compiler.program.products.push_back(std::move(product));
  emit_for_warp(compiler, instruction, run_product, number);
}

// ---- wmma ---------------------------------------------------------------------------------------

/// The rows and the columns of the matrix that is moved: a, b, or c and d.
std::pair<int, int> extents_of(const Instruction& instruction, const MatrixShape& shape) {
  if (instruction.has("a")) return {shape.rows, shape.depth};
  if (instruction.has("b")) return {shape.depth, shape.columns};
  return {shape.rows, shape.columns};
}

MatrixRole role_of(const Instruction& instruction) {
  if (instruction.has("a")) return MatrixRole::left;
  return instruction.has("b") ? MatrixRole::right : MatrixRole::sum;
}

/// Accesses of so many bytes as a lane moves at a time.
void add_access_of(FunctionCompiler& compiler, const Instruction& instruction, Type type,
                   MatrixMove& move) {
  const auto kind = instruction.has("load") ? MemoryDetail::Kind::load : MemoryDetail::Kind::store;
  move.access = add_access(compiler, instruction, kind, Space::generic,
                           move.elements * bytes_of(type), nullptr);
  compiler.program.memory[move.access].is_of_rows = move.is_of_rows;
}

/// load: registers, [address], stride. store: [address], registers, stride.
void compile_move_of_fragment(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool loads = instruction.has("load");
  const auto shape = shape_of(instruction);
  const auto types = types_of(instruction);
  if (!shape || types.size() != 1) return compiler.refuse(instruction, "the form is not known");
  const auto [rows, columns] = extents_of(instruction, *shape);
  MatrixDetail matrix;
  matrix.spread = spread_of(compiler, instruction, loads ? 0 : 1, types[0], rows, columns);
  matrix.is_by_column = instruction.has("col");
  matrix.address = address_operand(compiler, instruction, instruction.operands[loads ? 1 : 0],
                                   named_space(instruction));
  if (!fits(matrix.spread, true)) return compiler.refuse(instruction, "the shape is not known");
  matrix.spread.is_turned = is_turned(*shape);
  place_elements(matrix.spread, role_of(instruction));
  const auto packed = static_cast<uint64_t>(matrix.is_by_column ? rows : columns);
  matrix.stride = instruction.operands.size() > 2
                      ? compiler.value(instruction, instruction.operands[2], Type::b32)
                      : compiler.common.constants.get(packed, 4);
  place_pieces(matrix, role_of(instruction));
  for (MatrixMove* const move : {&matrix.in_shared, &matrix.elsewhere})
    add_access_of(compiler, instruction, types[0], *move);
  emit_for_warp(compiler, instruction, loads ? run_load_fragment : run_store_fragment,
                static_cast<uint32_t>(compiler.program.matrices.size()));
  compiler.program.matrices.push_back(std::move(matrix));
}

void compile_wmma(FunctionCompiler& compiler, const Instruction& instruction) {
  if (instruction.has("mma")) return compile_product(compiler, instruction);
  compile_move_of_fragment(compiler, instruction);
}

const FunctionCompiler::Family matrix_handlers = {{"ldmatrix", compile_rows},
                                                  {"stmatrix", compile_rows},
                                                  {"movmatrix", compile_move_matrix},
                                                  {"mma", compile_product},
                                                  {"wmma", compile_wmma}};

}  // namespace

const FunctionCompiler::Family& matrix_family() { return matrix_handlers; }

}  // namespace hone::ptx
