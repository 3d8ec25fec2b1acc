// Ops by which lanes of a warp exchange values. Lanes that an instruction names wait for each
// other.
#pragma once

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

// The detail is the exchange; the first source is the value, or the predicate.

/// `idx` and `ballot` are those of no other modifier; the compiler counts them in this order.
enum class ShuffleMode : uint8_t { up, down, bfly, idx };
/// The lane that a lane reads from.
struct ShuffleSource {
  int lane = 0;
  bool is_in_range = false;
};
/// PTX ISA, shfl.sync: of the operands b and c.
ShuffleSource shuffle_source(ShuffleMode mode, int lane, uint32_t b, uint32_t c);
/// The sources are the value, the lane, and the clamp and the mask of segments.
void run_shuffle(Warp& warp, const Op& op);

enum class VoteMode : uint8_t { all, any, uni, ballot };
void run_vote(Warp& warp, const Op& op);

/// 0: any; 1: all. Of values of 4 or 8 bytes.
void run_match(Warp& warp, const Op& op);

/// Null where there is none of that operation and type.
Op::Execute reduction_op(llvm::StringRef operation, Type type);

void run_elect(Warp& warp, const Op& op);
void run_active_mask(Warp& warp, const Op& op);

/// Lanes wait for each other at this op, by their masks. Returns false if they have to wait.
bool gather(Warp& warp, const Op& op, Ref members);

/// In Frame::origins: a value that comes from no access, but from a lane that took no part in the
/// exchange of that number.
inline constexpr uint32_t origin_is_exchange = 1u << 31;

}  // namespace hone::ptx
