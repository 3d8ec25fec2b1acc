#include "runtime/sim/collective.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "ir/algebra/fold.h"
#include "runtime/sim/access.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

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

/// `type` is that of the element, or stands for it.
template <DType type>
Scalar scalar_of(const Stored<type>& element, DType of_element) {
  std::array<std::byte, sizeof element> bytes;
  std::memcpy(bytes.data(), &element, sizeof element);
  return read_element(of_element, bytes.data());
}

template <DType type>
Stored<type> element_of(const Scalar& value) {
  Stored<type> element;
  std::array<std::byte, sizeof element> bytes;
  write_element(bytes.data(), value);
  std::memcpy(&element, bytes.data(), sizeof element);
  return element;
}

/// The new element, as the interpreter computes it.
Scalar updated(const Store& update, const Scalar& element, const Scalar& value) {
  if (!update.op) return apply(combiner(update.update), element, value);
  return *as_scalar(folded(apply(*update.op, constant_of(element), constant_of(value))));
}

/// Runs on several host threads, whose blocks may update one element.
template <DType type>
void update_element(Stored<type>& element, const Store& update, Stored<type> value) {
  if constexpr (sizeof element > sizeof(int64_t)) {
    llvm_unreachable("wider elements have no atomic updates");
  } else {
    const DType of_element = update.tensor->type;
    const Scalar with = scalar_of<type>(value, of_element);
    const std::atomic_ref<Stored<type>> shared(element);
    Stored<type> before = shared.load();
    while (!shared.compare_exchange_weak(
        before, element_of<type>(updated(update, scalar_of<type>(before, of_element), with)))) {
    }
  }
}

template <DType type>
void update_atomically(Worker& worker, const Instruction& instruction) {
  const Access& access = access_of(worker, instruction);
  const Address to = open_access(worker, access);
  auto* elements = reinterpret_cast<Stored<type>*>(to.data);
  const auto* values = worker.at<Lane<type>>(instruction.operands[0]);
  const Store& update = *llvm::cast<Store>(worker.program.statements[access.statement]);
  worker.mask->for_each([&](int lane) {
    update_element<type>(elements[to.element(lane)], update, encode<type>(values[lane]));
  });
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

void update_element(const Store& update, std::byte* element, const std::byte* value) {
  with_type(update.tensor->type, [&]<DType type>() {
    Stored<type> with;
    std::memcpy(&with, value, sizeof with);
    update_element<type>(reinterpret_cast<Stored<type>&>(*element), update, with);
  });
}

Instruction::Execute arrive_operation() { return arrive; }

}  // namespace hone
