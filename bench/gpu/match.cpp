#include "bench/gpu/match.h"

#include "bench/gpu/emit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

HandwrittenKernel find_handwritten(const Contest& contest, const Rung& rung, const Sizes& sizes) {
  for (const HandwrittenKernel& kernel : contest.handwritten(sizes))
    if (kernel.rung == rung.name) return kernel;
  throw Skipped("it has no hand-written kernel");
}

const Rung& find_rung(const Ladder& ladder, const std::string& name) {
  const auto rung =
      llvm::find_if(ladder.rungs, [&](const Rung& rung) { return rung.name == name; });
  if (rung == ladder.rungs.end()) throw Skipped("its ladder has no rung of that name");
  return *rung;
}

/// One size of one ladder: its data are made once, when the first rung needs them.
class Match {
 public:
  Match(const Settings& settings, const Contest& contest, const Sizes& sizes)
      : settings_(settings), contest_(contest), sizes_(sizes) {}

  /// Hone's kernels of a rung, against the hand-written ones or a library.
  Comparison compare(const Rung& rung) {
    return compare(rung.name, [&](Comparison& comparison) {
      comparison.hand = other_side(rung);
      comparison.hone = hone_contender(rung, sizes_, settings_.target);
    });
  }

  /// Hand-written kernels against a library.
  Comparison compare(const HandwrittenKernel& kernel) {
    return compare(kernel.rung, [&](Comparison& comparison) {
      comparison.hone_side = "hand";
      comparison.hand = library();
      comparison.hone = handwritten_contender(kernel, sizes_, settings_.target);
    });
  }

 private:
  Comparison compare(const std::string& rung, llvm::function_ref<void(Comparison&)> prepare) {
    Comparison comparison{measurement_of(contest_, rung, sizes_)};
    if (settings_.library) comparison.hand_side = settings_.library->side();
    if (settings_.against) comparison.hand_side = *settings_.against;
    measure(comparison, [&] {
      prepare(comparison);
      emit(comparison);
      if (!settings_.compile_only()) run(comparison);
    });
    tell_of(comparison);
    return comparison;
  }

  /// At once: a run that somebody ends has shown what it has measured.
  static void tell_of(const Comparison& comparison) {
    if (!comparison.times) return;
    fmt::print(stderr, "  {:.4f} ms, {:.3f} of the other side's speed\n",
               comparison.times->hone.median, comparison.times->ratio.median);
  }

  /// The other side of a comparison with a rung. It is empty for the machine code of a contest that
  /// has no hand-written kernels.
  Contender other_side(const Rung& rung) {
    if (settings_.library) return library();
    if (settings_.against)
      return hone_contender(find_rung(*contest_.ladder, *settings_.against), sizes_,
                            settings_.target);
    if (settings_.compile_only() && contest_.handwritten(sizes_).empty()) return {};
    const HandwrittenKernel kernel = find_handwritten(contest_, rung, sizes_);
    return handwritten_contender(kernel, sizes_, settings_.target);
  }

  const Contender& library() {
    if (!library_)
      library_ =
          fastest(library_contenders(*settings_.library, contest_, sizes_, settings_.target));
    return *library_;
  }

  /// The fastest contender, by a brief measurement of each. Contenders that fail are left out.
  Contender fastest(std::vector<Contender> contenders) {
    if (contenders.size() == 1) return contenders.front();
    std::string failure;
    std::map<double, size_t> by_time;
    for (size_t n = 0; n < contenders.size(); ++n)
      if (const auto time = brief_time(contenders[n], failure)) by_time.emplace(*time, n);
    if (by_time.empty())
      throw RuntimeError("none of {} algorithms runs: {}", contenders.size(), failure);
    return contenders[by_time.begin()->second];
  }

  /// The median in milliseconds, or nothing and the reason why it does not run.
  std::optional<double> brief_time(const Contender& contender, std::string& failure) try {
    DuelOptions options = settings_.duel_of(contest_);
    options.seconds = 0.1;
    options.least_rounds = 5;
    const Launches launches = arena().workload.launches(contender);
    return time_alone(settings_.target.device, launches, options).median;
  } catch (const RuntimeError& error) {
    failure = error.what();
    return std::nullopt;
  }

  Arena& arena() {
    if (!arena_) arena_.emplace(settings_, contest_, sizes_);
    return *arena_;
  }

  void emit(const Comparison& comparison) const {
    if (!settings_.emit) return;
    emit_contender(*settings_.emit, comparison.hone_side, comparison, sizes_, comparison.hone);
    if (!settings_.library && !comparison.hand.stages.empty())
      emit_contender(*settings_.emit, comparison.hand_side, comparison, sizes_, comparison.hand);
  }

  void run(Comparison& comparison) {
    Workload& workload = arena().workload;
    comparison.copy = arena().copy;
    comparison.check = workload.check(comparison.hone, comparison.hand);
    comparison.times = time_duel(settings_.target.device, workload.launches(comparison.hone),
                                 workload.launches(comparison.hand), settings_.duel_of(contest_));
  }

  const Settings& settings_;
  const Contest& contest_;
  Sizes sizes_;
  std::optional<Arena> arena_;
  std::optional<Contender> library_;
};

bool has_rung(const Contest& contest, const std::string& name) {
  return contest.ladder &&
         llvm::any_of(contest.ladder->rungs, [&](const Rung& rung) { return rung.name == name; });
}

/// All selected rungs of a contest at one size.
void compare_at(const Sizes& sizes, const Settings& settings, const Contest& contest,
                std::vector<Comparison>& comparisons) {
  Match match(settings, contest, sizes);
  if (settings.handwritten) {
    for (const HandwrittenKernel& kernel : contest.handwritten(sizes))
      if (settings.selects(contest, kernel.rung)) comparisons.push_back(match.compare(kernel));
    return;
  }
  if (!contest.ladder) return;
  for (const Rung& rung : contest.ladder->rungs)
    if (rung.target == RungTarget::gpu && settings.selects(contest, rung.name))
      comparisons.push_back(match.compare(rung));
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
    if (!settings.is_comparable(contest)) continue;
    for (const Sizes& sizes : settings.problems_of(contest))
      compare_at(sizes, settings, contest, comparisons);
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
