#include "tools/page/html.h"

namespace hone {
namespace {

Markup code(const std::string& text) { return element("code", text); }

Markup paragraph(const std::string& text) { return text.empty() ? Markup() : element("p", text); }

Markup list(const char* style, llvm::ArrayRef<std::string> items) {
  Markup markup;
  for (const std::string& item : items) markup += element("li", item);
  return items.empty() ? Markup() : element("ul", {{"class", style}}, markup);
}

Markup titled(const std::string& title, const Markup& content) {
  return content.empty() ? Markup() : element("h3", title) + content;
}

Markup folded(const std::string& title, const Markup& content) {
  if (content.empty()) return {};
  return element("details", element("summary", title) + content);
}

// ---- The head -----------------------------------------------------------------------------------

Markup origin_line(const RungPage& rung) {
  Markup line;
  if (!rung.builds_on.empty())
    line += Markup::text("builds on ") +
            element("a", {{"href", "#" + rung.base_anchor}}, rung.builds_on);
  if (!rung.rebuilds.empty())
    line += Markup::text((line.empty() ? "rebuilds " : "; rebuilds ") + rung.rebuilds);
  return line.empty() ? line : element("p", {{"class", "origin"}}, line);
}

/// Big numbers: time, speed, and the share of the bound; words where others are measured alone.
Markup speed_line(const RungPage& rung, const SpeedChart& chart) {
  if (!rung.measured)
    return chart.is_measured() ? element("p", {{"class", "origin"}}, "not measured") : Markup();
  const auto fact = [](const std::string& value, const std::string& what) {
    return element("div", element("b", value) + element("span", what));
  };
  const MeasuredRung& one = *rung.measured;
  const double speed = chart.unit == "GB/s" ? one.gb_per_s : one.gflops;
  Markup facts = fact(fmt::format("{:.{}f} ms", one.milliseconds, one.milliseconds < 1 ? 4 : 3),
                      "on " + (one.device_name.empty() ? one.device : one.device_name));
  if (speed > 0) facts += fact(amount_text(speed), chart.unit);
  if (speed > 0 && chart.bound > 0 && !rung.is_host)
    facts += fact(fmt::format("{:.1f} %", 100 * speed / chart.bound), "of the bound");
  return element("div", {{"class", "speed"}}, facts);
}

// ---- Texts --------------------------------------------------------------------------------------

Markup pane(const std::string& title, const std::string& style, const Listing& listing,
            const std::string& rung) {
  if (listing.empty()) return {};
  return element("div", {{"class", "pane " + style}},
                 element("h4", title) + listing_block(listing, title + " of " + rung));
}

Markup texts_of(const RungPage& rung) {
  const std::string against = rung.builds_on.empty() ? "" : ", against " + rung.builds_on;
  const std::string what =
      rung.loops.empty() ? "Kernels, written by hand" : "Schedule, loops and " + rung.code_name;
  return element("h3", what + against) +
         element("div", {{"class", "panes"}},
                 pane("Schedule", "schedule", rung.schedule, rung.name) +
                     pane("Loop nest", "loops", rung.loops, rung.name) +
                     pane(rung.code_name, "code", rung.code, rung.name));
}

/// A cell that lights up with the lines of its step and axis.
Markup linked(const std::string& text, int step, const std::string& axis) {
  return element("code", {{"data-s", step < 0 ? "" : fmt::format("{}", step)}, {"data-x", axis}},
                 text);
}

Markup places(const RungPage& rung) {
  std::vector<std::vector<Markup>> rows, tiles;
  for (const AxisPlace& one : rung.axes)
    rows.push_back({linked(one.axis, one.step, one.axis), code(one.extent), Markup::text(one.place),
                    one.value.empty() ? Markup() : code(one.value)});
  for (const TilePlace& one : rung.tiles)
    tiles.push_back({linked(one.tensor, one.step, ""), code(one.shape), Markup::text(one.place)});
  if (rows.empty()) return {};
  Markup markup = table("places", {"axis", "extent", "becomes", "value"}, rows);
  if (!tiles.empty()) markup += table("places", {"tile", "shape", "lies in"}, tiles);
  return folded("Which axis became which thread, loop or register", markup);
}

// ---- Counters -----------------------------------------------------------------------------------

std::vector<Markup> counter_row(const CounterChange& change) {
  return {Markup::text(std::string(change.counter->name)),
          Markup::text(change.before ? amount_text(*change.before) : ""),
          Markup::text(amount_text(change.after)), Markup::text(change_text(change)),
          Markup::text(std::string(change.counter->meaning))};
}

Markup counter_table(llvm::ArrayRef<CounterChange> changes, const std::string& base) {
  std::vector<std::vector<Markup>> rows;
  for (const CounterChange& change : changes) rows.push_back(counter_row(change));
  if (rows.empty()) return {};
  return table("counters", {"counter", base.empty() ? "" : base, "this rung", "", "what it says"},
               rows);
}

Markup counters(const RungPage& rung) {
  std::vector<CounterChange> changed, others;
  for (const CounterChange& one : rung.counters)
    (one.is_change() ? changed : others).push_back(one);
  const bool has_base = llvm::any_of(rung.counters, [](const auto& one) { return !!one.before; });
  const std::string base = has_base ? rung.builds_on : "";
  return counter_table(changed, base) +
         folded(has_base ? fmt::format("{} counters that are the same", others.size())
                         : fmt::format("{} counters", others.size()),
                counter_table(others, base));
}

Markup findings(const RungPage& rung) {
  if (!rung.count_problem.empty())
    return element("p", {{"class", "warning"}}, "Not counted: " + rung.count_problem);
  const std::string nothing =
      rung.launches.empty() ? "" : "Nothing that counts is different from " + rung.builds_on + ".";
  Markup content = rung.findings.empty() ? paragraph(rung.builds_on.empty() ? "" : nothing)
                                         : list("findings", rung.findings);
  return titled(rung.builds_on.empty() ? "What it costs" : "What changed, and why it matters",
                content + counters(rung) + element("p", {{"class", "note"}}, rung.basis));
}

// ---- Launches -----------------------------------------------------------------------------------

Markup term_row(const OccupancyTerm& term, const LaunchFacts& launch) {
  const bool is_limit = llvm::is_contained(launch.limiters, term.limit);
  const std::string blocks =
      term.blocks == Occupancy::unlimited ? "any" : fmt::format("{}", term.blocks);
  return element("tr", {{"class", is_limit ? "limit" : ""}},
                 element("th", {{"scope", "row"}}, std::string(name(term.limit))) +
                     element("td", term.arithmetic) + element("td", {{"class", "number"}}, blocks));
}

Markup launch_markup(const LaunchFacts& launch) {
  Markup rows = element("tr", element("th", {{"scope", "col"}}, "resource") +
                                  element("th", {{"scope", "col"}}, "arithmetic") +
                                  element("th", {{"scope", "col"}}, "blocks"));
  for (const OccupancyTerm& term : launch.terms) rows += term_row(term, launch);
  return element("p", element("b", launch.heading)) +
         element("p", "Registers: " + launch.registers + ".") +
         element("div", {{"class", "scroll"}}, element("table", {{"class", "occupancy"}}, rows)) +
         element("p", "Occupancy: " + launch.occupancy + ".") +
         folded("What the compiler left of each access", list("accesses", launch.accesses));
}

Markup launches(const RungPage& rung) {
  Markup content;
  for (const LaunchFacts& launch : rung.launches) content += launch_markup(launch);
  if (!rung.roofline.empty()) content += paragraph("Roofline: " + rung.roofline + ".");
  return folded(rung.launches.size() == 1
                    ? "Occupancy: " + rung.launches[0].occupancy
                    : fmt::format("Occupancy of {} kernels", rung.launches.size()),
                content);
}

Markup drawings(const RungPage& rung) {
  Markup content;
  for (const PageDrawing& drawing : rung.drawings)
    content += element("figure", {{"class", "drawing"}, {"tabindex", "0"}},
                       Markup::trusted(without_style(drawing.svg)));
  if (!rung.drawing_note.empty()) content += element("p", {{"class", "note"}}, rung.drawing_note);
  return folded(fmt::format("Drawings ({})", rung.drawings.size()), content);
}

}  // namespace

Markup table(std::string_view style, llvm::ArrayRef<std::string> headings,
             llvm::ArrayRef<std::vector<Markup>> rows) {
  Markup head, body;
  for (const std::string& heading : headings) head += element("th", {{"scope", "col"}}, heading);
  for (const std::vector<Markup>& row : rows) {
    Markup cells;
    for (const Markup& cell : row) cells += element("td", cell);
    body += element("tr", cells);
  }
  return element("div", {{"class", "scroll"}},
                 element("table", {{"class", std::string(style)}},
                         element("thead", element("tr", head)) + element("tbody", body)));
}

Markup rung_section(const RungPage& rung, size_t number, const SpeedChart& chart) {
  const std::string where = rung.is_host ? "on the host" : "";
  const Markup heading = element(
      "h2", element("span", {{"class", "number"}}, fmt::format("{}", number)) +
                element("a", {{"href", "#" + rung.anchor}}, rung.name) + element("small", where));
  Markup content = heading + element("p", {{"class", "title"}}, rung.title) + origin_line(rung) +
                   element("p", {{"class", "idea"}}, rung.idea) + speed_line(rung, chart);
  if (!rung.problem.empty())
    content += element("p", {{"class", "warning"}}, "This rung cannot be built: " + rung.problem);
  else
    content += list("warning", rung.warnings) + texts_of(rung) + places(rung) + findings(rung) +
               launches(rung) + drawings(rung);
  return element("section", {{"class", "rung"}, {"id", rung.anchor}}, content);
}

}  // namespace hone
