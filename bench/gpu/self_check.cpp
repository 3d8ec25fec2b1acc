#include "bench/gpu/self_check.h"

#include "bench/gpu/emit.h"

namespace hone {
namespace {

/// The edge problems of a contest, whose data are made once.
class Edges {
 public:
  Edges(const Settings& settings, const Contest& contest) : settings_(settings), contest_(contest) {
    if (settings.compile_only()) return;
    for (const Sizes& sizes : contest.edge_problems)
      workloads_.emplace_back(contest, sizes, settings.target.device, /*rotated=*/false);
  }

  /// Runs the kernel of that rung on all problems that are for it.
  EdgeChecks check(const std::string& rung) {
    EdgeChecks checks;
    for (size_t n = 0; n < workloads_.size(); ++n)
      for (const HandwrittenKernel& kernel : contest_.handwritten(contest_.edge_problems[n]))
        if (kernel.rung == rung) add(checks, kernel, n);
    return checks;
  }

 private:
  void add(EdgeChecks& checks, const HandwrittenKernel& kernel, size_t problem) try {
    const Sizes& sizes = contest_.edge_problems[problem];
    const Contender contender = handwritten_contender(kernel, sizes, settings_.target);
    const double error = workloads_[problem].error_of(contender);
    ++checks.problems;
    if (!(error <= contest_.tolerance(sizes))) ++checks.wrong;
  } catch (const Skipped&) {
    // The kernel does not take these sizes.
  }

  const Settings& settings_;
  const Contest& contest_;
  std::vector<Workload> workloads_;
};

/// One size of one contest.
class Tryout {
 public:
  Tryout(const Settings& settings, const Contest& contest, const Sizes& sizes, Edges& edges)
      : settings_(settings), contest_(contest), sizes_(sizes), edges_(edges) {}

  Trial attempt(const HandwrittenKernel& kernel) {
    Trial trial{measurement_of(contest_, kernel.rung, sizes_)};
    measure(trial, [&] { fill(trial, kernel); });
    return trial;
  }

 private:
  void fill(Trial& trial, const HandwrittenKernel& kernel) {
    trial.contender = handwritten_contender(kernel, sizes_, settings_.target);
    if (settings_.emit) emit_contender(*settings_.emit, "hand", trial, sizes_, trial.contender);
    if (settings_.compile_only()) return;
    if (!arena_) arena_.emplace(settings_, contest_, sizes_);
    trial.copy = arena_->copy;
    trial.edges = edges_.check(kernel.rung);
    trial.tolerance = contest_.tolerance(sizes_);
    trial.error = arena_->workload.error_of(trial.contender);
    trial.times = time_alone(settings_.target.device, arena_->workload.launches(trial.contender),
                             settings_.duel_of(contest_));
  }

  const Settings& settings_;
  const Contest& contest_;
  Sizes sizes_;
  Edges& edges_;
  std::optional<Arena> arena_;
};

}  // namespace

bool Trial::passed() const {
  if (!failure.empty()) return skipped;
  return !error || (*error <= tolerance && edges.wrong == 0);
}

std::vector<Trial> try_all(const Settings& settings) {
  std::vector<Trial> trials;
  for (const Contest& contest : all_contests()) {
    Edges edges(settings, contest);
    for (const Sizes& sizes : settings.problems_of(contest)) {
      Tryout tryout(settings, contest, sizes, edges);
      for (const HandwrittenKernel& kernel : contest.handwritten(sizes))
        if (settings.selects(contest, kernel.rung)) trials.push_back(tryout.attempt(kernel));
    }
  }
  return trials;
}

}  // namespace hone
