// Fetches from textures.

#include "fmt/format.h"
#include "runtime/ptx/images/image_lanes.h"
#include "runtime/ptx/images/ops.h"
#include "runtime/ptx/images/sampling.h"
#include "runtime/ptx/images/texel.h"
#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

constexpr const char* fetch_text = "fetches from a texture";

/// The texels around a place.
struct Footprint {
  std::array<Taps, 3> taps{};
  int64_t layer = 0;
};

/// One of them.
struct Corner {
  std::array<int64_t, 3> at{};
  int64_t layer = 0;
  int weight = whole_weight;
  bool is_border = false;
};

/// Bit n of the number says which of the two places along dimension n it has.
Corner corner_of(const Footprint& footprint, int number, int dims) {
  Corner corner;
  corner.layer = footprint.layer;
  corner.weight = weight_of(footprint.taps, number, dims);
  for (int dim = 0; dim < dims; ++dim) {
    const Taps& taps = footprint.taps[dim];
    const int side = number >> dim & 1;
    corner.at[dim] = taps.places[side];
    corner.is_border |= taps.places[side] == border_place;
  }
  return corner;
}

/// Between texels an H200 takes an image of one dimension for a plane of one row, at y 0.
int dims_between(const Image& image, const Sampler& sampler) {
  const bool is_row = image.shape.dims == 1 && !image.shape.has_layers;
  return is_row && sampler.modes[1] == AddressMode::border ? 2 : image.shape.dims;
}

// ---- Places -------------------------------------------------------------------------------------

/// The footprints of lanes.
class Locator {
 public:
  Locator(const ImageLanes& at, bool is_linear)
      : at_(at), image_(at.object.image), sampler_(*at.object.sampler), is_linear_(is_linear) {
    if (image_.shape.is_cube) sampler_.is_normalized = true;
  }

  Footprint footprint(int lane) const {
    if (at_.detail.has_whole_coordinates) return element(lane);
    if (image_.shape.is_cube) return on_cube(lane);
    Footprint footprint;
    for (int dim = 0; dim < image_.shape.dims; ++dim)
      footprint.taps[dim] = taps(at_.coordinate<float>(at_.detail.coordinates[dim], lane), dim);
    if (is_linear_ && image_.shape.dims < dims_between(image_, sampler_))
      footprint.taps[1] = taps(0, 1);
    footprint.layer = layer(lane);
    return footprint;
  }

 private:
  Taps taps(float coordinate, int dim) const {
    return is_linear_ ? linear_taps(coordinate, image_, sampler_, dim)
                      : nearest_tap(coordinate, image_, sampler_, dim);
  }

  /// A layer behind the last is the last.
  int64_t layer(int lane) const {
    const auto layer = at_.coordinate<uint32_t>(at_.detail.layer, lane);
    return std::min<int64_t>(layer, at_.layers() - 1);
  }

  Footprint on_cube(int lane) const {
    const auto& coordinates = at_.detail.coordinates;
    const PlaceOnCube place = place_on_cube(at_.coordinate<float>(coordinates[0], lane),
                                            at_.coordinate<float>(coordinates[1], lane),
                                            at_.coordinate<float>(coordinates[2], lane));
    Footprint footprint;
    footprint.taps[0] = taps(place.x, 0);
    footprint.taps[1] = taps(place.y, 1);
    footprint.layer = layer(lane) * 6 + place.face;
    return footprint;
  }

  /// Of linear memory; what is outside reads as 0.
  Footprint element(int lane) const {
    const auto index = at_.coordinate<int32_t>(at_.detail.coordinates[0], lane);
    const int64_t count = image_.extents[0];
    Footprint footprint;
    footprint.taps[0].places[0] = index >= 0 && index < count ? index : border_place;
    if (index >= 0 && index < count) return footprint;
    report_stray(at_.warp, lane, [&]() -> Mistake {
      return {FindingKind::out_of_bounds,
              fmt::format("element {} of {}, which has {}", index, at_.object.name, count),
              fetch_text, "A GPU reads 0 there; the kernel goes on."};
    });
    return footprint;
  }

  const ImageLanes& at_;
  const Image& image_;
  Sampler sampler_;
  bool is_linear_;
};

// ---- Values -------------------------------------------------------------------------------------

class Fetch {
 public:
  Fetch(const ImageLanes& at, bool is_linear)
      : at_(at),
        image_(at.object.image),
        access_(at.warp.block->run.program.memory[at.detail.access]),
        reads_fractions_(has_fractions(image_.format, *at.object.sampler)),
        dims_(is_linear ? dims_between(image_, *at.object.sampler) : image_.shape.dims),
        border_(image_.is_linear ? Texel() : border_texel(*at.object.sampler, image_.format)) {
    access_.bytes = image_.format.bytes();
    access_.moved = access_.bytes;
    const Locator locator(at, is_linear);
    for_each_lane(at.lanes, [&](int lane) { footprints_[lane] = locator.footprint(lane); });
  }

  /// Calls `use(lane, texel, weight)` for that corner; not where it has no weight, unless all are
  /// asked for.
  template <class Use>
  void read(int number, bool all, const Use& use) {
    std::array<Corner, lanes> corners;
    LaneMask wanted = 0, inside = 0;
    Targets targets;
    for_each_lane(at_.lanes, [&](int lane) {
      const Corner& corner = corners[lane] = corner_of(footprints_[lane], number, dims_);
      wanted |= LaneMask{all || corner.weight != 0} << lane;
      inside |= LaneMask{!corner.is_border} << lane;
      targets.address[lane] = image_.texel(corner.at, corner.layer);
    });
    find_lanes(at_.warp, access_, at_.detail.access, wanted & inside, targets);
    follow_values(wanted & inside, targets);
    for_each_lane(wanted, [&](int lane) {
      const bool is_inside = (inside >> lane & 1) != 0;
      use(lane, is_inside ? read_texel(targets.data[lane], image_.format) : border_,
          corners[lane].weight);
    });
  }

  int corners() const { return 1 << dims_; }
  bool reads_fractions() const { return reads_fractions_; }

  void write(size_t result, int lane, uint32_t value) const {
    const Ref ref = at_.detail.results[result];
    if (ref.exists()) at_.warp.at<uint32_t>(ref)[lane] = value;
  }

  /// Results of texels that nobody wrote hold no values.
  void finish() const {
    for (const Ref result : at_.detail.results)
      mark_unset(at_.warp, result, at_.lanes, unset_, at_.detail.access);
  }

 private:
  void follow_values(LaneMask mask, const Targets& targets) {
    Observer* const observer = at_.warp.block->observer.get();
    if (!observer) return;
    for_each_lane(mask, [&](int lane) {
      const Found place = {nullptr, targets.address[lane], targets.data[lane]};
      unset_ |= LaneMask{!observer->are_set(place, access_.bytes)} << lane;
    });
  }

  const ImageLanes& at_;
  const Image& image_;
  MemoryDetail access_;
  bool reads_fractions_;
  int dims_;  ///< that corners differ in
  Texel border_;
  std::array<Footprint, lanes> footprints_;
  LaneMask unset_ = 0;
};

void fetch_nearest(const ImageLanes& at) {
  const TexelFormat& format = at.object.image.format;
  Fetch fetch(at, false);
  fetch.read(0, true, [&](int lane, const Texel& texel, int) {
    for (size_t n = 0; n < at.detail.results.size(); ++n)
      fetch.write(n, lane, fetch.reads_fractions() ? fraction_of(texel[n], format) : texel[n]);
  });
  fetch.finish();
}

/// Fractions that are gathered have the bits of means.
uint32_t mean_of_one(uint32_t channel, const TexelFormat& format) {
  return mean_of(whole_weight * number_of(channel, format), format);
}

void fetch_mean(const ImageLanes& at) {
  const TexelFormat& format = at.object.image.format;
  std::array<MeanParts, lanes> parts;
  Fetch fetch(at, true);
  for (int corner = 0; corner < fetch.corners(); ++corner)
    fetch.read(corner, false, [&](int lane, const Texel& texel, int weight) {
      parts[lane][corner] = {texel, weight};
    });
  for_each_lane(at.lanes, [&](int lane) {
    for (size_t n = 0; n < at.detail.results.size(); ++n)
      fetch.write(n, lane, mean_of(sum_of(parts[lane], n, format), format));
  });
  fetch.finish();
}

[[noreturn]] void fail_fetch(const ImageLanes& at, std::string what) {
  fail(at.warp, std::countr_zero(at.lanes),
       {FindingKind::invalid_operation, std::move(what), fetch_text});
}

/// Whole coordinates are those of linear memory.
void check_memory(const ImageLanes& at) {
  const bool is_linear = at.object.image.is_linear;
  if (at.detail.has_whole_coordinates == is_linear) return;
  fail_fetch(at, is_linear ? fmt::format("{} is linear memory, which tex1Dfetch() alone reads",
                                         at.object.name)
                           : fmt::format("tex1Dfetch() reads linear memory alone, and {} has none",
                                         at.object.name));
}

void check_gather(const ImageLanes& at) {
  if (at.object.image.can_gather) return;
  fail_fetch(at, fmt::format("tex2Dgather() from {}, whose memory is no array that was made with "
                             "cudaArrayTextureGather",
                             at.object.name));
}

}  // namespace

void run_texture_fetch(Warp& warp, const Op& op) {
  for_each_image(warp, op, ImageKind::texture, fetch_text, [](const ImageLanes& at) {
    check_memory(at);
    check_shape(at, at.object.image.shape, fetch_text);
    const bool is_mean = at.object.sampler->is_linear && !at.object.image.is_linear;
    is_mean ? fetch_mean(at) : fetch_nearest(at);
  });
}

/// Counter-clockwise, from the texel with the lesser x and the greater y.
void run_texture_gather(Warp& warp, const Op& op) {
  constexpr std::array<int, 4> corners = {2, 3, 1, 0};
  for_each_image(warp, op, ImageKind::texture, fetch_text, [&](const ImageLanes& at) {
    check_shape(at, at.object.image.shape, fetch_text);
    check_gather(at);
    const TexelFormat& format = at.object.image.format;
    Fetch fetch(at, true);
    for (size_t n = 0; n < corners.size(); ++n)
      fetch.read(corners[n], true, [&](int lane, const Texel& texel, int) {
        const uint32_t channel = texel[at.detail.channel];
        fetch.write(n, lane, fetch.reads_fractions() ? mean_of_one(channel, format) : channel);
      });
    fetch.finish();
  });
}

namespace {

uint32_t answer_of(const ImageObject& object, ImageDetail::Question question) {
  using Question = ImageDetail::Question;
  const Image& image = object.image;
  const auto extent = [&](int dim) {
    return static_cast<uint32_t>(dim < image.shape.dims ? image.extents[dim] : 0);
  };
  switch (question) {
    case Question::width:
      return extent(0);
    case Question::height:
      return extent(1);
    case Question::depth:
      return extent(2);
    case Question::layers:
      return static_cast<uint32_t>(image.shape.has_layers ? image.layers : 0);
    case Question::levels:
    case Question::samples:
      return 1;
  }
  return 0;
}

void answer(Warp& warp, const Op& op, ImageKind kind) {
  for_each_image(warp, op, kind, "asks for an extent", [](const ImageLanes& at) {
    const uint32_t value = answer_of(at.object, at.detail.question);
    const Ref result = at.detail.results.front();
    if (!result.exists()) return;
    for_each_lane(at.lanes, [&](int lane) { at.warp.at<uint32_t>(result)[lane] = value; });
    mark_unset(at.warp, result, at.lanes, 0, 0);
  });
}

}  // namespace

void run_texture_question(Warp& warp, const Op& op) { answer(warp, op, ImageKind::texture); }
void run_surface_question(Warp& warp, const Op& op) { answer(warp, op, ImageKind::surface); }

}  // namespace hone::ptx
