#include "bench/gpu/match.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

HandwrittenKernel find_handwritten(const Contest& contest, const Rung& rung, const Sizes& sizes) {
  for (const HandwrittenKernel& kernel : contest.handwritten(sizes))
    if (kernel.rung == rung.name) return kernel;
  throw Skipped("it has no hand-written kernel");
}

/// One size of one ladder: its data are made once, when the first rung needs them.
class Match {
 public:
  Match(const Settings& settings, const Contest& contest, const Sizes& sizes)
      : settings_(settings), contest_(contest), sizes_(sizes) {}

  Comparison compare(const Rung& rung) {
    Comparison comparison{measurement_of(contest_, rung.name, sizes_)};
    measure(comparison, [&] { fill(comparison, rung); });
    return comparison;
  }

 private:
  void fill(Comparison& comparison, const Rung& rung) {
    const Target& target = settings_.target;
    const HandwrittenKernel kernel = find_handwritten(contest_, rung, sizes_);
    comparison.hand = handwritten_contender(kernel, sizes_, target);
    comparison.hone = hone_contender(rung, sizes_, target);
    if (settings_.compile_only()) return;
    if (!arena_) arena_.emplace(settings_, contest_, sizes_);
    Workload& workload = arena_->workload;
    comparison.copy = arena_->copy;
    comparison.check = workload.check(comparison.hone, comparison.hand);
    comparison.times = time_duel(target.device, workload.launches(comparison.hone),
                                 workload.launches(comparison.hand), settings_.duel);
  }

  const Settings& settings_;
  const Contest& contest_;
  Sizes sizes_;
  std::optional<Arena> arena_;
};

bool has_rung(const Contest& contest, const std::string& name) {
  return contest.ladder &&
         llvm::any_of(contest.ladder->rungs, [&](const Rung& rung) { return rung.name == name; });
}

}  // namespace

bool Comparison::same_launch() const {
  const auto same = [](const Stage& lhs, const Stage& rhs) {
    return lhs.dims.grid == rhs.dims.grid && lhs.dims.block == rhs.dims.block;
  };
  return std::equal(hone.stages.begin(), hone.stages.end(), hand.stages.begin(), hand.stages.end(),
                    same);
}

std::vector<Comparison> compare_all(const Settings& settings) {
  std::vector<Comparison> comparisons;
  for (const Contest& contest : all_contests()) {
    if (!contest.ladder) continue;
    for (const Sizes& sizes : settings.problems_of(contest)) {
      Match match(settings, contest, sizes);
      for (const Rung& rung : contest.ladder->rungs)
        if (rung.target == RungTarget::gpu && settings.selects(contest, rung.name))
          comparisons.push_back(match.compare(rung));
    }
  }
  return comparisons;
}

std::vector<std::string> without_rung(const Settings& settings) {
  std::vector<std::string> names;
  for (const Contest& contest : all_contests())
    for (const HandwrittenKernel& kernel : contest.handwritten(contest.problems.front()))
      if (!has_rung(contest, kernel.rung) && settings.selects(contest, kernel.rung))
        names.push_back(contest.name + "/" + kernel.rung);
  return names;
}

}  // namespace hone
