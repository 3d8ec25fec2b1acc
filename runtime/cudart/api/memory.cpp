// Memory: where it comes from, what it is, and its end.
#include "runtime/cudart/state.h"

namespace hone::cudart {
namespace {

constexpr size_t pitch_multiple = 512;

size_t pitch_of(size_t width) {
  return (width + pitch_multiple - 1) / pitch_multiple * pitch_multiple;
}

/// `pointer` becomes the address of new memory, or null for no bytes.
void allocate_to(State& state, void** pointer, size_t bytes, Origin origin, const char* call) {
  *given(pointer) = nullptr;
  if (bytes == 0) return;
  const uint64_t address = state.allocations.allocate(static_cast<int64_t>(bytes), origin, call);
  *pointer = bytes_at(address);
}

const Allocations::Entry* find_entry(const State& state, const void* pointer) {
  return state.allocations.find(reinterpret_cast<uint64_t>(pointer));
}

bool is_of_host(const Allocations::Entry& entry) {
  return entry.origin == Origin::host || entry.origin == Origin::registered;
}

[[noreturn]] void report_free(State& state, const std::string& text) {
  state.findings.add_host(text);
  throw CallError(cudaErrorInvalidValue);
}

/// Frees what begins at `pointer`, which is memory of the host, or of the device.
void free_from(State& state, void* pointer, bool frees_host, const char* call) {
  if (!pointer) return;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const Allocations::Entry* entry = find_entry(state, pointer);
  if (!entry)
    report_free(state,
                fmt::format("{} of {:#x}: {}", call, address, state.memory.describe(address)));
  if (entry->address != address)
    report_free(state, fmt::format("{} of byte {} of {}; only its first byte names it", call,
                                   address - entry->address, entry->name));
  if (is_of_host(*entry) != frees_host)
    report_free(state, fmt::format("{} of {}, which {} frees", call, entry->name,
                                   frees_host ? "cudaFree" : "cudaFreeHost"));
  if (entry->origin != Origin::graph) state.allocations.release(*entry);
}

cudaMemoryType type_of(Origin origin) {
  switch (origin) {
    case Origin::device:
    case Origin::graph:
      return cudaMemoryTypeDevice;
    case Origin::managed:
      return cudaMemoryTypeManaged;
    case Origin::host:
    case Origin::registered:
      return cudaMemoryTypeHost;
  }
  return cudaMemoryTypeUnregistered;
}

/// Calls about managed memory change nothing, as it is where it is used.
cudaError_t ignore_range(const void* pointer) {
  return call([&](State& state) {
    if (!find_entry(state, pointer)) throw CallError(cudaErrorInvalidValue);
  });
}

}  // namespace
extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call(
      [&](State& state) { allocate_to(state, pointer, bytes, Origin::device, "cudaMalloc"); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return call([&](State& state) {
    if (bytes == 0) throw CallError(cudaErrorInvalidValue);
    allocate_to(state, pointer, bytes, Origin::managed, "cudaMallocManaged");
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return call(
      [&](State& state) { allocate_to(state, pointer, bytes, Origin::host, "cudaMallocHost"); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return call(
      [&](State& state) { allocate_to(state, pointer, bytes, Origin::host, "cudaHostAlloc"); });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&](State& state) {
    *given(pitch) = pitch_of(width);
    allocate_to(state, pointer, *pitch * height, Origin::device, "cudaMallocPitch");
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* place, cudaExtent extent) {
  return call([&](State& state) {
    const size_t pitch = pitch_of(extent.width);
    *given(place) = {nullptr, pitch, extent.width, extent.height};
    allocate_to(state, &place->ptr, pitch * extent.height * extent.depth, Origin::device,
                "cudaMalloc3D");
  });
}

/// The memory of a graph is there from the call on, and its nodes keep it: each launch has the same
/// addresses, as on a GPU.
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return call([&](State& state) {
    const bool is_captured = state.stream(stream).captures_to != nullptr;
    allocate_to(state, pointer, bytes, is_captured ? Origin::graph : Origin::device,
                "cudaMallocAsync");
    state.enqueue(stream, cudaGraphNodeTypeMemAlloc, [](State&) {});
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFree(void* pointer) {
  return waiting_call(
      [&](State& state) { free_from(state, pointer, /*frees_host=*/false, "cudaFree"); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call([&](State& state) {
    if (state.stream(stream).captures_to)
      return state.enqueue(stream, cudaGraphNodeTypeMemFree, [](State&) {});
    free_from(state, pointer, /*frees_host=*/false, "cudaFreeAsync");
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return waiting_call(
      [&](State& state) { free_from(state, pointer, /*frees_host=*/true, "cudaFreeHost"); });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  return call([&](State& state) {
    if (find_entry(state, given(pointer))) throw CallError(cudaErrorHostMemoryAlreadyRegistered);
    state.allocations.adopt(pointer, static_cast<int64_t>(bytes), "cudaHostRegister");
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](State& state) {
    const Allocations::Entry* entry = find_entry(state, pointer);
    if (!entry || entry->origin != Origin::registered)
      throw CallError(cudaErrorHostMemoryNotRegistered);
    state.allocations.release(*entry);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call([&](State& state) {
    const Allocations::Entry* entry = find_entry(state, host);
    if (!entry || !is_of_host(*entry)) throw CallError(cudaErrorInvalidValue);
    *given(device) = host;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call([&](State& state) {
    const Allocations::Entry* entry = find_entry(state, host);
    if (!entry || !is_of_host(*entry)) throw CallError(cudaErrorInvalidValue);
    *given(flags) = cudaHostAllocMapped;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* all_bytes) {
  return call([&](State& state) {
    const int64_t all = Allocations::memory_of_host();
    *given(all_bytes) = all;
    *given(free_bytes) = all - state.allocations.bytes();
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&](State& state) {
    *given(attributes) = {};
    attributes->device = -2;  // of memory that the runtime does not know
    const Allocations::Entry* entry = find_entry(state, pointer);
    const bool is_variable = state.memory.find(reinterpret_cast<uint64_t>(pointer)) != nullptr;
    if (!entry && !is_variable) return;
    attributes->type = entry ? type_of(entry->origin) : cudaMemoryTypeDevice;
    attributes->device = 0;
    auto* const place = const_cast<void*>(pointer);
    attributes->devicePointer = place;
    if (attributes->type != cudaMemoryTypeDevice) attributes->hostPointer = place;
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return ignore_range(pointer);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return ignore_range(pointer);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, size_t, unsigned) {
  return ignore_range(pointer);
}
}  // extern "C"

}  // namespace hone::cudart
