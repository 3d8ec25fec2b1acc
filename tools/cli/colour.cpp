#include "tools/cli/colour.h"

#include "fmt/color.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace {

struct Word {
  std::string_view text;
  fmt::terminal_color colour;
};
constexpr Word beginnings[] = {{"error:", fmt::terminal_color::red},
                               {"warning:", fmt::terminal_color::magenta},
                               {"note:", fmt::terminal_color::cyan}};
constexpr Word mark = {"<-- here", fmt::terminal_color::red};

/// The line with the word at that place in its colour.
std::string with_colour(llvm::StringRef line, size_t at, const Word& word) {
  return line.take_front(at).str() +
         fmt::format(fmt::emphasis::bold | fmt::fg(word.colour), "{}", word.text) +
         line.drop_front(at + word.text.size()).str();
}

/// True where nothing stands before the place, or a file and a line.
bool begins_message(llvm::StringRef line, size_t at) {
  return at == 0 || (line.take_front(at).endswith(": ") && !line.take_front(at - 1).contains(' '));
}

std::string coloured_line(llvm::StringRef line) {
  for (const Word& word : beginnings) {
    const size_t at = line.find(word.text);
    if (at != llvm::StringRef::npos && begins_message(line, at)) return with_colour(line, at, word);
  }
  const size_t at = line.find(mark.text);
  return at == llvm::StringRef::npos ? line.str() : with_colour(line, at, mark);
}

}  // namespace

std::string coloured(std::string_view text) {
  std::string result;
  llvm::StringRef rest(text.data(), text.size());
  while (!rest.empty()) {
    const auto [line, behind] = rest.split('\n');
    result += coloured_line(line);
    if (line.size() < rest.size()) result += '\n';
    rest = behind;
  }
  return result;
}

}  // namespace hone
