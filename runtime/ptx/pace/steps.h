// The instructions of a program as a clock sees them.
#pragma once

#include "runtime/ptx/count/as_compiled.h"
#include "runtime/ptx/device.h"
#include "runtime/ptx/machine/program.h"
#include "runtime/ptx/pace/unrolling.h"

namespace hone::ptx {

/// The warps of a block, and what loads of theirs that miss in L1 find.
struct PaceOptions {
  int64_t warps = 1;
  double dram_share = 0;  ///< of them that go on to DRAM, 0 to 1
};

class ProgramSteps {
 public:
  ProgramSteps(const LoadedModule& module, const LaunchCounts& counts, const PaceOptions& options);

  size_t size() const { return steps_.size(); }
  const Step& operator[](size_t number) const { return steps_[number]; }
  /// Machine code executes what stands between two instructions that run, whether PTX comes there
  /// or not: `runs` of each step by the warps of a block.
  void take_runs(llvm::ArrayRef<int64_t> runs);
  /// Of an op of a function.
  size_t number_of(const Code& code, uint32_t op) const;
  /// The place in the text that a step is of.
  Site site_of(size_t number) const;
  /// Of all functions.
  size_t registers() const { return registers_; }

 private:
  size_t number_of(Place place) const { return first_[place.function] + place.instruction; }
  void take_machine_code();
  void place_merged();
  void take_slots(llvm::ArrayRef<int> made);
  void share_slots(llvm::ArrayRef<int64_t> runs, llvm::ArrayRef<double> of_machine);

  const Program& program_;
  const CompiledProgram& compiled_;
  std::vector<Step> steps_;
  std::vector<size_t> first_;  ///< steps, by Program::codes
  std::vector<SourceStretch> stretches_;
  std::vector<MachineSource> code_;  ///< empty where there is no machine code
  Copies copies_;
  size_t registers_ = 0;
};

}  // namespace hone::ptx
