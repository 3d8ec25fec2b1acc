#include "runtime/cudart/copies.h"

#include <cstring>

namespace hone::cudart {
namespace {

enum class Where { anywhere, device, host };

/// Which end a message is about.
struct End {
  const char* call;
  const char *verb, *preposition;  ///< "writes", "to"
  Where where;
};

[[noreturn]] void report(State& state, const std::string& text) {
  state.findings.add_host(text);
  throw CallError(cudaErrorInvalidValue);
}

bool is_of_device_alone(const State& state, uint64_t address) {
  const Allocations::Entry* entry = state.allocations.find(address);
  if (!entry) return true;  // a variable has none
  return entry->origin == Origin::device || entry->origin == Origin::graph;
}

/// The allocation that holds a place; null for memory that is the host's own.
ptx::Allocation* allocation_of(State& state, const Place& place, const Extent& extent,
                               const End& end) {
  ptx::Allocation* const found = state.memory.find(place.address());
  const size_t bytes = extent.span(place);
  if (!found && end.where != Where::device) return nullptr;
  const std::string does =
      fmt::format("{} {} {} bytes {}", end.call, end.verb, bytes, end.preposition);
  if (!found)
    report(state, fmt::format("{} device memory at {:#x}: {}", does, place.address(),
                              state.memory.describe(place.address())));
  const uint64_t offset = place.address() - found->address;
  if (offset + bytes > static_cast<uint64_t>(found->bytes))
    report(state,
           fmt::format("{} {}{}, which has {}", does, found->name,
                       offset == 0 ? "" : fmt::format(" from byte {} on", offset), found->bytes));
  if (end.where == Where::host && is_of_device_alone(state, place.address()))
    report(state, fmt::format("{} {} as memory of the host, but it is memory of the device: the "
                              "direction of the copy is wrong",
                              does, found->name));
  return found;
}

Where to_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
    case cudaMemcpyDeviceToDevice:
      return Where::device;
    case cudaMemcpyDeviceToHost:
    case cudaMemcpyHostToHost:
      return Where::host;
    case cudaMemcpyDefault:
      return Where::anywhere;
  }
  throw CallError(cudaErrorInvalidMemcpyDirection);
}

Where from_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyDeviceToHost:
    case cudaMemcpyDeviceToDevice:
      return Where::device;
    case cudaMemcpyHostToDevice:
    case cudaMemcpyHostToHost:
      return Where::host;
    case cudaMemcpyDefault:
      return Where::anywhere;
  }
  throw CallError(cudaErrorInvalidMemcpyDirection);
}

/// Calls `use(byte of `to`, byte of `from`)` for each row.
template <class Use>
void for_each_row(const Place& to, const Place& from, const Extent& extent, const Use& use) {
  for (size_t layer = 0; layer < extent.layers; ++layer)
    for (size_t row = 0; row < extent.rows; ++row)
      use(layer * to.layer + row * to.pitch, layer * from.layer + row * from.pitch);
}

/// The bytes of a row that hold no value yet: their flags, or null where all do.
const uint8_t* unset_of(const ptx::Allocation* allocation, uint64_t address) {
  if (!allocation || allocation->unset.empty()) return nullptr;
  return allocation->unset.data() + (address - allocation->address);
}

/// Device to device: bytes without a value stay so.
void carry_unset(State& state, ptx::Allocation& to, uint64_t to_address, const uint8_t* unset,
                 size_t bytes) {
  if (!unset || to.unset.empty())
    return state.memory.mark_set(to_address, static_cast<int64_t>(bytes));
  std::memmove(to.unset.data() + (to_address - to.address), unset, bytes);
}

void hint_at_unset(State& state, const Copy& copy, const ptx::Allocation& from, int64_t unset) {
  state.findings.add_hint(
      fmt::format("{} reads {} bytes of {} that nothing has written", copy.call, unset, from.name));
}

void check_pitches(const Place& place, const Extent& extent) {
  const bool has_rows = extent.rows > 1 || extent.layers > 1;
  if (has_rows && place.pitch < extent.width) throw CallError(cudaErrorInvalidPitchValue);
}

}  // namespace

void run(State& state, const Copy& copy) {
  if (copy.extent.is_empty()) return;
  for (const Place* place : {&copy.to, &copy.from}) check_pitches(*place, copy.extent);
  ptx::Allocation* const to =
      allocation_of(state, copy.to, copy.extent, {copy.call, "writes", "to", to_of(copy.kind)});
  const ptx::Allocation* const from =
      allocation_of(state, copy.from, copy.extent, {copy.call, "reads", "of", from_of(copy.kind)});
  int64_t unset = 0;
  for_each_row(copy.to, copy.from, copy.extent, [&](size_t to_byte, size_t from_byte) {
    const size_t width = copy.extent.width;
    const uint64_t to_address = copy.to.address() + to_byte;
    std::memmove(bytes_at(to_address), static_cast<const std::byte*>(copy.from.data) + from_byte,
                 width);
    const uint8_t* const flags = unset_of(from, copy.from.address() + from_byte);
    if (to) carry_unset(state, *to, to_address, flags, width);
    if (flags && !to) unset += std::count(flags, flags + width, 1);
  });
  if (unset > 0) hint_at_unset(state, copy, *from, unset);
}

void enqueue_copy(State& state, cudaStream_t stream, const Copy& copy) {
  state.enqueue(stream, cudaGraphNodeTypeMemcpy, [copy](State& then) { run(then, copy); });
}

void run(State& state, const Fill& fill) {
  if (fill.extent.is_empty()) return;
  check_pitches(fill.to, fill.extent);
  allocation_of(state, fill.to, fill.extent, {fill.call, "writes", "to", Where::device});
  for_each_row(fill.to, fill.to, fill.extent, [&](size_t byte, size_t) {
    auto* const row = bytes_at(fill.to.address() + byte);
    for (size_t at = 0; at + fill.value_bytes <= fill.extent.width; at += fill.value_bytes)
      std::memcpy(row + at, &fill.value, fill.value_bytes);
    state.memory.mark_set(fill.to.address() + byte, static_cast<int64_t>(fill.extent.width));
  });
}

void mark_all_set(State& state) {
  for (const Allocations::Entry& entry : state.allocations.entries())
    state.memory.find(entry.address)->unset.clear();
}

}  // namespace hone::cudart
