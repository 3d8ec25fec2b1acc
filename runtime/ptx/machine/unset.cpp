#include "runtime/ptx/machine/unset.h"

#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/operations/operation.h"

namespace hone::ptx {

LaneMask unset_lanes(const Warp& warp, Ref ref) {
  const Frame& frame = *warp.at_hand.frame;
  if (!ref.exists() || ref.is_constant() || frame.unset.empty()) return 0;
  return frame.unset[ref.offset() / Ref::unit];
}

uint32_t origin_of_unset(const Warp& warp, Ref ref) {
  return warp.at_hand.frame->origins[ref.offset() / Ref::unit];
}

void mark_unset(Warp& warp, Ref destination, LaneMask among, LaneMask unset, uint32_t access) {
  Frame& frame = *warp.at_hand.frame;
  if (!destination.exists() || (unset == 0 && frame.unset.empty())) return;
  const size_t units = frame.code->frame_bytes / Ref::unit;
  frame.unset.resize(units);
  frame.origins.resize(units);
  const size_t unit = destination.offset() / Ref::unit;
  frame.unset[unit] = (frame.unset[unit] & ~among) | (unset & among);
  if (unset != 0) frame.origins[unit] = access;
}

void release_products(Warp& warp, uint32_t number) {
  Frame& frame = *warp.at_hand.frame;
  for (size_t unit = 0; unit < frame.unset.size(); ++unit) {
    const uint32_t origin = frame.origins[unit];
    if (is_of_product(origin) && (origin & (origin_is_product - 1)) < number) frame.unset[unit] = 0;
  }
}

/// Of an op that computes, the guard chooses between two values, as a selection does.
void look_at_guard_slowly(Warp& warp, const Op& op) {
  const LaneMask unset = unset_lanes(warp, op.guard) & warp.at_hand.lanes;
  if (unset == 0 || op.kind == Op::Kind::plain) return;
  warp.block->observer->use(warp, op.guard, unset, "decides a branch");
}

namespace {

/// The result of a selection comes from one of two values.
void follow_selection(Warp& warp, const Op& op) {
  const Ref first = op.sources[0], second = op.sources[1], condition = op.sources[2];
  const LaneMask holds = warp.predicate(condition);
  const LaneMask of_first = unset_lanes(warp, first) & holds;
  const LaneMask of_second = unset_lanes(warp, second) & ~holds;
  const LaneMask of_condition = unset_lanes(warp, condition);
  const Ref origin = of_first != 0 ? first : of_second != 0 ? second : condition;
  const LaneMask unset = of_first | of_second | of_condition;
  mark_unset(warp, op.destination, unset, unset != 0 ? origin_of_unset(warp, origin) : 0);
}

/// Lanes in which a predicate that is set decides the result alone. A comparison is joined with its
/// third source.
LaneMask decided_lanes(const Warp& warp, const Op& op) {
  LaneMask decided = 0;
  const bool is_comparison = op.sources[2].exists();
  for (size_t n = is_comparison ? 2 : 0; n < (is_comparison ? 3 : 2); ++n) {
    const bool is_negated = (op.detail & negated_source << n) != 0;
    const LaneMask holds = warp.predicate(op.sources[n]) ^ (is_negated ? all_lanes : 0);
    decided |=
        (op.choice == Op::Choice::conjunction ? ~holds : holds) & ~unset_lanes(warp, op.sources[n]);
  }
  return decided;
}

}  // namespace

void follow_unset_slowly(Warp& warp, const Op& op) {
  if (op.choice == Op::Choice::selection) return follow_selection(warp, op);
  LaneMask unset = unset_lanes(warp, op.guard);
  Ref origin = op.guard;
  for (const Ref source : op.sources)
    if (const LaneMask more = unset_lanes(warp, source)) {
      unset |= more;
      origin = source;
    }
  if (unset != 0 && op.choice != Op::Choice::none) unset &= ~decided_lanes(warp, op);
  mark_unset(warp, op.destination, unset, unset != 0 ? origin_of_unset(warp, origin) : 0);
}

}  // namespace hone::ptx
