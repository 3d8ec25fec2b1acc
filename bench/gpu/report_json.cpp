#include <cmath>

#include "bench/gpu/report.h"
#include "fmt/ranges.h"

namespace hone {
namespace {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20;
    if (c == '"' || c == '\\') result += '\\';
    result += is_control ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
  return result + "\"";
}

/// JSON has no NaN.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.7g}", value) : "null";
}

/// Puts an object together, a member a line.
class Object {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ",\n   ", json_string(name), value);
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string json(const Spread& spread) {
  return fmt::format(R"({{"median": {}, "p10": {}, "p90": {}}})", number(spread.median),
                     number(spread.p10), number(spread.p90));
}

std::string json(const InstructionCounts& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_string(name), count);
  return "{" + text + "}";
}

std::string json(const Stage& stage) {
  return fmt::format(R"({{"kernel": {}, "registers": {}, "spilled_bytes": {}, "stack_bytes": {}, )"
                     R"("shared_bytes": {}, "grid": [{}], "block": [{}]}})",
                     json_string(stage.entry), stage.resources.registers, stage.spilled_bytes(),
                     stage.resources.stack_bytes, stage.shared_bytes(),
                     fmt::join(stage.dims.grid, ", "), fmt::join(stage.dims.block, ", "));
}

std::string json(const Contender& contender) {
  std::string launches;
  for (const Stage& stage : contender.stages)
    launches += (launches.empty() ? "" : ", ") + json(stage);
  std::string text =
      fmt::format(R"({{"barriers": {}, "launches": [{}])", contender.barriers(), launches);
  if (contender.code) text += ",\n    \"code\": " + json(*contender.code);
  return text + "}";
}

/// The fields of every measurement.
Object object_of(const Measurement& measurement) {
  Object object;
  object.add("rung", json_string(measurement.name()));
  object.add("size", json_string(measurement.size));
  if (!measurement.failure.empty())
    object.add(measurement.skipped ? "skipped" : "failure", json_string(measurement.failure));
  if (measurement.copy) {
    object.add("copy_milliseconds", json(*measurement.copy));
    object.add("copy_rate", number(measurement.rate(*measurement.copy)));
  }
  return object;
}

std::string json(const Comparison& comparison) {
  Object object = object_of(comparison);
  if (!comparison.failure.empty()) return object.text();
  const std::string hone = comparison.hone_side, hand = comparison.hand_side;
  object.add(hone, json(comparison.hone));
  object.add(hand, json(comparison.hand));
  if (const auto& check = comparison.check) {
    object.add("right", check->right() ? "true" : "false");
    object.add("apart", number(check->apart));
    object.add(hone + "_error", number(check->hone_error));
    object.add(hand + "_error", number(check->hand_error));
  }
  if (const auto& times = comparison.times) {
    object.add(hone + "_milliseconds", json(times->hone));
    object.add(hand + "_milliseconds", json(times->hand));
    object.add("ratio", json(times->ratio));
    object.add("rounds", fmt::format("{}, \"batch\": {}", times->rounds, times->batch));
    object.add(hone + "_rate", number(comparison.rate(times->hone)));
    object.add(hand + "_rate", number(comparison.rate(times->hand)));
    object.add("unit", json_string(comparison.work_per));
  }
  return object.text();
}

std::string json(const Trial& trial) {
  Object object = object_of(trial);
  if (!trial.failure.empty()) return object.text();
  object.add("hand", json(trial.contender));
  if (!trial.times) return object.text();
  object.add("right", trial.passed() ? "true" : "false");
  object.add("hand_error", number(*trial.error));
  object.add("edges", fmt::format(R"({{"problems": {}, "wrong": {}}})", trial.edges.problems,
                                  trial.edges.wrong));
  object.add("hand_milliseconds", json(*trial.times));
  object.add("hand_rate", number(trial.rate(*trial.times)));
  object.add("unit", json_string(trial.work_per));
  return object.text();
}

template <class T>
std::string document(const Facts& machine, const std::vector<T>& measurements) {
  std::string facts, list;
  for (const auto& [name, value] : machine)
    facts +=
        fmt::format("{}{}: {}", facts.empty() ? "" : ", ", json_string(name), json_string(value));
  for (const T& measurement : measurements)
    list += (list.empty() ? "  " : ",\n  ") + json(measurement);
  return fmt::format("{{\"machine\": {{{}}},\n \"rungs\": [\n{}]}}\n", facts, list);
}

}  // namespace

std::string to_json(const Facts& machine, const std::vector<Comparison>& comparisons) {
  return document(machine, comparisons);
}

std::string to_json(const Facts& machine, const std::vector<Trial>& trials) {
  return document(machine, trials);
}

}  // namespace hone
