// Arrays that choose how far apart their rows lie.
//
//   const Array<float> a = pitched_array<float>({M, K}, Device::cuda());
//   const Array<float> b = pitched_array<float>({K, N}, Device::cuda(), Layout::column_major());
#pragma once

#include "runtime/array.h"

namespace hone {

/// The alignment of the rows of a pitched array, in bytes: that of cudaMallocPitch.
inline constexpr int64_t row_alignment = 512;

/// The layout of an array of this shape whose rows begin at multiples of `row_alignment`. `order`
/// says which dimension runs along a row; another pitch of its gives way.
Layout pitched_layout(DType type, llvm::ArrayRef<int64_t> shape, const Layout& order = {});

/// An array with that layout. Throws what the constructor of AnyArray throws.
template <class T>
Array<T> pitched_array(std::vector<int64_t> shape, Device device = Device::host(),
                       const Layout& order = {}, Fill fill = Fill::zeros,
                       Location location = Location::current()) {
  const Layout layout = pitched_layout(dtype_of<T>, shape, order);
  return Array<T>(std::move(shape), device, layout, fill, location);
}

}  // namespace hone
