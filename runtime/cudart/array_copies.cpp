#include "runtime/cudart/array_copies.h"

#include <algorithm>

namespace hone::cudart {
namespace {

size_t bytes_of_row(const Array& array) {
  return static_cast<size_t>(array.image.extents[0]) * array.image.format.bytes();
}

bool fits(size_t first, size_t count, size_t extent) {
  return first <= extent && count <= extent - first;
}

Place place_of(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const size_t layer = pointer.pitch * pointer.ysize;
  return {static_cast<std::byte*>(pointer.ptr) + at.z * layer + at.y * pointer.pitch + at.x,
          pointer.pitch, layer};
}

/// Of a side of a copy that is an array: its elements count.
size_t element_bytes(State& state, const cudaMemcpy3DParms& params) {
  size_t bytes = 1;
  for (const Array* array : {params.srcArray, params.dstArray}) {
    if (!array) continue;
    const auto own = static_cast<size_t>(state.arrays.find(array).image.format.bytes());
    if (bytes != 1 && bytes != own) throw CallError(cudaErrorInvalidValue);
    bytes = own;
  }
  return bytes;
}

}  // namespace

Place place_in(State& state, const char* call, const ArrayPlace& place, const Extent& extent) {
  const Array& array = state.arrays.find(place.array);
  const ptx::Image& image = array.image;
  const auto rows = static_cast<size_t>(image.extents[1]);
  const auto slices = static_cast<size_t>(image.extents[2] * image.layers);
  if (!extent.is_empty() &&
      !(fits(place.x, extent.width, bytes_of_row(array)) && fits(place.y, extent.rows, rows) &&
        fits(place.z, extent.layers, slices))) {
    state.findings.add_host(
        fmt::format("{} of {} x {} x {} bytes from ({}, {}, {}) on of {}, which has {} x {} x {}",
                    call, extent.width, extent.rows, extent.layers, place.x, place.y, place.z,
                    array.name, bytes_of_row(array), rows, slices));
    throw CallError(cudaErrorInvalidValue);
  }
  const uint64_t address =
      image.address + place.z * image.slice_bytes + place.y * image.row_bytes + place.x;
  return {bytes_at(address), static_cast<size_t>(image.row_bytes),
          static_cast<size_t>(image.slice_bytes)};
}

Copy copy_of(State& state, const char* call, const cudaMemcpy3DParms& params) {
  const size_t unit = element_bytes(state, params);
  const Extent extent = {params.extent.width * unit, params.extent.height, params.extent.depth};
  const auto side = [&](const Array* array, const cudaPitchedPtr& pointer, const cudaPos& at) {
    if (array && pointer.ptr) throw CallError(cudaErrorInvalidValue);
    return array ? place_in(state, call, {array, at.x * unit, at.y, at.z}, extent)
                 : place_of(pointer, at);
  };
  return {call, side(params.dstArray, params.dstPtr, params.dstPos),
          side(params.srcArray, params.srcPtr, params.srcPos), extent, params.kind};
}

void for_each_stretch(const ArrayPlace& from, size_t bytes,
                      llvm::function_ref<void(const ArrayPlace&, const Extent&, size_t)> use) {
  const size_t row = bytes_of_row(*from.array);
  ArrayPlace at = from;
  for (size_t done = 0; done < bytes;) {
    const size_t left = bytes - done;
    const bool is_whole = at.x == 0 && left >= row;
    const Extent extent = is_whole ? Extent{row, left / row, 1}
                                   : Extent{std::min(left, row - std::min(at.x, row)), 1, 1};
    use(at, extent, done);
    if (extent.is_empty()) return;
    done += extent.width * extent.rows;
    at = {at.array, 0, at.y + extent.rows, at.z};
  }
}

}  // namespace hone::cudart
