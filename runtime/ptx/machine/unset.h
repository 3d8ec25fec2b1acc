// Values that nobody set, on their way through registers, in check mode: an operation of such a
// value has none; a branch, an address or a store to global memory is a use of it.
#pragma once

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

void look_at_guard_slowly(Warp& warp, const Op& op);
void follow_unset_slowly(Warp& warp, const Op& op);
/// Of these lanes of a register, `unset` hold no value, which comes from that access.
void mark_unset(Warp& warp, Ref destination, LaneMask among, LaneMask unset, uint32_t access);
/// The same of the active lanes.
inline void mark_unset(Warp& warp, Ref destination, LaneMask unset, uint32_t access) {
  mark_unset(warp, destination, warp.active, unset, access);
}
/// In Frame::origins: the sums of a product of the warp that has not been waited for, by its
/// number.
inline constexpr uint32_t origin_is_product = 1u << 30;
inline bool is_of_product(uint32_t origin) { return origin >> 30 == 1; }
/// The sums of those below that number may be used.
void release_products(Warp& warp, uint32_t number);
/// The lanes in which the register holds no value.
LaneMask unset_lanes(const Warp& warp, Ref ref);
uint32_t origin_of_unset(const Warp& warp, Ref ref);

inline void look_at_guard(Warp& warp, const Op& op) {
  if (!warp.at_hand.frame->unset.empty() && op.guard.exists()) look_at_guard_slowly(warp, op);
}

/// The results of a plain op are set where its operands are.
inline void follow_unset(Warp& warp, const Op& op) {
  if (op.kind == Op::Kind::plain && !warp.at_hand.frame->unset.empty())
    follow_unset_slowly(warp, op);
}

}  // namespace hone::ptx
