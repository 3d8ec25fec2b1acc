#include "bench/gpu/report.h"

#include <cmath>

#include "fmt/ranges.h"

namespace hone {
namespace {

int spilled_bytes(const Contender& contender) {
  return contender.resources.spill_store_bytes + contender.resources.spill_load_bytes;
}

/// Hone's and the hand-written kernel's.
template <class T>
std::string both(const T& hone, const T& hand) {
  return fmt::format("{}/{}", hone, hand);
}

std::string resources_text(const Comparison& comparison) {
  const Contender &hone = comparison.hone, &hand = comparison.hand;
  return fmt::format("{:>7} {:>6} {:>7}", both(hone.resources.registers, hand.resources.registers),
                     both(spilled_bytes(hone), spilled_bytes(hand)),
                     comparison.same_launch() ? "equal" : "differs");
}

std::string name_text(const Comparison& comparison) {
  return fmt::format("{:27} {:>9}", comparison.rung, comparison.length);
}

/// "0.3481  1.2%": the median, and how far apart the 10th and the 90th percentile are.
std::string milliseconds(const Spread& spread) {
  return fmt::format("{:9.4f} {:4.1f}%", spread.median,
                     100 * (spread.p90 - spread.p10) / spread.median);
}

std::string timing_line(const Comparison& comparison) {
  if (!comparison.failure.empty())
    return fmt::format("{} failed: {}\n", name_text(comparison), comparison.failure);
  const auto& [hone, hand, ratio, rounds, batch] = *comparison.times;
  const Check& check = *comparison.check;
  const std::string times = fmt::format("{} {}", milliseconds(hone), milliseconds(hand));
  const std::string ratios =
      fmt::format("{:6.3f} {:5.3f}-{:5.3f}", ratio.median, ratio.p10, ratio.p90);
  const std::string rates = fmt::format("{:6.0f} {:6.0f} {:6}", comparison.rate(hone),
                                        comparison.rate(hand), comparison.work_per);
  return fmt::format("{} {} {} {} {} {:>7} {} {:.0e} {:.0e}\n", name_text(comparison), times,
                     ratios, rates, resources_text(comparison), both(rounds, batch),
                     check.right() ? "right" : "WRONG", check.apart, check.hone_error);
}

bool is_of_interest(std::string_view instruction) {
  for (const char* prefix : {"FFMA", "LDG", "STG", "LDS", "STS", "BAR"})
    if (instruction.starts_with(prefix)) return true;
  return false;
}

int count_of(const InstructionCounts& counts, const std::string& instruction) {
  const auto found = counts.find(instruction);
  return found == counts.end() ? 0 : found->second;
}

int total_of(const InstructionCounts& counts) {
  int total = 0;
  for (const auto& [instruction, count] : counts) total += count;
  return total;
}

/// "FFMA 4/4  LDG 8/8  STG 1/1  all 96/88"
std::string code_text(const InstructionCounts& hone, const InstructionCounts& hand) {
  InstructionCounts either = hone;
  either.insert(hand.begin(), hand.end());
  std::string text;
  for (const auto& [name, count] : either)
    if (is_of_interest(name))
      text += fmt::format("{} {}  ", name, both(count_of(hone, name), count_of(hand, name)));
  return text + "all " + both(total_of(hone), total_of(hand));
}

std::string code_line(const Comparison& comparison) {
  if (!comparison.failure.empty())
    return fmt::format("{} failed: {}\n", name_text(comparison), comparison.failure);
  const std::string code = comparison.hone_code
                               ? code_text(*comparison.hone_code, *comparison.hand_code)
                               : "unknown without nvdisasm";
  return fmt::format("{} {}  {}\n", name_text(comparison), resources_text(comparison), code);
}

// ---- JSON
// ----------------------------------------------------------------------------------------

std::string quoted(std::string_view text) {
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

std::string json(const Spread& spread) {
  return fmt::format(R"({{"median": {}, "p10": {}, "p90": {}}})", number(spread.median),
                     number(spread.p10), number(spread.p90));
}

std::string json(const Contender& contender) {
  return fmt::format(
      R"({{"registers": {}, "spilled_bytes": {}, "stack_bytes": {}, "grid": [{}], "block": [{}]}})",
      contender.resources.registers, spilled_bytes(contender), contender.resources.stack_bytes,
      fmt::join(contender.dims.grid, ", "), fmt::join(contender.dims.block, ", "));
}

std::string json(const InstructionCounts& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", quoted(name), count);
  return "{" + text + "}";
}

std::string json(const Comparison& comparison) {
  std::string text =
      fmt::format(R"({{"rung": {}, "length": {})", quoted(comparison.rung), comparison.length);
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format(",\n   {}: {}", quoted(name), value);
  };
  if (!comparison.failure.empty()) {
    add("failure", quoted(comparison.failure));
    return text + "}";
  }
  add("hone", json(comparison.hone));
  add("hand", json(comparison.hand));
  if (comparison.hone_code) {
    add("hone_code", json(*comparison.hone_code));
    add("hand_code", json(*comparison.hand_code));
  }
  if (const auto& check = comparison.check) {
    add("right", check->right() ? "true" : "false");
    add("apart", number(check->apart));
    add("hone_error", number(check->hone_error));
    add("hand_error", number(check->hand_error));
  }
  if (const auto& times = comparison.times) {
    add("hone_milliseconds", json(times->hone));
    add("hand_milliseconds", json(times->hand));
    add("ratio", json(times->ratio));
    add("rounds", fmt::format("{}, \"batch\": {}", times->rounds, times->batch));
    add("hone_rate", number(comparison.rate(times->hone)));
    add("hand_rate", number(comparison.rate(times->hand)));
    add("unit", quoted(comparison.work_per));
  }
  return text + "}";
}

}  // namespace

std::string timing_table(const std::vector<Comparison>& comparisons) {
  std::string text = fmt::format(
      "{:27} {:>9} {:>9} {:>5} {:>9} {:>5} {:>6} {:>11} {:>6} {:>6} {:6} {:>7} {:>6} {:>7} {:>7} "
      "{}\n",
      "rung", "size", "hone ms", "", "hand ms", "", "ratio", "p10-p90", "hone", "hand", "", "regs",
      "spills", "launch", "rounds", "result, apart, error");
  for (const Comparison& comparison : comparisons) text += timing_line(comparison);
  return text;
}

std::string code_table(const std::vector<Comparison>& comparisons) {
  std::string text = fmt::format("{:27} {:>9} {:>7} {:>6} {:>7}  {}\n", "rung", "size", "regs",
                                 "spills", "launch", "instructions");
  for (const Comparison& comparison : comparisons) text += code_line(comparison);
  return text;
}

std::string to_json(const std::map<std::string, std::string>& machine,
                    const std::vector<Comparison>& comparisons) {
  std::string facts, list;
  for (const auto& [name, value] : machine)
    facts += fmt::format("{}{}: {}", facts.empty() ? "" : ", ", quoted(name), quoted(value));
  for (const Comparison& comparison : comparisons)
    list += (list.empty() ? "  " : ",\n  ") + json(comparison);
  return fmt::format("{{\"machine\": {{{}}},\n \"rungs\": [\n{}]}}\n", facts, list);
}

}  // namespace hone
