#include "bench/gpu/report.h"

#include "fmt/ranges.h"

namespace hone {
namespace {

/// Hone's and the hand-written kernel's.
template <class T>
std::string both(const T& hone, const T& hand) {
  return fmt::format("{}/{}", hone, hand);
}

std::string name_text(const Measurement& measurement) {
  return fmt::format("{:30} {:>13}", measurement.name(), measurement.size);
}

std::string failure_line(const Measurement& measurement) {
  return fmt::format("{} {}: {}\n", name_text(measurement),
                     measurement.skipped ? "skipped" : "failed", measurement.failure);
}

/// "0.3481  1.2%": the median, and how far apart the 10th and the 90th percentile are.
std::string milliseconds(const Spread& spread) {
  return fmt::format("{:9.4f} {:4.1f}%", spread.median,
                     100 * (spread.p90 - spread.p10) / spread.median);
}

// ---- times

/// The rate of a copy on the device, before the first line of those that are compared with it.
template <class T>
std::string copy_line(const std::vector<T>& measurements, size_t n) {
  const Measurement& here = measurements[n];
  if (!here.copy) return "";
  for (size_t before = 0; before < n; ++before)
    if (measurements[before].copy && measurements[before].ladder == here.ladder &&
        measurements[before].size == here.size)
      return "";
  return fmt::format("{:30} {:>13} {} {:6.0f} GB/s, as a device-to-device copy of as many bytes\n",
                     here.ladder, here.size, milliseconds(*here.copy), here.rate(*here.copy));
}

/// A kernel's share of the rate of a copy.
std::string copy_share(const Measurement& measurement, const Spread& times) {
  if (!measurement.copy) return "";
  return fmt::format("{:.3f}", measurement.copy->median / times.median);
}

std::string timing_line(const Comparison& comparison) {
  if (!comparison.failure.empty()) return failure_line(comparison);
  const auto& [hone, hand, ratio, rounds, batch, hand_batch] = *comparison.times;
  const Check& check = *comparison.check;
  const std::string ratios =
      fmt::format("{:6.3f} {:5.3f}-{:5.3f}", ratio.median, ratio.p10, ratio.p90);
  const std::string rates = fmt::format("{:6.0f} {:6.0f} {:6}", comparison.rate(hone),
                                        comparison.rate(hand), comparison.work_per);
  return fmt::format("{} {} {} {} {} {:>5} {:>7} {} {:.0e} {:.0e}\n", name_text(comparison),
                     milliseconds(hone), milliseconds(hand), ratios, rates,
                     copy_share(comparison, hone), both(rounds, batch),
                     check.right() ? "right" : "WRONG", check.apart, check.hone_error);
}

std::string timing_line(const Trial& trial) {
  if (!trial.failure.empty()) return failure_line(trial);
  const auto& [problems, wrong] = trial.edges;
  return fmt::format("{} {} {:6.0f} {:6} {:>5} {} {:.0e} {:>5}\n", name_text(trial),
                     milliseconds(*trial.times), trial.rate(*trial.times), trial.work_per,
                     copy_share(trial, *trial.times), trial.passed() ? "right" : "WRONG",
                     *trial.error, both(problems - wrong, problems));
}

template <class T>
std::string timing_lines(const std::vector<T>& measurements) {
  std::string text;
  for (size_t n = 0; n < measurements.size(); ++n)
    text += copy_line(measurements, n) + timing_line(measurements[n]);
  return text;
}

// ---- machine code

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

/// The instructions of interest that stand in either code.
std::vector<std::string> interesting(InstructionCounts either, const InstructionCounts& other) {
  either.insert(other.begin(), other.end());
  std::vector<std::string> names;
  for (const auto& [name, count] : either)
    if (is_of_interest(name)) names.push_back(name);
  return names;
}

/// "5%": how far the counts are apart, of the instruction where that is most.
std::string mix_text(const Comparison& comparison) {
  if (!comparison.hone.code || !comparison.hand.code) return "";
  const InstructionCounts &hone = *comparison.hone.code, &hand = *comparison.hand.code;
  double most = 0;
  for (const std::string& name : interesting(hone, hand)) {
    const double lhs = count_of(hone, name), rhs = count_of(hand, name);
    most = std::max(most, std::abs(lhs - rhs) / std::max(lhs, rhs));
  }
  return fmt::format("{:.0f}%", 100 * most);
}

/// "FFMA 4/4  LDG 8/8  STG 1/1  all 96/88"
std::string code_text(const Comparison& comparison) {
  if (!comparison.hone.code || !comparison.hand.code) return "unknown without nvdisasm";
  const InstructionCounts &hone = *comparison.hone.code, &hand = *comparison.hand.code;
  std::string text;
  for (const std::string& name : interesting(hone, hand))
    text += fmt::format("{} {}  ", name, both(count_of(hone, name), count_of(hand, name)));
  return text + "all " + both(total_of(hone), total_of(hand));
}

std::string code_text(const Contender& contender) {
  if (!contender.code) return "unknown without nvdisasm";
  std::string text;
  for (const std::string& name : interesting(*contender.code, {}))
    text += fmt::format("{} {}  ", name, count_of(*contender.code, name));
  return text + fmt::format("all {}", total_of(*contender.code));
}

/// "32x32": without the ones at the end.
std::string extents_text(const std::array<int64_t, 3>& extents) {
  const size_t count = extents[2] != 1 ? 3 : extents[1] != 1 ? 2 : 1;
  return fmt::format("{}", fmt::join(extents.begin(), extents.begin() + count, "x"));
}

/// "32x32 of 256": blocks and their threads; "1024 of 256 + 1 of 1024" where another kernel
/// follows.
std::string launch_text(const Contender& contender) {
  std::string text;
  for (const Stage& stage : contender.stages)
    text += fmt::format("{}{} of {}", text.empty() ? "" : " + ", extents_text(stage.dims.grid),
                        extents_text(stage.dims.block));
  return text;
}

/// The launch and the resources of a contender that stands alone.
std::string resources_text(const Measurement& measurement, const Contender& contender) {
  return fmt::format("{} {:>21} {:>11} {:>8} {:>7} {:>6}", name_text(measurement),
                     launch_text(contender), contender.most_shared_bytes(), contender.barriers(),
                     contender.most_registers(), contender.spilled_bytes());
}

std::string code_line(const Comparison& comparison) {
  if (!comparison.failure.empty()) return failure_line(comparison);
  if (comparison.hand.stages.empty())
    return fmt::format("{} {:>5}  {}\n", resources_text(comparison, comparison.hone), "",
                       code_text(comparison.hone));
  const Contender &hone = comparison.hone, &hand = comparison.hand;
  std::string launch = launch_text(hand);
  if (!comparison.same_launch()) launch = launch_text(hone) + " / " + launch;
  return fmt::format("{} {:>21} {:>11} {:>8} {:>7} {:>6} {:>5}  {}\n", name_text(comparison),
                     launch, both(hone.most_shared_bytes(), hand.most_shared_bytes()),
                     both(hone.barriers(), hand.barriers()),
                     both(hone.most_registers(), hand.most_registers()),
                     both(hone.spilled_bytes(), hand.spilled_bytes()), mix_text(comparison),
                     code_text(comparison));
}

std::string code_line(const Trial& trial) {
  if (!trial.failure.empty()) return failure_line(trial);
  return fmt::format("{}  {}\n", resources_text(trial, trial.contender),
                     code_text(trial.contender));
}

bool same_code(const Contender& lhs, const Contender& rhs) {
  return lhs.source == rhs.source && lhs.most_shared_bytes() == rhs.most_shared_bytes();
}

bool same_code(const Comparison& lhs, const Comparison& rhs) {
  return same_code(lhs.hone, rhs.hone) && same_code(lhs.hand, rhs.hand);
}

bool same_code(const Trial& lhs, const Trial& rhs) {
  return same_code(lhs.contender, rhs.contender);
}

/// Leaves out lines that repeat that of a smaller size.
template <class T>
std::string code_lines(const std::vector<T>& measurements) {
  std::string text;
  for (size_t n = 0; n < measurements.size(); ++n) {
    bool is_new = true;
    for (size_t before = 0; before < n && is_new; ++before)
      is_new = measurements[before].name() != measurements[n].name() ||
               measurements[before].failure != measurements[n].failure ||
               !same_code(measurements[before], measurements[n]);
    if (is_new) text += code_line(measurements[n]);
  }
  return text;
}

}  // namespace

std::string timing_table(const std::vector<Comparison>& comparisons) {
  if (comparisons.empty()) return "";
  const std::string hone = comparisons.front().hone_side, hand = comparisons.front().hand_side;
  return fmt::format(
             "{:30} {:>13} {:>9} {:>5} {:>9} {:>5} {:>6} {:>11} {:>6} {:>6} {:6} {:>5} {:>7} {}\n",
             "rung", "size", hone + " ms", "", hand + " ms", "", "ratio", "p10-p90", hone, hand, "",
             "copy", "rounds", "result, apart, error") +
         timing_lines(comparisons);
}

std::string timing_table(const std::vector<Trial>& trials) {
  return fmt::format("{:30} {:>13} {:>9} {:>5} {:>6} {:6} {:>5} {:11} {:>5}\n", "rung", "size",
                     "ms", "", "rate", "", "copy", "result", "edges") +
         timing_lines(trials);
}

std::string code_table(const std::vector<Comparison>& comparisons) {
  return fmt::format("{:30} {:>13} {:>21} {:>11} {:>8} {:>7} {:>6} {:>5}  {}\n", "rung", "size",
                     "launch", "shared", "barriers", "regs", "spills", "mix", "instructions") +
         code_lines(comparisons);
}

std::string code_table(const std::vector<Trial>& trials) {
  return fmt::format("{:30} {:>13} {:>21} {:>11} {:>8} {:>7} {:>6}  {}\n", "rung", "size", "launch",
                     "shared", "barriers", "regs", "spills", "instructions") +
         code_lines(trials);
}

}  // namespace hone
