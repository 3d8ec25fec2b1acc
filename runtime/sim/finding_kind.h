// The kinds of mistakes that the simulated device finds, in kernels of Hone's and in anybody's.
#pragma once

#include <cstdint>

namespace hone {

enum class FindingKind : uint8_t {
  race,             ///< two threads, one writes, and nothing orders them
  same_value_race,  ///< the same, but both write what the other one does
  equal_writes,     ///< a hint: the same in text of anybody, where it is common
  unordered_read,   ///< a hint: a plain read beside atomic updates
  lanes_in_step,    ///< a hint: lanes of a warp exchange values without a barrier
  uninitialised_read,
  unfinished_copy,     ///< elements are used while an asynchronous copy of them goes on
  unfinished_store,    ///< a tile is written, or left, while the copy engine stores it; or elements
                       ///< are used that it writes
  unfinished_product,  ///< a tile is written, or left, while tensor cores multiply it; or sums are
                       ///< used that they add to
  missing_fence,       ///< the copy engine does not see what it stores
  ended_block,         ///< a block ends while others of its cluster use its memory
  out_of_bounds,
  misaligned_access,
  divergent_barrier,  ///< not all threads of a block reach it
  divergent_shuffle,  ///< not the lanes of a warp that it names, or others, take part in it
  missing_arrival,    ///< a counter of blocks is not 0 in the end
  invalid_operation,  ///< a division by zero, a barrier that no block has
  index_overflow,     ///< index arithmetic leaves the bits that C computes it in
  stack_overflow,
  assertion,  ///< the kernel's own
  trap,
  run_away_loop,     ///< the block runs out of steps
  deadlock,          ///< warps wait for each other, or for some that never come
  unneeded_barrier,  ///< a hint: without it nothing is found
  error,             ///< the simulated device does not go on
};

/// "race", "same-value race", "uninitialised read"...
const char* to_string(FindingKind kind);
/// True if a kernel with such a finding may still compute what it should.
bool is_hint(FindingKind kind);

}  // namespace hone
