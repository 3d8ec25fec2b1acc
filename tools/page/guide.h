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

/// A use of an entry in a text, as a word of its own, also in the plural.
struct WordUse {
  size_t place, length;
  const GuideEntry* entry;
};
/// The first use of each word of the glossary, in the order of the text.
std::vector<WordUse> word_uses(const std::string& text);

/// The primitives that a schedule calls in new lines, or in any where nothing has changed; in the
/// order of their first calls.
std::vector<const GuideEntry*> primitives_in(const Listing& schedule);

}  // namespace hone
