// From a rung's space of schedules to the one to use.
#pragma once

#include "dsl/tune.h"
#include "tools/cli/tune/measure_desk.h"

namespace hone {

/// A schedule of a rung's space, or the rung's own.
struct TuneCandidate {
  tune::Parameters parameters;
  bool is_own = false;         ///< the rung's own schedule
  MeasureJob job;              ///< on the device of the figures; complete
  MeasureResult formula = {};  ///< the author's estimate; empty: there is none for this GPU
  bool is_to_rank = false;     ///< by the model, or by its formula, until the budget ends
  MeasureResult model = {};    ///< empty: it was not ranked
  MeasureResult figure = {};   ///< measured; empty: it was not
};

/// The time of a result; nothing where it has none.
std::optional<double> milliseconds_of(const MeasureResult& result);

struct TuneOptions {
  Sizes sizes;
  bool are_constants = false;
  uint64_t seed = 1;
  std::string gpu;  ///< of the model
  /// The steps of the schedule that stays unless another is faster; nothing: those of the rung.
  std::optional<std::string> incumbent;
  int64_t blocks = 4;   ///< that the model counts
  size_t top = 8;       ///< schedules to measure
  size_t others = 0;    ///< and such of the rest, at equal distances in the model's order
  int rounds = 5;       ///< samples of each of them
  double budget = 120;  ///< seconds, for all of it
  size_t workers = 1;
};

/// Progress, as it comes: what was done, of how many, and the best so far.
using TuneProgress = std::function<void(const std::string& done, const TuneCandidate* best)>;

/// Explores, ranks and measures.
class Tuning {
 public:
  /// `device`: that of figures. Throws UsageError where the rung has no space, and what its
  /// schedule throws.
  Tuning(const RungRef& rung, const std::string& device, const TuneOptions& options,
         llvm::ArrayRef<Ladder> ladders);

  /// The model's estimate of each candidate, that of the rung's own schedule first, then spread
  /// over the space until the budget ends. Sorts the candidates by it. Formulas of the space are
  /// estimates, too. Where estimates choose the winner and some candidate has no formula, the
  /// model ranks the rung's own schedule, the incumbent, the first by the formulas, and all that
  /// have none: times of both kinds say nothing about each other.
  void rank(MeasureDesk& desk, const TuneProgress& progress);
  /// Times the rung's own schedule, the incumbent, the first candidates, and some of the others, in
  /// rounds.
  void measure(MeasureDesk& desk, const TuneProgress& progress);

  /// The fastest by the figures, or where nothing was measured by the model. The incumbent unless
  /// the difference is beyond the spread of both. Throws RuntimeError where no
  /// candidate has a time.
  const TuneCandidate& winner() const;
  /// The rung's own schedule.
  const TuneCandidate& own() const;
  /// The same where the options have no other.
  const TuneCandidate& incumbent() const;
  bool is_measured() const { return is_measured_; }
  /// Candidates that were to be measured when the budget ended.
  int64_t left_out() const { return left_out_; }
  /// Of a candidate, that by which the winner is chosen.
  const MeasureResult& result_of(const TuneCandidate& candidate) const {
    return is_measured_ ? candidate.figure : candidate.model;
  }

  llvm::ArrayRef<TuneCandidate> candidates() const { return candidates_; }
  llvm::ArrayRef<tune::Refusal> refused() const { return refused_; }
  int64_t repeated() const { return repeated_; }
  const TuneOptions& options() const { return options_; }

 private:
  using Clock = MeasureWorker::Clock;

  MeasureResult result_of(const tune::Expectation& expectation) const;
  bool is_incumbent(const TuneCandidate& candidate) const {
    return candidate.job.steps == incumbent_;
  }
  void put_first(std::vector<TuneCandidate*>& order) const;
  void add(tune::Parameters parameters, const std::string& steps, bool is_own);
  const TuneCandidate* best() const;
  Clock::time_point after(double share) const;
  Clock::time_point stop_after(double share) const;
  std::vector<TuneCandidate*> spread_over_space();
  std::vector<TuneCandidate*> to_estimate();
  std::vector<TuneCandidate*> finalists_and_those_without_formula();
  void sort_by(MeasureResult TuneCandidate::*estimate);
  std::vector<TuneCandidate*> finalists();

  RungRef rung_;
  std::string device_;
  TuneOptions options_;
  Clock::time_point begin_ = Clock::now();
  std::vector<TuneCandidate> candidates_;
  std::vector<tune::Refusal> refused_;
  int64_t repeated_ = 0;
  std::string incumbent_;  ///< its steps
  bool is_measured_ = false;
  int64_t left_out_ = 0;
};

}  // namespace hone
