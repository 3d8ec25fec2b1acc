#include "runtime/sim/worker.h"

#include <cassert>
#include <new>

namespace hone {
namespace {

constexpr size_t alignment = 64;

constexpr size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

void write_uniform(std::byte* slot, const Scalar& value) {
  if (is_tuple(value.type)) return write_element(slot, value);
  with_number_type(value.type, [&]<DType type>() {
    const auto lane = is_float(type) ? static_cast<Lane<type>>(value.real)
                                     : static_cast<Lane<type>>(value.integer);
    std::memcpy(slot, &lane, sizeof lane);
  });
}

}  // namespace

Worker::Worker(const SimLaunch& launch)
    : launch(launch),
      program(launch.program),
      lanes(launch.lanes()),
      padded_lanes(static_cast<int>(round_up(lanes, lane_chunk))),
      bases(program.bases.size()),
      masks(program.masks) {
  all_lanes.fill(lanes, padded_lanes);
  allocate();
  set_uniforms();
  set_thread_indices();
  if (launch.observe) observer = launch.observe(*this);
  run(program.launch_code);
}

/// With one more line, so that equal lanes of several values fall into different sets of the cache.
size_t Worker::lane_stride(int lane_bytes) const {
  return round_up(static_cast<size_t>(padded_lanes) * lane_bytes, alignment) + alignment;
}

size_t Worker::bytes_of(SlotKind kind) const {
  switch (kind) {
    case SlotKind::uniform:
      return widest_element;
    case SlotKind::lanes_of_1:
      return lane_stride(1);
    case SlotKind::lanes_of_2:
      return lane_stride(2);
    case SlotKind::lanes_of_4:
      return lane_stride(4);
    case SlotKind::lanes_of_8:
      return lane_stride(8);
    case SlotKind::lanes_of_16:
      return lane_stride(16);
    case SlotKind::lanes_of_32:
      return lane_stride(32);
    case SlotKind::alias:
      return 0;
  }
  llvm_unreachable("unknown kind of slot");
}

size_t Worker::bytes_of(const Memory& memory) const {
  if (memory.argument >= 0 || memory.has_address()) return 0;
  const TensorNode& tensor = *memory.tensor;
  const size_t bytes = tensor.scope == Scope::registers ? lane_stride(lane_bytes(tensor.type))
                                                        : size_of(tensor.type);
  return round_up(memory.elements * bytes, alignment);
}

/// All values and allocations lie in one zeroed arena: uniform values, lanes, allocations.
void Worker::allocate() {
  size_t uniform_bytes = 0, other_bytes = 0;
  for (const SlotKind kind : program.slots)
    (kind == SlotKind::uniform ? uniform_bytes : other_bytes) += bytes_of(kind);
  for (const Memory& memory : program.memories) other_bytes += bytes_of(memory);
  other_bytes += round_up(program.shared_bytes, alignment);
  uniform_bytes = round_up(uniform_bytes + 1, alignment);

  const size_t bytes = uniform_bytes + other_bytes;
  claim_ = HostMemoryClaim(static_cast<int64_t>(bytes), "the registers of a block");
  arena_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes)));
  if (!arena_) throw std::bad_alloc();
  std::memset(arena_.get(), 0, bytes);
  place_slots(arena_.get(), arena_.get() + uniform_bytes);
}

void Worker::place_slots(std::byte* next_uniform, std::byte* next) {
  for (const SlotKind kind : program.slots) {
    std::byte*& position = kind == SlotKind::uniform ? next_uniform : next;
    slots.push_back(position);
    position += bytes_of(kind);
  }
  slot_homes = slots;
  for (size_t base = 0; base < bases.size(); ++base)
    bases[base].values = at<int64_t>(program.bases[base]);
  std::byte* const shared = next;
  next += round_up(program.shared_bytes, alignment);
  for (const Memory& memory : program.memories) {
    const int64_t address = memory.tensor->address;
    places.push_back({memory.has_address() ? shared + address : next, memory.elements});
    next += bytes_of(memory);
    if (memory.argument < 0) continue;
    const SimArgument& argument = launch.arguments[memory.argument];
    places.back() = {static_cast<std::byte*>(argument.data), argument.elements};
  }
}

void Worker::set_uniforms() {
  for (const auto& [slot, value] : program.constants) write_uniform(slots[slot], value);
  for (const auto& [slot, name] : program.params) *at<int64_t>(slot) = launch.sizes.at(name);
}

void Worker::set_thread_indices() {
  const auto [x, y, z] = launch.block;
  for (int lane = 0; lane < lanes; ++lane) {
    at<int64_t>(program.thread_index[0])[lane] = lane % x;
    at<int64_t>(program.thread_index[1])[lane] = lane / x % y;
    at<int64_t>(program.thread_index[2])[lane] = lane / (x * y);
  }
}

void Worker::run_block(int64_t number) {
  block_number = number;
  const auto [x, y, z] = launch.grid;
  block_index = {number % x, number / x % y, number / (x * y)};
  for (int dim = 0; dim < 3; ++dim) *at<int64_t>(program.block_index[dim]) = block_index[dim];
  steps_left = launch.options.step_budget;
  mask = &all_lanes;
  run(program.block_code);
}

}  // namespace hone
