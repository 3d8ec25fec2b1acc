// A schedule on the simulated device: whether its results are right, what check mode finds, and
// what count mode counts. Lessons print it, and exercises are judged by it.
#pragma once

#include "dsl/schedule.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"

namespace hone {

/// The requests of a kernel to the memories: the accesses of one class to one tensor.
struct TensorCounts {
  std::string tensor;
  AccessClass access_class = AccessClass::global_load;
  int64_t width = 1;  ///< elements of the widest access of a lane
  MemoryCounts counts;
};

struct Measured {
  std::string mismatch;           ///< the first wrong element; empty where all are right
  std::vector<Finding> findings;  ///< of check mode, hints left out
  std::vector<CountReport> kernels;
  Module module;        ///< that the findings and counts are about
  int64_t results = 0;  ///< elements of all outputs

  bool is_right() const { return mismatch.empty() && findings.empty(); }
  /// Accesses of all kernels, in the order of their text.
  std::vector<TensorCounts> accesses() const;
  /// Those to one tensor, of one class; zeros where there are none.
  MemoryCounts counts(llvm::StringRef tensor, AccessClass access_class) const;
  /// The sum of an amount of all kernels.
  int64_t sum(llvm::function_ref<int64_t(const CountReport&)> amount) const;
};

/// Runs what a schedule made of the program, on random inputs, in check mode and, where that finds
/// nothing, in count mode. Results are compared with those of the program in the interpreter.
/// Throws what lowering and a run on the simulated device throw.
Measured measure(const Program& program, const Function& schedule, const Sizes& sizes);
/// The same of kernels that nobody scheduled.
Measured measure(const Program& program, Module module, const Sizes& sizes);

/// "N=1000: right results, no findings", and a line for each tensor and class:
///
///   global load   A              256 requests, 4 sectors each
///   shared load   A.shared       512 requests, 1 wavefront each
std::string to_string(const Measured& measured, const Sizes& sizes);

/// Measures, prints, and ends the program with status 1 where results are wrong or something is
/// found: a lesson checks itself by it.
Measured try_out(const Program& program, const Schedule& s, const Sizes& sizes);

}  // namespace hone
