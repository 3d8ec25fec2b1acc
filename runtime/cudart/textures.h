// Texture and surface objects as programs describe them.
#pragma once

#include "runtime/cudart/arrays.h"
#include "runtime/ptx/images/image_objects.h"

namespace hone::cudart {

/// The descriptions that an object was made from.
struct BoundImage {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};  ///< of a texture object
};

/// The handle of a new object. Both throw CallError.
uint64_t make_texture(State& state, const cudaResourceDesc& resource,
                      const cudaTextureDesc& texture, const cudaResourceViewDesc* view);
uint64_t make_surface(State& state, const cudaResourceDesc& resource);
/// The description of an object of that kind. Throws CallError where there is none.
const BoundImage& find_image(State& state, uint64_t handle, bool is_texture);
/// Does nothing for the handle 0.
void destroy_image(State& state, const char* call, uint64_t handle, bool is_texture);
/// Those that a reset of the device destroys.
void destroy_images(State& state);

}  // namespace hone::cudart
