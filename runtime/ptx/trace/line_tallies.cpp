#include "runtime/ptx/trace/line_tallies.h"

#include <atomic>

#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {

/// Counts by op. Host threads share few counters with each other: those of blocks that are apart.
class LineTallies::Counter : public Stepper {
 public:
  void begin(const Run& run) override {
    run_ = &run;
    size_t ops = 0;
    for (const Code& code : run.program.codes) {
      first_op_.push_back(ops);
      ops += code.ops.size();
    }
    for (std::vector<Counts>& part : parts_) part = std::vector<Counts>(ops);
  }

  bool watches(const Block&, int) const override { return true; }

  void before(Warp& warp, const Op& op) override {
    const Code& code = *warp.at_hand.frame->code;
    const uint32_t here = warp.here();
    const auto number = static_cast<size_t>(&code - run_->program.codes.data());
    Counts& counts = parts_[warp.block->number % parts][first_op_[number] + here];
    const bool is_last_of_instruction =
        here + 1 == code.ops.size() || code.instruction_of[here + 1] != code.instruction_of[here];
    if (warp.active != 0 && op.execute != run_join && is_last_of_instruction) {
      add(counts.warps, 1);
      add(counts.threads, std::popcount(warp.active));
    }
    if (op.execute != run_branch || !op.guard.exists()) return;
    add(counts.branches, 1);
    add(counts.divergent, warp.active != 0 && warp.active != warp.at_hand.lanes ? 1 : 0);
  }

  void after(Warp&, const Op&) override {}

  void end() override {
    std::map<std::pair<std::string, int>, LineTally> lines;
    for (size_t number = 0; number < first_op_.size(); ++number) {
      const Code& code = run_->program.codes[number];
      if (code.function->is_entry && &code != &run_->kernel) continue;
      for (size_t op = 0; op < code.ops.size() && !code.function->instructions.empty(); ++op) {
        const Site site =
            site_of_text(run_->program, {static_cast<uint32_t>(number), code.instruction_of[op]});
        if (site.line > 0) add_op(first_op_[number] + op, lines[{site.file, site.line}]);
      }
    }
    for (auto& [place, tally] : lines) {
      std::tie(tally.file, tally.line) = place;
      lines_.push_back(std::move(tally));
    }
  }

  const std::vector<LineTally>& lines() const { return lines_; }

 private:
  struct Counts {
    std::atomic<int64_t> warps{0}, threads{0}, branches{0}, divergent{0};
  };
  static constexpr size_t parts = 8;

  static void add(std::atomic<int64_t>& count, int64_t more) {
    count.fetch_add(more, std::memory_order_relaxed);
  }

  void add_op(size_t place, LineTally& tally) const {
    for (const std::vector<Counts>& part : parts_) {
      const Counts& counts = part[place];
      tally.warp_instructions += counts.warps;
      tally.thread_instructions += counts.threads;
      tally.branches += counts.branches;
      tally.divergent_branches += counts.divergent;
    }
  }

  const Run* run_ = nullptr;
  std::vector<size_t> first_op_;  ///< by Program::codes
  std::array<std::vector<Counts>, parts> parts_;
  std::vector<LineTally> lines_;
};

LineTallies::LineTallies() : counter_(std::make_unique<Counter>()) {}
LineTallies::~LineTallies() = default;
Stepper& LineTallies::stepper() const { return *counter_; }
const std::vector<LineTally>& LineTallies::lines() const { return counter_->lines(); }

}  // namespace hone::ptx
