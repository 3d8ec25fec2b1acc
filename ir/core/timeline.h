// Who does something to memory, and so when.
#pragma once

#include <cstdint>

namespace hone {

/// The thread at once, or an engine that it has asked, until somebody waits for that.
enum class Timeline : uint8_t {
  thread,
  cp_async,     ///< asynchronous copies of a thread
  bulk_in,      ///< the copy engine, into shared memory
  bulk_out,     ///< the copy engine, out of shared memory
  tensor_core,  ///< products of tiles in shared memory, one after the other
};

/// Reaches memory by another way than threads (the async proxy), and so sees what they have written
/// behind a fence of theirs alone.
constexpr bool is_behind_fence(Timeline timeline) {
  return timeline == Timeline::bulk_in || timeline == Timeline::bulk_out ||
         timeline == Timeline::tensor_core;
}

/// Writes to shared memory.
constexpr bool fills_tiles(Timeline timeline) {
  return timeline == Timeline::cp_async || timeline == Timeline::bulk_in;
}

}  // namespace hone
