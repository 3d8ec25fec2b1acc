#include "tools/cli/numbers/numbers.h"

#include <cstring>

#include "ir/interpret/trips.h"
#include "tools/cli/judge/expected.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/cli/judge/trial.h"
#include "tools/cli/provenance.h"

namespace hone {
namespace {

/// Trips that the interpreter makes in about a second.
constexpr int64_t most_trips = 2'000'000;

/// Those that the simulated device takes by itself, smaller and larger ones, and odd ones.
std::vector<Sizes> sizes_to_compare(const Ladder& ladder, const Sizes& given) {
  if (!given.empty()) return {simulated_sizes(ladder, given)};
  std::vector<Sizes> all(5, simulated_sizes(ladder, {}));
  const auto change = [&](size_t number, int64_t (*changed)(int64_t)) {
    for (auto& [name, size] : all[number]) size = changed(size);
  };
  change(1, [](int64_t size) { return std::max<int64_t>(size / 2, 1); });
  change(2, [](int64_t size) { return size + 1; });
  change(3, [](int64_t size) { return size * 3 / 2; });
  change(4, [](int64_t size) { return std::min<int64_t>(size, 33); });
  return all;
}

int64_t different_bits(const AnyArray& lhs, const AnyArray& rhs) {
  const int64_t size = size_of(lhs.dtype());
  const auto* left = static_cast<const char*>(lhs.data());
  const auto* right = static_cast<const char*>(rhs.data());
  int64_t different = 0;
  for (int64_t n = 0; n < lhs.size(); ++n)
    different += std::memcmp(left + n * size, right + n * size, size) != 0 ? 1 : 0;
  return different;
}

}  // namespace

BitsAtSizes compare_bits(const Results& results, const Results& others, const Sizes& sizes) {
  BitsAtSizes all{sizes};
  for (const auto& [name, array] : results) {
    all.elements += array.size();
    all.different += different_bits(array, others.find(name)->second);
  }
  return all;
}

namespace {

const Device& device_of(const RungRef& rung) {
  static const Device host = Device::host(), simulated = Device::simulated();
  return rung.rung->target == RungTarget::host ? host : simulated;
}

/// A rung beside what its bits are compared with.
class Comparer {
 public:
  Comparer(const RungRef& rung, const RungRef* other, uint64_t seed)
      : rung_(rung),
        other_(other),
        program_(program_of(*rung.ladder, {}).function()),
        seed_(seed) {}

  BitsComparison run(const Sizes& given) {
    BitsComparison comparison;
    for (const Sizes& sizes : sizes_to_compare(*rung_.ladder, given)) try {
        const Problem problem = problem_at(sizes);
        const Results own = run_trial(rung_, device_of(rung_), problem).outputs;
        comparison.at.push_back(compare_bits(own, reference(problem), problem.sizes));
      } catch (const RuntimeError& error) {
        comparison.refused.emplace_back(error.what());
      }
    if (comparison.at.empty()) throw RuntimeError("{}", comparison.refused.front());
    const bool has_steps = !other_ && !is_given_as_text(*rung_.rung);
    const BitsAtSizes* differing = smallest_difference(comparison.at);
    if (has_steps && differing) comparison.since = first_change(differing->sizes);
    return comparison;
  }

 private:
  /// The quickest one to look at again.
  const BitsAtSizes* smallest_difference(llvm::ArrayRef<BitsAtSizes> at) const {
    const BitsAtSizes* smallest = nullptr;
    const auto trips = [&](const BitsAtSizes& one) {
      return count_trips(program_.body, one.sizes);
    };
    for (const BitsAtSizes& one : at)
      if (one.different > 0 && (!smallest || trips(one) < trips(*smallest))) smallest = &one;
    return smallest;
  }

  Problem problem_at(const Sizes& sizes) const {
    return make_problem(program_, sizes, {}, seed_, Elements::all_digits);
  }

  Results reference(const Problem& problem) const {
    return other_ ? run_trial(*other_, device_of(*other_), problem).outputs
                  : interpreted(program_, problem);
  }

  /// The first step behind which the loops lead to other bits, one after the other, or let parts
  /// of sums be made at once.
  std::string first_change(const Sizes& sizes) const {
    const Problem problem = problem_at(sizes);
    const Results expected = interpreted(program_, problem);
    const Schedule whole = build(rung_, {{}, sizes});
    Schedule schedule(program_of(rung_, {}));
    const auto changes = [&](const Function& function) {
      if (llvm::any_of(sum_orders(function), is_regrouped)) return true;
      return count_trips(function.body, problem.sizes) <= most_trips &&
             compare_bits(interpreted(function, problem), expected, sizes).different > 0;
    };
    if (changes(schedule.function())) return "the definitions, which are the rung's own";
    int number = 0;
    for (const TraceEntry& entry : whole.trace()) {
      schedule.replay(entry, entry.location);
      ++number;
      if (changes(schedule.function())) return fmt::format("step {}: {}", number, entry.text);
    }
    return "";
  }

  static bool is_regrouped(const SumOrder& order) {
    return llvm::any_of(order.levels, [](const OrderLevel& level) { return !level.is_in_order(); });
  }

  const RungRef& rung_;
  const RungRef* other_;
  const Function program_;
  uint64_t seed_;
};

/// The steps to which loops are owed whose parts are added as they come.
std::vector<std::string> arrivals_of(const Schedule& schedule, llvm::ArrayRef<SumOrder> orders) {
  const Provenance provenance(schedule);
  std::vector<std::string> steps;
  for (const SumOrder& order : orders)
    if (const For* loop = order.by_arrival())
      steps.push_back(provenance.origin_text(schedule.function().body, loop));
  return steps;
}

void add_params(const Function& function, NumbersReport& report) {
  report.depends_on = params_of_orders(report.orders);
  for (const ParamPtr& param : function.params)
    if (!llvm::is_contained(report.depends_on, param->name)) report.free_of.push_back(param->name);
}

bool is_chosen_by_size(const RungRef& rung, llvm::ArrayRef<BitsAtSizes> at) {
  const auto text = [&](const BitsAtSizes& one) {
    return build(rung, {{}, one.sizes}).trace_text();
  };
  const std::string first = text(at.front());
  return llvm::any_of(at.drop_front(), [&](const BitsAtSizes& one) { return text(one) != first; });
}

}  // namespace

int64_t BitsComparison::elements() const {
  int64_t sum = 0;
  for (const BitsAtSizes& one : at) sum += one.elements;
  return sum;
}

int64_t BitsComparison::different() const {
  int64_t sum = 0;
  for (const BitsAtSizes& one : at) sum += one.different;
  return sum;
}

NumbersReport numbers_of(const RungRef& rung, const RungRef* other, const Sizes& given,
                         uint64_t seed) {
  if (is_given_as_text(*rung.rung))
    throw UsageError("{} is given as kernels, and orders are read off the loops of a schedule",
                     rung.name());
  NumbersReport report;
  report.comparison = Comparer(rung, other, seed).run(given);
  const Schedule schedule = build(rung, {{}, report.comparison.at.front().sizes});
  report.orders = sum_orders(schedule.function());
  report.arrivals = arrivals_of(schedule, report.orders);
  report.is_chosen_by_size = is_chosen_by_size(rung, report.comparison.at);
  add_params(schedule.function(), report);
  return report;
}

}  // namespace hone
