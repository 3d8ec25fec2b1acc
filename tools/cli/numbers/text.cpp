// Reports about numbers, as text and as JSON.
#include "fmt/ranges.h"
#include "ir/core/opcode.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/numbers/numbers.h"

namespace hone {
namespace {

std::string indented(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    result += "  " + line.str() + "\n";
    text = rest;
  }
  return result;
}

std::string runs_text(const NumbersReport& report) {
  if (report.arrivals.empty()) return "the same bits";
  return fmt::format("may differ; parts are added as they come, since {}",
                     fmt::join(report.arrivals, ", and since "));
}

std::string sizes_text(const NumbersReport& report) {
  if (report.is_chosen_by_size) return "may differ; the schedule is chosen by size";
  if (report.depends_on.empty()) return "the same bits";
  const std::string which =
      fmt::format("the orders depend on {}", fmt::join(report.depends_on, ", "));
  if (report.free_of.empty()) return which;
  return fmt::format("the same bits whatever {} is; {}", fmt::join(report.free_of, " or "), which);
}

bool is_by_instruction(const SumOrder& order) {
  return llvm::any_of(order.levels, [](const OrderLevel& level) { return level.opcode; });
}

/// "all", "12 % of the"
std::string share_text(const BitsComparison& comparison) {
  const double share = 100.0 * static_cast<double>(comparison.different()) /
                       static_cast<double>(comparison.elements());
  return share == 100 ? "all" : fmt::format("{:.2g} % of the", share);
}

std::string comparison_text(const NumbersReport& report) {
  const BitsComparison& comparison = report.comparison;
  const size_t tried = comparison.at.size(), all = tried + comparison.refused.size();
  const auto differing = static_cast<size_t>(
      llvm::count_if(comparison.at, [](const BitsAtSizes& at) { return at.different > 0; }));
  const std::string where = all == 1 ? " at " + to_text(comparison.at.front().sizes)
                                     : fmt::format(" at all {} sizes", tried);
  const std::string refused =
      comparison.refused.empty()
          ? ""
          : fmt::format("; it does not run at {} others", comparison.refused.size());
  const bool has_own_order = llvm::any_of(report.orders, is_by_instruction);
  if (differing == 0)
    return "the same bits" + where + refused +
           (has_own_order
                ? ", on the simulated device, which adds the terms of an instruction in order"
                : "");
  return fmt::format("other bits in {} elements{}{}{}", share_text(comparison),
                     tried == 1 ? where : fmt::format(", at {} of {} sizes", differing, tried),
                     comparison.since.empty() ? "" : ", since " + comparison.since, refused);
}

llvm::json::Object order_json(const SumOrder& order) {
  llvm::json::Array levels;
  for (const OrderLevel& level : order.levels)
    levels.push_back(llvm::json::Object{
        {"loop", level.node().axis->name},
        {"count", fmt::format("{}", level.node().extent)},
        {"combine", level.combine() ? llvm::json::Value(to_string(level.combine())) : nullptr},
        {"instruction", level.opcode ? llvm::json::Value(level.opcode->word()) : nullptr},
        {"turn", level.turn ? llvm::json::Value(level.turn->axis->name) : nullptr}});
  return llvm::json::Object{{"tensor", order.store().tensor->name},
                            {"type", name(order.store().tensor->type)},
                            {"is_fused", order.is_fused()},
                            {"levels", std::move(levels)}};
}

}  // namespace

std::string to_string(const NumbersReport& report, const std::string& what) {
  std::string text;
  for (const SumOrder& order : report.orders) text += indented(to_string(order));
  if (report.orders.empty()) text = "  no sums: each element is computed by itself\n";
  text += "from run to run: " + runs_text(report) + "\n";
  text += "at other sizes: " + sizes_text(report) + "\n";
  return text + "next to " + what + ": " + comparison_text(report) + "\n";
}

llvm::json::Object to_json(const NumbersReport& report) {
  llvm::json::Array orders, at;
  for (const SumOrder& order : report.orders) orders.push_back(order_json(order));
  for (const BitsAtSizes& one : report.comparison.at)
    at.push_back(llvm::json::Object{
        {"sizes", to_json(one.sizes)}, {"elements", one.elements}, {"different", one.different}});
  return llvm::json::Object{
      {"orders", std::move(orders)},
      {"arrivals", to_json(report.arrivals)},
      {"depends_on", to_json(report.depends_on)},
      {"is_chosen_by_size", report.is_chosen_by_size},
      {"compared", std::move(at)},
      {"refused", to_json(report.comparison.refused)},
      {"since", report.comparison.since.empty() ? llvm::json::Value(nullptr)
                                                : llvm::json::Value(report.comparison.since)}};
}

int tell_numbers(const Arguments& arguments, const Session& session) {
  const std::vector<std::string>& names = arguments.positional();
  const RungRef rung = find_rung(session.ladders, names[0]);
  std::optional<RungRef> other;
  if (names.size() > 1) other = find_rung(session.ladders, names[1]);
  if (other && other->ladder != rung.ladder)
    throw UsageError("{} and {} are of different ladders, whose results are not the same ones",
                     names[0], names[1]);
  const NumbersReport report =
      numbers_of(rung, other ? &*other : nullptr, given_sizes(arguments, *rung.ladder),
                 chosen_seed(arguments));
  const std::string what = other ? other->name() : "the program without a schedule";
  if (arguments.has("--json")) {
    llvm::json::Object object = to_json(report);
    object["rung"] = rung.name();
    object["next_to"] = what;
    print_json(std::move(object), session.out);
  } else {
    session.out.print(rung.name() + "\n" + to_string(report, what));
  }
  return exit_success;
}

}  // namespace hone
