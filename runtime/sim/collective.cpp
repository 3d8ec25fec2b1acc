#include "runtime/sim/collective.h"

#include <atomic>

#include "runtime/sim/access.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

const Access& access_of(const Worker& worker, const Instruction& instruction) {
  return worker.program.accesses[instruction.detail];
}

// ---- Shuffles -----------------------------------------------------------------------------------

/// The lane of the block whose value `lane` asks for; none where that takes no part.
int partner_of(ShuffleMode mode, int lane, int64_t offset, int64_t participants) {
  const int64_t own = lane % warp_lanes;
  const int64_t other = mode == ShuffleMode::down ? own + offset : own ^ offset;
  return other < participants ? static_cast<int>(lane - own + other) : -1;
}

template <DType type, ShuffleMode mode>
void shuffle(Worker& worker, const Instruction& instruction) {
  const auto [value, offset, participants] = instruction.operands;
  const auto* values = worker.at<Lane<type>>(value);
  const auto* offsets = worker.at<int64_t>(offset);
  const auto* counts = worker.at<int64_t>(participants);
  auto* result = worker.at<Lane<type>>(instruction.destination);
  worker.mask->for_each([&](int lane) {
    const int partner = partner_of(mode, lane, offsets[lane], counts[lane]);
    const bool has_one = partner >= 0 && partner < worker.lanes && worker.mask->has(partner);
    result[lane] = has_one ? values[partner] : poison<type>();
  });
}

template <DType type>
Operation shuffle_operation_of(ShuffleMode mode) {
  return {nullptr, mode == ShuffleMode::down ? shuffle<type, ShuffleMode::down>
                                             : shuffle<type, ShuffleMode::exchange>};
}

// ---- Atomic updates -----------------------------------------------------------------------------

/// Computes as the interpreter does.
template <DType type>
Lane<type> updated(BinaryOp op, Lane<type> element, Lane<type> value) {
  const auto scalar = [](Lane<type> lane) {
    if constexpr (is_float_lane<type>) return Scalar::of_float(type, lane);
    return Scalar::of_int(type, lane);
  };
  const Scalar result = apply(op, scalar(element), scalar(value));
  if constexpr (is_float_lane<type>) return static_cast<Lane<type>>(result.real);
  return static_cast<Lane<type>>(result.integer);
}

/// Runs on several host threads, whose blocks may update one element.
template <DType type>
void update(Stored<type>& element, BinaryOp op, Lane<type> value) {
  const std::atomic_ref<Stored<type>> shared(element);
  Stored<type> before = shared.load();
  while (!shared.compare_exchange_weak(
      before, encode<type>(updated<type>(op, decode<type>(before), value)))) {
  }
}

template <DType type, Update how>
void update_atomically(Worker& worker, const Instruction& instruction) {
  const Address to = open_access(worker, access_of(worker, instruction));
  auto* elements = reinterpret_cast<Stored<type>*>(to.data);
  const auto* values = worker.at<Lane<type>>(instruction.operands[0]);
  const BinaryOp op = combiner(how);
  worker.mask->for_each(
      [&](int lane) { update<type>(elements[to.element(lane)], op, values[lane]); });
}

template <DType type>
Instruction::Execute atomic_operation_of(Update update) {
  switch (update) {
    case Update::add:
      return update_atomically<type, Update::add>;
    case Update::mul:
      return update_atomically<type, Update::mul>;
    case Update::min:
      return update_atomically<type, Update::min>;
    case Update::max:
      return update_atomically<type, Update::max>;
    case Update::logical_and:
      return update_atomically<type, Update::logical_and>;
    case Update::logical_or:
      return update_atomically<type, Update::logical_or>;
    case Update::set:
      break;
  }
  llvm_unreachable("a plain store is no update");
}

void arrive(Worker& worker, const Instruction& instruction) {
  const Address to = open_access(worker, access_of(worker, instruction));
  auto& counter = reinterpret_cast<int32_t*>(to.data)[to.element(worker.mask->first())];
  const auto last = static_cast<int32_t>(*worker.at<int64_t>(instruction.operands[0]) - 1);
  const std::atomic_ref<int32_t> shared(counter);
  int32_t before = shared.load();
  while (!shared.compare_exchange_weak(before, before == last ? 0 : before + 1)) {
  }
  *worker.at<uint8_t>(instruction.destination) = before == last;
}

}  // namespace

Operation shuffle_operation(ShuffleMode mode, DType type) {
  return with_type(type, [mode]<DType t>() { return shuffle_operation_of<t>(mode); });
}

Instruction::Execute atomic_operation(Update update, DType type) {
  return with_type(type, [update]<DType t>() { return atomic_operation_of<t>(update); });
}

Instruction::Execute arrive_operation() { return arrive; }

}  // namespace hone
