#include "ir/schedule/instructions.h"

#include "fmt/format.h"

namespace hone {
namespace {

/// Those of the family that the word names, by what stands before its first '_'; of any other word
/// the first of each family.
std::vector<std::string> words_like(llvm::StringRef word) {
  std::vector<std::string> like, first;
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes) {
      if (opcode->rules.spreads.empty()) continue;
      if (llvm::StringRef(opcode->word()).split('_').first == word.split('_').first)
        like.push_back(opcode->word());
      if (opcode == family.opcodes.front()) first.push_back(opcode->word());
    }
  return like.empty() ? first : like;
}

/// Of many, the nearest to the word.
std::string note_on_words(llvm::StringRef word) {
  constexpr size_t most = 12, few = 6;
  std::vector<std::string> words = words_like(word);
  const bool is_known = llvm::StringRef(words.front()).split('_').first == word.split('_').first;
  if (words.size() <= most)
    return fmt::format("there are {}{}", fmt::join(words, ", "),
                       is_known ? "" : " and others like these");
  llvm::stable_sort(words, [&](llvm::StringRef lhs, llvm::StringRef rhs) {
    return lhs.edit_distance(word) < rhs.edit_distance(word);
  });
  const size_t others = words.size() - few;
  words.resize(few);
  return fmt::format("there are {} and {} others", fmt::join(words, ", "), others);
}

}  // namespace

const Opcode& find_instruction(const Preconditions& check, llvm::StringRef word) {
  const Opcode* opcode = find_opcode_with_lanes(word);
  if (!opcode)
    check.refuse(nullptr, fmt::format("no instruction has the name '{}'", word.str()),
                 note_on_words(word));
  return *opcode;
}

}  // namespace hone
