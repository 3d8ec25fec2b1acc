#include "codegen/export/range_names.h"

#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

/// Null for what makes no index.
const char* name_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "add";
    case BinaryOp::sub:
      return "subtract";
    case BinaryOp::mul:
      return "multiply";
    case BinaryOp::div:
      return "divide";
    case BinaryOp::mod:
      return "modulo";
    case BinaryOp::min:
      return "minimum";
    case BinaryOp::max:
      return "maximum";
    case BinaryOp::bit_and:
      return "bit_and";
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return "within_bits";
    case BinaryOp::shl:
      return "shift_left";
    case BinaryOp::shr:
      return "shift_right";
    default:
      return nullptr;
  }
}

}  // namespace

const char* name_of(const RangeStep& step) {
  switch (step.op) {
    case RangeOp::combined:
      return name_of(step.binary) ? name_of(step.binary) : "range";
    case RangeOp::constant:
      return "range";
    case RangeOp::size:
      return "size";
    case RangeOp::copy:
      return "copy";
    case RangeOp::hull:
      return "hull";
    case RangeOp::both:
      return "both";
    case RangeOp::up_to:
      return "up_to";
    case RangeOp::from:
      return "from";
    case RangeOp::below:
      return "below";
    case RangeOp::counted:
      return "counted";
    case RangeOp::ends:
      return "ends";
    case RangeOp::factors:
      return "factors";
    case RangeOp::on_steps:
      return "on_steps";
    case RangeOp::last_step:
      return "last_step";
    case RangeOp::shifted:
      return "shifted";
    case RangeOp::wanted:
      return "wanted";
    case RangeOp::begin:
      return "begin";
    case RangeOp::end:
      return "end";
    case RangeOp::report:
      return "report";
  }
  llvm_unreachable("unknown step");
}

llvm::SmallVector<RangeOperand, 4> operands_of(const RangeStep& step) {
  if (step.op == RangeOp::constant)
    return {{false, step.constant.low}, {false, step.constant.high}};
  const bool makes_anything = step.op == RangeOp::combined && !name_of(step.binary);
  if (makes_anything) return {{false, Interval::no_low}, {false, Interval::no_high}};
  llvm::SmallVector<RangeOperand, 4> operands;
  for (const RangeId range : {step.lhs, step.rhs})
    if (range >= 0) operands.push_back({true, range});
  if (step.op == RangeOp::on_steps) operands.push_back({false, step.first});
  const bool has_number = step.op == RangeOp::factors || step.op == RangeOp::on_steps ||
                          step.op == RangeOp::last_step || step.op == RangeOp::shifted ||
                          step.op == RangeOp::report;
  if (has_number) operands.push_back({false, step.step});
  return operands;
}

}  // namespace hone
