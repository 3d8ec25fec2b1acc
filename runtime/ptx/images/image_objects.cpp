#include "runtime/ptx/images/image_objects.h"

#include "fmt/format.h"

namespace hone::ptx {
namespace {

/// Handles lie outside of all memory, so that one that is used as an address is found.
constexpr uint64_t first_handle = uint64_t{5} << 48, handle_step = 16;

}  // namespace

std::string to_string(const ImageShape& shape) {
  const std::string plain = shape.is_cube ? "a cubemap" : fmt::format("{}D", shape.dims);
  return shape.has_layers ? plain + " with layers" : plain;
}

uint64_t ImageObjects::make(const Image& image, const std::optional<Sampler>& sampler) {
  const std::lock_guard lock(mutex_);
  const std::string name = sampler ? fmt::format("texture object #{}", ++textures_)
                                   : fmt::format("surface object #{}", ++surfaces_);
  objects_.push_back({name, image, sampler});
  return first_handle + (objects_.size() - 1) * handle_step;
}

ImageObject* ImageObjects::at(uint64_t handle) const {
  const uint64_t number = (handle - first_handle) / handle_step;
  const bool is_handle = (handle - first_handle) % handle_step == 0;
  return is_handle && number < objects_.size() ? &objects_[number] : nullptr;
}

bool ImageObjects::destroy(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  ImageObject* const object = at(handle);
  if (!object || object->is_destroyed) return false;
  return object->is_destroyed = true;
}

const ImageObject* ImageObjects::find(uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  return at(handle);
}

}  // namespace hone::ptx
