// Copies and fills. Those of a stream are done at once, or captured.
#include "runtime/cudart/copies.h"

namespace hone::cudart {
namespace {

cudaError_t copy_on(cudaStream_t stream, const Copy& copy) {
  return call([&](State& state) { enqueue_copy(state, stream, copy); });
}

/// It ends before the call does.
cudaError_t copy_now(const Copy& copy) {
  return waiting_call([&](State& state) { enqueue_copy(state, nullptr, copy); });
}

cudaError_t fill_on(cudaStream_t stream, const Fill& fill) {
  return call([&](State& state) {
    state.enqueue(stream, cudaGraphNodeTypeMemset, [fill](State& then) { run(then, fill); });
  });
}

Copy line(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return {call, {to}, {from}, {bytes}, kind};
}

/// The part of a variable that a copy is about. Throws CallError where it is none.
void* part_of(State& state, const char* call, const void* symbol, size_t offset, size_t bytes) {
  const auto [address, all] = state.binaries.variable(symbol, state.memory);
  if (offset + bytes > static_cast<uint64_t>(all)) {
    state.findings.add_host(fmt::format("{} of {} bytes from byte {} on of a variable of {} bytes",
                                        call, bytes, offset, all));
    throw CallError(cudaErrorInvalidValue);
  }
  return bytes_at(address + offset);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_now(line("cudaMemcpy", to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_on(stream, line("cudaMemcpyAsync", to, from, bytes, kind));
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return copy_now(line("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                cudaStream_t stream) {
  return copy_on(stream, line("cudaMemcpyPeerAsync", to, from, bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_now({"cudaMemcpy2D", {to, to_pitch}, {from, from_pitch}, {width, height}, kind});
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_on(stream,
                 {"cudaMemcpy2DAsync", {to, to_pitch}, {from, from_pitch}, {width, height}, kind});
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* params) {
  return waiting_call([&](State& state) {
    enqueue_copy(state, nullptr, copy_of(state, "cudaMemcpy3D", *given(params)));
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  return call([&](State& state) {
    enqueue_copy(state, stream, copy_of(state, "cudaMemcpy3DAsync", *given(params)));
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](State& state) {
    void* const to = part_of(state, "cudaMemcpyToSymbol", symbol, offset, bytes);
    enqueue_copy(state, stream, line("cudaMemcpyToSymbol", to, from, bytes, kind));
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](State& state) {
    const void* const from = part_of(state, "cudaMemcpyFromSymbol", symbol, offset, bytes);
    enqueue_copy(state, stream, line("cudaMemcpyFromSymbol", to, from, bytes, kind));
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  cudaDeviceSynchronize();
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  cudaDeviceSynchronize();
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return call([&](State& state) {
    *given(address) = bytes_at(state.binaries.variable(symbol, state.memory).first);
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call(
      [&](State& state) { *given(bytes) = state.binaries.variable(symbol, state.memory).second; });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill_on(stream, {"cudaMemset", {to}, {bytes}, static_cast<unsigned>(value)});
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill_on(stream,
                 {"cudaMemset2D", {to, pitch}, {width, height}, static_cast<unsigned>(value)});
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill_on(stream, {"cudaMemset3D",
                          {to.ptr, to.pitch, to.pitch * to.ysize},
                          {extent.width, extent.height, extent.depth},
                          static_cast<unsigned>(value)});
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}
}  // extern "C"

}  // namespace hone::cudart
