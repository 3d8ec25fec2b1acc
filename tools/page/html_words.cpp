// The words of a page: links in its texts, and the entries of the guide that they lead to.
#include <set>

#include "tools/page/guide.h"
#include "tools/page/html.h"

namespace hone {
namespace {

Markup link_to(const GuideEntry& entry, std::string_view text) {
  return element("a", {{"href", "#" + entry.id}}, text);
}

/// The texts of a page whose words are links.
std::vector<std::string> linked_texts(const LadderPage& page) {
  std::vector<std::string> texts = {page.problem.text};
  for (const RungPage& rung : page.rungs) texts.insert(texts.end(), {rung.question, rung.idea});
  return texts;
}

std::set<const GuideEntry*> used_words(const LadderPage& page) {
  std::set<const GuideEntry*> used;
  for (const std::string& text : linked_texts(page))
    for (const WordUse& use : word_uses(text)) used.insert(use.entry);
  return used;
}

std::set<const GuideEntry*> used_primitives(const LadderPage& page) {
  std::set<const GuideEntry*> used;
  for (const RungPage& rung : page.rungs)
    for (const GuideEntry* entry : primitives_in(rung.schedule)) used.insert(entry);
  return used;
}

/// "docs/guide/memory.md"
std::string path_of(llvm::StringRef chapter) {
  return chapter.consume_front("../") ? "docs/" + chapter.str() : "docs/guide/" + chapter.str();
}

Markup entries_of(const std::string& title, llvm::ArrayRef<GuideEntry> all,
                  const std::set<const GuideEntry*>& used, const std::string& chapter) {
  Markup rows;
  for (const GuideEntry& entry : all) {
    if (used.count(&entry) == 0) continue;
    const bool has_own = !entry.chapter.empty() && entry.chapter != chapter;
    rows += element("dt", {{"id", entry.id}}, entry.word) +
            element("dd", entry.meaning + (has_own ? " (" + path_of(entry.chapter) + ")" : ""));
  }
  if (rows.empty()) return rows;
  return element("h3", title + ", from " + path_of(chapter)) + element("dl", rows);
}

/// The counters that any rung shows.
Markup counters(const LadderPage& page) {
  Markup rows;
  for (const CounterMeaning& meaning : counter_meanings()) {
    const bool is_shown = llvm::any_of(page.rungs, [&](const RungPage& rung) {
      return llvm::any_of(rung.counters,
                          [&](const CounterChange& one) { return one.counter == &meaning; });
    });
    if (is_shown) rows += element("dt", meaning.name) + element("dd", meaning.meaning);
  }
  return rows.empty() ? rows : element("h3", "Counters") + element("dl", rows);
}

}  // namespace

Markup linked(const std::string& text) {
  Markup result;
  size_t place = 0;
  for (const WordUse& use : word_uses(text)) {
    if (use.place < place) continue;  // within a longer word
    result += Markup::text(text.substr(place, use.place - place)) +
              link_to(*use.entry, text.substr(use.place, use.length));
    place = use.place + use.length;
  }
  return result + Markup::text(text.substr(place));
}

Markup primitive_links(const Listing& schedule) {
  Markup links;
  for (const GuideEntry* entry : primitives_in(schedule))
    links += Markup::text(links.empty() ? "" : ", ") + link_to(*entry, entry->word);
  if (links.empty()) return links;
  const char* title = has_changes(schedule) ? "New or changed steps: " : "Steps: ";
  return element("p", {{"class", "note"}}, Markup::text(title) + links + Markup::text("."));
}

Markup words(const LadderPage& page) {
  return element(
      "section", {{"id", "words"}},
      element("h2", "Words and primitives") + counters(page) +
          entries_of("Primitives", guide_primitives(), used_primitives(page), "primitives.md") +
          entries_of("Words", guide_words(), used_words(page), "glossary.md"));
}

}  // namespace hone
