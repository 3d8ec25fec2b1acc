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

/// Of a texel that has a part in a mean.
struct WeightedTexel {
  Texel texel{};
  int weight = 0;
};
/// All that have one; their weights add up to whole_weight.
using MeanParts = std::array<WeightedTexel, 8>;

/// The number that a mean is taken of: a float, or an integer as a fraction has it.
double number_of(uint32_t channel, const TexelFormat& format);
/// Of one channel, numbers times weights. As on an H200, an f16 counts with 15 bits from the first
/// one of the greatest on.
double sum_of(const MeanParts& parts, size_t channel, const TexelFormat& format);
/// The bits of a mean, of such a sum. As on an H200, one of floats has as many bits as a channel,
/// and halves are rounded away from zero; one of fractions has 16.
uint32_t mean_of(double sum, const TexelFormat& format);

}  // namespace hone::ptx
