// The instructions that compute values from values. Each exists for one uniform value and for
// lanes.
#pragma once

#include <utility>

#include "ir/core/expr.h"
#include "runtime/sim/worker.h"

namespace hone {

struct Operation {
  Instruction::Execute uniform = nullptr, lanes = nullptr;
};

Operation unary_operation(UnaryOp op, DType type);
/// The operators of floats, and all but `/` and `%` of the other types. Logical operators see both
/// operands.
Operation binary_operation(BinaryOp op, DType type);
/// `/` and `%` of integers and indices, for active lanes only. Throws SimError on a division that
/// has no value; the detail is the statement to be named then. One that runs ahead of its place,
/// by a constant, never throws: only its place knows whether its operands are what it divides.
Operation division_operation(BinaryOp op, DType type, bool is_ahead);
/// x / 2^detail and x % 2^detail of indices that are not negative.
Operation shift_operation();
Operation low_bits_operation();
Operation select_operation(DType type);
Operation cast_operation(DType to, DType from);
/// Of a tuple and a component that takes its place there. The detail of this operation and of the
/// next is component_offset.
Operation set_component_operation(DType tuple, unsigned position);
Operation component_operation(DType tuple, unsigned position);
/// For active lanes only.
Operation intrinsic_operation(Intrinsic intrinsic, DType type);
/// The first operand, for active lanes only.
Operation move_operation(DType type);
/// All lanes of a uniform value.
Instruction::Execute broadcast_operation(DType type);

// ---- How operations are made --------------------------------------------------------------------

namespace detail {

template <class Function, class... Operands>
using ResultOf = std::invoke_result_t<Function, Operands...>;

template <class Function, class... Operands, size_t... n>
void run_uniform(Worker& worker, const Instruction& instruction, std::index_sequence<n...>) {
  *worker.at<ResultOf<Function, Operands...>>(instruction.destination) =
      Function{}(*worker.at<Operands>(instruction.operands[n])...);
}

template <class Function, class... Operands, size_t... n>
void run_all_lanes(Worker& worker, const Instruction& instruction, std::index_sequence<n...>) {
  map_lanes(worker.padded_lanes,
            worker.at<ResultOf<Function, Operands...>>(instruction.destination), Function{},
            worker.at<Operands>(instruction.operands[n])...);
}

template <class Function, class... Operands, size_t... n>
void run_active_lanes(Worker& worker, const Instruction& instruction, std::index_sequence<n...>) {
  auto* result = worker.at<ResultOf<Function, Operands...>>(instruction.destination);
  const std::tuple operands = {worker.at<Operands>(instruction.operands[n])...};
  worker.mask->for_each(
      [&](int lane) { result[lane] = Function{}(std::get<n>(operands)[lane]...); });
}

}  // namespace detail

/// The operation that computes `Function`, a struct with a call operator, in all lanes: inactive
/// ones too, so it must have a value for any operands.
template <class Function, class... Operands>
Operation elementwise() {
  using Numbers = std::index_sequence_for<Operands...>;
  return {[](Worker& worker, const Instruction& instruction) {
            detail::run_uniform<Function, Operands...>(worker, instruction, Numbers{});
          },
          [](Worker& worker, const Instruction& instruction) {
            detail::run_all_lanes<Function, Operands...>(worker, instruction, Numbers{});
          }};
}

/// The same for active lanes only: for functions that are slow.
template <class Function, class... Operands>
Operation elementwise_if_active() {
  using Numbers = std::index_sequence_for<Operands...>;
  return {elementwise<Function, Operands...>().uniform,
          [](Worker& worker, const Instruction& instruction) {
            detail::run_active_lanes<Function, Operands...>(worker, instruction, Numbers{});
          }};
}

}  // namespace hone
