#include "runtime/ptx/images/texel.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/scalar/narrow_float.h"

namespace hone::ptx {
namespace {

using Kind = TexelFormat::Kind;

uint32_t bits_of_real(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

/// The greatest number is 1, and the least signed one below -1 is -1.
double fraction_of(uint32_t bits, const TexelFormat& format) {
  const int unused = 32 - format.bits;
  if (format.kind == Kind::unsigned_integer)
    return static_cast<double>(bits) / ((int64_t{1} << format.bits) - 1);
  const int32_t value = static_cast<int32_t>(bits << unused) >> unused;
  return std::max(-1.0, static_cast<double>(value) / ((int64_t{1} << (format.bits - 1)) - 1));
}

uint32_t channel_of(uint32_t bits, const TexelFormat& format, bool reads_fractions) {
  if (format.kind == Kind::real) return format.bits == 16 ? bits_of_real(f16_value(bits)) : bits;
  if (is_read_as_real(format, reads_fractions)) return bits_of_real(fraction_of(bits, format));
  const int unused = 32 - format.bits;
  return format.kind == Kind::signed_integer
             ? static_cast<uint32_t>(static_cast<int32_t>(bits << unused) >> unused)
             : bits;
}

Texel missing_channels(const TexelFormat& format, bool reads_fractions) {
  return {0, 0, 0, is_read_as_real(format, reads_fractions) ? bits_of_real(1) : 1};
}

}  // namespace

bool is_read_as_real(const TexelFormat& format, bool reads_fractions) {
  return format.kind == Kind::real || (reads_fractions && format.bits < 32);
}

Texel read_texel(const std::byte* bytes, const TexelFormat& format, bool reads_fractions) {
  Texel texel = missing_channels(format, reads_fractions);
  for (int channel = 0; channel < format.channels; ++channel) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes + channel * format.bits / 8, static_cast<size_t>(format.bits) / 8);
    texel[channel] = channel_of(bits, format, reads_fractions);
  }
  return texel;
}

/// Of integers, objects have no other border than 0.
Texel border_texel(const Sampler& sampler, const TexelFormat& format) {
  Texel texel = missing_channels(format, sampler.reads_fractions);
  for (int channel = 0; channel < format.channels; ++channel)
    texel[channel] = bits_of_real(sampler.border[channel]);
  return texel;
}

}  // namespace hone::ptx
