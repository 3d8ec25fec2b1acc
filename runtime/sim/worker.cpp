#include "runtime/sim/worker.h"

#include <new>

#include "ir/target/alignment.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/sim/access.h"

namespace hone {
namespace {

constexpr size_t scratch_alignment = 64;

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
      block_lanes_padded_(static_cast<int>(round_up(launch.lanes(), lane_chunk))) {
  bases.resize(program.bases.size());
  masks.resize(program.masks + 1);
  allocate();
  become_whole();
  set_uniforms();
  set_thread_indices();
  if (launch.observe) observer = launch.observe(*this);
  for (const Instruction& instruction : program.codes[program.launch_code])
    instruction.execute(*this, instruction);
}

/// With one more line, so that equal lanes of several values fall into different sets of the cache.
size_t Worker::lane_stride(int lane_bytes) const {
  return round_up(static_cast<size_t>(block_lanes_padded_) * lane_bytes, scratch_alignment) +
         scratch_alignment;
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
  return round_up(memory.elements * bytes, scratch_alignment);
}

/// Of all blocks of the cluster.
size_t Worker::shared_bytes() const {
  const int64_t others = (launch.cluster() - 1) * program.block_stride();
  return round_up(others + program.shared_bytes, scratch_alignment);
}

/// Lanes and allocations lie in one zeroed arena.
void Worker::allocate() {
  size_t bytes = shared_bytes() + widest_alignment;
  for (const SlotKind kind : program.slots)
    if (kind != SlotKind::uniform) bytes += bytes_of(kind);
  for (const Memory& memory : program.memories) bytes += bytes_of(memory);
  bytes = round_up(bytes, widest_alignment);
  claim_ = HostMemoryClaim(static_cast<int64_t>(bytes), "the registers of a block");
  arena_.reset(static_cast<std::byte*>(std::aligned_alloc(widest_alignment, bytes)));
  if (!arena_) throw std::bad_alloc();
  std::memset(arena_.get(), 0, bytes);
  uniforms.resize(llvm::count(program.slots, SlotKind::uniform));
}

/// All lanes of the block. Of the values, those of the launch are kept.
void Worker::become_whole() {
  first_lane = 0;
  lanes = launch.lanes();
  padded_lanes = block_lanes_padded_;
  for (Mask& each : masks) each = {};
  masks.front().fill(lanes, padded_lanes, ++last_stamp);
  mask = &masks.front();
  others.clear();
  const auto warpgroups = llvm::divideCeil(launch.block_lanes(), warpgroup_size);
  barriers.assign(launch.cluster() * (BarrierScope::first_of_warpgroups + warpgroups), {});
  place_slots();
  for (Base& base : bases) summarise(base, masks.front());
}

void Worker::place_slots() {
  std::byte* next_value = arena_.get();
  auto* next_uniform = uniforms.data();
  slots.clear();
  for (const SlotKind kind : program.slots) {
    const bool is_uniform = kind == SlotKind::uniform;
    slots.push_back(is_uniform ? (next_uniform++)->bytes.data() : next_value);
    if (!is_uniform) next_value += bytes_of(kind);
  }
  slot_homes = slots;
  for (size_t base = 0; base < bases.size(); ++base)
    bases[base].values = at<int64_t>(program.bases[base]);
  std::byte* const shared = arena_.get() + round_up(next_value - arena_.get(), widest_alignment);
  next_value = shared + shared_bytes();
  places.clear();
  for (const Memory& memory : program.memories) {
    const int64_t address = memory.tensor->address;
    places.push_back({memory.has_address() ? shared + address : next_value, memory.elements});
    next_value += bytes_of(memory);
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
  for (int lane = 0; lane < lanes; ++lane) {
    const auto index = launch.thread_of(lane);
    for (int dim = 0; dim < 3; ++dim) at<int64_t>(program.thread_index[dim])[lane] = index[dim];
    if (launch.cluster() > 1)
      at<int64_t>(program.block_in_cluster)[lane] = lane / launch.block_lanes();
  }
}

void Worker::run_block(int64_t number) {
  if (!is_whole() || !others.empty()) become_whole();
  block_number = number;
  block_index = launch.place_of(number, 0);
  for (int dim = 0; dim < 3; ++dim) *at<int64_t>(program.block_index[dim]) = block_index[dim];
  steps_left = launch.options.step_budget;
  if (program.has_engines) engines.begin(launch.lanes());
  phases.barriers.assign(program.phase_barriers, {});
  run_turns();
  end_engines(*this);
}

}  // namespace hone
