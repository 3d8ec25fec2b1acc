// Fetches from textures against their definition, which is what an H200 does: a loop over the
// neighbours.

#include <cmath>

#include "gmock/gmock.h"
#include "ir/scalar/narrow_float.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::textures_test {
namespace {

using Kind = TexelFormat::Kind;

class PtxTextures : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// The numbers of an image: channels side by side, then along x, y and z or layers.
struct ThreeNumbers {
  std::array<int64_t, 3> extents{1, 1, 1};
  int channels = 1;
  std::vector<double> values{};

  double at(int64_t x, int64_t y, int64_t z, int channel) const {
    return values[((z * extents[1] + y) * extents[0] + x) * channels + channel];
  }
};

/// Small numbers without a pattern, which floats of 16 bits have as well; the least comes first.
ThreeNumbers numbers_of(std::array<int64_t, 3> extents, int channels, int64_t least,
                        int64_t greatest) {
  ThreeNumbers numbers = {extents, channels};
  const int64_t count = extents[0] * extents[1] * extents[2] * channels;
  uint64_t state = 7;
  for (int64_t n = 0; n < count; ++n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    numbers.values.push_back(
        static_cast<double>(least + static_cast<int64_t>((state >> 33) % (greatest - least + 1))));
  }
  numbers.values.front() = static_cast<double>(least);
  return numbers;
}

// ---- The definition -----------------------------------------------------------------------------

/// -1: outside.
int64_t defined_place(int64_t place, int64_t extent, AddressMode mode, bool is_normalized) {
  if (mode == AddressMode::border) return place < 0 || place >= extent ? -1 : place;
  if (mode == AddressMode::clamp || !is_normalized)
    return place < 0 ? 0 : place >= extent ? extent - 1 : place;
  bool is_backward = false;
  while (place < 0 || place >= extent) {
    place += place < 0 ? extent : -extent;
    is_backward = !is_backward;
  }
  return mode == AddressMode::mirror && is_backward ? extent - 1 - place : place;
}

/// As an H200 shares out weights, in 256ths.
int defined_share(int whole, int second_weight, bool is_second, bool is_half_second) {
  const double exact = whole * second_weight / 256.0;
  const auto second =
      static_cast<int>(is_half_second ? std::floor(exact + 0.5) : std::ceil(exact - 0.5));
  return is_second ? second : whole - second;
}

/// Halves away from zero.
double rounded(double value, int bits) {
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(part, bits)), exponent - bits);
}

/// One channel of a texture.
struct Definition {
  const ThreeNumbers& numbers;
  Sampler sampler;
  int dims = 2;
  double border = 0;
  std::array<float, 3> coordinates{};
  int channel = 0;

  double value() const {
    if (sampler.is_linear) return mean();
    std::array<int64_t, 3> at{};
    for (int dim = 0; dim < dims; ++dim) at[dim] = static_cast<int64_t>(std::floor(position(dim)));
    return texel(at);
  }

  /// A row with a border is a plane of one row.
  double mean() const {
    const int all_dims = dims == 1 && sampler.modes[1] == AddressMode::border ? 2 : dims;
    double sum = 0;
    for (int corner = 0; corner < 1 << all_dims; ++corner) {
      std::array<int64_t, 3> at{};
      for (int dim = 0; dim < all_dims; ++dim)
        at[dim] = static_cast<int64_t>(std::floor(from_middle(dim) / 256)) + (corner >> dim & 1);
      const int weight = weight_of_corner(corner, all_dims);
      if (weight > 0) sum += weight * texel(at);
    }
    return sum / 256;
  }

  /// Along z, x and y.
  int weight_of_corner(int corner, int all_dims) const {
    const bool is_right = (corner & 1) != 0;
    int weight = 256;
    if (all_dims > 2) weight = defined_share(weight, second_weight(2), (corner & 4) != 0, true);
    weight = defined_share(weight, second_weight(0), is_right, true);
    if (all_dims == 1) return weight;
    return defined_share(weight, second_weight(1), (corner & 2) != 0, is_right);
  }

  /// Nothing where both places are clamped to one.
  int second_weight(int dim) const {
    const bool clamps = sampler.modes[dim] == AddressMode::clamp ||
                        (!sampler.is_normalized && sampler.modes[dim] != AddressMode::border);
    const double place = from_middle(dim);
    const auto last = static_cast<double>(numbers.extents[dim] - 1);
    if (clamps && (place < 0 || place >= last * 256)) return 0;
    return static_cast<int>(place - std::floor(place / 256) * 256);
  }

  /// In 256ths of a texel.
  double from_middle(int dim) const { return std::floor((position(dim) - 0.5) * 256 + 0.5); }

  /// Normalized coordinates have 21 bits.
  double position(int dim) const {
    const double x = std::isnan(coordinates[dim]) || dim >= dims ? 0 : double{coordinates[dim]};
    if (!sampler.is_normalized) return x;
    return std::floor(x * 2097152) / 2097152 * static_cast<double>(numbers.extents[dim]);
  }

  double texel(std::array<int64_t, 3> at) const {
    for (int dim = 0; dim < 3; ++dim) {
      at[dim] =
          defined_place(at[dim], numbers.extents[dim], sampler.modes[dim], sampler.is_normalized);
      if (at[dim] < 0) return border;
    }
    return numbers.at(at[0], at[1], at[2], channel);
  }
};

// ---- A texture on the device --------------------------------------------------------------------

void append(const TexelFormat& format, double value, std::vector<std::byte>& bytes) {
  uint32_t bits = static_cast<uint32_t>(static_cast<int64_t>(value));
  if (format.kind == Kind::real)
    bits = format.bits == 16 ? f16_bits(value) : std::bit_cast<uint32_t>(static_cast<float>(value));
  const auto* const data = reinterpret_cast<const std::byte*>(&bits);
  bytes.insert(bytes.end(), data, data + format.bits / 8);
}

Image image_of(CudaKernel& kernel, const ThreeNumbers& numbers, const TexelFormat& format,
               int dims) {
  std::vector<std::byte> bytes;
  for (const double value : numbers.values) append(format, value, bytes);
  Image image;
  image.address = reinterpret_cast<uint64_t>(kernel.array(bytes, "texels"));
  image.format = format;
  image.shape.dims = dims;
  image.extents = numbers.extents;
  image.row_bytes = numbers.extents[0] * format.bytes();
  image.slice_bytes = image.row_bytes * numbers.extents[1];
  image.can_gather = true;
  return image;
}

uint64_t texture_of(CudaKernel& kernel, const Image& image, const Sampler& sampler) {
  return kernel.module().memory().images().make(image, sampler);
}

/// `fetch` is an expression of x, y, z and of T.
std::string kernel_text(const std::string& fetch, const std::string& type = "float4") {
  return fmt::format(R"(
typedef {0} T;
extern "C" __global__ void fetch(cudaTextureObject_t t, const float* place, T* out) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = place[3 * i], y = place[3 * i + 1], z = place[3 * i + 2];
  out[i] = {1};
}})",
                     type, fetch);
}

const char* const fetches[] = {"tex1D<T>(t, x)", "tex2D<T>(t, x, y)", "tex3D<T>(t, x, y, z)"};

using Places = std::vector<std::array<float, 3>>;

/// Around and inside of an image: middles and borders of texels, and what lies between.
Places places_around(const std::array<int64_t, 3>& extents, bool is_normalized) {
  Places places;
  for (int n = 0; n < 256; ++n) {
    std::array<float, 3> place{};
    for (int dim = 0; dim < 3; ++dim) {
      const auto extent = static_cast<float>(extents[dim]);
      const auto step = static_cast<float>((n * (dim + 3) * 7) % 256);
      place[dim] = (step / 256 * 4 - 1.5f) * extent;
      if (n % 4 == 0) place[dim] = std::floor(place[dim]) + (n % 8 == 0 ? 0.5f : 0);
      if (is_normalized) place[dim] /= extent;
    }
    places.push_back(place);
  }
  places[1] = {NAN, 0.25f, NAN};
  places[2] = {INFINITY, -INFINITY, 1e30f};
  return places;
}

template <class T>
std::vector<std::array<T, 4>> fetched(CudaKernel& kernel, uint64_t texture, const Places& places) {
  std::vector<float> flat;
  for (const auto& place : places) flat.insert(flat.end(), place.begin(), place.end());
  const float* const coordinates = kernel.array(flat, "place");
  auto* const out = kernel.unset<std::array<T, 4>>(places.size(), "out");
  const LaunchShape shape = {.grid = {static_cast<int64_t>(places.size() / 32), 1, 1},
                             .block = {32, 1, 1}};
  EXPECT_EQ(findings_of(kernel.run(shape, {texture, coordinates, out})), "");
  return {out, out + places.size()};
}

constexpr AddressMode all_modes[] = {AddressMode::clamp, AddressMode::border, AddressMode::wrap,
                                     AddressMode::mirror};

/// Infinite coordinates repeat nothing.
bool is_defined(const std::array<float, 3>& place, const Sampler& sampler) {
  const bool repeats = sampler.is_normalized && sampler.modes[0] >= AddressMode::wrap;
  return !repeats || (std::abs(place[0]) < 1e6f && std::abs(place[1]) < 1e6f) ||
         std::isnan(place[0]);
}

void expect_defined(CudaKernel& kernel, const ThreeNumbers& numbers, int dims,
                    const Sampler& sampler) {
  const uint64_t texture = texture_of(
      kernel, image_of(kernel, numbers, {Kind::real, 32, numbers.channels}, dims), sampler);
  Places places = places_around(numbers.extents, sampler.is_normalized);
  const auto values = fetched<float>(kernel, texture, places);
  for (size_t n = 0; n < places.size(); ++n) {
    if (!is_defined(places[n], sampler)) continue;
    for (float& coordinate : places[n]) coordinate = std::clamp(coordinate, -1e6f, 1e6f);
    for (int channel = 0; channel < 4; ++channel) {
      Definition definition = {numbers, sampler, dims, 9, places[n], channel};
      const double wanted = channel < numbers.channels ? definition.value() : 0;
      ASSERT_EQ(values[n][channel], rounded(wanted, 24))
          << dims << "D, place " << n << ", channel " << channel << ", mode "
          << static_cast<int>(sampler.modes[0]) << (sampler.is_linear ? ", linear" : "")
          << (sampler.is_normalized ? ", normalized" : "");
    }
  }
}

TEST_F(PtxTextures, AreDefinedByTheirNeighbours) {
  const std::array<int64_t, 3> extents[3][2] = {
      {{1, 1, 1}, {13, 1, 1}}, {{7, 5, 1}, {1, 3, 1}}, {{4, 3, 5}, {1, 2, 1}}};
  for (int dims = 1; dims <= 3; ++dims) {
    CudaKernel kernel(kernel_text(fetches[dims - 1]));
    for (const auto& extent : extents[dims - 1])
      for (const AddressMode mode : all_modes)
        for (const bool is_linear : {false, true})
          for (const bool is_normalized : {false, true}) {
            Sampler sampler;
            sampler.modes = {mode, mode, mode};
            sampler.is_linear = is_linear;
            sampler.is_normalized = is_normalized;
            sampler.border = {9, 9, 9, 9};
            const int channels = extent[0] % 2 == 1 ? 1 : 4;
            expect_defined(kernel, numbers_of(extent, channels, -100, 100), dims, sampler);
          }
  }
}

TEST_F(PtxTextures, HaveAModeForEachDimension) {
  CudaKernel kernel(kernel_text(fetches[1]));
  Sampler sampler;
  sampler.modes = {AddressMode::wrap, AddressMode::mirror};
  sampler.is_normalized = sampler.is_linear = true;
  sampler.border = {9, 9, 9, 9};
  expect_defined(kernel, numbers_of({6, 5, 1}, 2, -100, 100), 2, sampler);
}

// ---- Formats ------------------------------------------------------------------------------------

struct FormatCase {
  TexelFormat format;
  int64_t least, greatest;
  double unit;  ///< of fractions: the number that becomes 1
};

const FormatCase format_cases[] = {{{Kind::unsigned_integer, 8}, 0, 255, 255},
                                   {{Kind::signed_integer, 8}, -128, 127, 127},
                                   {{Kind::unsigned_integer, 16}, 0, 65535, 65535},
                                   {{Kind::signed_integer, 16}, -32768, 32767, 32767},
                                   {{Kind::unsigned_integer, 32}, 0, 4294967295, 0},
                                   {{Kind::signed_integer, 32}, -2147483648, 2147483647, 0},
                                   {{Kind::real, 16}, -2048, 2048, 0},
                                   {{Kind::real, 32}, -100000, 100000, 0}};

/// As an H200 filters: in 16 bits, of which those below 8 are filled with those above.
double mean_fraction(double mean, const FormatCase& format) {
  if (format.unit == 255) return std::floor(mean * 257 + 0.5) / 65535;
  if (format.unit != 127) return std::max(-1.0, std::floor(mean + 0.5) / format.unit);
  const double sum = mean * 256;
  const double filled = sum + (sum + std::floor(sum / 4096) * 16 + 64) / 128;
  return std::max(-1.0, std::floor(filled) / 32767);
}

/// The result of a texture for a number.
double defined_result(double number, const FormatCase& format, bool is_linear) {
  if (format.unit == 0) return rounded(number, format.format.bits == 16 ? 11 : 24);
  const double fraction =
      is_linear ? mean_fraction(number, format) : std::max(-1.0, number / format.unit);
  return static_cast<float>(fraction);
}

TEST_F(PtxTextures, ReadIntegersAsTheyAre) {
  CudaKernel kernel(kernel_text(fetches[1], "int4"));
  for (const FormatCase& each : format_cases) {
    if (each.format.kind == Kind::real) continue;
    for (const int channels : {1, 2, 4}) {
      TexelFormat format = each.format;
      format.channels = channels;
      const ThreeNumbers numbers = numbers_of({5, 3, 1}, channels, each.least, each.greatest);
      const Places places = places_around(numbers.extents, false);
      const uint64_t texture = texture_of(kernel, image_of(kernel, numbers, format, 2), {});
      const auto values = fetched<uint32_t>(kernel, texture, places);
      for (size_t n = 0; n < places.size(); ++n)
        for (int channel = 0; channel < channels; ++channel) {
          Definition definition = {numbers, {}, 2, 0, places[n], channel};
          for (float& place : definition.coordinates) place = std::clamp(place, -1e6f, 1e6f);
          ASSERT_EQ(values[n][channel],
                    static_cast<uint32_t>(static_cast<int64_t>(definition.value())))
              << format.bits << " bits, " << channels << " channels, place " << n;
        }
    }
  }
}

TEST_F(PtxTextures, ReadFractionsOfIntegersAndHalves) {
  CudaKernel kernel(kernel_text(fetches[1]));
  for (const FormatCase& each : format_cases)
    for (const bool is_linear : {false, true}) {
      if (each.format.kind != Kind::real && each.unit == 0) continue;
      Sampler sampler;
      sampler.reads_fractions = each.unit > 0;
      sampler.is_linear = is_linear;
      const ThreeNumbers numbers = numbers_of({5, 3, 1}, 1, each.least, each.greatest);
      Places places = places_around(numbers.extents, false);
      const uint64_t texture =
          texture_of(kernel, image_of(kernel, numbers, each.format, 2), sampler);
      const auto values = fetched<float>(kernel, texture, places);
      for (size_t n = 0; n < places.size(); ++n) {
        for (float& coordinate : places[n]) coordinate = std::clamp(coordinate, -1e6f, 1e6f);
        Definition definition = {numbers, sampler, 2, 0, places[n], 0};
        ASSERT_EQ(values[n][0], defined_result(definition.value(), each, is_linear))
            << each.format.bits << " bits, place " << n;
      }
    }
}

/// 1 + 2.75 * 3/16384 is more than half way to the next f16, but 2.75 counts as 2.
TEST_F(PtxTextures, CutHalvesBesideGreaterOnes) {
  CudaKernel kernel(kernel_text("make_float4(tex1D<float>(t, x), 0, 0, 0)"));
  const ThreeNumbers numbers = {{2, 1, 1}, 1, {4, 2.75 / 4096}};
  Sampler sampler;
  sampler.is_linear = true;
  const uint64_t texture =
      texture_of(kernel, image_of(kernel, numbers, {Kind::real, 16, 1}, 1), sampler);
  EXPECT_EQ(fetched<float>(kernel, texture, Places(32, {1.25f, 0, 0}))[0][0], 1);
}

// ---- Other fetches ------------------------------------------------------------------------------

/// Slices of a volume become layers of a plane.
Image in_layers(Image image, int64_t layers) {
  image.layers = layers;
  image.extents[2] = 1;
  return image;
}

TEST_F(PtxTextures, TakeTheNearestLayer) {
  CudaKernel kernel(kernel_text("make_float4(tex2DLayered<float>(t, x, y, (int)z), 0, 0, 0)"));
  const ThreeNumbers numbers = numbers_of({3, 2, 4}, 1, 0, 1000);
  Image image = in_layers(image_of(kernel, numbers, {}, 2), 4);
  image.shape.has_layers = true;
  Places places;
  for (int n = 0; n < 32; ++n)
    places.push_back(
        {static_cast<float>(n % 3), static_cast<float>(n % 2), static_cast<float>(n / 5)});
  const auto values = fetched<float>(kernel, texture_of(kernel, image, {}), places);
  for (int n = 0; n < 32; ++n)
    EXPECT_EQ(values[n][0], numbers.at(n % 3, n % 2, std::min(n / 5, 3), 0)) << n;
}

TEST_F(PtxTextures, FindTheFaceOfADirection) {
  CudaKernel kernel(kernel_text("make_float4(texCubemap<float>(t, x, y, z), 0, 0, 0)"));
  const ThreeNumbers numbers = numbers_of({2, 2, 6}, 1, 0, 1000);
  Image image = in_layers(image_of(kernel, numbers, {}, 2), 6);
  image.shape.is_cube = true;
  struct Direction {
    std::array<float, 3> to;
    int face, x, y;
  };
  const Direction directions[] = {
      {{3, 1, 1}, 0, 0, 0},   {{3, -1, -1}, 0, 1, 1},       {{-3, 1, 1}, 1, 1, 0},
      {{1, 3, 1}, 2, 1, 1},   {{1, -3, 1}, 3, 1, 0},        {{-1, 1, 3}, 4, 0, 0},
      {{1, -1, -3}, 5, 0, 1}, {{-1, 1, -3}, 5, 1, 0},       {{1, 1, 1}, 4, 1, 0},
      {{-1, -1, 0}, 3, 0, 1}, {{INFINITY, 1, -1}, 4, 1, 1}, {{NAN, 1, 1}, 4, 1, 0}};
  Places places(32);
  for (size_t n = 0; n < std::size(directions); ++n) places[n] = directions[n].to;
  const auto values = fetched<float>(kernel, texture_of(kernel, image, {}), places);
  for (size_t n = 0; n < std::size(directions); ++n)
    EXPECT_EQ(values[n][0], numbers.at(directions[n].x, directions[n].y, directions[n].face, 0))
        << n;
}

/// Which of 2.498 is the next whole number, as weights have 8 bits of fraction.
TEST_F(PtxTextures, GatherOneChannelCounterClockwise) {
  CudaKernel kernel(kernel_text("tex2Dgather<T>(t, x, y, 1)"));
  const ThreeNumbers numbers = numbers_of({5, 4, 1}, 2, 0, 1000);
  const uint64_t texture =
      texture_of(kernel, image_of(kernel, numbers, {Kind::real, 32, 2}, 2), {});
  Places places(32, {2.25f, 1.75f, 0});
  places[1] = {2.49805f, 3.75f, 0};
  const auto values = fetched<float>(kernel, texture, places);
  const auto expect = [&](int n, int left, int right, int top, int bottom) {
    EXPECT_THAT(values[n], testing::ElementsAre(
                               numbers.at(left, bottom, 0, 1), numbers.at(right, bottom, 0, 1),
                               numbers.at(right, top, 0, 1), numbers.at(left, top, 0, 1)));
  };
  expect(0, 1, 2, 1, 2);
  expect(1, 2, 3, 3, 3);
}

TEST_F(PtxTextures, HaveOneLevelWithoutMipmaps) {
  const ThreeNumbers numbers = numbers_of({5, 4, 1}, 1, 0, 1000);
  for (const char* fetch : {"tex2DLod<float>(t, x, y, 3)",
                            "tex2DGrad<float>(t, x, y, make_float2(9, 0), make_float2(0, 9))"}) {
    CudaKernel kernel(kernel_text(fmt::format("make_float4({}, 0, 0, 0)", fetch)));
    const uint64_t texture = texture_of(kernel, image_of(kernel, numbers, {}, 2), {});
    const auto values = fetched<float>(kernel, texture, Places(32, {3.5f, 2.5f, 0}));
    EXPECT_EQ(values[0][0], numbers.at(3, 2, 0, 0)) << fetch;
  }
}

TEST_F(PtxTextures, TellTheirExtents) {
  CudaKernel kernel(kernel_text(
      R"(T(); int w, h, d; asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));
      asm("txq.height.b32 %0, [%1];" : "=r"(h) : "l"(t));
      asm("txq.array_size.b32 %0, [%1];" : "=r"(d) : "l"(t));
      out[i] = make_float4(w, h, d, 0))"));
  const ThreeNumbers numbers = numbers_of({5, 4, 1}, 1, 0, 1000);
  const uint64_t texture = texture_of(kernel, image_of(kernel, numbers, {}, 2), {});
  EXPECT_THAT(fetched<float>(kernel, texture, Places(32))[7], testing::ElementsAre(5, 4, 0, 0));
}

}  // namespace
}  // namespace hone::ptx::textures_test
