// Loops that go through the slots of a ring: C counts the slots beside the iterations.
#pragma once

#include <optional>

#include "ir/core/stmt.h"

namespace hone {

/// The slot n % slots of a loop over k, where n is k, or k and what came before the loop, and the
/// parity n / slots % 2 of its round: counters that each iteration moves on cost less than
/// divisions.
struct RingCounter {
  AxisPtr axis;
  Expr number;  ///< n
  int64_t slots = 0;

  bool is_slot(const Expr& expr) const;
  bool is_parity(const Expr& expr) const;
  /// Of the round before: (n / slots + 1) % 2.
  bool is_other_parity(const Expr& expr) const;
  /// So many iterations before, of those that a round has: (n - 1) % slots; 0 of anything else.
  int64_t iterations_back(const Expr& expr) const;

  /// Of the first iteration.
  Expr first_slot() const;
  Expr first_parity() const;
};

/// Of a loop that waits for mbarriers of a ring, or arrives at them; nothing for any other loop.
std::optional<RingCounter> ring_counter(const For& loop);

}  // namespace hone
