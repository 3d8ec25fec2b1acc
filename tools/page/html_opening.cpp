// The head of a ladder's page: the problem, the plan, and the speeds of the rungs.
#include "tools/page/html.h"

namespace hone {
namespace {

// ---- The problem --------------------------------------------------------------------------------

Markup problem(const ProblemPage& problem) {
  std::string definitions;
  for (const std::string& line : problem.definitions) definitions += line + "\n";
  Markup content = problem.text.empty() ? Markup() : element("p", linked(problem.text));
  if (!definitions.empty()) content += element("pre", {{"class", "command"}}, definitions);
  content += paragraph(problem.amounts);
  for (const PageDrawing& drawing : problem.drawings) content += figure(drawing);
  return element("section", {{"id", "problem"}}, element("h2", "The problem") + content);
}

// ---- The chart ----------------------------------------------------------------------------------

Markup legend(const SpeedChart& chart) {
  const auto key = [](const char* style, const char* text) {
    return element("span", {{"class", "key"}},
                   element("i", {{"class", style}}) + Markup::text(text));
  };
  Markup keys;
  if (chart.is_measured()) keys += key("bar", "measured");
  if (llvm::any_of(chart.bars, [](const SpeedBar& bar) { return bar.allowed > 0; }))
    keys += key("allowed", "what a rung's own requests allow, if no read hits L1");
  if (chart.bound > 0) keys += key("limit", ("bound by " + chart.bound_text).c_str());
  return element("p", {{"class", "legend"}}, keys);
}

Markup chart_figure(const RunPage& run) {
  const SpeedChart chart = main_line_of(run);
  return element("figure",
                 chart_bars(chart) + legend(chart) +
                     element("figcaption", chart.unit + ", of the main line. " + chart.caption));
}

// ---- The table ----------------------------------------------------------------------------------

std::string speed_cell(const SpeedBar& bar, bool is_measured) {
  if (bar.speed > 0) return amount_text(bar.speed);
  if (is_measured || bar.allowed == 0) return "not measured";
  return "at most " + amount_text(bar.allowed);
}

std::string share_cell(const SpeedBar& bar, const SpeedChart& chart) {
  if (bar.speed == 0 || chart.bound == 0 || bar.is_host) return "";
  return fmt::format("{:.1f} %", 100 * bar.speed / chart.bound);
}

const char* style_of(const RungStanding& standing) {
  switch (standing.line) {
    case RungLine::main:
      return "main";
    case RungLine::branch:
      return standing.depth > 1 ? "branch deep" : "branch";
    case RungLine::host:
      return "host";
  }
  llvm_unreachable("unknown line");
}

/// The first table alone has the ideas.
Markup row(const LadderPage& page, const RunPage& run, size_t number, bool is_first) {
  const RungPage& rung = page.rungs[number];
  const SpeedBar& bar = run.chart.bars[number];
  const RungStanding& standing = run.standings[number];
  const auto cell = [](const std::string& text) { return element("td", text); };
  const bool has_base = standing.over_base > 0;
  return element("tr", {{"class", style_of(standing)}},
                 element("td", element("a", {{"href", "#" + rung.anchor}}, rung.name)) +
                     (is_first ? element("td", rung.title) : Markup()) +
                     cell(speed_cell(bar, run.chart.is_measured())) +
                     cell(share_cell(bar, run.chart)) + cell(factor_text(standing.over_base)) +
                     element("td", has_base ? "over " + rung.builds_on : "") +
                     cell(factor_text(standing.over_first)));
}

/// The rungs of a table: all of the first one, those that were measured of others.
std::vector<size_t> shown_rows(const RunPage& run, bool is_first) {
  std::vector<size_t> rows = run.order;
  if (!is_first) llvm::erase_if(rows, [&](size_t n) { return run.chart.bars[n].speed == 0; });
  return rows;
}

Markup missing_note(size_t count) {
  if (count == 0) return {};
  return element(
      "p", {{"class", "note"}},
      fmt::format("Not measured at this size: {} rung{}.", count, count == 1 ? "" : "s"));
}

Markup speed_table(const LadderPage& page, const RunPage& run) {
  const bool is_first = &run == &page.runs.front();
  const std::vector<size_t> rows = shown_rows(run, is_first);
  std::vector<std::string> headings = {"rung",     "idea", run.chart.unit, "of the bound",
                                       "speed-up", "",     "in all"};
  if (!is_first) headings.erase(headings.begin() + 1);
  Markup head, body;
  for (const std::string& heading : headings) head += element("th", heading);
  bool is_apart = false;
  for (const size_t number : rows) {
    const bool is_host = run.standings[number].line == RungLine::host;
    if (is_host && !is_apart)
      body += element("tr", {{"class", "apart"}},
                      element("th", {{"colspan", is_first ? "7" : "6"}}, "On the host"));
    is_apart = is_host;
    body += row(page, run, number, is_first);
  }
  return element("div", {{"class", "scroll"}},
                 element("table", {{"class", "speeds"}},
                         element("thead", element("tr", head)) + element("tbody", body))) +
         missing_note(run.order.size() - rows.size());
}

// ---- The runs -----------------------------------------------------------------------------------

std::string id_of(size_t number) { return fmt::format("run-{}", number + 1); }

Markup run_panel(const LadderPage& page, const RunPage& run) {
  Markup content = speed_table(page, run) + chart_figure(run);
  if (!run.chart.is_measured())
    content +=
        element("p", {{"class", "note"}},
                "No measured figures of these sizes are stored beside this ladder: bars show "
                "what the rungs' requests allow. On a machine with a GPU, this page measures "
                "them.");
  return element("div", {{"class", "run"}}, content);
}

/// One panel is in sight; buttons change it, without a script.
Markup speeds(const LadderPage& page) {
  Markup content;
  for (size_t n = 0; n < page.runs.size(); ++n) {
    if (page.runs.size() > 1)
      content += element("input", {{"type", "radio"},
                                   {"name", "run"},
                                   {"id", id_of(n)},
                                   {"checked", n == 0 ? "checked" : ""}}) +
                 element("label", {{"for", id_of(n)}}, page.runs[n].label);
    content += run_panel(page, page.runs[n]);
  }
  return element("section", {{"id", "speed"}},
                 element("h2", "The plan") + paragraph(page.problem.plan) +
                     element("div", {{"class", "runs"}}, content));
}

}  // namespace

Markup opening(const LadderPage& page) { return problem(page.problem) + speeds(page); }

}  // namespace hone
