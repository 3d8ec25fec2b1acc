#include "tools/cli/tune/tune_report.h"

#include <algorithm>
#include <cmath>

#include "tools/cli/estimate/rank_correlation.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

namespace json = llvm::json;

std::string count_text(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

size_t ranked(const Tuning& tuning) {
  return llvm::count_if(tuning.candidates(),
                        [](const TuneCandidate& one) { return milliseconds_of(one.model); });
}

size_t measured(const Tuning& tuning) {
  return llvm::count_if(tuning.candidates(),
                        [](const TuneCandidate& one) { return milliseconds_of(one.figure); });
}

/// "H100 SXM", of the results that the winner is chosen by.
std::string gpu_of(const Tuning& tuning) {
  return value_or(tuning.result_of(tuning.winner()).getString("gpu"), "").str();
}

/// Those with a time, the fastest first.
std::vector<const TuneCandidate*> in_order(const Tuning& tuning) {
  const auto time = [&](const TuneCandidate* one) {
    return milliseconds_of(tuning.result_of(*one));
  };
  std::vector<const TuneCandidate*> order;
  for (const TuneCandidate& one : tuning.candidates())
    if (time(&one)) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* lhs, const auto* rhs) { return *time(lhs) < *time(rhs); });
  return order;
}

std::string line_of(const Tuning& tuning, const TuneCandidate& candidate) {
  const MeasureResult& result = tuning.result_of(candidate);
  std::string line = fmt::format("//   {:.4g} ms", *milliseconds_of(result));
  if (tuning.is_measured())
    line += fmt::format(" +- {:.2g}", value_or(result.getNumber("spread"), 0) / 2);
  line += "  " + name_of(candidate);
  if (const auto bound = candidate.model.getString("bound"))
    line += fmt::format("  (bound by {})", bound->str());
  return line + "\n";
}

/// Candidates without a rank, of those that were to have one, or of the others.
size_t not_ranked(const Tuning& tuning, bool were_to_be) {
  return llvm::count_if(tuning.candidates(), [&](const TuneCandidate& one) {
    return one.model.empty() && one.is_to_rank == were_to_be;
  });
}

/// ", 20 not reached in 60 s" where the budget has ended; ", 40 behind them" of those that were not
/// to be ranked, as all of them have a formula; ", 3 without an estimate", and why the first has
/// none.
std::string rest_text(const Tuning& tuning) {
  const size_t rest = not_ranked(tuning, true), by_formula = not_ranked(tuning, false);
  std::string text;
  if (by_formula > 0) text = fmt::format(", {} behind them by the formula of the rung", by_formula);
  if (rest > 0) text += fmt::format(", {} not reached in {:g} s", rest, tuning.options().budget);
  const auto failed = tuning.candidates().size() - rest - by_formula - ranked(tuning);
  if (failed == 0) return text;
  const auto* const first = llvm::find_if(tuning.candidates(), [](const TuneCandidate& one) {
    return !one.model.empty() && !milliseconds_of(one.model);
  });
  const std::string problem = value_or(first->model.getString("problem"), llvm::StringRef()).str();
  return text + fmt::format(", {} without an estimate ({})", failed,
                            llvm::StringRef(problem).split('\n').first.str());
}

std::string method_text(const Tuning& tuning) {
  const std::string by_model = count_text(ranked(tuning), "schedule") + " ranked by the model";
  if (!tuning.is_measured())
    return fmt::format("{} of {}{}, none measured: these are estimates", by_model, gpu_of(tuning),
                       rest_text(tuning));
  const std::string left_out =
      tuning.left_out() == 0
          ? ""
          : fmt::format(", {} left out after {:g} s", tuning.left_out(), tuning.options().budget);
  return fmt::format("{}{}, {} measured on {}{}", by_model, rest_text(tuning), measured(tuning),
                     gpu_of(tuning), left_out);
}

std::string verdict_text(const Tuning& tuning) {
  const TuneCandidate& winner = tuning.winner();
  const auto own = milliseconds_of(tuning.result_of(tuning.own()));
  if (&winner == &tuning.incumbent())
    return fmt::format("{} stays: no other is faster beyond the spread",
                       winner.is_own ? "the rung's own schedule"
                                     : "the schedule of the table, " + name_of(winner) + ",");
  if (!own) return "the rung's own schedule has no time; the best: " + name_of(winner);
  return fmt::format("the best, {:.2f} times as fast as the rung's own schedule: {}",
                     *own / *milliseconds_of(tuning.result_of(winner)), name_of(winner));
}

/// The model beside the measured times: the speed of its first choice as a share of the best's, and
/// how far the orders agree.
struct ModelFigures {
  std::optional<double> first_choice;
  std::optional<double> rank_correlation;
  size_t schedules = 0;  ///< that have both times
};

ModelFigures model_figures(const Tuning& tuning) {
  std::vector<double> estimated, measured;
  for (const TuneCandidate& one : tuning.candidates()) {
    const auto model = milliseconds_of(one.model), figure = milliseconds_of(one.figure);
    if (!model || !figure) continue;
    estimated.push_back(*model);
    measured.push_back(*figure);
  }
  ModelFigures figures = {{}, {}, measured.size()};
  if (const double rank = rank_correlation(estimated, measured); !std::isnan(rank))
    figures.rank_correlation = rank;
  const auto first = milliseconds_of(tuning.candidates().front().figure);
  if (first && !measured.empty())
    figures.first_choice = *std::min_element(measured.begin(), measured.end()) / *first;
  return figures;
}

/// The order among the best alone says little, as they are close to each other.
std::string model_text(const Tuning& tuning) {
  if (!tuning.is_measured()) return "";
  const ModelFigures figures = model_figures(tuning);
  std::string text;
  if (figures.first_choice)
    text = fmt::format("// the model's first choice has {:.0f} % of the speed of the best",
                       *figures.first_choice * 100);
  if (tuning.options().others > 0 && figures.rank_correlation)
    text += fmt::format("{}rank correlation {:.2f}, of {}", text.empty() ? "// the model: " : "; ",
                        *figures.rank_correlation, count_text(figures.schedules, "schedule"));
  return text.empty() ? "" : text + "\n";
}

json::Value model_json(const Tuning& tuning) {
  if (!tuning.is_measured()) return nullptr;
  const ModelFigures figures = model_figures(tuning);
  const auto number = [](const std::optional<double>& value) {
    return value ? json::Value(*value) : json::Value(nullptr);
  };
  return json::Object{{"schedules", static_cast<int64_t>(figures.schedules)},
                      {"first_choice", number(figures.first_choice)},
                      {"rank_correlation", number(figures.rank_correlation)}};
}

json::Object to_json(const tune::Parameters& parameters) {
  json::Object object;
  for (const tune::Parameter& one : parameters) object[one.name] = one.value;
  return object;
}

json::Value or_null(const MeasureResult& result) {
  if (result.empty()) return nullptr;
  json::Object figures;
  for (const char* const field :
       {"status", "problem", "milliseconds", "spread", "samples", "gpu", "bound", "check", "hash"})
    if (const json::Value* const value = result.get(field)) figures[field] = *value;
  return figures;
}

json::Object to_json(const TuneCandidate& candidate) {
  return json::Object{{"parameters", to_json(candidate.parameters)},
                      {"is_own", candidate.is_own},
                      {"steps", *candidate.job.steps},
                      {"formula", or_null(candidate.formula)},
                      {"model", or_null(candidate.model)},
                      {"measured", or_null(candidate.figure)}};
}

}  // namespace

std::string name_of(const TuneCandidate& candidate) {
  const std::string parameters = to_text(candidate.parameters);
  if (!candidate.is_own) return parameters.empty() ? "that of the table" : parameters;
  return "its own schedule" + (parameters.empty() ? "" : ", " + parameters);
}

std::string summary(const Tuning& tuning, const std::string& rung) {
  std::string text = fmt::format("// {}: {}; {}, {} refused, {} without effect\n// {}\n//\n", rung,
                                 to_text(tuning.options().sizes),
                                 count_text(tuning.candidates().size(), "schedule"),
                                 tuning.refused().size(), tuning.repeated(), method_text(tuning));
  const auto order = in_order(tuning);
  for (size_t n = 0; n < order.size(); ++n)
    if (n < tuning.options().top || order[n]->is_own) text += line_of(tuning, *order[n]);
  return text + fmt::format("//\n{}// {}\n", model_text(tuning), verdict_text(tuning));
}

json::Value to_json(const Tuning& tuning, const std::string& rung) {
  json::Array candidates, refused;
  for (const TuneCandidate& one : tuning.candidates()) candidates.push_back(to_json(one));
  for (const tune::Refusal& one : tuning.refused())
    refused.push_back(
        json::Object{{"parameters", to_json(one.parameters)}, {"problem", one.reason}});
  return json::Object{{"rung", rung},
                      {"sizes", hone::to_json(tuning.options().sizes)},
                      {"is_measured", tuning.is_measured()},
                      {"candidates", std::move(candidates)},
                      {"refused", std::move(refused)},
                      {"repeated", tuning.repeated()},
                      {"model", model_json(tuning)},
                      {"winner", to_json(tuning.winner())}};
}

}  // namespace hone
