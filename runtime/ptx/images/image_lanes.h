// The lanes of an op by the object that they name.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "runtime/ptx/images/image_objects.h"
#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

/// Lanes that name one object.
struct ImageLanes {
  Warp& warp;
  const ImageDetail& detail;
  const ImageObject& object;
  LaneMask lanes;

  /// A coordinate of a lane, or its layer.
  template <class T>
  T coordinate(Ref ref, int lane) const {
    return ref.exists() ? warp.at<T>(ref)[lane] : T();
  }
  int64_t layers() const { return object.image.layers / (detail.shape.is_cube ? 6 : 1); }
};

enum class ImageKind : uint8_t { texture, surface };

/// Calls `use` for the active lanes, object by object. Throws Fault where a handle is none of that
/// kind. `access` says what the op does: "fetches from a texture".
void for_each_image(Warp& warp, const Op& op, ImageKind kind, const char* access,
                    llvm::function_ref<void(const ImageLanes&)> use);

/// Throws Fault where the op is not one for objects of that shape.
void check_shape(const ImageLanes& at, const ImageShape& shape, const char* access);

}  // namespace hone::ptx
