// CUDA arrays, and copies from and to them.
#include "runtime/cudart/array_copies.h"

namespace hone::cudart {
namespace {

cudaError_t copy_array(cudaStream_t stream, bool waits, llvm::function_ref<Copy(State&)> make) {
  const auto body = [&](State& state) { enqueue_copy(state, stream, make(state)); };
  return waits ? waiting_call(body) : call(body);
}

struct Memory2D {
  const void* data;
  size_t pitch;
};

cudaError_t copy_to_array(const char* call, const ArrayPlace& to, const Memory2D& from,
                          const Extent& extent, cudaMemcpyKind kind, cudaStream_t stream,
                          bool waits) {
  return copy_array(stream, waits, [&](State& state) -> Copy {
    return {call, place_in(state, call, to, extent), {from.data, from.pitch}, extent, kind};
  });
}

cudaError_t copy_from_array(const char* call, const Memory2D& to, const ArrayPlace& from,
                            const Extent& extent, cudaMemcpyKind kind, cudaStream_t stream,
                            bool waits) {
  return copy_array(stream, waits, [&](State& state) -> Copy {
    return {call, {to.data, to.pitch}, place_in(state, call, from, extent), extent, kind};
  });
}

/// Bytes one behind the other, to or from rows of an array.
void copy_stretches(State& state, const char* call, const ArrayPlace& place, const void* memory,
                    size_t bytes, bool is_to_array, cudaMemcpyKind kind, cudaStream_t stream) {
  state.arrays.find(place.array);
  for_each_stretch(place, bytes, [&](const ArrayPlace& at, const Extent& extent, size_t done) {
    const Place in_array = place_in(state, call, at, extent);
    const Place beside = {static_cast<const std::byte*>(memory) + done, extent.width};
    enqueue_copy(
        state, stream,
        {call, is_to_array ? in_array : beside, is_to_array ? beside : in_array, extent, kind});
  });
}

}  // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return call([&](State& state) {
    *given(array) = make_array(state, "cudaMalloc3DArray", *given(format), extent, flags);
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned flags) {
  return call([&](State& state) {
    *given(array) = make_array(state, "cudaMallocArray", *given(format), {width, height, 0}, flags);
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return waiting_call([&](State& state) {
    if (array) free_array(state, state.arrays.find(array));
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return call([&](State& state) {
    const Array& found = state.arrays.find(array);
    if (format) *format = found.format;
    if (extent) *extent = found.extent;
    if (flags) *flags = found.flags;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return call([&](State& state) { *given(format) = state.arrays.find(array).format; });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_to_array("cudaMemcpy2DToArray", {to, x, y}, {from, pitch}, {width, height}, kind,
                       nullptr, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return copy_to_array("cudaMemcpy2DToArrayAsync", {to, x, y}, {from, pitch}, {width, height}, kind,
                       stream, false);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_from_array("cudaMemcpy2DFromArray", {to, pitch}, {from, x, y}, {width, height}, kind,
                         nullptr, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_from_array("cudaMemcpy2DFromArrayAsync", {to, pitch}, {from, x, y}, {width, height},
                         kind, stream, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  constexpr const char* name = "cudaMemcpy2DArrayToArray";
  const Extent extent = {width, height};
  return copy_array(nullptr, true, [&](State& state) -> Copy {
    return {name, place_in(state, name, {to, to_x, to_y}, extent),
            place_in(state, name, {from, from_x, from_y}, extent), extent, kind};
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](State& state) {
    copy_stretches(state, "cudaMemcpyToArray", {to, x, y}, from, bytes, true, kind, stream);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  cudaDeviceSynchronize();
  return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](State& state) {
    copy_stretches(state, "cudaMemcpyFromArray", {from, x, y}, to, bytes, false, kind, stream);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  cudaDeviceSynchronize();
  return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}
}  // extern "C"

}  // namespace hone::cudart
