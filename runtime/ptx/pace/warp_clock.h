// The time that a warp takes for its instructions, as it waits for their operands.
//
// Warps begin instructions in the order of the machine code, which is known inside of a part:
// between two jumps, barriers or waits. Warps that run the same part go side by side, so each
// instruction takes the schedulers and its pipe once for each of them.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "runtime/ptx/pace/pipe.h"

namespace hone::ptx {

/// Of a multiprocessor's tensor cores, in those of floats of 16 bits.
inline constexpr double products_in_clock = 2048;

/// An instruction as the clock sees it.
struct Step {
  enum class Kind : uint8_t { plain, jump, barrier, copy, commit, wait, wait_all };

  Kind kind = Kind::plain;
  Pipe pipe = Pipe::none;
  int64_t place = -1;       ///< in machine code; -1: with the one before it
  double slots = 0;         ///< instructions of the machine
  double pipe_slots = 0;    ///< of these, the pipe's; others are integers around them
  int copies = 1;           ///< that machine code has of it
  double latency = 4;       ///< clocks until the result can be used
  double passes = 0;        ///< clocks of the unit that loads and stores
  int64_t outstanding = 0;  ///< of a wait: groups of copies that may go on
  double products = 0;      ///< of tensor cores, for one warp
  bool is_mbarrier = false;
  bool is_single = false;                        ///< one instruction of the machine
  llvm::SmallVector<uint32_t, 4> reads, writes;  ///< registers

  bool is_float_operation() const {
    return (pipe == Pipe::fma && latency == 4) || (pipe == Pipe::fp64 && is_single);
  }
  /// Clocks of its pipe, for one warp. Tensor cores read shared memory while they multiply.
  double pipe_clocks() const {
    return std::max(passes + pipe_slots * clocks_of(pipe), products / products_in_clock);
  }
};

inline constexpr double schedulers = 4;

class WarpClock {
 public:
  explicit WarpClock(size_t registers) : loads_(registers), ready_(registers) {}

  /// `beside`: the warps that run it, this one included. `step` lives on.
  void run(const Step& step, double beside);
  /// A new part begins.
  void end_part();
  double now() const { return now_; }
  /// Of now(), what went by until the runs of a step could begin, and while they did.
  double spent_on(const Step& step) const { return spent_.lookup(&step); }

 private:
  struct Waiting {
    const Step* step = nullptr;
    double beside = 1;
    int64_t place = 0;
  };

  /// The last load that a value comes from.
  struct Load {
    int64_t part = -1, place = 0;
  };

  int64_t load_behind(const Step& step) const;
  void start(const Step& step, double beside);
  /// The time goes on to `clock`, if it is later, because of a step.
  void wait_until(double clock, const Step& step);
  void wait_for_copies(const Step& step, int64_t outstanding);

  std::vector<Waiting> part_;
  llvm::DenseMap<const Step*, int> jumps_;  ///< of loops that are unrolled once more
  int64_t part_number_ = 0;
  std::vector<Load> loads_;           ///< by register
  std::vector<double> ready_;         ///< by register
  std::array<double, pipes> free_{};  ///< by pipe: when it has done all that began
  double now_ = 0;                    ///< the next instruction begins no earlier
  llvm::DenseMap<const Step*, double> spent_;
  double copied_ = 0;          ///< the end of copies that no group has yet
  std::deque<double> groups_;  ///< their ends, in order
};

}  // namespace hone::ptx
