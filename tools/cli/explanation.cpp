#include "tools/cli/explanation.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

/// What counts as a change, as a factor.
constexpr double least_change = 1.05;
/// How a fact without a part in the roofline weighs against one that is all of it.
constexpr double weight_without_time = 0.1;
/// How something new weighs, as the logarithm of a factor.
constexpr double weight_of_new = 2;

struct Explanation {
  double weight = 0;
  std::string text;
};

double share_of_bound(const Fact& fact, const Subject& subject) {
  if (!fact.seconds) return weight_without_time;
  return subject.bound.seconds == 0 ? 0 : fact.seconds(subject) / subject.bound.seconds;
}

std::string with_reason(std::string text, const std::string& reason) {
  return reason.empty() ? text : fmt::format("{}, because {}", text, reason);
}

Explanation compare(const Fact& fact, const Subject& before, const Subject& after) {
  const double old_amount = fact.amount(before), new_amount = fact.amount(after);
  if (old_amount == 0 && new_amount == 0) return {};
  const double share = std::max(share_of_bound(fact, before), share_of_bound(fact, after));
  const std::string reason = fact.reason(before, after);
  if (old_amount == 0)
    return {weight_of_new * share,
            with_reason(fmt::format("{} are new: {}{}", fact.what, fact.text(after), fact.unit),
                        reason)};
  if (new_amount == 0)
    return {weight_of_new * share, with_reason(fmt::format("there are no {} any more: {}{} before",
                                                           fact.what, fact.text(before), fact.unit),
                                               reason)};
  const bool falls = new_amount < old_amount;
  const double factor = falls ? old_amount / new_amount : new_amount / old_amount;
  if (factor < least_change) return {};
  return {std::log(factor) * share,
          with_reason(fmt::format("{} {} {:.3g}x: {} -> {}{}", fact.what, falls ? "fall" : "rise",
                                  factor, fact.text(before), fact.text(after), fact.unit),
                      reason)};
}

Explanation describe(const Fact& fact, const Subject& subject) {
  if (fact.amount(subject) == fact.nothing) return {};
  return {share_of_bound(fact, subject),
          fmt::format("{}: {}{}", fact.what, fact.text(subject), fact.unit)};
}

}  // namespace

std::vector<std::string> explain(const Profile* before, const Profile& after, const Gpu& gpu,
                                 size_t most) {
  if (after.kernels.empty() || (before && before->kernels.empty())) return {};
  std::vector<Explanation> explanations;
  const Subject now(after, gpu);
  for (const Fact& fact : speed_facts()) {
    Explanation one = before ? compare(fact, Subject(*before, gpu), now) : describe(fact, now);
    if (one.weight > 0) explanations.push_back(std::move(one));
  }
  std::stable_sort(
      explanations.begin(), explanations.end(),
      [](const Explanation& lhs, const Explanation& rhs) { return lhs.weight > rhs.weight; });
  std::vector<std::string> lines;
  for (const Explanation& one : explanations)
    if (lines.size() < most) lines.push_back(one.text);
  return lines;
}

}  // namespace hone
