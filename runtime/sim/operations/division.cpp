// Quotients and remainders of integers and indices.
#include "runtime/sim/operation.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

template <DType type>
bool has_value(Lane<type> lhs, Lane<type> rhs) {
  return type == DType::index ? lhs >= 0 && rhs > 0 : rhs != 0;
}

/// Of small numbers in 32 bits, which is several times faster.
template <DType type, BinaryOp op>
Lane<type> divide(Lane<type> lhs, Lane<type> rhs) {
  const auto left = static_cast<uint64_t>(lhs), right = static_cast<uint64_t>(rhs);
  if ((left | right) >> 32 == 0) {
    const auto dividend = static_cast<uint32_t>(left), divisor = static_cast<uint32_t>(right);
    return op == BinaryOp::div ? dividend / divisor : dividend % divisor;
  }
  if (rhs == -1) return op == BinaryOp::div ? narrow<type>(static_cast<Lane<type>>(0 - left)) : 0;
  return narrow<type>(op == BinaryOp::div ? lhs / rhs : lhs % rhs);
}

template <DType type, BinaryOp op>
[[noreturn]] void report_division(Worker& worker, const Instruction& instruction, int lane,
                                  int64_t lhs, int64_t rhs) {
  try {
    apply(op, Scalar::of_int(type, lhs), Scalar::of_int(type, rhs));
  } catch (const ArithmeticError& error) {
    report_lane(worker, lane, instruction.detail, error.what());
  }
  llvm_unreachable("the division has a value");
}

/// A division ahead of its place may have operands that it has not there, and then any value.
template <DType type, BinaryOp op, bool is_ahead>
struct Division {
  static void uniform(Worker& worker, const Instruction& instruction) {
    const auto lhs = *worker.at<Lane<type>>(instruction.operands[0]);
    const auto rhs = *worker.at<Lane<type>>(instruction.operands[1]);
    if (!is_ahead && !has_value<type>(lhs, rhs))
      report_division<type, op>(worker, instruction, worker.mask->first(), lhs, rhs);
    *worker.at<Lane<type>>(instruction.destination) = divide<type, op>(lhs, rhs);
  }

  static void lanes(Worker& worker, const Instruction& instruction) {
    auto* result = worker.at<Lane<type>>(instruction.destination);
    const auto* lhs = worker.at<Lane<type>>(instruction.operands[0]);
    const auto* rhs = worker.at<Lane<type>>(instruction.operands[1]);
    worker.mask->for_each([&](int lane) {
      if (!is_ahead && !has_value<type>(lhs[lane], rhs[lane]))
        report_division<type, op>(worker, instruction, lane, lhs[lane], rhs[lane]);
      result[lane] = divide<type, op>(lhs[lane], rhs[lane]);
    });
  }
};

template <DType type, BinaryOp op>
Operation division(bool is_ahead) {
  if (is_ahead) return {Division<type, op, true>::uniform, Division<type, op, true>::lanes};
  return {Division<type, op, false>::uniform, Division<type, op, false>::lanes};
}

int64_t shift(int64_t value, int64_t bits) { return value >> bits; }
int64_t low_bits(int64_t value, int64_t bits) { return value & ((int64_t{1} << bits) - 1); }

template <int64_t (*function)(int64_t, int64_t)>
Operation by_power_of_two() {
  return {[](Worker& worker, const Instruction& instruction) {
            *worker.at<int64_t>(instruction.destination) =
                function(*worker.at<int64_t>(instruction.operands[0]), instruction.detail);
          },
          [](Worker& worker, const Instruction& instruction) {
            map_lanes(
                worker.padded_lanes, worker.at<int64_t>(instruction.destination),
                [bits = instruction.detail](int64_t value) { return function(value, bits); },
                worker.at<int64_t>(instruction.operands[0]));
          }};
}

}  // namespace

Operation division_operation(BinaryOp op, DType type, bool is_ahead) {
  return with_number_type(type, [=]<DType t>() -> Operation {
    if constexpr (is_float_lane<t> || t == DType::boolean)
      llvm_unreachable("not a division of integers");
    else
      return op == BinaryOp::div ? division<t, BinaryOp::div>(is_ahead)
                                 : division<t, BinaryOp::mod>(is_ahead);
  });
}

Operation shift_operation() { return by_power_of_two<shift>(); }
Operation low_bits_operation() { return by_power_of_two<low_bits>(); }

}  // namespace hone
