// Mbarriers: 8 bytes of shared memory, in an encoding of the simulated device.
#pragma once

#include "runtime/ptx/machine/engine.h"

namespace hone::ptx {

/// The content of the 8 bytes.
struct Mbarrier {
  static constexpr int64_t most = (1 << 20) - 1;  ///< arrivals, and bytes either way

  int64_t expected = 0;  ///< arrivals of a phase
  int64_t pending = 0;   ///< of the phase at hand
  int64_t bytes = 0;     ///< that the phase waits for
  bool parity = false;   ///< of the phase at hand: 0 first

  /// Nothing where no mbarrier is.
  static std::optional<Mbarrier> read(const std::byte* data);
  static std::optional<Mbarrier> of(uint64_t word);
  uint64_t word() const;
  void write(std::byte* data) const;
};

/// The bytes of an operation have come.
void complete_bytes(const AsyncOperation& operation);
/// The copies before an arrival are over.
void arrive_for_copies(const AsyncOperation& operation);

// ---- Ops ----------------------------------------------------------------------------------------
//
// The detail is an access, one of Program::memory, and the first source its address.

/// The second source is the count.
void run_init_mbarrier(Warp& warp, const Op& op);
void run_invalidate_mbarrier(Warp& warp, const Op& op);

enum class ArrivalKind : uint8_t { plain, no_complete, drops, drops_no_complete };
/// The second source is the count; the third the bytes that are expected, none: no bytes. The
/// destination is for the state before it.
Op::Execute arrive_op(ArrivalKind kind);
/// The second source is the number of bytes.
void run_expect_bytes(Warp& warp, const Op& op);
void run_complete_bytes(Warp& warp, const Op& op);
/// The second source is the state, or the parity. The destination is a predicate.
void run_test_state(Warp& warp, const Op& op);
void run_test_parity(Warp& warp, const Op& op);
/// Of the state in the first source; no access.
void run_pending_count(Warp& warp, const Op& op);
/// cp.async.mbarrier.arrive; with or without .noinc
void run_arrive_behind_copies(Warp& warp, const Op& op);
void run_arrive_behind_copies_noinc(Warp& warp, const Op& op);

}  // namespace hone::ptx
