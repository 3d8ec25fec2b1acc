// The channels of a texel as registers get them.
#pragma once

#include <cstddef>

#include "runtime/ptx/images/image.h"

namespace hone::ptx {

/// Four registers, of integers or of the bits of floats.
using Texel = std::array<uint32_t, 4>;

/// True if integers become floats.
bool has_fractions(const TexelFormat& format, const Sampler& sampler);

/// Of the bytes of a texel; integers stay integers. As on an H200, channels that it has not are 0.
Texel read_texel(const std::byte* bytes, const TexelFormat& format);
/// In the place of texels outside: of fractions, the integers nearest to the border.
Texel border_texel(const Sampler& sampler, const TexelFormat& format);

/// The bits of the fraction that an integer stands for.
uint32_t fraction_of(uint32_t channel, const TexelFormat& format);

/// What means are taken of: a float, or an integer as a fraction has it.
double number_of(uint32_t channel, const TexelFormat& format);
/// The bits of a mean: of numbers times weights, which add up to whole_weight. As on an H200, one
/// of floats has as many bits as a channel, and halves are rounded away from zero; one of fractions
/// has 16.
uint32_t mean_of(double sum, const TexelFormat& format);

}  // namespace hone::ptx
