#include "bench/gpu/duel.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/timing.h"

namespace hone {
namespace {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double fraction) {
    const double position = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], position - static_cast<double>(below));
  };
  return {quantile(0.5), quantile(0.1), quantile(0.9)};
}

class Duel {
 public:
  Duel(const Device& device, const std::vector<Launch>& hone, const std::vector<Launch>& hand)
      : device_(device), hone_(hone), hand_(hand) {}

  DuelTimes run(const DuelOptions& options) {
    plan(options);
    std::mt19937 engine(1);
    std::vector<Round> rounds;
    rounds.reserve(times_.rounds);
    launch(hone_);  // the first sample finds the GPU at work, like the others
    for (int n = 0; n < times_.rounds; ++n) rounds.push_back(play(engine() % 2 == 0));
    summarize(rounds);
    return times_;
  }

 private:
  using Side = const std::vector<Launch>&;

  struct Round {
    Stopwatch hone, hand;
  };

  /// Both sides go through the same copies of the data.
  void launch(Side side) { side[next_++ % side.size()](); }

  Stopwatch sample(Side side, int launches) {
    Stopwatch watch(device_);
    watch.start();
    for (int n = 0; n < launches; ++n) launch(side);
    watch.stop();
    return watch;
  }

  Round play(bool hone_first) {
    if (hone_first) {
      const Stopwatch hone = sample(hone_, times_.batch);
      return {hone, sample(hand_, times_.batch)};
    }
    const Stopwatch hand = sample(hand_, times_.batch);
    return {sample(hone_, times_.batch), hand};
  }

  /// Milliseconds of a launch, roughly, after a warm-up of at least two.
  double estimate(Side side) {
    sample(side, 1).milliseconds();
    const double once = sample(side, 1).milliseconds();
    const int launches = static_cast<int>(std::clamp(5 / once, 1.0, 50.0));
    return sample(side, launches).milliseconds() / launches;
  }

  /// Decides from how long a launch takes how many are timed.
  void plan(const DuelOptions& options) {
    const double hone = estimate(hone_), hand = estimate(hand_);
    const double shorter = std::min(hone, hand);
    if (shorter < options.short_milliseconds)
      times_.batch = static_cast<int>(std::ceil(10 * options.short_milliseconds / shorter));
    const double rounds = 1000 * options.seconds / ((hone + hand) * times_.batch);
    times_.rounds =
        static_cast<int>(std::clamp<double>(rounds, options.least_rounds, options.most_rounds));
  }

  void summarize(const std::vector<Round>& rounds) {
    std::vector<double> hone, hand, ratio;
    for (const Round& round : rounds) {
      hone.push_back(round.hone.milliseconds() / times_.batch);
      hand.push_back(round.hand.milliseconds() / times_.batch);
      ratio.push_back(hand.back() / hone.back());
    }
    times_.hone = spread_of(hone);
    times_.hand = spread_of(hand);
    times_.ratio = spread_of(ratio);
  }

  Device device_;
  Side hone_, hand_;
  size_t next_ = 0;
  DuelTimes times_;
};

}  // namespace

DuelTimes time_duel(const Device& device, const std::vector<Launch>& hone,
                    const std::vector<Launch>& hand, const DuelOptions& options) {
  return Duel(device, hone, hand).run(options);
}

}  // namespace hone
