#include "fmt/ranges.h"
#include "runtime/files.h"
#include "tools/page/guide.h"
#include "tools/page/page.h"

namespace hone {
namespace {

/// Text that Markdown takes as it stands, on one line.
std::string plain(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (character == '<')
      result += "&lt;";
    else if (character == '&')
      result += "&amp;";
    else if (character == '\n')
      result += ' ';
    else if (std::string_view("\\`*_[]|#>~!").find(character) != std::string_view::npos)
      result += {'\\', character};
    else
      result += character;
  }
  return result;
}

std::string markdown_link(const GuideEntry& entry, const std::string& text) {
  return fmt::format("[{}](#{})", plain(text), entry.id);
}

/// The text, in which the first use of each word of the glossary leads to its entry.
std::string linked_plain(const std::string& text) {
  std::string result;
  for (const TextPart& part : parts_of(text))
    result += part.entry ? markdown_link(*part.entry, part.text) : plain(part.text);
  return result;
}

/// A fence that is longer than any run of backticks in the text.
std::string fence_for(const std::string& text) {
  size_t longest = 2, run = 0;
  for (const char character : text) {
    run = character == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string block(const std::string& language, const std::string& text) {
  const std::string fence = fence_for(text);
  return fmt::format("{}{}\n{}{}\n", fence, language, text, fence);
}

/// The lines with marks of changes in front; whole texts have no such column.
std::string listing_text(const Listing& listing) {
  if (!has_changes(listing)) return text_of(listing);
  std::string text;
  for (const ListingLine& line : listing) text += line.change + line.text + "\n";
  return text;
}

std::string code_block(const Listing& listing, const std::string& language) {
  return block(has_changes(listing) ? "diff" : language, listing_text(listing));
}

std::string folded(const std::string& title, const std::string& content) {
  return fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n\n", plain(title), content);
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string table(const std::vector<std::string>& headings,
                  llvm::ArrayRef<std::vector<std::string>> rows) {
  std::string text = row(headings) + "|";
  for (size_t n = 0; n < headings.size(); ++n) text += "---|";
  text += "\n";
  for (const std::vector<std::string>& cells : rows) text += row(cells);
  return text + "\n";
}

std::string summary_table(const LadderPage& page) {
  const RunPage& run = page.runs.front();
  const SpeedChart& chart = run.chart;
  std::vector<std::vector<std::string>> rows;
  for (const size_t n : run.order) {
    const SpeedBar& bar = chart.bars[n];
    const RungStanding& standing = run.standings[n];
    const std::string missing = chart.is_measured() ? "not measured" : "";
    const std::string over = standing.over_base > 0 ? " over " + page.rungs[n].builds_on : "";
    rows.push_back({fmt::format("[{}](#{})", plain(bar.rung), page.rungs[n].anchor),
                    plain(page.rungs[n].title), bar.speed > 0 ? amount_text(bar.speed) : missing,
                    bar.speed > 0 && chart.bound > 0 && !bar.is_host
                        ? fmt::format("{:.1f} %", 100 * bar.speed / chart.bound)
                        : "",
                    factor_text(standing.over_base) + plain(over),
                    factor_text(standing.over_first)});
  }
  return table({"rung", "", chart.unit, "of the bound", "speed-up", "in all"}, rows);
}

std::string problem_text(const ProblemPage& problem) {
  std::string definitions;
  for (const std::string& line : problem.definitions) definitions += line + "\n";
  std::string text = problem.text.empty() ? "" : linked_plain(problem.text) + "\n\n";
  if (!definitions.empty()) text += block("cpp", definitions) + "\n";
  for (const std::string& sentences : {problem.amounts, problem.plan})
    if (!sentences.empty()) text += plain(sentences) + "\n\n";
  return text;
}

/// The sentences about the speed.
std::string story_text(const RungPage& rung) {
  std::string text;
  for (const std::string& sentence :
       {rung.bottleneck, rung.slower.empty() ? "" : "Slower, " + rung.slower + ".",
        rung.next.empty() ? "" : "To go further: " + rung.next})
    if (!sentence.empty()) text += plain(sentence) + "\n\n";
  return text;
}

std::string counters_table(const RungPage& rung) {
  std::vector<std::vector<std::string>> rows;
  for (const CounterChange& change : rung.counters)
    if (change.is_change())
      rows.push_back({plain(std::string(change.counter->name)), amount_text(*change.before),
                      amount_text(change.after), change_text(change),
                      plain(std::string(change.counter->meaning))});
  if (rows.empty()) return "";
  return table({"counter", plain(rung.builds_on), "this rung", "", "what it says"}, rows);
}

void add_rows(const Listing& lines, std::vector<std::vector<std::string>>& rows) {
  for (const ListingLine& line : lines) {
    llvm::SmallVector<llvm::StringRef> cells;
    llvm::StringRef(line.text).split(cells, '\t');
    std::vector<std::string>& row = rows.emplace_back();
    for (const llvm::StringRef cell : cells) row.push_back(plain(cell.str()));
    row.resize(4);
  }
}

std::string places_table(const RungPage& rung) {
  std::vector<std::vector<std::string>> rows;
  add_rows(rung.axes, rows);
  add_rows(rung.tiles, rows);
  return table({"axis or tile", "extent", "becomes", "is"}, rows);
}

std::string launches_text(const RungPage& rung) {
  std::string text;
  for (const LaunchFacts& launch : rung.launches) {
    text += fmt::format("{}\n\nRegisters: {}.\n\n", plain(launch.heading), plain(launch.registers));
    std::vector<std::vector<std::string>> rows;
    for (const OccupancyTerm& term : launch.terms)
      rows.push_back(
          {name(term.limit).str(), plain(term.arithmetic),
           term.blocks == Occupancy::unlimited ? "any" : fmt::format("{}", term.blocks)});
    text += table({"resource", "arithmetic", "blocks"}, rows);
    text += fmt::format("Occupancy: {}.\n\n", plain(launch.occupancy));
  }
  if (!rung.roofline.empty()) text += fmt::format("Roofline: {}.\n\n", plain(rung.roofline));
  return text;
}

/// The source, functions that stand in other rungs, and what is missing.
std::string markdown_source(const PageSource& source) {
  std::string text = source.listing.empty()
                         ? ""
                         : folded("As its author wrote it", code_block(source.listing, "cpp"));
  std::vector<std::string> above;
  for (const ShownFunction& one : source.shown)
    above.push_back(fmt::format("`{}` in {}", one.name, plain(one.rung)));
  if (!above.empty()) text += fmt::format("Above: {}.\n\n", fmt::join(above, ", "));
  if (!source.problem.empty()) text += fmt::format("Not shown: {}.\n\n", plain(source.problem));
  return text;
}

/// Links to the primitives that are new in a schedule.
std::string primitive_sentence(const Listing& schedule) {
  std::string links;
  for (const GuideEntry* entry : primitives_in(schedule))
    links += (links.empty() ? "" : ", ") + markdown_link(*entry, entry->word);
  return links.empty() ? "" : primitives_title(schedule) + links + ".\n\n";
}

std::string markdown_texts(const RungPage& rung) {
  const std::string language = rung.is_host ? "c" : "cuda";
  if (rung.loops.empty()) return folded(rung.code_name, code_block(rung.code, language));
  return code_block(rung.schedule, "cpp") + "\n" + primitive_sentence(rung.schedule) +
         markdown_source(rung.source) + folded("Loop nest", code_block(rung.loops, "")) +
         folded(rung.code_name, code_block(rung.code, language)) +
         folded("Which axis became what", places_table(rung));
}

std::string markdown_findings(const RungPage& rung) {
  std::string text;
  for (const std::string& line : rung.findings) text += fmt::format("- {}\n", plain(line));
  return text.empty() ? text : text + "\n";
}

std::string head(const RungPage& rung) {
  std::string text = fmt::format("<a id=\"{}\"></a>\n\n## {}\n\n*{}*\n\n", rung.anchor,
                                 plain(rung.name), plain(rung.title));
  if (!rung.builds_on.empty())
    text += fmt::format("Builds on [{}](#{}).\n\n", plain(rung.builds_on), rung.base_anchor);
  if (!rung.rebuilds.empty()) text += fmt::format("Rebuilds {}.\n\n", plain(rung.rebuilds));
  if (!rung.question.empty()) text += fmt::format("**{}**\n\n", linked_plain(rung.question));
  return text + linked_plain(rung.idea) + "\n\n" + story_text(rung);
}

/// The meanings of the words and the primitives that the page uses.
std::string words_text(const LadderPage& page) {
  const std::vector<UsedEntries> all = used_entries(page);
  std::string text = all.empty() ? "" : "## Words and primitives\n\n";
  for (const UsedEntries& used : all) {
    text += fmt::format("### {}\n\n", plain(used.title));
    for (const GuideEntry* entry : used.entries)
      text += fmt::format("- <a id=\"{}\"></a>**{}**: {}\n", entry->id, plain(entry->word),
                          plain(meaning_text(*entry)));
    text += "\n";
  }
  return text;
}

/// Adds the pictures of a rung to the files, and returns the text that shows them.
std::string pictures(const RungPage& rung, std::vector<PageFile>& files) {
  std::string text;
  for (size_t n = 0; n < rung.drawings.size(); ++n) {
    files.push_back({fmt::format("{}-{}.svg", rung.anchor, n + 1), rung.drawings[n].svg});
    text += fmt::format("![{}]({})\n\n", plain(rung.drawings[n].title), files.back().name);
  }
  return text + (rung.drawing_note.empty() ? "" : plain(rung.drawing_note) + "\n\n");
}

std::string rung_text(const RungPage& rung, std::vector<PageFile>& files) {
  if (!rung.problem.empty())
    return head(rung) + fmt::format("This rung cannot be built: {}\n\n", plain(rung.problem));
  const std::string problem = rung.count_problem.empty()
                                  ? ""
                                  : fmt::format("Not counted: {}\n\n", plain(rung.count_problem));
  return head(rung) + markdown_texts(rung) + problem + markdown_findings(rung) +
         counters_table(rung) + pictures(rung, files) +
         (rung.launches.empty() ? "" : folded("Occupancy", launches_text(rung)));
}

}  // namespace

std::vector<PageFile> to_markdown(const LadderPage& page) {
  std::vector<PageFile> files = {{safe_file_name(page.name) + ".md", ""}};
  std::string text = fmt::format("# {}: {}\n\n", plain(page.name), plain(page.title));
  text += problem_text(page.problem);
  for (size_t n = 0; n < page.runs.size(); ++n) {
    const SpeedChart& chart = page.runs[n].chart;
    files.push_back(
        {n == 0 ? "speed.svg" : fmt::format("speed-{}.svg", n + 1), to_svg(chart).string() + "\n"});
    text += fmt::format("![Speed of each rung]({})\n\n{}: {}\n\n", files.back().name, chart.unit,
                        plain(chart.caption));
  }
  text += summary_table(page);
  for (const RungPage& rung : page.rungs) text += rung_text(rung, files);
  text += words_text(page);
  files.front().content = text + fmt::format("Made by `hone ladder {} --markdown`, Hone {}.\n",
                                             page.name, page.version);
  return files;
}

}  // namespace hone
