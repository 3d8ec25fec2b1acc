// A host thread that runs blocks of a launch: the values of the block at hand, and which of its
// threads are active.
#pragma once

#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>

#include "runtime/host_memory.h"
#include "runtime/sim/device.h"
#include "runtime/sim/lanes.h"
#include "runtime/sim/mask.h"
#include "runtime/sim/observer.h"

namespace hone {

/// The common state of the workers of a launch.
struct SimLaunch {
  /// Throws RuntimeError where sizes, arguments and shape are not what the kernel or a GPU takes.
  SimLaunch(const SimProgram& program, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments,
            const SimOptions& options);

  const SimProgram& program;
  const Sizes& sizes;
  llvm::ArrayRef<SimArgument> arguments;
  const SimOptions& options;
  std::array<int64_t, 3> grid{}, block{};
  /// How many trips through loops each loop of the program may make when it runs, conditions aside.
  std::vector<int64_t> loop_trips;
  /// The numbers of those that run, in order, where it is not all of them.
  std::vector<int64_t> chosen_blocks;
  /// Makes the observer of a worker; none where nothing is watched.
  std::function<std::unique_ptr<Observer>(Worker&)> observe;

  int lanes() const { return static_cast<int>(block[0] * block[1] * block[2]); }
  int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  /// How many run, and the number of the n-th.
  int64_t runs() const {
    return chosen_blocks.empty() ? blocks() : static_cast<int64_t>(chosen_blocks.size());
  }
  int64_t block_number(int64_t n) const { return chosen_blocks.empty() ? n : chosen_blocks[n]; }

  /// Runs the blocks, spread over host threads. Throws the SimError of the first block that fails,
  /// unless its observer keeps going.
  void run() const;
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
  uint64_t version = 0;  ///< grows whenever the values are computed anew
};

/// A tensor at run time.
struct Place {
  std::byte* data = nullptr;
  int64_t elements = 0;
};

struct Worker {
  explicit Worker(const SimLaunch& launch);
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

  const SimLaunch& launch;
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
  int64_t block_number = 0;
  std::unique_ptr<Observer> observer;

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
  HostMemoryClaim claim_;  ///< to the arena
  std::unique_ptr<std::byte[], Free> arena_;
};

}  // namespace hone
