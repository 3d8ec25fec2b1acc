// Entries of the guide that a page explains its words with: of the glossary, and primitives.
#pragma once

#include <string>
#include <vector>

#include "tools/page/page.h"

namespace hone {

struct GuideEntry {
  std::string word;     ///< "tile", "split"
  std::string meaning;  ///< a sentence
  std::string chapter;  ///< of the guide, that says more: "memory.md"; may be empty
  std::string id;       ///< of its element of a page
};

/// The rows of the table in docs/guide/glossary.md.
const std::vector<GuideEntry>& guide_words();
/// The sections of docs/guide/primitives.md, with the first sentence of each.
const std::vector<GuideEntry>& guide_primitives();

/// A part of a text. With an entry, it is a word of the glossary, also in the plural.
struct TextPart {
  std::string text;
  const GuideEntry* entry = nullptr;
};
/// The text in parts, in which the first use of each word of the glossary is one.
std::vector<TextPart> parts_of(const std::string& text);

/// The primitives that a schedule calls in new lines, or in any where nothing has changed; in the
/// order of their first calls.
std::vector<const GuideEntry*> primitives_in(const Listing& schedule);
/// "New or changed steps: ": the words before those primitives.
std::string primitives_title(const Listing& schedule);

/// The entries of one page of the guide that a ladder page uses.
struct UsedEntries {
  std::string title;  ///< "Words, from docs/guide/glossary.md"
  std::vector<const GuideEntry*> entries;
};
/// The primitives and the words that a ladder page uses.
std::vector<UsedEntries> used_entries(const LadderPage& page);
/// The meaning, and the file that says more: "a loop (docs/guide/language.md)".
std::string meaning_text(const GuideEntry& entry);

}  // namespace hone
