// The texture and surface objects of a device, by their handles.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "runtime/ptx/images/image.h"

namespace hone::ptx {

struct ImageObject {
  std::string name;  ///< for findings: "texture object #1"
  Image image;
  std::optional<Sampler> sampler;  ///< of a texture
  bool is_destroyed = false;

  bool is_texture() const { return sampler.has_value(); }
};

/// Safe to use from several threads. Objects live on when they are destroyed, for findings.
class ImageObjects {
 public:
  /// Makes a texture object, with a sampler, or a surface object; its handle, which is no address.
  uint64_t make(const Image& image, const std::optional<Sampler>& sampler);
  /// Returns false where there is none.
  bool destroy(uint64_t handle);
  /// Null of what was never a handle.
  const ImageObject* find(uint64_t handle) const;

 private:
  ImageObject* at(uint64_t handle) const;

  mutable std::mutex mutex_;
  mutable std::deque<ImageObject> objects_;
  int textures_ = 0, surfaces_ = 0;
};

}  // namespace hone::ptx
