// Texture and surface objects.
#include "runtime/cudart/state.h"
#include "runtime/cudart/textures.h"

namespace hone::cudart {
extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  return call([&](State& state) {
    *given(object) = make_texture(state, *given(resource), *given(texture), view);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return call([&](State& state) {
    destroy_image(state, "cudaDestroyTextureObject", object, /*is_texture=*/true);
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  return call([&](State& state) { *given(resource) = find_image(state, object, true).resource; });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return call([&](State& state) { *given(texture) = find_image(state, object, true).texture; });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return call([&](State& state) { *given(object) = make_surface(state, *given(resource)); });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return call([&](State& state) {
    destroy_image(state, "cudaDestroySurfaceObject", object, /*is_texture=*/false);
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
  return call([&](State& state) { *given(resource) = find_image(state, object, false).resource; });
}
}  // extern "C"

}  // namespace hone::cudart
