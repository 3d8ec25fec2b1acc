#include "tools/page/html.h"

namespace hone {
namespace {

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
    line += Markup::text(rung.standing.line == RungLine::branch ? "a branch of " : "builds on ") +
            element("a", {{"href", "#" + rung.base_anchor}}, rung.builds_on);
  if (!rung.rebuilds.empty())
    line += Markup::text((line.empty() ? "rebuilds " : "; rebuilds ") + rung.rebuilds);
  return line.empty() ? line : element("p", {{"class", "origin"}}, line);
}

Markup big_number(const std::string& value, const std::string& what) {
  return element("div", element("b", value) + element("span", what));
}

/// Big numbers: time, speed, the share of the bound, and the speed-up; words where others are
/// measured alone.
Markup speed_line(const RungPage& rung, const SpeedChart& chart) {
  if (!rung.measured)
    return chart.is_measured() ? element("p", {{"class", "origin"}}, "not measured") : Markup();
  const MeasuredRung& one = *rung.measured;
  const double speed = chart.unit == "GB/s" ? one.gb_per_s : one.gflops;
  Markup facts =
      big_number(fmt::format("{:.{}f} ms", one.milliseconds, one.milliseconds < 1 ? 4 : 3),
                 "on " + (one.device_name.empty() ? one.device : one.device_name));
  if (speed > 0) facts += big_number(amount_text(speed), chart.unit);
  if (speed > 0 && chart.bound > 0 && !rung.is_host)
    facts += big_number(fmt::format("{:.1f} %", 100 * speed / chart.bound), "of the bound");
  if (rung.standing.over_base > 0)
    facts += big_number(factor_text(rung.standing.over_base), "as fast as " + rung.builds_on);
  return element("div", {{"class", "speed"}}, facts);
}

/// The speeds of other runs, in one sentence.
Markup other_speeds(const LadderPage& page, size_t number) {
  std::string text;
  for (const RunPage& run : llvm::drop_begin(page.runs)) {
    const SpeedBar& bar = run.chart.bars[number];
    if (bar.speed == 0) continue;
    text += (text.empty() ? "" : "; ") +
            fmt::format("{}: {}", run.label, speed_text(bar.speed, run.chart.unit));
    if (const double factor = run.standings[number].over_base; factor > 0)
      text += ", " + factor_text(factor);
  }
  return text.empty() ? Markup() : element("p", {{"class", "note"}}, "Other sizes: " + text + ".");
}

/// The bottleneck before and after, the reason of a fall, and the advice for the next rung.
Markup story(const RungPage& rung) {
  Markup content = paragraph(rung.bottleneck);
  if (!rung.slower.empty())
    content += element("p", {{"class", "slower"}}, "Slower, " + rung.slower + ".");
  if (!rung.next.empty())
    content += element("p", element("b", "To go further: ") + Markup::text(rung.next));
  return content;
}

// ---- Texts --------------------------------------------------------------------------------------

/// Texts of a kind have ids of one letter, and of the number of their rung.
PagePlace place_of(const LadderPage& page, size_t number, char kind) {
  const RungPage& rung = page.rungs[number];
  const auto id = [&](size_t of) { return fmt::format("{}{}", kind, of); };
  PagePlace place = {id(number), "", rung.builds_on, rung.base_anchor};
  for (size_t n = 0; n < page.rungs.size(); ++n)
    if (page.rungs[n].anchor == rung.base_anchor) place.base = id(n);
  return place;
}

Markup pane(const std::string& title, const std::string& style, const Listing& listing,
            const PagePlace& place) {
  if (listing.empty()) return {};
  return element("div", {{"class", "pane " + style}},
                 element("h4", title) + listing_block(listing, place));
}

/// Functions that stand in other rungs, each rung once, and what is missing.
Markup source_note(const PageSource& source) {
  std::vector<std::pair<const ShownFunction*, std::string>> rungs;
  for (const ShownFunction& one : source.shown) {
    const auto found =
        llvm::find_if(rungs, [&](const auto& rung) { return rung.first->anchor == one.anchor; });
    if (found == rungs.end())
      rungs.emplace_back(&one, one.name);
    else
      found->second += ", " + one.name;
  }
  Markup note;
  for (const auto& [first, names] : rungs)
    note += Markup::text((note.empty() ? "Above, in " : "; in ")) +
            element("a", {{"href", "#" + first->anchor}}, first->rung) + Markup::text(": ") +
            element("code", names);
  if (!note.empty()) note += Markup::text(". ");
  if (!source.problem.empty()) note += Markup::text("Not shown: " + source.problem + ".");
  return note.empty() ? note : element("p", {{"class", "note"}}, note);
}

Markup texts_of(const LadderPage& page, size_t number) {
  const RungPage& rung = page.rungs[number];
  const std::string against = rung.builds_on.empty() ? "" : ", against " + rung.builds_on;
  const std::string what =
      rung.loops.empty() ? "Kernels, written by hand" : "Schedule, loops and " + rung.code_name;
  const auto part = [&](const std::string& title, const char* style, const Listing& listing) {
    return pane(title, style, listing, place_of(page, number, style[0]));
  };
  Markup written = pane("As its author wrote it", "written", rung.source.listing, {});
  if (!rung.loops.empty()) written += source_note(rung.source);
  return element("h3", what + against) + primitive_links(rung.schedule) +
         element("div", {{"class", "panes"}},
                 written + part("Step by step", "schedule", rung.schedule) +
                     part("Loop nest", "loops", rung.loops) +
                     part(rung.code_name, "code", rung.code));
}

Markup places(const LadderPage& page, size_t number) {
  const RungPage& rung = page.rungs[number];
  if (rung.axes.empty()) return {};
  Markup markup = table_of(rung.axes, "places", {"axis", "extent", "becomes", "value"},
                           place_of(page, number, 'a'));
  if (!rung.tiles.empty())
    markup +=
        table_of(rung.tiles, "places", {"tile", "shape", "lies in"}, place_of(page, number, 't'));
  return folded("Which axis became which thread, loop or register", markup);
}

// ---- Counters -----------------------------------------------------------------------------------

std::vector<Markup> counter_row(const CounterChange& change) {
  return {Markup::text(std::string(change.counter->name)),
          Markup::text(change.before ? amount_text(*change.before) : ""),
          Markup::text(amount_text(change.after)), Markup::text(change_text(change))};
}

Markup counter_table(llvm::ArrayRef<CounterChange> changes, const std::string& base) {
  std::vector<std::vector<Markup>> rows;
  for (const CounterChange& change : changes) rows.push_back(counter_row(change));
  if (rows.empty()) return {};
  return table("counters", {"counter", base.empty() ? "" : base, "this rung", ""}, rows);
}

/// Those that changed; all of a rung that is compared with none. Their meanings stand once, among
/// the words of the page.
Markup counters(const RungPage& rung) {
  const bool has_base = llvm::any_of(rung.counters, [](const auto& one) { return !!one.before; });
  std::vector<CounterChange> shown = rung.counters;
  if (has_base) llvm::erase_if(shown, [](const auto& one) { return !one.is_change(); });
  const Markup rows = counter_table(shown, has_base ? rung.builds_on : "");
  if (rows.empty()) return rows;
  const Markup link = element("a", {{"href", "#words"}}, "what they mean");
  const std::string title =
      has_base ? fmt::format("{} of {} counters changed", shown.size(), rung.counters.size())
               : fmt::format("{} counters", shown.size());
  return element("details", element("summary", title) + element("p", link) + rows);
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
                 element("th", std::string(name(term.limit))) + element("td", term.arithmetic) +
                     element("td", blocks));
}

/// The occupancy of a single launch is the title of all.
Markup launch_markup(const LaunchFacts& launch, bool is_single) {
  Markup rows = element(
      "tr", element("th", "resource") + element("th", "arithmetic") + element("th", "blocks"));
  for (const OccupancyTerm& term : launch.terms) rows += term_row(term, launch);
  return element("p", element("b", launch.heading)) +
         element("p", "Registers: " + launch.registers + ".") +
         element("div", {{"class", "scroll"}}, element("table", {{"class", "occupancy"}}, rows)) +
         paragraph(is_single ? "" : "Occupancy: " + launch.occupancy + ".") +
         folded("What the compiler left of each access", list("accesses", launch.accesses));
}

Markup launches(const RungPage& rung) {
  Markup content;
  for (const LaunchFacts& launch : rung.launches)
    content += launch_markup(launch, rung.launches.size() == 1);
  if (!rung.roofline.empty()) content += paragraph("Roofline: " + rung.roofline + ".");
  return folded(rung.launches.size() == 1
                    ? "Occupancy: " + rung.launches[0].occupancy
                    : fmt::format("Occupancy of {} kernels", rung.launches.size()),
                content);
}

/// The first one is in sight, the others are folded.
Markup drawings(const RungPage& rung) {
  const Markup note =
      rung.drawing_note.empty() ? Markup() : element("p", {{"class", "note"}}, rung.drawing_note);
  if (rung.drawings.empty()) return note;
  Markup others;
  for (const PageDrawing& drawing : llvm::drop_begin(rung.drawings)) others += figure(drawing);
  return figure(rung.drawings.front()) +
         folded(fmt::format("More drawings ({})", rung.drawings.size() - 1), others) + note;
}

}  // namespace

Markup table(std::string_view style, llvm::ArrayRef<std::string> headings,
             llvm::ArrayRef<std::vector<Markup>> rows) {
  Markup head, body;
  for (const std::string& heading : headings) head += element("th", heading);
  for (const std::vector<Markup>& row : rows) {
    Markup cells;
    for (const Markup& cell : row) cells += element("td", cell);
    body += element("tr", cells);
  }
  return element("div", {{"class", "scroll"}},
                 element("table", {{"class", std::string(style)}},
                         element("thead", element("tr", head)) + element("tbody", body)));
}

Markup figure(const PageDrawing& drawing) {
  return element("figure", {{"class", "drawing"}, {"tabindex", "0"}}, Markup::trusted(drawing.svg));
}

Markup rung_section(const LadderPage& page, size_t number) {
  const RungPage& rung = page.rungs[number];
  const std::string where = rung.is_host ? "on the host" : "";
  const Markup heading = element(
      "h2", element("span", {{"class", "number"}}, fmt::format("{}", number + 1)) +
                element("a", {{"href", "#" + rung.anchor}}, rung.name) + element("small", where));
  Markup content = heading + element("p", {{"class", "title"}}, rung.title) + origin_line(rung);
  if (!rung.question.empty())
    content += element("p", {{"class", "question"}}, linked(rung.question));
  content += element("p", {{"class", "idea"}}, linked(rung.idea)) +
             speed_line(rung, page.runs.front().chart) + other_speeds(page, number) + story(rung);
  if (!rung.problem.empty())
    content += element("p", {{"class", "warning"}}, "This rung cannot be built: " + rung.problem);
  else
    content += list("warning", rung.warnings) + texts_of(page, number) + findings(rung) +
               drawings(rung) + places(page, number) + launches(rung);
  return element("section", {{"class", "rung"}, {"id", rung.anchor}}, content);
}

}  // namespace hone
