#include "tools/cli/explain/explanation.h"

#include <algorithm>
#include <cmath>

#include "tools/cli/explain/tile_reasons.h"

namespace hone {
namespace {

/// The least change that counts, as a part of all costs.
constexpr double least_part = 0.02;
/// The weight of a fact that costs nothing, as a part of all costs, if its amount doubles.
constexpr double part_without_cost = 0.015;

struct Explanation {
  double cost = 0;  ///< that it adds; what falls is negative
  std::string text;
};

std::string with_reason(std::string text, const std::string& reason) {
  return reason.empty() ? text : fmt::format("{}, because {}", text, reason);
}

/// The part of a change of costs that is owed to one of the factors of a product. They add up.
double part_of_change(double old_cost, double new_cost, double old_factor, double new_factor) {
  if (std::min({old_cost, new_cost, old_factor, new_factor}) <= 0) return 0;
  const double mean = std::abs(new_cost / old_cost - 1) < 1e-9
                          ? old_cost
                          : (new_cost - old_cost) / std::log(new_cost / old_cost);
  return mean * std::log(new_factor / old_factor);
}

/// The part of a change of costs that is owed to a factor of them.
double factor_cost(const Fact& fact, const Subject& before, const Subject& after) {
  return part_of_change(fact.cost(before), fact.cost(after), fact.factor(before),
                        fact.factor(after));
}

/// True if a change has a cause that can be told, as vectors of other tensors than before.
bool is_told(const Fact& fact, const Subject& before, const Subject& after) {
  return !fact.needs_reason || !fact.reason(before, after).empty();
}

/// The factors of a cost have their parts, and the fact that owns it has the rest.
double added_cost(const Fact& fact, const Subject& before, const Subject& after) {
  if (!fact.cost) return 0;
  if (fact.factor) return is_told(fact, before, after) ? factor_cost(fact, before, after) : 0;
  double added = fact.cost(after) - fact.cost(before);
  for (const Fact& part : speed_facts())
    if (part.cost == fact.cost && part.factor && is_told(part, before, after))
      added -= factor_cost(part, before, after);
  return added;
}

std::string change_text(const Fact& fact, const Subject& before, const Subject& after) {
  const double old_amount = fact.amount(before), new_amount = fact.amount(after);
  if (old_amount == 0)
    return fmt::format("{} are new: {}{}{}", fact.what, fact.text(after), unit_text(fact, after),
                       fact.when_new ? fact.when_new(after) : "");
  if (new_amount == 0)
    return fmt::format("there are no {} any more: {}{} before", fact.what, fact.text(before),
                       unit_text(fact, before));
  const bool falls = new_amount < old_amount;
  return fmt::format("{} {} {}x: {} -> {}{}", fact.what, falls ? "fall" : "rise",
                     number_text(falls ? old_amount / new_amount : new_amount / old_amount),
                     fact.text(before), fact.text(after), unit_text(fact, after));
}

bool is_change(const Fact& fact, double old_amount, double new_amount) {
  const auto [least, most] = std::minmax(old_amount, new_amount);
  return most > 0 && (least == 0 || most / least >= fact.least_change);
}

/// Those whose costs change as all costs together do come first, `direction` is 1 where these rise,
/// and of each direction the largest.
void sort_by_cost(std::vector<Explanation>& explanations, double direction) {
  std::stable_sort(explanations.begin(), explanations.end(),
                   [&](const Explanation& lhs, const Explanation& rhs) {
                     const bool left = direction * lhs.cost < 0, right = direction * rhs.cost < 0;
                     return left != right ? right : std::abs(lhs.cost) > std::abs(rhs.cost);
                   });
}

/// The first ones, with one of each direction, where there are both and room for them.
std::vector<std::string> first_of(const std::vector<Explanation>& explanations, size_t most) {
  std::vector<std::string> lines;
  for (size_t number = 0; number < std::min(most, explanations.size()); ++number)
    lines.push_back(explanations[number].text);
  const auto other = llvm::find_if(explanations, [&](const Explanation& one) {
    return one.cost * explanations.front().cost < 0;
  });
  if (most > 1 && other != explanations.end() && other - explanations.begin() >= int64_t(most))
    lines.back() = other->text;
  return lines;
}

std::vector<Explanation> compare(const Subject& before, const Subject& after) {
  const double all = std::max(busy_cost(before), busy_cost(after));
  const double direction = total_cost(after) < total_cost(before) ? -1 : 1;
  std::vector<Explanation> explanations;
  for (const Fact& fact : speed_facts()) {
    const double old_amount = fact.amount(before), new_amount = fact.amount(after);
    if (!is_change(fact, old_amount, new_amount)) continue;
    double cost = added_cost(fact, before, after);
    if (!fact.cost && std::min(old_amount, new_amount) > 0)
      cost = direction * all * part_without_cost * std::abs(std::log2(new_amount / old_amount));
    if (fact.cost ? std::abs(cost) < least_part * all : cost == 0) continue;
    explanations.push_back(
        {cost, with_reason(change_text(fact, before, after), fact.reason(before, after))});
  }
  sort_by_cost(explanations, direction);
  return explanations;
}

/// The facts that cost most.
std::vector<Explanation> describe(const Subject& subject) {
  std::vector<Explanation> explanations;
  for (const Fact& fact : speed_facts()) {
    const double amount = fact.amount(subject);
    if (!fact.cost || fact.needs_reason || amount == fact.nothing) continue;
    double cost = fact.cost(subject);
    if (fact.factor) cost *= 1 - 1 / std::max(fact.factor(subject), 1.0);
    if (cost <= 0 || cost < least_part * busy_cost(subject)) continue;
    explanations.push_back(
        {cost, fmt::format("{}: {}{}", fact.what, fact.text(subject), unit_text(fact, subject))});
  }
  sort_by_cost(explanations, /*direction=*/1);
  return explanations;
}

}  // namespace

std::vector<std::string> explain(const Profile* before, const Profile& after, const Gpu& gpu,
                                 size_t most) {
  if (after.kernels.empty() || (before && before->kernels.empty())) return {};
  const Subject now = {after, gpu};
  return first_of(before ? compare({*before, gpu}, now) : describe(now), most);
}

std::string added_burden(const Profile& before, const Profile& after, const Gpu& gpu) {
  if (after.kernels.empty() || before.kernels.empty()) return "";
  const Explanation* most = nullptr;
  const std::vector<Explanation> all = compare({before, gpu}, {after, gpu});
  for (const Explanation& one : all)
    if (one.cost > (most ? most->cost : 0)) most = &one;
  return most ? most->text : "";
}

std::string work_text(const Profile& profile, const Gpu& gpu) {
  if (profile.kernels.empty()) return "nothing";
  const Subject subject = {profile, gpu};
  std::vector<std::string> amounts;
  for (const Fact& fact : speed_facts())
    if (fact.is_work && fact.amount(subject) > 0)
      amounts.push_back(fmt::format("{} {}", fact.text(subject), fact.what));
  const bool is_compiled = profile.kernels.front().compiled.has_value();
  return fmt::format("{} per result, as {}", enumerated(amounts),
                     is_compiled ? "compiled" : "written");
}

}  // namespace hone
