#include "ir/schedule/instructions.h"

#include "fmt/format.h"

namespace hone {
namespace {

bool is_of_family(llvm::StringRef instruction, llvm::StringRef word) {
  return instruction.split('_').first == word.split('_').first;
}

/// Those of the family that the word names, by what stands before its first '_'; of any other word
/// the first of each family.
std::vector<std::string> words_like(llvm::StringRef word, TakesOpcode takes) {
  std::vector<std::string> like, first;
  for (const Family& family : opcode_families()) {
    bool is_first = true;
    for (const Opcode* opcode : family.opcodes) {
      if (opcode->rules.spreads.empty() || !takes(*opcode)) continue;
      if (is_of_family(opcode->word(), word)) like.push_back(opcode->word());
      if (is_first) first.push_back(opcode->word());
      is_first = false;
    }
  }
  return like.empty() ? first : like;
}

/// Of many, the nearest to the word.
std::string note_on_words(llvm::StringRef word, TakesOpcode takes) {
  constexpr size_t most = 12, few = 6;
  std::vector<std::string> words = words_like(word, takes);
  const bool is_known = is_of_family(words.front(), word);
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

const Opcode& find_instruction(const Preconditions& check, llvm::StringRef word,
                               TakesOpcode takes) {
  const Opcode* opcode = find_opcode_with_lanes(word);
  if (!opcode)
    check.refuse(nullptr, fmt::format("no instruction has the name '{}'", word.str()),
                 note_on_words(word, takes));
  return *opcode;
}

}  // namespace hone
