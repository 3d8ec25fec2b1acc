// Reads and writes of surfaces. Coordinates along a row count bytes.

#include "fmt/format.h"
#include "runtime/ptx/images/image_lanes.h"
#include "runtime/ptx/images/ops.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

using Outside = ImageDetail::Outside;

/// A surface names the faces of cubes as layers.
ImageShape shape_on_surface(const ImageShape& shape) {
  return shape.is_cube ? ImageShape{2, true, false} : shape;
}

class SurfaceLanes {
 public:
  SurfaceLanes(const ImageLanes& at, const MemoryDetail& access)
      : at_(at),
        image_(at.object.image),
        access_(access),
        text_(fmt::format("{} {} bytes of a surface",
                          access.kind == MemoryDetail::Kind::load ? "reads" : "writes",
                          access.all_bytes())) {
    check_shape(at, shape_on_surface(image_.shape), text_.c_str());
  }

  /// Finds the memory of the lanes that are to have any.
  LaneMask find(Targets& targets) const {
    LaneMask inside = 0;
    for_each_lane(at_.lanes, [&](int lane) {
      const std::optional<uint64_t> address = address_of(lane);
      inside |= LaneMask{address.has_value()} << lane;
      targets.address[lane] = address.value_or(0);
    });
    find_lanes(at_.warp, access_, at_.detail.access, inside, targets);
    return inside;
  }

 private:
  /// Nothing where the lane is outside, and that is no mistake.
  std::optional<uint64_t> address_of(int lane) const {
    std::array<int64_t, 3> place{};
    const int64_t row_bytes = image_.extents[0] * image_.format.bytes();
    for (int dim = 0; dim < image_.shape.dims; ++dim) {
      const auto wanted = at_.coordinate<int32_t>(at_.detail.coordinates[dim], lane);
      const int64_t extent = dim == 0 ? row_bytes - access_.all_bytes() + 1 : image_.extents[dim];
      const std::optional<int64_t> found = place_in(wanted, extent, dim, lane);
      if (!found) return std::nullopt;
      place[dim] = *found;
    }
    if (place[0] % access_.all_bytes() != 0) fail_unaligned(place[0], lane);
    const auto layer = at_.coordinate<int32_t>(at_.detail.layer, lane);
    const std::optional<int64_t> found_layer = place_in(layer, image_.layers, layers_dim, lane);
    if (!found_layer) return std::nullopt;
    return image_.address + static_cast<uint64_t>((place[2] + *found_layer) * image_.slice_bytes +
                                                  place[1] * image_.row_bytes + place[0]);
  }

  /// `extent` is the number of places that there are.
  std::optional<int64_t> place_in(int64_t place, int64_t extent, int dim, int lane) const {
    if (place >= 0 && place < extent) return place;
    if (at_.detail.outside == Outside::trap) fail_outside(place, dim, lane);
    if (at_.detail.outside == Outside::zero || extent <= 0) return std::nullopt;
    return std::clamp<int64_t>(place, 0, extent - 1) / unit_of(dim) * unit_of(dim);
  }
  int64_t unit_of(int dim) const { return dim == 0 ? access_.all_bytes() : 1; }

  [[noreturn]] void fail_outside(int64_t place, int dim, int lane) const {
    constexpr std::array<const char*, 4> names = {"byte", "row", "slice", "layer"};
    const int64_t row_bytes = image_.extents[0] * image_.format.bytes();
    const int64_t extent = dim == 0            ? row_bytes
                           : dim == layers_dim ? image_.layers
                                               : image_.extents[dim];
    const char* const owner = dim == 0 ? "a row of " : "";
    fail(at_.warp, lane,
         {FindingKind::out_of_bounds,
          fmt::format("{} {} of {}{}, which has {}", names[dim], place, owner, at_.object.name,
                      extent),
          text_});
  }

  [[noreturn]] void fail_unaligned(int64_t byte, int lane) const {
    fail(at_.warp, lane,
         {FindingKind::misaligned_access,
          fmt::format("byte {} of a row of {} is no multiple of the {} bytes of the access", byte,
                      at_.object.name, access_.all_bytes()),
          text_});
  }

  static constexpr int layers_dim = 3;
  const ImageLanes& at_;
  const Image& image_;
  const MemoryDetail& access_;
  std::string text_;
};

std::byte* register_of(const Warp& warp, const MemoryDetail& access, size_t value, int lane) {
  return warp.at<std::byte>(access.values[value]) +
         static_cast<int64_t>(lane) * access.register_bytes;
}

/// Outside of the surface is 0.
void load(const ImageLanes& at, const MemoryDetail& access) {
  Targets targets;
  const LaneMask inside = SurfaceLanes(at, access).find(targets);
  for (size_t n = 0; n < access.values.size(); ++n) {
    if (!access.values[n].exists()) continue;
    for_each_lane(at.lanes, [&](int lane) {
      std::byte* const to = register_of(at.warp, access, n, lane);
      std::fill_n(to, access.register_bytes, std::byte{0});
      if ((inside >> lane & 1) != 0)
        std::memcpy(to, targets.data[lane] + n * access.bytes, access.bytes);
    });
    mark_unset(at.warp, access.values[n], at.lanes & ~inside, 0, at.detail.access);
  }
}

void store(const ImageLanes& at, const MemoryDetail& access) {
  Targets targets;
  const LaneMask inside = SurfaceLanes(at, access).find(targets);
  for_each_lane(inside, [&](int lane) {
    for (size_t n = 0; n < access.values.size(); ++n)
      std::memcpy(targets.data[lane] + n * access.bytes, register_of(at.warp, access, n, lane),
                  access.bytes);
  });
}

template <class Access>
void run_surface_access(Warp& warp, const Op& op, const char* text, const Access& access) {
  for_each_image(warp, op, ImageKind::surface, text, [&](const ImageLanes& at) {
    access(at, warp.block->run.program.memory[at.detail.access]);
  });
}

}  // namespace

void run_surface_load(Warp& warp, const Op& op) {
  run_surface_access(warp, op, "reads a surface", load);
}

void run_surface_store(Warp& warp, const Op& op) {
  run_surface_access(warp, op, "writes to a surface", store);
}

}  // namespace hone::ptx
