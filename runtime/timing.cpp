#include "runtime/timing.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <optional>

#include "runtime/array.h"
#include "runtime/cuda/cuda_api.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/cuda_module.h"
#include "runtime/nvrtc/kernel_cache.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

/// Pushes a kernel's data out of the L2 cache of a GPU by writing twice its size.
class L2Flush {
 public:
  explicit L2Flush(const Device& device)
      : array_(DType::u8, {2 * device.properties().l2_bytes}, device) {}

  void operator()() { array_.fill_bytes(0); }

 private:
  AnyArray array_;
};

constexpr const char* hold_source = R"(
extern "C" __global__ void hold(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
}
)";

/// A kernel that keeps a GPU from running later launches.
std::shared_ptr<const CudaFunction> make_hold(const Device& device) {
  const std::string arch = nvrtc_target(*nvrtc_info(), device.properties().arch);
  const auto compiled = compile_cached({hold_source, "hold", arch, {}, /*schedule=*/""});
  return std::make_shared<CudaFunction>(CudaModule(device, *compiled, "hold").function("hold"));
}

}  // namespace

struct Stopwatch::Events {
  /// An event on the default stream of a GPU.
  class Event {
   public:
    explicit Event(const CudaContext& context) : context_(context) {
      context_.enter();
      context_.check(context_.api().create_event(&event_, CU_EVENT_DEFAULT), "cuEventCreate");
    }
    ~Event() {
      if (context_.alive()) context_.api().destroy_event(event_);
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record() {
      context_.enter();
      context_.check(context_.api().record_event(event_, nullptr), "cuEventRecord");
    }

    double milliseconds_since(const Event& start) const {
      context_.check(context_.api().wait_for_event(event_), "cuEventSynchronize");
      float elapsed = 0;
      context_.check(context_.api().elapsed_time(&elapsed, start.event_, event_),
                     "cuEventElapsedTime");
      return elapsed;
    }

   private:
    const CudaContext& context_;
    CUevent event_ = nullptr;
  };

  std::optional<Event> start, stop;
  Clock::time_point start_time, stop_time;
};

Stopwatch::Stopwatch(const Device& device) : events_(std::make_shared<Events>()) {
  if (!device.is_cuda()) return;
  events_->start.emplace(device.context());
  events_->stop.emplace(device.context());
}

void Stopwatch::start() {
  if (events_->start) return events_->start->record();
  events_->start_time = Clock::now();
}

void Stopwatch::stop() {
  if (events_->stop) return events_->stop->record();
  events_->stop_time = Clock::now();
}

double Stopwatch::milliseconds() const {
  if (events_->stop) return events_->stop->milliseconds_since(*events_->start);
  return std::chrono::duration<double, std::milli>(events_->stop_time - events_->start_time)
      .count();
}

Stopwatch LaunchSampler::sample(llvm::function_ref<void()> launch, int count) {
  Stopwatch watch(device_);
  if (count > 1) hold(count);
  watch.start();
  for (int n = 0; n < count; ++n) launch();
  watch.stop();
  return watch;
}

double LaunchSampler::estimate(llvm::function_ref<void()> launch) {
  sample(launch).milliseconds();
  const double once = sample(launch).milliseconds();
  const int launches = static_cast<int>(std::clamp(5 / once, 1.0, 50.0));
  return sample(launch, launches).milliseconds() / launches;
}

/// Long enough for the host to queue so many. Without NVRTC there is no such kernel.
void LaunchSampler::hold(int launches) {
  if (!device_.is_cuda() || !nvrtc_info()) return;
  if (!hold_) hold_ = make_hold(device_);
  uint64_t nanoseconds = uint64_t{10'000} * static_cast<uint64_t>(launches);
  hold_->launch({}, {&nanoseconds});
}

double quantile(llvm::ArrayRef<double> sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

Timing summarize(std::vector<double> milliseconds) {
  assert(!milliseconds.empty() && "a summary needs a sample");
  std::sort(milliseconds.begin(), milliseconds.end());
  Timing timing;
  timing.median = quantile(milliseconds, 0.5);
  timing.fastest = milliseconds.front();
  timing.percentile_20 = quantile(milliseconds, 0.2);
  timing.percentile_80 = quantile(milliseconds, 0.8);
  timing.samples = static_cast<int>(milliseconds.size());
  return timing;
}

Timing time_launches(const Device& device, llvm::function_ref<void()> launch,
                     const TimingOptions& options) {
  assert(options.samples > 0 && options.launches_per_sample > 0 && "nothing to measure");
  for (int i = 0; i < options.warm_up; ++i) launch();
  device.synchronize();

  std::optional<L2Flush> flush;
  if (options.flush_l2 && device.is_cuda()) flush.emplace(device);
  std::vector<double> milliseconds;
  LaunchSampler sampler(device);
  for (int i = 0; i < options.samples; ++i) {
    if (flush) (*flush)();
    milliseconds.push_back(sampler.sample(launch, options.launches_per_sample).milliseconds() /
                           options.launches_per_sample);
  }
  return summarize(std::move(milliseconds));
}

}  // namespace hone
