#include "tools/page/story/bottleneck.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

/// The unit that is busy for the largest part of the time.
LaunchResource busiest_of(const LaunchTime& time) {
  size_t most = 0;
  for (size_t n = 0; n < launch_resources; ++n)
    if (static_cast<LaunchResource>(n) != LaunchResource::latency && time.busy[n] > time.busy[most])
      most = n;
  return static_cast<LaunchResource>(most);
}

/// "95 %"
std::string share_text(const LaunchTime& time, LaunchResource resource) {
  return fmt::format("{:.0f} %", 100 * time.share(resource));
}

std::string busy_text(const LaunchTime& time, LaunchResource resource) {
  return "busy for " + share_text(time, resource) + " of the time";
}

/// "L2, busy for 95 % of the time", "latency, with DRAM busy for 40 % of the time"
std::string bound_text(const LaunchTime& time) {
  const LaunchResource bound = time.bound(), busiest = busiest_of(time);
  if (bound != LaunchResource::latency)
    return fmt::format("{}, {}", name(bound).str(), busy_text(time, bound));
  return fmt::format("latency, with {} {}", name(busiest).str(), busy_text(time, busiest));
}

bool is_same(const LaunchTime& before, const LaunchTime& after) {
  return before.bound() == after.bound() && busiest_of(before) == busiest_of(after);
}

}  // namespace

std::string bottleneck_text(const Profile* before, const Profile& after) {
  const auto now = time_of(after), former = before ? time_of(*before) : std::nullopt;
  if (!now) return "";
  if (!former) return fmt::format("The bottleneck is {}.", bound_text(now->time));
  if (!is_same(former->time, now->time))
    return fmt::format("The bottleneck was {}; now it is {}.", bound_text(former->time),
                       bound_text(now->time));
  const LaunchResource busiest = busiest_of(now->time);
  return fmt::format("The bottleneck is still {}; before, for {}.", bound_text(now->time),
                     share_text(former->time, busiest));
}

std::string next_text(const Profile& profile) {
  const auto now = time_of(profile);
  if (!now) return "";
  const std::string advice = remedy(now->time.bound()).str();
  return llvm::toUpper(advice[0]) + advice.substr(1) + ".";
}

}  // namespace hone
