// Who does something to memory, and so when.
#pragma once

#include <cstdint>

namespace hone {

/// The thread at once, or an engine that it has asked, until somebody waits for that.
enum class Timeline : uint8_t {
  thread,
  async_thread,  ///< copies that a thread has asked for, while it goes on
  engine_in,     ///< the copy engine, into shared memory
  engine_out,    ///< the copy engine, out of shared memory
  tensor_core,   ///< products of tiles in shared memory, one after the other
};

/// Reaches memory by another way than threads (the async proxy), and so sees what they have written
/// behind a fence of theirs alone.
constexpr bool is_behind_fence(Timeline timeline) {
  return timeline == Timeline::engine_in || timeline == Timeline::engine_out ||
         timeline == Timeline::tensor_core;
}

/// Its elements are those that each thread names.
constexpr bool is_of_thread(Timeline timeline) {
  return timeline == Timeline::thread || timeline == Timeline::async_thread;
}

/// Writes to shared memory.
constexpr bool fills_tiles(Timeline timeline) {
  return timeline == Timeline::async_thread || timeline == Timeline::engine_in;
}

}  // namespace hone
