#include "tools/page/guide.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/StringExtras.h"
#include "tools/page/assets.h"

namespace hone {
namespace {

constexpr const char* glossary = "glossary.md";
constexpr const char* primitives = "primitives.md";

llvm::SmallVector<llvm::StringRef> split_lines(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  return lines;
}

std::string entry_id(const char* kind, llvm::StringRef word) {
  std::string id = kind + word.lower();
  std::replace(id.begin(), id.end(), ' ', '-');
  return id;
}

/// Text of Markdown without marks.
std::string without_marks(llvm::StringRef text) {
  std::string result = text.trim().str();
  llvm::erase_if(result, [](char c) { return c == '*' || c == '`'; });
  return result;
}

/// "a loop ([page](language.md))" is "a loop" and "language.md".
GuideEntry word_entry(llvm::StringRef word, llvm::StringRef cell) {
  const auto [meaning, link] = cell.split(" ([page](");
  return {without_marks(word), without_marks(meaning), link.split(')').first.str(),
          entry_id("w-", word.trim())};
}

std::vector<GuideEntry> read_words(llvm::StringRef glossary) {
  std::vector<GuideEntry> entries;
  for (llvm::StringRef line : split_lines(glossary)) {
    if (!line.consume_front("| ") || !line.contains(" | ")) continue;
    line.consume_back(" |");
    const auto [word, meaning] = line.split(" | ");
    if (word != "word") entries.push_back(word_entry(word, meaning));
  }
  return entries;
}

/// The first sentence of the paragraph that follows a heading.
std::string first_sentence(llvm::ArrayRef<llvm::StringRef> lines) {
  std::string paragraph;
  for (const llvm::StringRef line :
       lines.drop_while([](llvm::StringRef one) { return one.empty(); })) {
    if (line.empty()) break;
    paragraph += (paragraph.empty() ? "" : " ") + line.str();
  }
  const auto [sentence, rest] = llvm::StringRef(paragraph).split(". ");
  return without_marks(sentence) + (rest.empty() ? "" : ".");
}

std::vector<GuideEntry> read_primitives(llvm::StringRef page) {
  std::vector<GuideEntry> entries;
  const auto lines = split_lines(page);
  for (size_t n = 0; n < lines.size(); ++n) {
    llvm::StringRef name = lines[n];
    if (!name.consume_front("### ") || name.contains(' ')) continue;
    entries.push_back({name.str(),
                       first_sentence(llvm::ArrayRef<llvm::StringRef>(lines).drop_front(n + 1)),
                       primitives, entry_id("p-", name)});
  }
  return entries;
}

bool is_letter(llvm::StringRef text, size_t place) {
  return place < text.size() && (llvm::isAlnum(text[place]) || text[place] == '_');
}

/// The length of the word where it stands at that place, also as a plural; 0 where it does not.
size_t length_at(llvm::StringRef text, size_t place, llvm::StringRef word) {
  if (place > 0 && is_letter(text, place - 1)) return 0;
  size_t end = place + word.size();
  if (is_letter(text, end) && text[end] == 's') ++end;
  return is_letter(text, end) ? 0 : end - place;
}

/// A use of an entry in a text.
struct WordUse {
  size_t place, length;
  const GuideEntry* entry;
};

std::optional<WordUse> use_of(const GuideEntry& entry, llvm::StringRef text) {
  for (size_t place = text.find_insensitive(entry.word); place != llvm::StringRef::npos;
       place = text.find_insensitive(entry.word, place + 1))
    if (const size_t length = length_at(text, place, entry.word))
      return WordUse{place, length, &entry};
  return std::nullopt;
}

/// The first use of each word of the glossary, in the order of the text.
std::vector<WordUse> word_uses(const std::string& text) {
  std::vector<WordUse> uses;
  for (const GuideEntry& entry : guide_words())
    if (const auto use = use_of(entry, text)) uses.push_back(*use);
  llvm::sort(uses, [](const WordUse& lhs, const WordUse& rhs) { return lhs.place < rhs.place; });
  return uses;
}

/// "docs/guide/memory.md"
std::string path_of(llvm::StringRef chapter) {
  return chapter.consume_front("../") ? "docs/" + chapter.str() : "docs/guide/" + chapter.str();
}

/// Those of `all` that are used, in their order.
UsedEntries chosen(const std::string& title, const char* chapter, llvm::ArrayRef<GuideEntry> all,
                   const std::set<const GuideEntry*>& used) {
  UsedEntries result = {title + ", from " + path_of(chapter), {}};
  for (const GuideEntry& entry : all)
    if (used.count(&entry)) result.entries.push_back(&entry);
  return result;
}

std::set<const GuideEntry*> used_words(const LadderPage& page) {
  std::vector<std::string> texts = {page.problem.text};
  for (const RungPage& rung : page.rungs) texts.insert(texts.end(), {rung.question, rung.idea});
  std::set<const GuideEntry*> used;
  for (const std::string& text : texts)
    for (const WordUse& use : word_uses(text)) used.insert(use.entry);
  return used;
}

std::set<const GuideEntry*> used_primitives(const LadderPage& page) {
  std::set<const GuideEntry*> used;
  for (const RungPage& rung : page.rungs)
    for (const GuideEntry* entry : primitives_in(rung.schedule)) used.insert(entry);
  return used;
}

}  // namespace

const std::vector<GuideEntry>& guide_words() {
  static const std::vector<GuideEntry> entries = read_words(page_glossary);
  return entries;
}

const std::vector<GuideEntry>& guide_primitives() {
  static const std::vector<GuideEntry> entries = read_primitives(page_primitives);
  return entries;
}

std::vector<TextPart> parts_of(const std::string& text) {
  std::vector<TextPart> parts;
  size_t place = 0;
  for (const WordUse& use : word_uses(text)) {
    if (use.place < place) continue;  // within a longer word
    parts.push_back({text.substr(place, use.place - place)});
    parts.push_back({text.substr(use.place, use.length), use.entry});
    place = use.place + use.length;
  }
  parts.push_back({text.substr(place)});
  return parts;
}

std::vector<const GuideEntry*> primitives_in(const Listing& schedule) {
  std::vector<const GuideEntry*> found;
  const bool is_all = !has_changes(schedule);
  for (const ListingLine& line : schedule) {
    if (line.change != '+' && !(is_all && line.change == ' ')) continue;
    const llvm::StringRef call = llvm::StringRef(line.text).split('(').first.rsplit("s.").second;
    const auto& all = guide_primitives();
    const auto entry = llvm::find_if(all, [&](const GuideEntry& one) { return one.word == call; });
    if (entry != all.end() && !llvm::is_contained(found, &*entry)) found.push_back(&*entry);
  }
  return found;
}

std::string primitives_title(const Listing& schedule) {
  return has_changes(schedule) ? "New or changed steps: " : "Steps: ";
}

std::vector<UsedEntries> used_entries(const LadderPage& page) {
  std::vector<UsedEntries> used = {
      chosen("Primitives", primitives, guide_primitives(), used_primitives(page)),
      chosen("Words", glossary, guide_words(), used_words(page))};
  llvm::erase_if(used, [](const UsedEntries& one) { return one.entries.empty(); });
  return used;
}

std::string meaning_text(const GuideEntry& entry) {
  const bool has_own = !entry.chapter.empty() && entry.chapter != primitives;
  return entry.meaning + (has_own ? " (" + path_of(entry.chapter) + ")" : "");
}

}  // namespace hone
