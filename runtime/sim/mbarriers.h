// The mbarriers of a block: warps arrive at them, and wait there for the end of a phase. Copies
// that an arrival comes after end as late as they may: with the phase that counts it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/sim/async_copies.h"

namespace hone {

inline constexpr int most_warps = 32;  ///< of a block

/// A bulk copy that has been asked for, with what it has read, as it is to lie at its target.
struct AskedCopy {
  PendingCopy copy;
  std::vector<std::byte> bytes;
  uint32_t mbarrier = 0;  ///< that counts the bytes
  uint64_t time = 0;      ///< of the request, by the observer
};

struct Mbarrier {
  /// A thread that arrives when all of the copies that it has started so far are there.
  struct AfterCopies {
    int thread = 0;
    int64_t started = 0;  ///< the number of these copies
  };

  int64_t count = 0;                 ///< arrivals that end a phase; 0: it is not initialised
  int64_t pending = 0;               ///< those that the phase at hand lacks
  int64_t missing_bytes = 0;         ///< the same, of bulk copies; negative: more have come
  int64_t phases = 0;                ///< that have ended
  std::vector<AfterCopies> arrived;  ///< in the phase at hand
  std::vector<AskedCopy> brought;    ///< in the phase at hand, at the end of which they are there

  /// True if the phase of that parity is not the one at hand.
  bool has_ended(int64_t parity) const { return phases % 2 != parity; }
};

/// A place where a warp waits.
struct MbarrierWait {
  uint32_t use = 0;  ///< in SimProgram::mbarrier_uses
  uint32_t mbarrier = 0;
  int64_t element = 0, parity = 0;

  bool operator==(const MbarrierWait&) const = default;
};

struct Mbarriers {
  std::vector<Mbarrier> of_block;                   ///< by number
  std::array<MbarrierWait, most_warps> waits = {};  ///< by warp, of those that wait
  std::vector<AskedCopy> asked;                     ///< copies that are not brought yet
};

/// Lanes of a warp at one mbarrier.
struct MbarrierUse {
  uint32_t access = 0;    ///< by which they find it
  uint32_t mbarrier = 0;  ///< its number
  int64_t element = 0;    ///< of its tensor
  int first_lane = 0;     ///< of the warp, in the group that runs
  uint32_t lanes = 0;     ///< of the warp, a bit each
  uint32_t late = 0;      ///< of arrivals: lanes that come with these, and count in a later phase
};

/// Calls `use` with the active lanes of each warp, those that follow each other at one mbarrier
/// together.
void for_mbarrier_uses(Worker& worker, const MbarrierDetail& detail,
                       llvm::function_ref<void(const MbarrierUse&)> use);
/// The mbarrier, which somebody has initialised.
Mbarrier& find_mbarrier(Worker& worker, const MbarrierUse& use);
/// Ends the phase at hand where it lacks neither arrivals nor bytes; returns whether it does.
bool end_phase_if_complete(Worker& worker, uint32_t mbarrier);

/// The details are uses of mbarriers.
void init_mbarrier(Worker& worker, const Instruction& instruction);
void arrive_mbarrier(Worker& worker, const Instruction& instruction);
void expect_bytes(Worker& worker, const Instruction& instruction);
/// The first operand is the parity, a lane of 8 bytes; the destination has a lane of a byte.
void test_mbarrier(Worker& worker, const Instruction& instruction);
/// The first operand is the parity, a lane of 8 bytes. Warps that have to wait part from those that
/// go on, and come here again.
void wait_mbarrier(Worker& worker, const Instruction& instruction);

}  // namespace hone
