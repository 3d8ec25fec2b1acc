// The words of a page: links in its texts, and the entries of the guide that they lead to.
#include "tools/page/guide.h"
#include "tools/page/html.h"

namespace hone {
namespace {

Markup link_to(const GuideEntry& entry, std::string_view text) {
  return element("a", {{"href", "#" + entry.id}}, text);
}

Markup entries_of(const UsedEntries& used) {
  Markup rows;
  for (const GuideEntry* entry : used.entries)
    rows += element("dt", {{"id", entry->id}}, entry->word) + element("dd", meaning_text(*entry));
  return element("h3", used.title) + element("dl", rows);
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
  for (const TextPart& part : parts_of(text))
    result += part.entry ? link_to(*part.entry, part.text) : Markup::text(part.text);
  return result;
}

Markup primitive_links(const Listing& schedule) {
  Markup links;
  for (const GuideEntry* entry : primitives_in(schedule))
    links += Markup::text(links.empty() ? "" : ", ") + link_to(*entry, entry->word);
  if (links.empty()) return links;
  return element("p", {{"class", "note"}},
                 Markup::text(primitives_title(schedule)) + links + Markup::text("."));
}

Markup words(const LadderPage& page) {
  Markup content = element("h2", "Words and primitives") + counters(page);
  for (const UsedEntries& used : used_entries(page)) content += entries_of(used);
  return element("section", {{"id", "words"}}, content);
}

}  // namespace hone
