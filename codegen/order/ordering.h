// The order that waits and fences bring.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hone {

/// The threads that every thread of a kernel has waited for: itself is for its own groups alone.
enum class WaitsFor : uint8_t { none, itself, block, all };

/// The waits and fences between the accesses on either side of a segment.
struct Ordering {
  WaitsFor who = WaitsFor::none;
  bool has_fence = false;  ///< the copy engine sees what threads have written

  Ordering with(const Ordering& more) const {
    return {std::max(who, more.who), has_fence || more.has_fence};
  }
};

}  // namespace hone
