// The figures of a run, as tables and as JSON.
#pragma once

#include "bench/gpu/duel.h"
#include "bench/gpu/machine_code.h"
#include "bench/gpu/workload.h"

namespace hone {

/// A rung at one size: Hone's kernel against the hand-written one, as far as it got.
struct Comparison {
  std::string rung;  ///< "matmul/bind"
  int64_t length = 0;
  double work = 0;       ///< of a launch: floating-point operations, or bytes that must move
  std::string work_per;  ///< what work in a nanosecond is called: "GFLOPS", "GB/s"
  Contender hone, hand;
  std::optional<Check> check;
  std::optional<DuelTimes> times;
  std::optional<InstructionCounts> hone_code, hand_code;
  std::string failure;  ///< why it ended early; empty where it did not

  bool same_launch() const { return hone::same_launch(hone.dims, hand.dims); }
  /// Work in a nanosecond.
  double rate(const Spread& milliseconds) const { return work / milliseconds.median / 1e6; }
};

/// Times, results and resources, a line each. A pair "a/b" is Hone's and the hand-written kernel's;
/// of rounds, it is their number and the launches in a sample.
std::string timing_table(const std::vector<Comparison>& comparisons);

/// Registers and instructions, a line each, in the same pairs.
std::string code_table(const std::vector<Comparison>& comparisons);

/// All figures; `machine` tells where they come from.
std::string to_json(const std::map<std::string, std::string>& machine,
                    const std::vector<Comparison>& comparisons);

}  // namespace hone
