#include "runtime/cudart/arrays.h"

#include "llvm/Support/MathExtras.h"
#include "runtime/cudart/state.h"

namespace hone::cudart {
namespace {

constexpr unsigned known_flags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                 cudaArrayTextureGather | cudaArrayColorAttachment;
constexpr size_t faces = 6;

void require_valid(bool holds) {
  if (!holds) throw CallError(cudaErrorInvalidValue);
}

ptx::TexelFormat::Kind kind_of(const char* call, cudaChannelFormatKind kind) {
  switch (kind) {
    case cudaChannelFormatKindUnsigned:
      return ptx::TexelFormat::Kind::unsigned_integer;
    case cudaChannelFormatKindSigned:
      return ptx::TexelFormat::Kind::signed_integer;
    case cudaChannelFormatKindFloat:
      return ptx::TexelFormat::Kind::real;
    default:
      throw CallError(cudaErrorNotSupported,
                      "{}: of the kinds of channels, the simulated device has signed, unsigned "
                      "and float ones alone",
                      call);
  }
}

ptx::ImageShape shape_of(const cudaExtent& extent, unsigned flags) {
  const bool has_layers = (flags & cudaArrayLayered) != 0;
  if ((flags & cudaArrayCubemap) != 0) {
    require_valid(extent.width == extent.height && extent.depth % faces == 0 && extent.depth > 0);
    require_valid(has_layers || extent.depth == faces);
    return {2, has_layers, true};
  }
  if (has_layers) {
    require_valid(extent.depth > 0);
    return {extent.height > 0 ? 2 : 1, true, false};
  }
  require_valid(extent.depth == 0 || extent.height > 0);
  return {extent.depth > 0 ? 3 : extent.height > 0 ? 2 : 1, false, false};
}

/// Rows of an array begin at multiples of the widest access.
ptx::Image layout_of(const ptx::TexelFormat& format, const cudaExtent& extent, unsigned flags) {
  constexpr int64_t row_alignment = 16;
  ptx::Image image;
  image.format = format;
  image.shape = shape_of(extent, flags);
  image.extents[0] = static_cast<int64_t>(extent.width);
  image.extents[1] = static_cast<int64_t>(std::max<size_t>(extent.height, 1));
  const auto slices = static_cast<int64_t>(std::max<size_t>(extent.depth, 1));
  (image.shape.dims == 3 ? image.extents[2] : image.layers) = slices;
  image.row_bytes =
      static_cast<int64_t>(llvm::alignTo(image.extents[0] * format.bytes(), row_alignment));
  image.slice_bytes = image.row_bytes * image.extents[1];
  image.can_gather = (flags & cudaArrayTextureGather) != 0;
  return image;
}

void check_size(const cudaExtent& extent) {
  constexpr size_t most = size_t{1} << 18;  // no dimension of any texture has more
  require_valid(extent.width > 0 && extent.width <= most && extent.height <= most &&
                extent.depth <= most);
}

}  // namespace

ptx::TexelFormat texel_format(const char* call, const cudaChannelFormatDesc& format) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  int channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  bool is_valid = channels == 1 || channels == 2 || channels == 4;
  for (int n = 0; n < 4; ++n) is_valid &= bits[n] == (n < channels ? bits[0] : 0);
  is_valid &= bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
  is_valid &= format.f != cudaChannelFormatKindFloat || bits[0] >= 16;
  const ptx::TexelFormat::Kind kind = kind_of(call, format.f);
  if (!is_valid) throw CallError(cudaErrorInvalidChannelDescriptor);
  return {kind, bits[0], channels};
}

Array* make_array(State& state, const char* call, const cudaChannelFormatDesc& format,
                  const cudaExtent& extent, unsigned flags) {
  if ((flags & ~known_flags) != 0)
    throw CallError(cudaErrorNotSupported,
                    "{}: sparse arrays and those that are mapped later are not supported on the "
                    "simulated device",
                    call);
  check_size(extent);
  ptx::Image image = layout_of(texel_format(call, format), extent, flags);
  const int64_t slices = image.extents[2] * image.layers;
  image.address = state.allocations.allocate(image.slice_bytes * slices, Origin::device, call);
  ptx::Allocation& memory = *state.memory.find(image.address);
  if (image.extents[1] * slices > 1) memory.row_bytes = image.row_bytes;
  Array* const array = state.arrays.make();
  *array = {memory.name, image, format, extent, flags};
  return array;
}

void free_array(State& state, const Array& array) {
  state.allocations.release(*state.allocations.find(array.image.address));
  state.arrays.destroy(&array);
}

}  // namespace hone::cudart
