#include "bench/gpu/duel.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/timing.h"

namespace hone {
namespace {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)};
}

/// Takes samples of any side, all of which go through the same copies of the data.
class Sampler {
 public:
  explicit Sampler(const Device& device) : sampler_(device) {}

  void launch(const Launches& side) { side[next_++ % side.size()](); }

  Stopwatch sample(const Launches& side, int launches) {
    return sampler_.sample([&] { launch(side); }, launches);
  }

  double estimate(const Launches& side) {
    return sampler_.estimate([&] { launch(side); });
  }

 private:
  LaunchSampler sampler_;
  size_t next_ = 0;
};

/// The number of launches that are timed.
struct Plan {
  int rounds = 0;
  int batch = 1;  ///< launches in a sample
};

/// For rounds of `round` milliseconds, whose shortest launch takes `shortest`.
Plan plan_rounds(double round, double shortest, const DuelOptions& options) {
  Plan plan;
  if (shortest < options.short_milliseconds)
    plan.batch = static_cast<int>(std::ceil(10 * options.short_milliseconds / shortest));
  const double rounds = 1000 * options.seconds / (round * plan.batch);
  plan.rounds =
      static_cast<int>(std::clamp<double>(rounds, options.least_rounds, options.most_rounds));
  return plan;
}

class Duel {
 public:
  Duel(const Device& device, const Launches& hone, const Launches& hand)
      : sampler_(device), hone_(hone), hand_(hand) {}

  DuelTimes run(const DuelOptions& options) {
    const double hone = sampler_.estimate(hone_), hand = sampler_.estimate(hand_);
    plan_ = plan_rounds(hone + hand, std::min(hone, hand), options);
    std::mt19937 engine(1);
    std::vector<Round> rounds;
    rounds.reserve(plan_.rounds);
    sampler_.launch(hone_);  // the first sample finds the GPU at work, like the others
    for (int n = 0; n < plan_.rounds; ++n) rounds.push_back(play(engine() % 2 == 0));
    return summarize(rounds);
  }

 private:
  struct Round {
    Stopwatch hone, hand;
  };

  Round play(bool hone_first) {
    if (hone_first) {
      const Stopwatch hone = sampler_.sample(hone_, plan_.batch);
      return {hone, sampler_.sample(hand_, plan_.batch)};
    }
    const Stopwatch hand = sampler_.sample(hand_, plan_.batch);
    return {sampler_.sample(hone_, plan_.batch), hand};
  }

  DuelTimes summarize(const std::vector<Round>& rounds) const {
    std::vector<double> hone, hand, ratio;
    for (const Round& round : rounds) {
      hone.push_back(round.hone.milliseconds() / plan_.batch);
      hand.push_back(round.hand.milliseconds() / plan_.batch);
      ratio.push_back(hand.back() / hone.back());
    }
    return {spread_of(hone), spread_of(hand), spread_of(ratio), plan_.rounds, plan_.batch};
  }

  Sampler sampler_;
  const Launches &hone_, &hand_;
  Plan plan_;
};

}  // namespace

DuelTimes time_duel(const Device& device, const Launches& hone, const Launches& hand,
                    const DuelOptions& options) {
  return Duel(device, hone, hand).run(options);
}

Spread time_alone(const Device& device, const Launches& launches, const DuelOptions& options) {
  Sampler sampler(device);
  const double once = sampler.estimate(launches);
  const Plan plan = plan_rounds(once, once, options);
  std::vector<Stopwatch> samples;
  samples.reserve(static_cast<size_t>(plan.rounds));
  sampler.launch(launches);
  for (int n = 0; n < plan.rounds; ++n) samples.push_back(sampler.sample(launches, plan.batch));
  std::vector<double> milliseconds;
  milliseconds.reserve(samples.size());
  for (const Stopwatch& sample : samples)
    milliseconds.push_back(sample.milliseconds() / plan.batch);
  return spread_of(milliseconds);
}

}  // namespace hone
