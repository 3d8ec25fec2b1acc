// From coordinates to texels, one dimension after the other.
#pragma once

#include "runtime/ptx/images/image.h"

namespace hone::ptx {

/// Weights have 8 bits of fraction.
inline constexpr int whole_weight = 256;
inline constexpr int64_t border_place = -1;

/// The texels along a dimension that have a part in a value, by their place; of the nearest one,
/// the second has no weight.
struct Taps {
  std::array<int64_t, 2> places{};
  std::array<int, 2> weights{whole_weight, 0};
};

/// Along that dimension of an image. A coordinate that is NaN counts as 0.
Taps nearest_tap(float coordinate, const Image& image, const Sampler& sampler, int dim);
Taps linear_taps(float coordinate, const Image& image, const Sampler& sampler, int dim);

/// Of one of the texels around a place; bit n of the number says which of the two along dimension n
/// it is. As an H200 does, 8 bits again, shared out along z, then x, then y.
int weight_of(const std::array<Taps, 3>& taps, int number, int dims);

/// A direction from the centre of a cube: the face that it goes through, and where, in coordinates
/// from 0 to 1.
struct PlaceOnCube {
  int face = 0;
  float x = 0, y = 0;
};
PlaceOnCube place_on_cube(float x, float y, float z);

}  // namespace hone::ptx
