// Products of a warpgroup: wgmma.

#include "runtime/ptx/compile/matrix_form.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/matrices/matrix.h"

namespace hone::ptx {
namespace {

constexpr int rows_of_warp = 16, rows_of_group = 64;

/// The numbers behind scale-d: the signs of A and B, and then what is turned.
struct Immediates {
  llvm::ArrayRef<Operand> operands;

  bool is(size_t n, int64_t value) const {
    return n < operands.size() && operands[n].integer == value;
  }
};

void read_immediates(const Immediates& immediates, WarpgroupDetail& detail) {
  detail.is_left_negated = immediates.is(0, -1);
  detail.is_right_negated = immediates.is(1, -1);
  const bool has_left_tile = detail.left.exists();
  if (has_left_tile) detail.is_left_turned = immediates.is(2, 1);
  detail.is_right_turned = immediates.is(has_left_tile ? 3 : 2, 1);
}

Spread spread_in_registers(FunctionCompiler& compiler, const Instruction& instruction,
                           const Operand& operand, const Spread& shape, MatrixRole role) {
  Spread spread = shape;
  spread.packed = elements_of_register(spread.type);
  spread.registers = registers_of(compiler, instruction, operand, Type::b32);
  if (fits(spread, false)) place_elements(spread, role);
  return spread;
}

bool set_product(FunctionCompiler& compiler, const Instruction& instruction,
                 WarpgroupDetail& detail) {
  const auto shape = shape_of(instruction);
  const auto types = types_of(instruction);
  if (!shape || types.size() != 3 || shape->rows != rows_of_group || instruction.has("sp"))
    return false;
  const auto [rows, columns, depth] = *shape;
  ProductDetail& product = detail.product;
  product.rows = rows_of_warp;
  product.columns = columns;
  product.depth = depth;
  product.saturates = instruction.has("satfinite");
  product.right = {types[2], depth, columns};
  product.result = spread_in_registers(compiler, instruction, instruction.operands[0],
                                       {types[0], rows_of_warp, columns}, MatrixRole::sum);
  product.left = {types[1], rows_of_warp, depth};
  const Operand& left = instruction.operands[1];
  if (left.is(Operand::Kind::vector)) {
    product.left = spread_in_registers(compiler, instruction, left, product.left, MatrixRole::left);
    if (product.left.places.empty()) return false;
  } else {
    detail.left = compiler.value(instruction, left, Type::b64);
  }
  return !product.result.places.empty() && is_element(types[1]) && is_element(types[2]);
}

/// D, A or its descriptor, the descriptor of B, the predicate, numbers
void compile_warpgroup_product(FunctionCompiler& compiler, const Instruction& instruction) {
  WarpgroupDetail detail;
  const auto& operands = instruction.operands;
  if (operands.size() < 4 || !set_product(compiler, instruction, detail))
    return compiler.refuse(instruction, "the form is not known");
  detail.right = compiler.value(instruction, operands[2], Type::b64);
  detail.adds = compiler.predicate(instruction, operands[3]);
  read_immediates({llvm::ArrayRef<Operand>(operands).drop_front(4)}, detail);
  constexpr int64_t chunk = 16;
  detail.async.is_bulk = true;
  detail.async.reads = detail.async.writes =
      add_access(compiler, instruction, MemoryDetail::Kind::load, Space::shared, chunk, "wgmma");
  const auto number = static_cast<uint32_t>(compiler.program.warpgroup_products.size());
  compiler.program.warpgroup_products.push_back(std::move(detail));
  emit_for_warp(compiler, instruction, run_warpgroup_product, number);
}

void compile_wgmma(FunctionCompiler& compiler, const Instruction& instruction) {
  if (instruction.has("mma_async")) return compile_warpgroup_product(compiler, instruction);
  if (instruction.has("wait_group")) {
    emit_for_warp(compiler, instruction, run_wait_for_products,
                  static_cast<uint32_t>(instruction.operands[0].integer));
    return;
  }
  compiler.emit(instruction, instruction.has("commit_group") ? run_commit_products : run_nothing,
                Op::Kind::control);
}

const FunctionCompiler::Family wgmma_handlers = {{"wgmma", compile_wgmma}};

}  // namespace

const FunctionCompiler::Family& wgmma_family() { return wgmma_handlers; }

}  // namespace hone::ptx
