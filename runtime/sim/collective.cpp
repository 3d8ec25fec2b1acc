#include "runtime/sim/collective.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "ir/fold.h"
#include "runtime/sim/access.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

const Access& access_of(const Worker& worker, const Instruction& instruction) {
  return worker.program.accesses[instruction.detail];
}

// ---- Shuffles -----------------------------------------------------------------------------------

template <DType type, ShuffleMode mode>
void shuffle(Worker& worker, const Instruction& instruction) {
  const auto [value, offset, participants] = instruction.operands;
  const auto* values = worker.at<Lane<type>>(value);
  const auto* offsets = worker.at<int64_t>(offset);
  const auto* counts = worker.at<int64_t>(participants);
  auto* result = worker.at<Lane<type>>(instruction.destination);
  std::array<Lane<type>, warp_lanes> before;  // the result may take the place of the values
  for (int first = 0; first < worker.lanes; first += warp_lanes) {
    const int end = std::min(first + warp_lanes, worker.lanes);
    std::copy(values + first, values + end, before.begin());
    for (int lane = first; lane < end; ++lane) {
      if (!worker.mask->has(lane)) continue;
      const int partner = partner_of(worker, mode, lane, offsets[lane], counts[lane]);
      result[lane] = partner < 0 ? poison<type>() : before[partner - first];
    }
  }
}

template <DType type>
Operation shuffle_operation_of(ShuffleMode mode) {
  return {nullptr, mode == ShuffleMode::down ? shuffle<type, ShuffleMode::down>
                                             : shuffle<type, ShuffleMode::exchange>};
}

// ---- Atomic updates -----------------------------------------------------------------------------

template <DType type>
Scalar scalar_of(Lane<type> lane) {
  if constexpr (is_float_lane<type>) return Scalar::of_float(type, lane);
  return Scalar::of_int(type, lane);
}

template <DType type>
Lane<type> lane_of(const Scalar& value) {
  if constexpr (is_float_lane<type>) return static_cast<Lane<type>>(value.real);
  return static_cast<Lane<type>>(value.integer);
}

/// The new element, as the interpreter computes it.
template <DType type>
Lane<type> updated(const Store& update, Lane<type> element, Lane<type> value) {
  if (!update.op)
    return lane_of<type>(
        apply(combiner(update.update), scalar_of<type>(element), scalar_of<type>(value)));
  const Expr result = folded(apply(*update.op, constant_of(scalar_of<type>(element)),
                                   constant_of(scalar_of<type>(value))));
  return lane_of<type>(*as_scalar(result));
}

/// Runs on several host threads, whose blocks may update one element.
template <DType type>
void update_element(Stored<type>& element, const Store& update, Lane<type> value) {
  const std::atomic_ref<Stored<type>> shared(element);
  Stored<type> before = shared.load();
  while (!shared.compare_exchange_weak(
      before, encode<type>(updated<type>(update, decode<type>(before), value)))) {
  }
}

template <DType type>
void update_atomically(Worker& worker, const Instruction& instruction) {
  const Access& access = access_of(worker, instruction);
  const Address to = open_access(worker, access);
  auto* elements = reinterpret_cast<Stored<type>*>(to.data);
  const auto* values = worker.at<Lane<type>>(instruction.operands[0]);
  const Store& update = *llvm::cast<Store>(worker.program.statements[access.statement]);
  worker.mask->for_each(
      [&](int lane) { update_element<type>(elements[to.element(lane)], update, values[lane]); });
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

int partner_of(const Worker& worker, ShuffleMode mode, int lane, int64_t offset,
               int64_t participants) {
  const int64_t own = lane % warp_lanes;
  const int64_t other = mode == ShuffleMode::down ? own + offset : own ^ offset;
  if (other < 0 || other >= std::min<int64_t>(participants, warp_lanes)) return -1;
  const auto partner = static_cast<int>(lane - own + other);
  return partner < worker.lanes && worker.mask->has(partner) ? partner : -1;
}

Operation shuffle_operation(ShuffleMode mode, DType type) {
  return with_type(type, [mode]<DType t>() { return shuffle_operation_of<t>(mode); });
}

Instruction::Execute atomic_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return update_atomically<t>; });
}

Instruction::Execute arrive_operation() { return arrive; }

}  // namespace hone
