#include "bench/gpu/measurement.h"

namespace hone {

Measurement measurement_of(const Contest& contest, const std::string& rung, const Sizes& sizes) {
  return {contest.name, rung, describe(sizes), contest.work(sizes),
          contest.memory_bound ? "GB/s" : "GFLOPS"};
}

void measure(Measurement& measurement, llvm::function_ref<void()> take) {
  fmt::print(stderr, "{} {}\n", measurement.name(), measurement.size);
  try {
    take();
  } catch (const Skipped& reason) {
    measurement.failure = reason.what();
    measurement.skipped = true;
  } catch (const std::exception& error) {
    measurement.failure = error.what();
  }
}

Arena::Arena(const Settings& settings, const Contest& contest, const Sizes& sizes)
    : workload(contest, sizes, settings.target.device, /*rotated=*/contest.memory_bound) {
  if (contest.memory_bound)
    copy = time_alone(settings.target.device, workload.copy_launches(), settings.duel_of(contest));
}

}  // namespace hone
