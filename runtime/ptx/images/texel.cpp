#include "runtime/ptx/images/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ir/scalar/narrow_float.h"
#include "runtime/ptx/images/sampling.h"

namespace hone::ptx {
namespace {

using Kind = TexelFormat::Kind;

uint32_t bits_of_real(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

/// The integer that stands for 1.
int32_t greatest_of(const TexelFormat& format) {
  return (1 << (format.kind == Kind::unsigned_integer ? format.bits : format.bits - 1)) - 1;
}

/// Of an f16. NaNs keep their bits, and stay signaling.
uint32_t widened(uint32_t bits) {
  if ((bits & 0x7c00) != 0x7c00) return bits_of_real(f16_value(static_cast<uint16_t>(bits)));
  return (bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13;
}

uint32_t channel_of(uint32_t bits, const TexelFormat& format) {
  const int unused = 32 - format.bits;
  if (format.kind == Kind::real) return unused > 0 ? widened(bits) : bits;
  return format.kind == Kind::signed_integer
             ? static_cast<uint32_t>(static_cast<int32_t>(bits << unused) >> unused)
             : bits;
}

uint32_t border_channel(float value, const TexelFormat& format) {
  if (format.kind == Kind::real || format.bits == 32) return std::bit_cast<uint32_t>(value);
  const float least = format.kind == Kind::unsigned_integer ? 0 : -1;
  const double nearest = std::round(double{std::clamp(value, least, 1.0f)} * greatest_of(format));
  return static_cast<uint32_t>(static_cast<int32_t>(nearest));
}

// ---- Means --------------------------------------------------------------------------------------

bool is_half_way(double value, double from, double to) { return value - from == to - value; }

/// The nearest f32. The conversion alone rounds halves to even.
double nearest_f32(double value) {
  const float even = static_cast<float>(value);
  const auto far = static_cast<float>(std::copysign(INFINITY, value));
  const float next = std::nextafter(even, far);
  return is_half_way(value, even, next) ? next : even;
}

double nearest_f16(double value) {
  const uint16_t even = f16_bits(value);
  const double next = f16_value(even + 1);
  return is_half_way(value, f16_value(even), next) ? next : f16_value(even);
}

/// Of 8 bits with a sign, what is below them is filled with the bits above.
double filled_up(double sum) {
  const auto whole = static_cast<int32_t>(sum);
  return (whole * 129 + (whole >> 12) * 16 + 64) >> 7;
}

/// The least bit that counts of an f16; 0 where all do.
double last_bit_of(const MeanParts& parts, size_t channel, const TexelFormat& format) {
  double greatest = 0;
  for (const WeightedTexel& part : parts)
    if (part.weight != 0)
      greatest = std::max(greatest, std::abs(number_of(part.texel[channel], format)));
  return std::isnormal(greatest) ? std::ldexp(1, std::ilogb(greatest) - 14) : 0;
}

double mean_fraction(double sum, const TexelFormat& format) {
  if (format.kind == Kind::unsigned_integer) {
    const int fill = format.bits == 8 ? 257 : 1;
    return std::floor(sum * fill / whole_weight + 0.5) / 65535;
  }
  const double mean = format.bits == 8 ? filled_up(sum) : std::floor(sum / whole_weight + 0.5);
  return std::max(-1.0, mean / 32767);
}

}  // namespace

bool has_fractions(const TexelFormat& format, const Sampler& sampler) {
  return format.kind != Kind::real && sampler.reads_fractions && format.bits < 32;
}

Texel read_texel(const std::byte* bytes, const TexelFormat& format) {
  Texel texel{};
  for (int channel = 0; channel < format.channels; ++channel) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes + channel * format.bits / 8, static_cast<size_t>(format.bits) / 8);
    texel[channel] = channel_of(bits, format);
  }
  return texel;
}

/// Of integers that stay integers, objects have no other border than 0.
Texel border_texel(const Sampler& sampler, const TexelFormat& format) {
  Texel texel{};
  for (int channel = 0; channel < format.channels; ++channel)
    texel[channel] = border_channel(sampler.border[channel], format);
  return texel;
}

/// The least integer stands for -1, as the one above it does.
uint32_t fraction_of(uint32_t channel, const TexelFormat& format) {
  return bits_of_real(std::max(-1.0, number_of(channel, format) / greatest_of(format)));
}

double number_of(uint32_t channel, const TexelFormat& format) {
  return format.kind == Kind::real ? std::bit_cast<float>(channel) : static_cast<int32_t>(channel);
}

double sum_of(const MeanParts& parts, size_t channel, const TexelFormat& format) {
  const bool is_cut = format.kind == Kind::real && format.bits == 16;
  const double step = is_cut ? last_bit_of(parts, channel, format) : 0;
  double sum = 0;
  for (const WeightedTexel& part : parts) {
    if (part.weight == 0) continue;
    const double number = number_of(part.texel[channel], format);
    sum += part.weight * (step > 0 ? std::trunc(number / step) * step : number);
  }
  return sum;
}

uint32_t mean_of(double sum, const TexelFormat& format) {
  if (format.kind != Kind::real) return bits_of_real(mean_fraction(sum, format));
  const double mean = sum / whole_weight;
  return bits_of_real(format.bits == 16 ? nearest_f16(mean) : nearest_f32(mean));
}

}  // namespace hone::ptx
