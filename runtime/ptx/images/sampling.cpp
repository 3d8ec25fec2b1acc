#include "runtime/ptx/images/sampling.h"

#include <algorithm>
#include <cmath>

namespace hone::ptx {
namespace {

constexpr int weight_bits = 8;
static_assert(1 << weight_bits == whole_weight);

/// Along a dimension, in texels. What is farther away than any texture is cut off, where wrap and
/// mirror begin anew. As an H200 does, normalized coordinates have 21 bits of fraction.
double position_of(float coordinate, int64_t extent, bool is_normalized) {
  constexpr double farthest = 1 << 30, parts = 1 << 21;
  if (std::isnan(coordinate)) return 0;
  const double position = std::clamp(double{coordinate}, -farthest, farthest);
  return is_normalized ? std::floor(position * parts) / parts * static_cast<double>(extent)
                       : position;
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

/// Of a weight that is shared out between two places.
int share_of(int whole, int second_weight, bool is_second, int half) {
  const int second = (whole * second_weight + half) >> weight_bits;
  return is_second ? second : whole - second;
}

/// From 0 to 1; the middle for directions of no length.
float part_of_face(float from_middle, float far) {
  constexpr double parts = 1 << 20;
  if (far == 0) return 0.5f;
  return static_cast<float>((std::floor(double{from_middle / far} * parts) / parts + 1) / 2);
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

/// The middle of a texel lies half a texel behind its begin. Where both places are clamped to one,
/// it has all the weight.
Taps linear_taps(float coordinate, const Image& image, const Sampler& sampler, int dim) {
  const int64_t extent = image.extents[dim];
  const double position = position_of(coordinate, extent, sampler.is_normalized) - 0.5;
  const AddressMode mode = mode_of(sampler, dim);
  const auto fixed = static_cast<int64_t>(std::floor(position * whole_weight + 0.5));
  const int64_t first = fixed >> weight_bits;
  const bool is_one = mode == AddressMode::clamp && (first < 0 || first >= extent - 1);
  const int second_weight = is_one ? 0 : static_cast<int>(fixed & (whole_weight - 1));
  return {{place_of(first, extent, mode), place_of(first + 1, extent, mode)},
          {whole_weight - second_weight, second_weight}};
}

/// Halves go to the second place, except along y left of the middle.
int weight_of(const std::array<Taps, 3>& taps, int number, int dims) {
  constexpr int half = whole_weight / 2;
  const bool is_right = (number & 1) != 0;
  int weight = whole_weight;
  if (dims > 2) weight = share_of(weight, taps[2].weights[1], (number & 4) != 0, half);
  weight = share_of(weight, taps[0].weights[1], is_right, half);
  if (dims == 1) return weight;
  return share_of(weight, taps[1].weights[1], (number & 2) != 0, is_right ? half : half - 1);
}

PlaceOnCube place_on_cube(float x, float y, float z) {
  if (std::isinf(x) || std::isinf(y) || std::isinf(z)) x = y = z = 0;
  for (float* const each : {&x, &y, &z})
    if (std::isnan(*each)) *each = 0;
  const float width = std::abs(x), height = std::abs(y), depth = std::abs(z);
  const auto on_face = [](int face, float right, float down, float far) {
    return PlaceOnCube{face, part_of_face(right, far), part_of_face(down, far)};
  };
  if (depth >= width && depth >= height)
    return z >= 0 ? on_face(4, x, -y, depth) : on_face(5, -x, -y, depth);
  if (height >= width) return y >= 0 ? on_face(2, x, z, height) : on_face(3, x, -z, height);
  return x >= 0 ? on_face(0, -z, -y, width) : on_face(1, z, -y, width);
}

}  // namespace hone::ptx
