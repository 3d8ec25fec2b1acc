#include "runtime/ptx/images/sampling.h"

#include <algorithm>
#include <cmath>

namespace hone::ptx {
namespace {

constexpr int weight_bits = 8;
static_assert(1 << weight_bits == whole_weight);

/// Along a dimension, in texels. What is farther away than any texture repeats is cut off.
double position_of(float coordinate, int64_t extent, bool is_normalized) {
  constexpr double farthest = int64_t{1} << 48;
  if (std::isnan(coordinate)) return 0;
  const double position = double{coordinate} * (is_normalized ? static_cast<double>(extent) : 1);
  return std::clamp(position, -farthest, farthest);
}

int64_t remainder_of(int64_t place, int64_t period) {
  const int64_t rest = place % period;
  return rest < 0 ? rest + period : rest;
}

/// Without normalized coordinates a GPU clamps in place of repeating.
AddressMode mode_of(const Sampler& sampler, int dim) {
  const AddressMode mode = sampler.modes[dim];
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return repeats && !sampler.is_normalized ? AddressMode::clamp : mode;
}

int64_t place_of(int64_t place, int64_t extent, AddressMode mode) {
  switch (mode) {
    case AddressMode::clamp:
      return std::clamp<int64_t>(place, 0, extent - 1);
    case AddressMode::border:
      return place >= 0 && place < extent ? place : border_place;
    case AddressMode::wrap:
      return remainder_of(place, extent);
    case AddressMode::mirror:
      const int64_t rest = remainder_of(place, 2 * extent);
      return std::min(rest, 2 * extent - 1 - rest);
  }
  return border_place;
}

}  // namespace

Taps nearest_tap(float coordinate, const Image& image, const Sampler& sampler, int dim) {
  const int64_t extent = image.extents[dim];
  const double position = position_of(coordinate, extent, sampler.is_normalized);
  Taps taps;
  taps.places[0] =
      place_of(static_cast<int64_t>(std::floor(position)), extent, mode_of(sampler, dim));
  return taps;
}

/// The middle of a texel lies half a texel behind its begin.
Taps linear_taps(float coordinate, const Image& image, const Sampler& sampler, int dim) {
  const int64_t extent = image.extents[dim];
  const double position = position_of(coordinate, extent, sampler.is_normalized) - 0.5;
  const auto fixed = static_cast<int64_t>(std::floor(position * whole_weight + 0.5));
  const int64_t first = fixed >> weight_bits;
  const int second_weight = static_cast<int>(fixed & (whole_weight - 1));
  const AddressMode mode = mode_of(sampler, dim);
  return {{place_of(first, extent, mode), place_of(first + 1, extent, mode)},
          {whole_weight - second_weight, second_weight}};
}

PlaceOnCube place_on_cube(float x, float y, float z) {
  const float width = std::abs(x), height = std::abs(y), depth = std::abs(z);
  const auto on_face = [](int face, float right, float down, float far) {
    return PlaceOnCube{face, (right / far + 1) / 2, (down / far + 1) / 2};
  };
  if (width >= height && width >= depth)
    return x >= 0 ? on_face(0, -z, -y, width) : on_face(1, z, -y, width);
  if (height >= depth) return y >= 0 ? on_face(2, x, z, height) : on_face(3, x, -z, height);
  return z >= 0 ? on_face(4, x, -y, depth) : on_face(5, -x, -y, depth);
}

}  // namespace hone::ptx
