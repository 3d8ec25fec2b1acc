// The channels of a texel as registers get them.
#pragma once

#include <cstddef>

#include "runtime/ptx/images/image.h"

namespace hone::ptx {

/// Four registers, of integers or of the bits of floats.
using Texel = std::array<uint32_t, 4>;

/// True if the channels are floats in registers.
bool is_read_as_real(const TexelFormat& format, bool reads_fractions);
/// Of the bytes of a texel. Channels that it has not are 0, and the fourth is 1.
Texel read_texel(const std::byte* bytes, const TexelFormat& format, bool reads_fractions);
/// In the place of texels outside.
Texel border_texel(const Sampler& sampler, const TexelFormat& format);

}  // namespace hone::ptx
