#include "runtime/cudart/textures.h"

#include "runtime/cudart/state.h"

namespace hone::cudart {
namespace {

constexpr const char* texture_call = "cudaCreateTextureObject";
constexpr const char* surface_call = "cudaCreateSurfaceObject";
constexpr int64_t most_linear_texels = int64_t{1} << 28;
constexpr uint64_t base_alignment = 512, pitch_alignment = 32;

[[noreturn]] void report_image(State& state, const std::string& text) {
  state.findings.add_host(text);
  throw CallError(cudaErrorInvalidValue);
}

void refuse_if(bool is_asked_for, const char* what) {
  if (is_asked_for)
    throw CallError(cudaErrorNotSupported, "{}: {} not supported on the simulated device",
                    texture_call, what);
}

// ---- Resources ----------------------------------------------------------------------------------

void check_alignment(State& state, const char* what, uint64_t value, uint64_t alignment) {
  if (value % alignment != 0)
    report_image(state, fmt::format("{}: {} {:#x} is no multiple of {}", texture_call, what, value,
                                    alignment));
}

ptx::Image linear_image(State& state, const cudaResourceDesc& resource) {
  const auto& linear = resource.res.linear;
  ptx::Image image;
  image.format = texel_format(texture_call, linear.desc);
  image.address = reinterpret_cast<uint64_t>(given(linear.devPtr));
  image.extents[0] = static_cast<int64_t>(linear.sizeInBytes) / image.format.bytes();
  image.is_linear = true;
  check_alignment(state, "the address", image.address, base_alignment);
  if (image.extents[0] < 1 || image.extents[0] > most_linear_texels)
    throw CallError(cudaErrorInvalidValue);
  return image;
}

ptx::Image pitched_image(State& state, const cudaResourceDesc& resource) {
  const auto& pitched = resource.res.pitch2D;
  ptx::Image image;
  image.format = texel_format(texture_call, pitched.desc);
  image.address = reinterpret_cast<uint64_t>(given(pitched.devPtr));
  image.shape.dims = 2;
  image.extents = {static_cast<int64_t>(pitched.width), static_cast<int64_t>(pitched.height), 1};
  image.row_bytes = static_cast<int64_t>(pitched.pitchInBytes);
  check_alignment(state, "the address", image.address, base_alignment);
  check_alignment(state, "the pitch", pitched.pitchInBytes, pitch_alignment);
  if (image.extents[0] < 1 || image.extents[1] < 1 ||
      image.row_bytes < image.extents[0] * image.format.bytes())
    throw CallError(cudaErrorInvalidValue);
  return image;
}

ptx::Image image_of(State& state, const cudaResourceDesc& resource) {
  if (resource.flags != 0) throw CallError(cudaErrorInvalidValue);
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return state.arrays.find(resource.res.array.array).image;
    case cudaResourceTypeLinear:
      return linear_image(state, resource);
    case cudaResourceTypePitch2D:
      return pitched_image(state, resource);
    case cudaResourceTypeMipmappedArray:
      break;
  }
  throw CallError(cudaErrorNotSupported,
                  "{}: mipmapped arrays are not supported on the simulated device", texture_call);
}

// ---- Samplers -----------------------------------------------------------------------------------

ptx::AddressMode mode_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return ptx::AddressMode::wrap;
    case cudaAddressModeClamp:
      return ptx::AddressMode::clamp;
    case cudaAddressModeMirror:
      return ptx::AddressMode::mirror;
    case cudaAddressModeBorder:
      return ptx::AddressMode::border;
  }
  throw CallError(cudaErrorInvalidValue);
}

ptx::Sampler sampler_of(const cudaTextureDesc& texture) {
  ptx::Sampler sampler;
  for (size_t dim = 0; dim < sampler.modes.size(); ++dim) {
    sampler.modes[dim] = mode_of(texture.addressMode[dim]);
    if (texture.addressMode[dim] == cudaAddressModeBorder)
      std::copy(std::begin(texture.borderColor), std::end(texture.borderColor),
                sampler.border.begin());
  }
  sampler.is_linear = texture.filterMode == cudaFilterModeLinear;
  sampler.is_normalized = texture.normalizedCoords != 0;
  sampler.reads_fractions = texture.readMode == cudaReadModeNormalizedFloat;
  return sampler;
}

void check_sampler(const cudaTextureDesc& texture, const ptx::Sampler& sampler,
                   const ptx::Image& image) {
  const ptx::TexelFormat& format = image.format;
  const bool is_real =
      format.kind == ptx::TexelFormat::Kind::real || (sampler.reads_fractions && format.bits < 32);
  refuse_if(texture.sRGB != 0, "conversions from sRGB are");
  refuse_if(texture.maxAnisotropy > 1, "anisotropic filters are");
  refuse_if(texture.seamlessCubemap != 0 && image.shape.is_cube,
            "filters across edges of cubes are");
  if (image.is_linear) return;
  if (sampler.is_linear && !is_real)
    throw CallError(cudaErrorInvalidFilterSetting,
                    "{}: a linear filter of integers, which cudaReadModeNormalizedFloat alone "
                    "makes floats",
                    texture_call);
  refuse_if(!is_real && sampler.border != std::array<float, 4>{},
            "borders of integers other than 0 are");
}

uint64_t bind(State& state, const ptx::Image& image, const std::optional<ptx::Sampler>& sampler,
              const BoundImage& bound) {
  const uint64_t handle = state.memory.images().make(image, sampler);
  state.images[handle] = bound;
  return handle;
}

}  // namespace

uint64_t make_texture(State& state, const cudaResourceDesc& resource,
                      const cudaTextureDesc& texture, const cudaResourceViewDesc* view) {
  refuse_if(view != nullptr, "views of resources are");
  const ptx::Image image = image_of(state, resource);
  const ptx::Sampler sampler = sampler_of(texture);
  check_sampler(texture, sampler, image);
  return bind(state, image, sampler, {resource, texture});
}

uint64_t make_surface(State& state, const cudaResourceDesc& resource) {
  if (resource.resType != cudaResourceTypeArray) throw CallError(cudaErrorInvalidValue);
  const Array& array = state.arrays.find(resource.res.array.array);
  if ((array.flags & cudaArraySurfaceLoadStore) == 0)
    state.findings.add_host(fmt::format(
        "{} of {}, which was made without cudaArraySurfaceLoadStore", surface_call, array.name));
  return bind(state, array.image, std::nullopt, {resource});
}

const BoundImage& find_image(State& state, uint64_t handle, bool is_texture) {
  const auto found = state.images.find(handle);
  if (found == state.images.end() || state.memory.images().find(handle)->is_texture() != is_texture)
    throw CallError(cudaErrorInvalidValue);
  return found->second;
}

void destroy_image(State& state, const char* call, uint64_t handle, bool is_texture) {
  if (handle == 0) return;
  const ptx::ImageObject* const object = state.memory.images().find(handle);
  if (!object || object->is_texture() != is_texture)
    report_image(state, fmt::format("{} of {:#x}, which is no such object", call, handle));
  if (object->is_destroyed)
    report_image(state, fmt::format("{} of {}, which was destroyed", call, object->name));
  state.memory.images().destroy(handle);
  state.images.erase(handle);
}

void destroy_images(State& state) {
  for (const auto& [handle, bound] : state.images) state.memory.images().destroy(handle);
  state.images.clear();
}

}  // namespace hone::cudart
