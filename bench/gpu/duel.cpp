#include "bench/gpu/duel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "runtime/timing.h"

namespace hone {
namespace {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)};
}

/// A pause after a burst has a random length, in milliseconds, so that the GPU's power control does
/// not synchronise with it.
constexpr double shortest_pause = 12, longest_pause = 15;

/// Takes samples of any side, all of which go through the same copies of the data.
class Sampler {
 public:
  Sampler(const Device& device, bool in_bursts) : sampler_(device), in_bursts_(in_bursts) {}

  void launch(const Launches& side) { side[next_++ % side.size()](); }

  /// A burst begins with a launch that is not timed: its sample finds the GPU at work.
  Stopwatch sample(const Launches& side, int launches) {
    if (in_bursts_) launch(side);
    const Stopwatch watch = sampler_.sample([&] { launch(side); }, launches);
    if (in_bursts_) rest_after(watch);
    return watch;
  }

  double estimate(const Launches& side) {
    return sampler_.estimate([&] { launch(side); });
  }

  bool flip() { return engine_() % 2 == 0; }

 private:
  void rest_after(const Stopwatch& watch) {
    watch.milliseconds();  // the work is done
    std::uniform_real_distribution<double> pause(shortest_pause, longest_pause);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(pause(engine_)));
  }

  LaunchSampler sampler_;
  bool in_bursts_;
  size_t next_ = 0;
  std::mt19937 engine_{1};
};

/// The number of launches that fill `milliseconds`.
int launches_in(double milliseconds, double launch) {
  return static_cast<int>(std::ceil(milliseconds / launch));
}

/// The number of launches in a sample. `launch` and `shortest` are the milliseconds of a launch of
/// this side, and of the faster side. A burst fits into the queue of a GPU.
int batch_of(double launch, double shortest, const DuelOptions& options) {
  constexpr int most_queued = 500;
  if (options.burst_milliseconds > 0)
    return std::min(launches_in(options.burst_milliseconds, launch), most_queued);
  if (shortest >= options.short_milliseconds) return 1;
  return launches_in(10 * options.short_milliseconds, shortest);
}

/// The number of rounds, each with one sample or two, whose launches take `milliseconds`.
int rounds_of(double milliseconds, int samples, const DuelOptions& options) {
  if (options.burst_milliseconds > 0) milliseconds += samples * longest_pause;
  const double rounds = 1000 * options.seconds / milliseconds;
  return static_cast<int>(std::clamp<double>(rounds, options.least_rounds, options.most_rounds));
}

class Duel {
 public:
  Duel(const Device& device, const Launches& hone, const Launches& hand, const DuelOptions& options)
      : sampler_(device, options.burst_milliseconds > 0), hone_(hone), hand_(hand) {
    const double hone_time = sampler_.estimate(hone), hand_time = sampler_.estimate(hand);
    const double shortest = std::min(hone_time, hand_time);
    hone_batch_ = batch_of(hone_time, shortest, options);
    hand_batch_ = batch_of(hand_time, shortest, options);
    rounds_ = rounds_of(hone_time * hone_batch_ + hand_time * hand_batch_, 2, options);
  }

  DuelTimes run() {
    std::vector<Round> rounds;
    rounds.reserve(rounds_);
    sampler_.launch(hone_);  // the first sample finds the GPU at work, like the others
    for (int n = 0; n < rounds_; ++n) rounds.push_back(play(sampler_.flip()));
    return summarize(rounds);
  }

 private:
  struct Round {
    Stopwatch hone, hand;
  };

  Round play(bool hone_first) {
    if (hone_first) {
      const Stopwatch hone = sampler_.sample(hone_, hone_batch_);
      return {hone, sampler_.sample(hand_, hand_batch_)};
    }
    const Stopwatch hand = sampler_.sample(hand_, hand_batch_);
    return {sampler_.sample(hone_, hone_batch_), hand};
  }

  DuelTimes summarize(const std::vector<Round>& rounds) const {
    std::vector<double> hone, hand, ratio;
    for (const Round& round : rounds) {
      hone.push_back(round.hone.milliseconds() / hone_batch_);
      hand.push_back(round.hand.milliseconds() / hand_batch_);
      ratio.push_back(hand.back() / hone.back());
    }
    return {spread_of(hone), spread_of(hand), spread_of(ratio), rounds_, hone_batch_, hand_batch_};
  }

  Sampler sampler_;
  const Launches &hone_, &hand_;
  int rounds_ = 0, hone_batch_ = 1, hand_batch_ = 1;
};

}  // namespace

DuelTimes time_duel(const Device& device, const Launches& hone, const Launches& hand,
                    const DuelOptions& options) {
  return Duel(device, hone, hand, options).run();
}

Spread time_alone(const Device& device, const Launches& launches, const DuelOptions& options) {
  Sampler sampler(device, options.burst_milliseconds > 0);
  const double once = sampler.estimate(launches);
  const int batch = batch_of(once, once, options);
  const int rounds = rounds_of(once * batch, 1, options);
  std::vector<Stopwatch> samples;
  samples.reserve(static_cast<size_t>(rounds));
  sampler.launch(launches);
  for (int n = 0; n < rounds; ++n) samples.push_back(sampler.sample(launches, batch));
  std::vector<double> milliseconds;
  milliseconds.reserve(samples.size());
  for (const Stopwatch& sample : samples) milliseconds.push_back(sample.milliseconds() / batch);
  return spread_of(milliseconds);
}

}  // namespace hone
