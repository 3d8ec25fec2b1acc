#include "tools/cli/profile/ladder_rows.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/profile/counted_rung.h"

namespace hone {
namespace {

struct NumberColumn {
  const char* title;
  size_t width;
};
constexpr NumberColumn of_time = {"time", 12};
constexpr NumberColumn measured[] = {
    {"GFLOP/s", 9}, {"GB/s", 8}, {"first", 7}, {"before", 7}, {"peak", 6}};

std::vector<NumberColumn> titled(const NumberColumns& chosen) {
  std::vector<NumberColumn> columns;
  if (chosen.time) columns.push_back(of_time);
  if (chosen.rates) columns.insert(columns.end(), std::begin(measured), std::end(measured));
  if (!chosen.counters) return columns;
  constexpr size_t least = 12;
  for (const ShownCounter& counter : shown_counters)
    columns.push_back({counter.title, std::max(least, std::string_view(counter.title).size())});
  return columns;
}

std::string or_dash(double value, const char* unit, int digits) {
  return value <= 0 ? "-" : fmt::format("{:.{}f}{}", value, digits, unit);
}

std::vector<std::string> rates_of(const Outcome& outcome) {
  return {or_dash(outcome.gflops, "", 1), or_dash(outcome.gb_per_s, "", 1),
          or_dash(outcome.over_first, "x", 2), or_dash(outcome.over_before, "x", 2),
          or_dash(100 * outcome.share_of_peak, " %", 1)};
}

std::vector<std::string> counters_of(const Outcome& outcome) {
  std::vector<std::string> digits(std::size(shown_counters), "-");
  for (const auto& [text, value] : llvm::zip(digits, outcome.counters))
    text = counter_digits(value);
  return digits;
}

}  // namespace

std::string LadderRows::line(llvm::ArrayRef<std::string> texts,
                             llvm::ArrayRef<std::string> numbers) const {
  std::string line = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<7}", texts[0], widths_.rung, texts[1],
                                 widths_.device, texts[2], widths_.size, texts[3]);
  for (const auto& [number, column] : llvm::zip(numbers, titled(columns_)))
    line += fmt::format("  {:>{}}", number, column.width);
  return llvm::StringRef(line).rtrim().str() + "\n";
}

std::string LadderRows::titles() const {
  std::vector<std::string> titles;
  for (const NumberColumn& column : titled(columns_)) titles.emplace_back(column.title);
  return line({"rung", "device", "size", "check"}, titles);
}

std::string LadderRows::line(const Outcome& outcome) const {
  std::vector<std::string> numbers;
  if (columns_.time) numbers.push_back(outcome.time);
  if (columns_.rates) llvm::append_range(numbers, rates_of(outcome));
  if (columns_.counters) llvm::append_range(numbers, counters_of(outcome));
  return line({outcome.rung, outcome.device, to_text(outcome.sizes), outcome.check}, numbers);
}

}  // namespace hone
