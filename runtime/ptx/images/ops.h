// The ops of textures and surfaces. The detail is in Program::images.
#pragma once

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

/// tex: one value, of the nearest texel or of several.
void run_texture_fetch(Warp& warp, const Op& op);
/// tld4: one channel of the four texels around.
void run_texture_gather(Warp& warp, const Op& op);
/// suld, sust: the access in Program::memory has the values.
void run_surface_load(Warp& warp, const Op& op);
void run_surface_store(Warp& warp, const Op& op);
/// txq, suq
void run_texture_question(Warp& warp, const Op& op);
void run_surface_question(Warp& warp, const Op& op);

}  // namespace hone::ptx
