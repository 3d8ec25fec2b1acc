// The words of a page: the counters, and entries of the guide's glossary.
#include "tools/page/assets.h"
#include "tools/page/html.h"

namespace hone {
namespace {

using Entry = std::pair<std::string, std::string>;

/// Text of Markdown without marks, and links without their targets.
std::string plain(llvm::StringRef text) {
  std::string result;
  for (size_t n = 0; n < text.size(); ++n) {
    if (text[n] == '*' || text[n] == '`') continue;
    if (text.substr(n).startswith(" ([page](")) return result;
    result += text[n];
  }
  return result;
}

/// The rows of the glossary's table, below its heading.
std::vector<Entry> glossary() {
  std::vector<Entry> entries;
  llvm::SmallVector<llvm::StringRef> lines, cells;
  llvm::StringRef(page_glossary).split(lines, '\n');
  for (const llvm::StringRef line : lines) {
    cells.clear();
    line.split(cells, " | ");
    if (cells.size() != 2 || !line.startswith("| ") || cells[0] == "| word") continue;
    entries.emplace_back(cells[0].drop_front(2).trim().str(),
                         plain(cells[1].rtrim().drop_back(1).rtrim()));
  }
  return entries;
}

/// The counters that any rung shows.
std::vector<Entry> counters(const LadderPage& page) {
  std::vector<Entry> entries;
  for (const CounterMeaning& meaning : counter_meanings()) {
    const bool is_shown = llvm::any_of(page.rungs, [&](const RungPage& rung) {
      return llvm::any_of(rung.counters,
                          [&](const CounterChange& one) { return one.counter == &meaning; });
    });
    if (is_shown) entries.emplace_back(std::string(meaning.name), std::string(meaning.meaning));
  }
  return entries;
}

Markup list(const std::string& title, const std::vector<Entry>& entries) {
  Markup rows;
  for (const auto& [word, meaning] : entries) rows += element("dt", word) + element("dd", meaning);
  return rows.empty() ? Markup() : element("h3", title) + element("dl", rows);
}

}  // namespace

Markup words(const LadderPage& page) {
  return element("section", {{"id", "words"}},
                 element("h2", "Words") + list("Counters", counters(page)) +
                     list("Of the guide's glossary", glossary()));
}

}  // namespace hone
