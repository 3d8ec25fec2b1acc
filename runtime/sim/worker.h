// A host thread that runs blocks of a launch: the values of the block at hand, and which of its
// threads are active.
#pragma once

#include <cstdlib>
#include <limits>
#include <memory>

#include "runtime/sim/device.h"
#include "runtime/sim/lanes.h"
#include "runtime/sim/mask.h"
#include "runtime/sim/program.h"

namespace hone {

/// What the workers of a launch have in common.
struct Launch {
  const SimProgram& program;
  const Sizes& sizes;
  llvm::ArrayRef<SimArgument> arguments;
  const SimOptions& options;
  std::array<int64_t, 3> grid{}, block{};

  int lanes() const { return static_cast<int>(block[0] * block[1] * block[2]); }
  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
};

/// Lanes in runs of equal length, along which the values grow by `step`, 0 or 1: what lets an
/// access copy or fill rows. Length 0: there are no such runs.
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
};

/// A tensor at run time.
struct Place {
  std::byte* data = nullptr;
  int64_t elements = 0;
};

struct Worker {
  explicit Worker(const Launch& launch);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs the block of that number; x counts fastest. Throws SimError.
  void run_block(int64_t number);

  void run(uint32_t code) {
    for (const Instruction& instruction : program.codes[code])
      instruction.execute(*this, instruction);
  }

  /// The lanes of a value, or the one value where it is uniform.
  template <class T>
  T* at(Slot slot) const {
    return reinterpret_cast<T*>(slots[slot]);
  }

  /// Bytes from the lanes of one value to those of the next, for a lane of `lane_bytes`.
  size_t lane_stride(int lane_bytes) const;

  const Launch& launch;
  const SimProgram& program;
  const int lanes, padded_lanes;

  std::vector<std::byte*> slots;
  std::vector<std::byte*> slot_homes;  ///< where `slots` point unless an instruction redirects them
  std::vector<Base> bases;
  std::vector<Place> places;  ///< of the program's memories
  std::vector<Mask> masks;
  Mask all_lanes;
  const Mask* mask = &all_lanes;
  uint64_t last_stamp = 1;
  std::array<int64_t, 3> block_index{};
  int64_t steps_left = 0;

 private:
  size_t bytes_of(SlotKind kind) const;
  size_t bytes_of(const Memory& memory) const;
  void allocate();
  void place_slots(std::byte* next_uniform, std::byte* next);
  void set_uniforms();
  void set_thread_indices();

  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte[], Free> arena_;
};

}  // namespace hone
