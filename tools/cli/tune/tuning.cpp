#include "tools/cli/tune/tuning.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tools/cli/json_text.h"
#include "tools/cli/profile/profile.h"
#include "tools/cli/tune/rounds.h"

namespace hone {
namespace {

namespace json = llvm::json;

double time_or_infinity(const MeasureResult& result) {
  return milliseconds_of(result).value_or(std::numeric_limits<double>::infinity());
}

/// The distance up to which two times are the same. The model is not sure of less than a fiftieth.
double spread_of(const MeasureResult& result) {
  constexpr double share_of_model = 0.02;
  if (result.getString("source") == llvm::StringRef("model"))
    return share_of_model * time_or_infinity(result);
  return value_or(result.getNumber("spread"), 0);
}

/// In large steps: a budget that ends early has seen all parts of the space.
std::vector<TuneCandidate*> in_large_steps(const std::vector<TuneCandidate*>& all) {
  size_t step = std::max<size_t>(all.size() * 5 / 8, 1);
  while (std::gcd(step, all.size()) > 1) ++step;
  std::vector<TuneCandidate*> order;
  for (size_t n = 0; n < all.size(); ++n) order.push_back(all[n * step % all.size()]);
  return order;
}

UsageError no_space(const RungRef& rung) {
  std::vector<std::string> others;
  for (const Rung& one : rung.ladder->rungs)
    if (one.space) others.push_back(rung.ladder->name + "/" + one.name);
  return UsageError("{} has no parameters to tune; {}", rung.name(),
                    others.empty() ? "no rung of its ladder has any"
                                   : join_names(others) + (others.size() == 1 ? " has" : " have"));
}

}  // namespace

std::optional<double> milliseconds_of(const MeasureResult& result) {
  const auto time = result.getNumber("milliseconds");
  if (result.getString("status") != llvm::StringRef("measured") || !time) return std::nullopt;
  return *time;
}

Tuning::Tuning(const RungRef& rung, const std::string& device, const TuneOptions& options,
               llvm::ArrayRef<Ladder> ladders)
    : rung_(rung), device_(device), options_(options) {
  if (!rung.rung->space) throw no_space(rung);
  MeasureJob job;
  job.program = rung.name();
  job.sizes = options.sizes;
  job.are_constants = options.are_constants;
  const std::string own_steps = *completed(job, ladders).steps;
  add({}, own_steps, true);
  incumbent_ = options.incumbent.value_or(own_steps);
  const Sizes fixed = options.are_constants ? options.sizes : Sizes();
  tune::Space space = tune::explore(
      [&](tune::Choices& choices) { return rung.rung->space(fixed, options.sizes, choices); });
  refused_ = std::move(space.refused);
  repeated_ = space.repeated;
  for (tune::Candidate& one : space.candidates) {
    const bool is_own = one.steps == own_steps;
    if (is_own)
      candidates_[0].parameters = std::move(one.parameters);
    else
      add(std::move(one.parameters), one.steps, false);
    if (one.expectation)
      (is_own ? candidates_.front() : candidates_.back()).formula = result_of(*one.expectation);
  }
  if (llvm::none_of(candidates_, [&](auto& one) { return is_incumbent(one); }))
    add({}, incumbent_, false);
}

/// The author's estimate, as a result of the model; empty where its GPU is of another architecture.
MeasureResult Tuning::result_of(const tune::Expectation& expectation) const {
  if (named_gpu(expectation.gpu).arch != named_gpu(options_.gpu).arch) return {};
  return MeasureResult{{"status", "measured"},
                       {"source", "model"},
                       {"gpu", expectation.gpu},
                       {"milliseconds", expectation.seconds * 1e3}};
}

void Tuning::add(tune::Parameters parameters, const std::string& steps, bool is_own) {
  MeasureJob job;
  job.id = is_own ? "own" : to_text(parameters);
  job.program = rung_.name();
  job.steps = steps;
  job.sizes = options_.sizes;
  job.are_constants = options_.are_constants;
  job.seed = options_.seed;
  job.device = device_;
  job.gpu = options_.gpu;
  job.blocks = options_.blocks;
  candidates_.push_back({std::move(parameters), is_own, std::move(job)});
}

Tuning::Clock::time_point Tuning::after(double share) const {
  const std::chrono::duration<double> seconds(options_.budget * share);
  return begin_ + std::chrono::duration_cast<Clock::duration>(seconds);
}

/// Jobs that run when a share of the budget ends have a little longer.
Tuning::Clock::time_point Tuning::stop_after(double share) const {
  constexpr std::chrono::seconds grace(2);
  return after(share) + grace;
}

/// Null where no candidate has a time.
const TuneCandidate* Tuning::best() const {
  const auto best =
      std::min_element(candidates_.begin(), candidates_.end(),
                       [&](const TuneCandidate& lhs, const TuneCandidate& rhs) {
                         return time_or_infinity(result_of(lhs)) < time_or_infinity(result_of(rhs));
                       });
  return milliseconds_of(result_of(*best)) ? &*best : nullptr;
}

/// The rung's own schedule, the incumbent, and the rest in the order that it has.
void Tuning::put_first(std::vector<TuneCandidate*>& order) const {
  const auto rank = [&](const TuneCandidate* one) {
    return one->is_own ? 0 : is_incumbent(*one) ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* lhs, const auto* rhs) { return rank(lhs) < rank(rhs); });
}

void Tuning::sort_by(MeasureResult TuneCandidate::*estimate) {
  std::stable_sort(candidates_.begin(), candidates_.end(), [&](const auto& lhs, const auto& rhs) {
    return time_or_infinity(lhs.*estimate) < time_or_infinity(rhs.*estimate);
  });
}

std::vector<TuneCandidate*> Tuning::spread_over_space() {
  std::vector<TuneCandidate*> others;
  for (TuneCandidate& one : llvm::drop_begin(candidates_)) others.push_back(&one);
  std::vector<TuneCandidate*> order = in_large_steps(others);
  order.insert(order.begin(), &candidates_.front());
  put_first(order);
  return order;
}

/// Estimates of several kinds may choose what is measured, as figures choose the winner then.
std::vector<TuneCandidate*> Tuning::to_estimate() {
  const auto formulas = static_cast<size_t>(
      llvm::count_if(candidates_, [](const auto& one) { return !one.formula.empty(); }));
  if (device_ == "sim" && formulas > 0 && formulas < candidates_.size()) {
    sort_by(&TuneCandidate::formula);
    return finalists_and_those_without_formula();
  }
  for (TuneCandidate& one : candidates_) one.model = one.formula;
  return spread_over_space();
}

/// The finalists by their formulas, and then all candidates that have none.
std::vector<TuneCandidate*> Tuning::finalists_and_those_without_formula() {
  std::vector<TuneCandidate*> order = finalists(), others;
  for (TuneCandidate& one : candidates_)
    if (one.formula.empty() && !llvm::is_contained(order, &one)) others.push_back(&one);
  llvm::append_range(order, in_large_steps(others));
  return order;
}

void Tuning::rank(MeasureDesk& desk, const TuneProgress& progress) {
  const double share = device_ == "sim" ? 1 : 0.5;
  const Clock::time_point end = after(share);
  desk.crew().stop_at(stop_after(share));
  size_t ranked = 0;
  const std::vector<TuneCandidate*> order = to_estimate();
  for (TuneCandidate* const one : order) one->is_to_rank = true;
  for (TuneCandidate* const one : order) {
    if (!one->model.empty()) continue;
    while (!desk.crew().has_room()) desk.crew().turn();
    if (!one->is_own && !is_incumbent(*one) && Clock::now() >= end) break;
    MeasureJob job = one->job;
    job.device = "sim";
    job.has_check = false;
    desk.take(job, [&, one](const MeasureResult& result) {
      if (is_stopped(result)) return;
      one->model = result;
      progress(fmt::format("ranked {} of {}", ++ranked, order.size()), best());
    });
  }
  desk.crew().finish();
  sort_by(&TuneCandidate::model);
}

/// The rung's own schedule, the incumbent, the first candidates, and some of those behind them.
std::vector<TuneCandidate*> Tuning::finalists() {
  std::vector<TuneCandidate*> all, rest;
  for (TuneCandidate& one : candidates_) {
    if (one.is_own || is_incumbent(one) || all.size() < options_.top)
      all.push_back(&one);
    else if (milliseconds_of(one.model))
      rest.push_back(&one);
  }
  put_first(all);
  const size_t others = std::min(options_.others, rest.size());
  for (size_t n = 0; n < others; ++n) all.push_back(rest[n * rest.size() / others]);
  return all;
}

void Tuning::measure(MeasureDesk& desk, const TuneProgress& progress) {
  is_measured_ = true;
  std::vector<TuneCandidate*> left;
  std::vector<MeasureJob> jobs;
  for (TuneCandidate* const one : finalists()) {
    if (const auto known = desk.known(one->job)) {
      one->figure = *known;
      continue;
    }
    left.push_back(one);
    jobs.push_back(one->job);
  }
  const RoundOptions rounds = {options_.rounds, options_.workers, after(1)};
  WorkerStart start = desk.start();
  start.end = stop_after(1);
  size_t samples = 0;
  const auto answers = measure_in_rounds(start, jobs, rounds, [&](size_t n, double milliseconds) {
    left[n]->figure = MeasureResult{{"status", "measured"}, {"milliseconds", milliseconds}};
    progress(fmt::format("sample {} of {}", ++samples, jobs.size() * options_.rounds), best());
  });
  left_out_ = llvm::count_if(answers, [](auto& answer) { return answer.empty(); });
  for (size_t n = 0; n < left.size(); ++n)
    left[n]->figure = answers[n].empty() ? json::Object() : desk.record(jobs[n], answers[n]);
  is_measured_ = llvm::any_of(candidates_, [](auto& one) { return !one.figure.empty(); });
}

const TuneCandidate& Tuning::own() const {
  return *llvm::find_if(candidates_, [](const TuneCandidate& one) { return one.is_own; });
}

const TuneCandidate& Tuning::incumbent() const {
  return *llvm::find_if(candidates_, [&](const TuneCandidate& one) { return is_incumbent(one); });
}

const TuneCandidate& Tuning::winner() const {
  const TuneCandidate* const fastest = best();
  if (!fastest)
    throw RuntimeError("no schedule of {} has a time; that of the rung itself: {}", rung_.name(),
                       value_or(result_of(own()).getString("problem"), "not measured").str());
  const MeasureResult& known = result_of(incumbent());
  if (!milliseconds_of(known)) return *fastest;
  const double gain = *milliseconds_of(known) - *milliseconds_of(result_of(*fastest));
  const double spread = std::max(spread_of(known), spread_of(result_of(*fastest)));
  return gain > spread ? *fastest : incumbent();
}

}  // namespace hone
