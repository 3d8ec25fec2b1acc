// Texels in device memory, and how textures sample them: what texture and surface objects stand
// for.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace hone::ptx {

struct TexelFormat {
  enum class Kind : uint8_t { unsigned_integer, signed_integer, real };

  Kind kind = Kind::real;
  int bits = 32;     ///< of a channel: 8, 16 or 32
  int channels = 1;  ///< 1, 2 or 4

  int bytes() const { return bits / 8 * channels; }
};

/// How many coordinates name a texel, and in what.
struct ImageShape {
  int dims = 1;
  bool has_layers = false;  ///< of a cubemap: several cubes
  bool is_cube = false;     ///< six layers, named by a direction

  bool operator==(const ImageShape&) const = default;
};
/// "2D", "1D with layers", "a cubemap".
std::string to_string(const ImageShape& shape);

/// Texels in rows, rows in slices: those of the third dimension, or layers.
struct Image {
  uint64_t address = 0;
  TexelFormat format;
  ImageShape shape;
  std::array<int64_t, 3> extents{1, 1, 1};  ///< texels; 1 in dimensions that it has not
  int64_t layers = 1;
  int64_t row_bytes = 0, slice_bytes = 0;  ///< from a row to the next, from a slice to the next
  bool is_linear = false;   ///< memory without dimensions, read by whole numbers alone
  bool can_gather = false;  ///< made for reads of one channel of four texels

  uint64_t texel(const std::array<int64_t, 3>& at, int64_t layer) const {
    return address + static_cast<uint64_t>((at[2] + layer) * slice_bytes + at[1] * row_bytes +
                                           at[0] * format.bytes());
  }
};

enum class AddressMode : uint8_t { clamp, border, wrap, mirror };

/// How a texture comes from coordinates to a value.
struct Sampler {
  std::array<AddressMode, 3> modes{};
  bool is_linear = false;        ///< a weighted mean of neighbours; or else the nearest texel
  bool is_normalized = false;    ///< coordinates are parts of the extents
  bool reads_fractions = false;  ///< integers of 8 and 16 bits become floats from 0, or -1, to 1
  std::array<float, 4> border{};
};

}  // namespace hone::ptx
