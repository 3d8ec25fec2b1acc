#include "tools/cli/judge/waiting.h"

#include <algorithm>
#include <chrono>

#include "fmt/format.h"

namespace hone {
namespace {

/// Less is not worth a word.
constexpr double moment = 5;
/// Before the first word about how far it is, and at most between two of them.
constexpr double first_pause = 10, longest_pause = 60;

}  // namespace

Expectation expected_seconds(const Ladder& ladder, const Sizes& sizes, const Device& device,
                             llvm::function_ref<double(const Sizes&)> seconds) {
  if (!takes_a_while(ladder, sizes, device)) return std::nullopt;
  const Sizes small = tried_sizes(ladder, sizes, device);
  try {
    return seconds(small) * work(ladder, sizes) / work(ladder, small);
  } catch (const std::exception&) {  // what does not run at these sizes may run at the others
    return 0;
  }
}

std::string duration_text(double seconds) {
  return seconds < 300 ? fmt::format("{:.0f} s", seconds)
                       : fmt::format("{:.0f} minutes", seconds / 60);
}

std::string progress_text(const std::string& what, double seconds, double expected) {
  const std::string so_far = duration_text(seconds);
  if (expected < moment) return fmt::format("{}: {} so far\n", what, so_far);
  return fmt::format("{}: {} of about {}\n", what, so_far, duration_text(expected));
}

std::string bar_text(const std::string& what, double seconds, double expected) {
  if (expected <= 0) return fmt::format("{}: {} so far", what, duration_text(seconds));
  constexpr int width = 20;
  const double part = std::min(seconds / expected, 0.99);
  const int done = static_cast<int>(part * width);
  return fmt::format("{} [{}{}] {:>3.0f} %, {} of about {}", what, std::string(done, '#'),
                     std::string(width - done, '.'), 100 * part, duration_text(seconds),
                     duration_text(expected));
}

Waiting::Waiting(Output& out, std::string what, Expectation expected)
    : out_(out), what_(std::move(what)), expected_(expected.value_or(0)) {
  if (expected_ >= moment && !out_.shows_progress())
    out_.complain(fmt::format("{}: about {}\n", what_, duration_text(expected_)));
  if (expected) reporter_ = std::thread([this] { report(); });
}

Waiting::~Waiting() {
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  done_.notify_all();
  if (reporter_.joinable()) reporter_.join();
}

/// Writes over a line until all is done, and wipes it.
void Waiting::draw() {
  constexpr const char* wiped = "\r\x1b[K";
  std::unique_lock lock(mutex_);
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> pause(0.25);
  while (!done_.wait_for(lock, pause, [this] { return is_done_; })) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    out_.complain(wiped + bar_text(what_, seconds.count(), expected_));
  }
  out_.complain(wiped);
}

void Waiting::report() {
  if (out_.shows_progress()) return draw();
  std::unique_lock lock(mutex_);
  double waited = 0;
  for (double pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
    const std::chrono::duration<double> seconds(pause);
    if (done_.wait_for(lock, seconds, [this] { return is_done_; })) return;
    waited += pause;
    out_.complain(progress_text(what_, waited, expected_));
  }
}

}  // namespace hone
