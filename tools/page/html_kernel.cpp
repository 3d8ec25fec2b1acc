// The page of a kernel in HTML.

#include "runtime/sim/finding.h"
#include "tools/page/html.h"
#include "tools/page/kernel_page.h"

namespace hone {
namespace {

using Finding = ptx::Report::Finding;

std::string site_anchor(size_t finding, size_t site) {
  return fmt::format("finding-{}-{}", finding + 1, site + 1);
}

std::string line_anchor(const KernelSource& source, size_t number, int line) {
  return source.lines.empty() ? "" : fmt::format("L{}-{}", number + 1, line);
}

/// A number; nothing for 0, so that those that matter stand out.
std::string counted(int64_t count) { return count == 0 ? "" : fmt::format("{}", count); }

Markup link(const std::string& anchor, const std::string& text) {
  return element("a", {{"href", "#" + anchor}}, text);
}

Markup section(const std::string& anchor, const std::string& title, const Markup& content) {
  return element("section", {{"class", "rung"}, {"id", anchor}},
                 element("h2", link(anchor, title)) + content);
}

std::string place_text(const ptx::Site& site) { return fmt::format("{}:{}", site.file, site.line); }

std::string who_text(const ptx::Site& site) {
  return fmt::format("block {}, thread {} {}", triple(site.block), triple(site.thread),
                     site.access);
}

// ---- Findings -----------------------------------------------------------------------------------

/// The sites that the page has lines of.
class SiteIndex {
 public:
  explicit SiteIndex(const KernelPage& page) : page_(page) {}

  bool has(const ptx::Site& site) const {
    for (const KernelSource& source : page_.sources)
      if (source.file == site.file)
        return llvm::any_of(source.lines,
                            [&](const KernelLine& line) { return line.number == site.line; });
    return false;
  }
  Markup link_to(size_t finding, size_t site) const {
    const ptx::Site& at = page_.checked.findings[finding].sites[site];
    const Markup place = Markup::text(place_text(at));
    return has(at) ? link(site_anchor(finding, site), place_text(at)) : place;
  }

 private:
  const KernelPage& page_;
};

std::string title_of(const Finding& finding) {
  const std::string times = finding.count > 1 ? fmt::format(" ({} times)", finding.count) : "";
  return fmt::format("{}{}: {}{}", is_hint(finding.kind) ? "hint, " : "", to_string(finding.kind),
                     finding.what, times);
}

Markup finding_item(const KernelPage& page, size_t number) {
  const Finding& finding = page.checked.findings[number];
  const SiteIndex sites(page);
  Markup list;
  for (size_t site = 0; site < finding.sites.size(); ++site)
    list += element(
        "li", sites.link_to(number, site) + Markup::text(": " + who_text(finding.sites[site])));
  Markup item = Markup::text(title_of(finding)) + element("ul", list);
  if (!finding.cause.empty()) item += element("p", {{"class", "note"}}, finding.cause);
  return element("li", item);
}

Markup findings_section(const KernelPage& page) {
  Markup items;
  for (size_t n = 0; n < page.checked.findings.size(); ++n) items += finding_item(page, n);
  Markup content = element("p", page.verdict + ".");
  if (!items.empty()) content += element("ol", {{"class", "findings"}}, items);
  return section("findings", "Findings", content);
}

/// A row below the line of a site, with links to the other sites.
Markup finding_row(const KernelPage& page, size_t number, size_t site, size_t columns) {
  const Finding& finding = page.checked.findings[number];
  const SiteIndex sites(page);
  Markup text =
      element("b", title_of(finding)) + element("br") + Markup::text(who_text(finding.sites[site]));
  for (size_t other = 0; other < finding.sites.size(); ++other)
    if (other != site) text += Markup::text("; see ") + sites.link_to(number, other);
  return element("tr", {{"class", "finding"}, {"id", site_anchor(number, site)}},
                 element("td", {{"colspan", fmt::format("{}", columns)}}, text));
}

// ---- The source ---------------------------------------------------------------------------------

struct SourceColumn {
  const char* heading;
  const char* hint;
  std::string (*text)(const KernelLine&);
};

std::string lanes_text(const KernelLine& line) {
  if (line.tally.warp_instructions == 0) return "";
  return fmt::format("{:.1f}", static_cast<double>(line.tally.thread_instructions) /
                                   static_cast<double>(line.tally.warp_instructions));
}

std::string branches_text(const KernelLine& line) {
  if (line.tally.branches == 0) return "";
  return fmt::format("{} of {}", line.tally.divergent_branches, line.tally.branches);
}

std::string sectors_text(const KernelLine& line) {
  return line.global.sectors == 0 ? "" : fmt::format("{:.3g}", line.global.sectors_per_request());
}

constexpr SourceColumn source_columns[] = {
    {"instr.", "instructions of warps",
     [](const KernelLine& line) { return counted(line.tally.warp_instructions); }},
    {"lanes", "active lanes of an instruction, on average", lanes_text},
    {"diverge", "conditional branches that lanes of a warp took differently, of all",
     branches_text},
    {"requests", "requests of warps to global and shared memory",
     [](const KernelLine& line) { return counted(line.requests()); }},
    {"bytes", "that lanes ask for, of global and shared memory",
     [](const KernelLine& line) { return counted(line.bytes()); }},
    {"sect./req.",
     "sectors of 32 bytes of a request to global memory; 4 are best for 4 bytes a lane",
     sectors_text},
    {"wavefr.", "passes of shared memory",
     [](const KernelLine& line) { return counted(line.shared.wavefronts); }},
    {"conflicts", "passes of shared memory that bank conflicts add",
     [](const KernelLine& line) { return counted(line.shared.bank_conflicts()); }},
};
constexpr size_t columns_of_table = std::size(source_columns) + 2;

Markup source_heading() {
  Markup cells = element("th", {{"scope", "col"}, {"class", "number"}}, "line");
  for (const SourceColumn& column : source_columns)
    cells += element("th", {{"scope", "col"}, {"class", "number"}, {"title", column.hint}},
                     column.heading);
  return element("thead", element("tr", cells + element("th", {{"scope", "col"}}, "source")));
}

std::string heat_style(double heat) {
  constexpr double least[] = {0.03, 0.1, 0.25, 0.5};
  int level = 0;
  for (const double bound : least) level += heat >= bound ? 1 : 0;
  return level == 0 ? "" : fmt::format(" heat-{}", level);
}

Markup line_row(const KernelLine& line, const std::string& anchor) {
  Markup cells = element("td", {{"class", "number"}}, link(anchor, fmt::format("{}", line.number)));
  for (const SourceColumn& column : source_columns) {
    const std::string text = line.has_code ? column.text(line) : "";
    cells += element(
        "td", {{"class", "number"}, {"data-heading", text.empty() ? "" : column.heading}}, text);
  }
  cells += element("td", element("code", line.text.empty() ? " " : line.text));
  return element(
      "tr", {{"id", anchor}, {"class", (line.has_code ? "code" : "idle") + heat_style(line.heat)}},
      cells);
}

Markup finding_rows(const KernelPage& page, const KernelSource& source, const KernelLine& line) {
  Markup rows;
  for (size_t n = 0; n < page.checked.findings.size(); ++n) {
    const std::vector<ptx::Site>& sites = page.checked.findings[n].sites;
    for (size_t site = 0; site < sites.size(); ++site)
      if (sites[site].file == source.file && sites[site].line == line.number)
        rows += finding_row(page, n, site, columns_of_table);
  }
  return rows;
}

Markup source_section(const KernelPage& page, size_t number) {
  const KernelSource& source = page.sources[number];
  Markup rows;
  int last = 0;
  for (const KernelLine& line : source.lines) {
    if (line.number > last + 1)
      rows += element(
          "tr", {{"class", "idle"}},
          element("td", {{"colspan", fmt::format("{}", columns_of_table)}},
                  fmt::format("lines {} to {}: no code of the kernel", last + 1, line.number - 1)));
    last = line.number;
    rows +=
        line_row(line, line_anchor(source, number, line.number)) + finding_rows(page, source, line);
  }
  const Markup note = element("p", {{"class", "note"}},
                              "Shaded lines have 3, 10, 25 or 50 % of all instructions, of all "
                              "sectors of global memory, or "
                              "of all passes of shared memory. " +
                                  page.basis);
  return section(fmt::format("source-{}", number + 1), source.file,
                 note + element("div", {{"class", "scroll"}, {"tabindex", "0"}},
                                element("table", {{"class", "source"}},
                                        source_heading() + element("tbody", rows))));
}

// ---- Totals -------------------------------------------------------------------------------------

std::vector<Markup> row_of(const std::string& name, const std::string& value) {
  return {Markup::text(name), Markup::text(value)};
}

Markup launch_table(const KernelPage& page) {
  const ptx::LaunchShape& shape = page.shape;
  const ptx::LaunchCounts& counts = page.counts;
  std::vector<std::vector<Markup>> rows = {row_of("grid", triple(shape.grid)),
                                           row_of("block", triple(shape.block))};
  if (shape.cluster != std::array<int64_t, 3>{1, 1, 1})
    rows.push_back(row_of("cluster", triple(shape.cluster)));
  if (shape.dynamic_shared > 0)
    rows.push_back(row_of("dynamic shared memory", fmt::format("{} bytes", shape.dynamic_shared)));
  rows.push_back(row_of("barriers of blocks", fmt::format("{}", counts.barriers)));
  rows.push_back(row_of("branches", fmt::format("{}, {} of them divergent", counts.branches,
                                                counts.divergent_branches)));
  rows.push_back(row_of("shuffles", fmt::format("{}", counts.shuffles.warps)));
  return table("launch", {"launch", ""}, rows);
}

std::vector<Markup> memory_cells(const MemoryCounts& counts) {
  return {
      Markup::text(counted(counts.requests)), Markup::text(counted(counts.bytes)),
      Markup::text(counts.sectors == 0 ? "" : fmt::format("{:.3g}", counts.sectors_per_request())),
      Markup::text(counted(counts.wavefronts)), Markup::text(counted(counts.bank_conflicts()))};
}

const std::vector<std::string> memory_headings = {"requests", "bytes", "sectors per request",
                                                  "wavefronts", "bank conflicts"};

Markup memory_table(std::vector<std::string> headings, std::vector<std::vector<Markup>> rows) {
  headings.insert(headings.end(), memory_headings.begin(), memory_headings.end());
  return rows.empty() ? Markup() : table("memory", headings, rows);
}

Markup totals_table(const KernelPage& page) {
  std::vector<std::vector<Markup>> rows;
  for (size_t n = 0; n < access_classes; ++n) {
    const MemoryCounts& counts = page.counts.totals[n];
    if (counts.requests == 0 && counts.bytes == 0) continue;
    rows.push_back(memory_cells(counts));
    rows.back().insert(rows.back().begin(), Markup::text(to_string(static_cast<AccessClass>(n))));
  }
  return memory_table({"all of the kernel"}, rows);
}

Markup totals_section(const KernelPage& page) {
  return section("totals", "Totals",
                 element("p", page.launch + ". Made by:") +
                     element("pre", {{"class", "command"}}, element("code", page.command)) +
                     launch_table(page) + totals_table(page));
}

// ---- Accesses -----------------------------------------------------------------------------------

Markup place_of_access(const KernelPage& page, const ptx::Site& site) {
  for (size_t n = 0; n < page.sources.size(); ++n)
    if (page.sources[n].file == site.file)
      return link(line_anchor(page.sources[n], n, site.line), place_text(site));
  return Markup::text(place_text(site));
}

Markup accesses_section(const KernelPage& page) {
  std::vector<std::vector<Markup>> rows;
  for (const ptx::AccessCounts& access : page.counts.accesses) {
    rows.push_back(memory_cells(access.counts));
    const std::vector<Markup> names = {place_of_access(page, access.site),
                                       Markup::text(to_string(access.access_class)),
                                       Markup::text(access.array)};
    rows.back().insert(rows.back().begin(), names.begin(), names.end());
  }
  const std::string what =
      fmt::format("{} instructions that access global or shared memory", rows.size());
  return section("accesses", "Accesses",
                 element("p", "In the order of PTX, each with the line that it comes from.") +
                     element("details", element("summary", what) +
                                            memory_table({"line", "access", "array"}, rows)));
}

}  // namespace

std::string to_html(const KernelPage& page) {
  PageFrame frame;
  frame.name = page.kernel;
  frame.title = page.file;
  frame.version = page.version;
  frame.part = "section";
  frame.hint = "Numbers of lines are links to them, as are the places of findings.";
  frame.footer = fmt::format(
      "Made by `hone check {} --html`, Hone {}. Counters are of the simulated "
      "device.",
      page.file, page.version);
  frame.parts = {{"findings", "Findings"}};
  Markup content = findings_section(page);
  for (size_t n = 0; n < page.sources.size(); ++n) {
    frame.parts.emplace_back(fmt::format("source-{}", n + 1), page.sources[n].file);
    content += source_section(page, n);
  }
  frame.parts.emplace_back("totals", "Totals");
  frame.parts.emplace_back("accesses", "Accesses");
  return html_page(frame, content + totals_section(page) + accesses_section(page));
}

}  // namespace hone
