#include <cmath>

#include "bench/gpu/report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace hone {
namespace {

namespace json = llvm::json;

/// JSON has no NaN.
json::Value number(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

json::Object to_json(const Spread& spread) {
  return json::Object{
      {"median", number(spread.median)}, {"p10", number(spread.p10)}, {"p90", number(spread.p90)}};
}

json::Object to_json(const InstructionCounts& counts) {
  json::Object object;
  for (const auto& [name, count] : counts) object[name] = count;
  return object;
}

json::Object to_json(const Stage& stage) {
  return json::Object{{"kernel", stage.entry},
                      {"registers", stage.resources.registers},
                      {"spilled_bytes", stage.spilled_bytes()},
                      {"stack_bytes", stage.resources.stack_bytes},
                      {"shared_bytes", stage.shared_bytes()},
                      {"grid", json::Array(stage.dims.grid)},
                      {"block", json::Array(stage.dims.block)}};
}

json::Object to_json(const Contender& contender) {
  json::Array launches;
  for (const Stage& stage : contender.stages) launches.push_back(to_json(stage));
  json::Object object{{"barriers", contender.barriers()}, {"launches", std::move(launches)}};
  if (contender.code) object["code"] = to_json(*contender.code);
  return object;
}

/// The fields of every measurement.
json::Object fields_of(const Measurement& measurement) {
  json::Object object{{"rung", measurement.name()}, {"size", measurement.size}};
  if (!measurement.failure.empty())
    object[measurement.skipped ? "skipped" : "failure"] = measurement.failure;
  if (measurement.copy) {
    object["copy_milliseconds"] = to_json(*measurement.copy);
    object["copy_rate"] = number(measurement.rate(*measurement.copy));
  }
  return object;
}

json::Object to_json(const Comparison& comparison) {
  json::Object object = fields_of(comparison);
  if (!comparison.failure.empty()) return object;
  const std::string hone = comparison.hone_side, hand = comparison.hand_side;
  object[hone] = to_json(comparison.hone);
  object[hand] = to_json(comparison.hand);
  if (const auto& check = comparison.check) {
    object["right"] = check->right();
    object["apart"] = number(check->apart);
    object[hone + "_error"] = number(check->hone_error);
    object[hand + "_error"] = number(check->hand_error);
  }
  if (const auto& times = comparison.times) {
    object[hone + "_milliseconds"] = to_json(times->hone);
    object[hand + "_milliseconds"] = to_json(times->hand);
    object["ratio"] = to_json(times->ratio);
    object["rounds"] = times->rounds;
    object[hone + "_batch"] = times->hone_batch;
    object[hand + "_batch"] = times->hand_batch;
    object[hone + "_rate"] = number(comparison.rate(times->hone));
    object[hand + "_rate"] = number(comparison.rate(times->hand));
    object["unit"] = comparison.work_per;
  }
  return object;
}

json::Object to_json(const Trial& trial) {
  json::Object object = fields_of(trial);
  if (!trial.failure.empty()) return object;
  object["hand"] = to_json(trial.contender);
  if (!trial.times) return object;
  object["right"] = trial.passed();
  object["hand_error"] = number(*trial.error);
  object["edges"] = json::Object{{"problems", trial.edges.problems}, {"wrong", trial.edges.wrong}};
  object["hand_milliseconds"] = to_json(*trial.times);
  object["hand_rate"] = number(trial.rate(*trial.times));
  object["unit"] = trial.work_per;
  return object;
}

template <class T>
std::string document(const MachineFacts& machine, const std::vector<T>& measurements) {
  json::Object facts;
  for (const auto& [name, value] : machine) facts[name] = value;
  json::Array rungs;
  for (const T& measurement : measurements) rungs.push_back(to_json(measurement));
  json::Value value = json::Object{{"machine", std::move(facts)}, {"rungs", std::move(rungs)}};
  return llvm::formatv("{0:2}\n", value).str();
}

}  // namespace

std::string to_json(const MachineFacts& machine, const std::vector<Comparison>& comparisons) {
  return document(machine, comparisons);
}

std::string to_json(const MachineFacts& machine, const std::vector<Trial>& trials) {
  return document(machine, trials);
}

}  // namespace hone
