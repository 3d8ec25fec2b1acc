// How often instructions of machine code run: copies of loops, blocks, and what is moved between
// them.

#include "runtime/ptx/pace/machine_runs.h"

#include <gmock/gmock.h>

namespace hone::ptx {
namespace machine_runs_test {

using testing::ElementsAre;

Step integer() {
  Step step;
  step.pipe = Pipe::alu;
  step.is_single = true;
  return step;
}

/// An integer of 64 bits, which machine code adds in two halves.
Step wide() {
  Step step;
  step.pipe = Pipe::alu;
  return step;
}

Step jump() {
  Step step;
  step.kind = Step::Kind::jump;
  step.pipe = Pipe::control;
  return step;
}

MachineSource plain(int64_t step) { return {{}, step}; }
/// A jump under a condition.
MachineSource jump_to(int64_t target, int64_t step) {
  MachineSource source = {{}, step};
  source.machine.is_jump = true;
  source.machine.target = target;
  return source;
}
MachineSource end(int64_t step) {
  MachineSource source = jump_to(-1, step);
  source.machine.goes_on = false;
  return source;
}

/// The steps of a loop with a body of two, and what is before it and behind it.
const std::vector<Step> loop_steps = {integer(), integer(), wide(), jump(), jump()};
const std::vector<SourceStretch> loop_stretches = {{0, 1, false}, {1, 4, true}, {4, 5, false}};

/// The runs of each instruction.
std::vector<double> runs(const std::vector<MachineSource>& code,
                         const std::vector<double>& of_step) {
  const Copies copies = find_copies(loop_steps, loop_stretches, code);
  std::vector<double> of_source;
  for (size_t n = 0; n < code.size(); ++n)
    of_source.push_back(code[n].step < 0 ? 0 : of_step[code[n].step] * copies.share[n]);
  return runs_of_machine(code, of_source, copies.is_sure);
}

TEST(MachineRuns, ALoopRunsAsOftenAsItsJump) {
  EXPECT_THAT(runs({plain(0), plain(1), plain(2), jump_to(1, 3), end(4)}, {2, 60, 60, 60, 2}),
              ElementsAre(2, 60, 60, 60, 2));
}

TEST(MachineRuns, WhatIsMovedOutOfALoopRunsAsWhatIsBeforeIt) {
  // Half of the sum stands before the loop.
  EXPECT_THAT(runs({plain(0), jump_to(8, 0), plain(0), plain(2), plain(0), plain(1), plain(2),
                    jump_to(5, 3), end(4)},
                   {2, 60, 60, 60, 2}),
              ElementsAre(2, 2, 2, 2, 2, 60, 60, 60, 2));
}

TEST(MachineRuns, TheMainLoopHasTheRunsOfItsCopies) {
  // Four copies, and one for the trips that are left.
  const std::vector<MachineSource> code = {
      plain(0), plain(1), plain(2),      plain(1), plain(2), plain(1),       plain(2),
      plain(1), plain(2), jump_to(1, 3), plain(1), plain(2), jump_to(10, 3), end(4)};
  EXPECT_THAT(runs(code, {2, 60, 60, 60, 2}),
              ElementsAre(2, 15, 15, 15, 15, 15, 15, 15, 15, 15, 0, 0, 0, 2));
}

TEST(MachineRuns, CopiesThatEachEndWithAJumpShareTheRuns) {
  EXPECT_THAT(runs({plain(0), plain(1), plain(2), jump_to(10, 3), plain(1), plain(2),
                    jump_to(10, 3), plain(1), plain(2), jump_to(10, 3), end(4)},
                   {2, 60, 60, 60, 2}),
              ElementsAre(2, 20, 20, 20, 20, 20, 20, 20, 20, 20, 2));
}

TEST(MachineRuns, BothSidesOfASmallConditionRun) {
  // Of a block without a jump of its own: what seldom runs in PTX stands under a predicate.
  EXPECT_THAT(runs({plain(0), plain(1), plain(0), end(4)}, {8, 1, 0, 0, 8}),
              ElementsAre(8, 8, 8, 8));
}

TEST(MachineRuns, CodeForRareNumbersDoesNotRun) {
  std::vector<MachineSource> code = {plain(0), jump_to(3, 0), jump_to(4, 0),
                                     end(4),   plain(0),      end(0)};
  code[2].machine.is_call = true;
  EXPECT_THAT(runs(code, {8, 0, 0, 0, 8}), ElementsAre(8, 8, 0, 8, 0, 0));
}

}  // namespace machine_runs_test
}  // namespace hone::ptx
