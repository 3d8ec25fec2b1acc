// Warps of a block that stand at one place of the program and run together. All of a block do so
// until a branch or a wait parts them. Instructions that run in a group see it as the whole block:
// its lanes count from 0, its values lie from there on.
#pragma once

#include <limits>
#include <vector>

#include "runtime/sim/lanes.h"
#include "runtime/sim/mask.h"
#include "runtime/sim/program.h"

namespace hone {

/// Lanes in runs of equal length, along which the values grow by `step`, 0 or 1. By these, an
/// access copies or fills rows. Length 0: there are no such runs.
struct Rows {
  int length = 0;
  int step = 0;
};

struct Span {
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t greatest = std::numeric_limits<int64_t>::min();
};

/// A lane value that indices are built on, and what is known about it.
struct Base {
  const int64_t* values = nullptr;
  Rows rows;
  Span all;     ///< of the values in all lanes, active or not
  Span active;  ///< of those in active lanes, taken under the mask of that stamp; 0: not yet
  uint64_t stamp = 0;
  uint64_t version = 0;  ///< grows whenever the values are computed anew
};

/// As wide as any value, and aligned.
struct alignas(widest_element) UniformValue {
  std::array<std::byte, widest_element> bytes;
};

/// A tensor at run time.
struct Place {
  std::byte* data = nullptr;
  int64_t elements = 0;
};

/// A loop or a branch whose code runs.
struct Frame {
  const Instruction* opener = nullptr;
  const Instruction* begin = nullptr;  ///< of its code
  const Instruction* end = nullptr;    ///< of the code that it stands in
  int64_t trips_left = 1;              ///< with the one at hand
  uint32_t mask = 0;                   ///< the number of the one around it
  bool waits = false;                  ///< a branch, with waits in it
};

struct LaneGroup {
  enum class State : uint8_t {
    ready,
    waiting,    ///< at a barrier
    at_phases,  ///< waiting for one to end
    gathering,  ///< waiting for the other warps of a warpgroup
    ended
  };

  int first_lane = 0;  ///< in the block; a multiple of the lanes of a warp
  int lanes = 0, padded_lanes = 0;

  std::vector<std::byte*> slots;
  std::vector<std::byte*> slot_homes;  ///< the targets of `slots` but for redirections
  std::vector<UniformValue> uniforms;  ///< the values that are uniform
  std::vector<Base> bases;
  std::vector<Place> places;  ///< of the program's memories
  std::vector<Mask> masks;    ///< the first one is of all lanes; the others by depth of nesting
  const Mask* mask = nullptr;

  const Instruction* next = nullptr;  ///< to be run, of the code that ends there
  const Instruction* end = nullptr;
  std::vector<Frame> frames;  ///< from the outermost
  State state = State::ready;
  uint32_t barrier = 0;  ///< that it waits at, if it does

  /// The number of a lane's thread in the block.
  int thread(int lane) const { return first_lane + lane; }
  uint32_t mask_number() const { return static_cast<uint32_t>(mask - masks.data()); }
  /// A bit per warp of the block.
  WarpBits warps() const;

  /// Goes on behind the innermost loop or branch.
  void leave_frame();
};

/// The group's lanes `first` and following alone. `stamp` counts masks.
LaneGroup part_of(const SimProgram& program, const LaneGroup& group, int first, int lanes,
                  uint64_t& stamp);

/// True if both run the same instruction next, in the same iterations.
bool stand_together(const LaneGroup& lhs, const LaneGroup& rhs);

/// Adds the lanes that follow those of `group`, and stand with it.
void append(LaneGroup& group, const LaneGroup& next, uint64_t& stamp);

}  // namespace hone
