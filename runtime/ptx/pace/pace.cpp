#include "runtime/ptx/pace/pace.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/stepper.h"
#include "runtime/ptx/pace/steps.h"

namespace hone::ptx {
namespace {

/// Sees the instructions of one block.
class BlockStepper : public Stepper {
 public:
  BlockStepper(const ProgramSteps& all, int64_t block, size_t warps)
      : steps(all), block_(block), last_(warps) {}

  void begin(const Run&) override {}
  bool watches(const Block& block, int warp) const override {
    return block.number == block_ && wants(warp);
  }
  /// A warp comes twice to a barrier that it waits at.
  void before(Warp& warp, const Op& op) override {
    if (warp.active == 0 || op.execute == run_join) return;
    const Code& code = *warp.at_hand.frame->code;
    const uint32_t here = warp.here();
    const size_t step = steps.number_of(code, here);
    if (!is_instruction(code, here, step)) return;
    if (op.execute == run_barrier && last_[warp.number] == &op) return;
    last_[warp.number] = &op;
    run(warp.number, step);
  }
  void after(Warp&, const Op&) override {}
  void end() override {}

 protected:
  virtual bool wants(int /*warp*/) const { return true; }
  virtual void run(int warp, size_t step) = 0;

  const ProgramSteps& steps;

 private:
  /// It is the first op of an instruction, but for the place where lanes join, and no part of a
  /// loop that only waits.
  bool is_instruction(const Code& code, uint32_t op, size_t step) const {
    const bool has_before = op > 0 && code.instruction_of[op - 1] == code.instruction_of[op];
    const Op& first = code.ops[has_before ? op - 1 : op];
    if (has_before && first.execute != run_join) return false;
    return first.is_counted || steps[step].pipe == Pipe::none;
  }

  int64_t block_;
  std::vector<const Op*> last_;  ///< by warp
};

/// Counts the runs of each step, by warp.
class StepCounter : public BlockStepper {
 public:
  StepCounter(const ProgramSteps& steps, int64_t block, size_t warps)
      : BlockStepper(steps, block, warps), runs_(warps, std::vector<int64_t>(steps.size())) {}

  const ProgramSteps& all_steps() const { return steps; }

  int busiest_warp() const {
    const auto all = [](const std::vector<int64_t>& runs) {
      return std::accumulate(runs.begin(), runs.end(), int64_t{0});
    };
    const auto busiest =
        std::max_element(runs_.begin(), runs_.end(),
                         [&](const auto& lhs, const auto& rhs) { return all(lhs) < all(rhs); });
    return static_cast<int>(busiest - runs_.begin());
  }

  int64_t runs(size_t step) const {
    int64_t all = 0;
    for (const std::vector<int64_t>& warp : runs_) all += warp[step];
    return all;
  }

  std::vector<int64_t> runs() const {
    std::vector<int64_t> all;
    for (size_t step = 0; step < steps.size(); ++step) all.push_back(runs(step));
    return all;
  }

  /// By step: the runs of all warps for one of this warp.
  std::vector<double> beside(int warp) const {
    std::vector<double> beside(steps.size());
    for (size_t step = 0; step < beside.size(); ++step)
      if (const int64_t own = runs_[warp][step]; own > 0)
        beside[step] = static_cast<double>(runs(step)) / static_cast<double>(own);
    return beside;
  }

 protected:
  void run(int warp, size_t step) override { ++runs_[warp][step]; }

 private:
  std::vector<std::vector<int64_t>> runs_;
};

/// Runs the clock of one warp.
class TimedWarp : public BlockStepper {
 public:
  TimedWarp(const StepCounter& counter, int64_t block, size_t warps, int warp)
      : BlockStepper(counter.all_steps(), block, warps),
        warp_(warp),
        beside_(counter.beside(warp)),
        clock_(steps.registers()) {}

  void end() override { clock_.end_part(); }
  const WarpClock& clock() const { return clock_; }

 protected:
  bool wants(int warp) const override { return warp == warp_; }
  void run(int, size_t step) override { clock_.run(steps[step], beside_[step]); }

 private:
  int warp_;
  std::vector<double> beside_;
  WarpClock clock_;
};

void add_pipes(const Step& step, double runs, std::array<double, pipes>& by_pipe) {
  by_pipe[static_cast<size_t>(step.pipe)] += runs * step.pipe_slots;
  by_pipe[static_cast<size_t>(Pipe::alu)] += runs * (step.slots - step.pipe_slots);
}

void add_instructions(const ProgramSteps& steps, const StepCounter& counter, BlockPace& pace) {
  for (size_t n = 0; n < steps.size(); ++n) {
    const auto runs = static_cast<double>(counter.runs(n));
    const Step& step = steps[n];
    pace.instructions += runs * step.slots;
    add_pipes(step, runs, pace.by_pipe);
    pace.products += runs * step.products;
    pace.leaves_out_waits |= runs > 0 && step.is_mbarrier;
  }
}

void add_lines(const ProgramSteps& steps, const StepCounter& counter, const WarpClock& clock,
               BlockPace& pace) {
  std::map<std::pair<std::string, int>, LinePace> lines;
  for (size_t n = 0; n < steps.size(); ++n) {
    const auto runs = static_cast<double>(counter.runs(n));
    if (runs == 0) continue;
    const Site site = steps.site_of(n);
    LinePace& line = lines[{site.file, site.line}];
    line.instructions += runs * steps[n].slots;
    add_pipes(steps[n], runs, line.by_pipe);
    line.clocks += clock.spent_on(steps[n]);
  }
  for (auto& [place, line] : lines) {
    std::tie(line.file, line.line) = place;
    pace.lines.push_back(std::move(line));
  }
}

}  // namespace

std::optional<BlockPace> pace_of_block(const LoadedModule& module, const KernelInfo& kernel,
                                       const LaunchShape& shape, llvm::ArrayRef<std::byte> params,
                                       const LaunchCounts& counts, double dram_share) {
  const int64_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  const int64_t warps = (threads + lanes - 1) / lanes;
  ProgramSteps steps(module, counts, {warps, dram_share});
  const auto runs_through = [&](Stepper& stepper) {
    const LaunchOptions options = {.threads = 1,
                                   .skips_products = counts.skips_products,
                                   .only_block = counts.full_block,
                                   .stepper = &stepper};
    return !launch(module, kernel, shape, params, options).has_failed;
  };
  StepCounter counter(steps, counts.full_block, warps);
  if (!runs_through(counter)) return std::nullopt;
  steps.take_runs(counter.runs());
  TimedWarp timed(counter, counts.full_block, warps, counter.busiest_warp());
  if (!runs_through(timed)) return std::nullopt;
  BlockPace pace;
  pace.clocks = timed.clock().now();
  add_instructions(steps, counter, pace);
  add_lines(steps, counter, timed.clock(), pace);
  return pace;
}

}  // namespace hone::ptx
