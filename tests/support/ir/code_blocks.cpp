#include "tests/support/ir/code_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

namespace fs = std::filesystem;

namespace {

/// Adds a comment of one line to the notes of the block that follows; any other line ends them.
void read_note(llvm::StringRef line, std::map<std::string, std::string>& notes) {
  if (!line.consume_front("<!-- ") || !line.consume_back("-->")) return notes.clear();
  const auto [name, text] = line.split(": ");
  notes[name.str()] = text.trim().str();
}

llvm::SmallVector<llvm::StringRef> lines_of(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.rtrim().split(lines, '\n');
  for (llvm::StringRef& line : lines) line = line.rtrim();
  return lines;
}

/// True if a page shows these lines, of which `...` leaves some out.
bool are_shown(llvm::ArrayRef<llvm::StringRef> shown, llvm::ArrayRef<llvm::StringRef> lines) {
  if (shown.empty()) return lines.empty();
  const llvm::StringRef first = shown.front();
  if (first == "...") {
    for (size_t skipped = 0; skipped <= lines.size(); ++skipped)
      if (are_shown(shown.drop_front(), lines.drop_front(skipped))) return true;
    return false;
  }
  if (lines.empty()) return false;
  const bool is_same =
      std::string_view(first).ends_with(" ...")
          ? std::string_view(lines.front()).starts_with(std::string_view(first.drop_back(4)))
          : lines.front() == first;
  return is_same && are_shown(shown.drop_front(), lines.drop_front());
}

bool leaves_out(llvm::ArrayRef<llvm::StringRef> shown) {
  return llvm::any_of(shown, [](llvm::StringRef line) {
    return line == "..." || std::string_view(line).ends_with(" ...");
  });
}

/// Writes the text between the lines of ``` of block `number`.
void write_block(const std::string& path, int number, llvm::StringRef text) {
  std::ifstream file(path);
  std::stringstream changed;
  int fences = 0;  // the lines of ``` so far: two for each block
  for (std::string line; std::getline(file, line);) {
    const bool is_fence = std::string_view(line).starts_with("```");
    if (is_fence || fences != 2 * number + 1) changed << line << "\n";
    fences += is_fence;
    if (is_fence && fences == 2 * number + 1) changed << text.rtrim().str() << "\n";
  }
  file.close();
  std::ofstream(path) << changed.str();
}

void append_pages(std::vector<std::string>& paths, const std::string& folder) {
  const size_t first = paths.size();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
  std::sort(paths.begin() + static_cast<std::ptrdiff_t>(first), paths.end());
}

}  // namespace

std::vector<CodeBlock> code_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<CodeBlock> blocks;
  bool is_inside = false, is_empty = true;
  std::map<std::string, std::string> notes;
  for (std::string line; std::getline(file, line);) {
    llvm::StringRef language = line;
    if (language.consume_front("```")) {
      is_inside = is_empty = !is_inside;
      if (is_inside) blocks.push_back({language.str(), "", std::exchange(notes, {})});
    } else if (is_inside) {
      blocks.back().text += (is_empty ? "" : "\n") + line;
      is_empty = false;
    } else {
      read_note(line, notes);
    }
  }
  return blocks;
}

std::string CodeBlock::note(const std::string& name) const {
  const auto found = notes.find(name);
  return found == notes.end() ? "" : found->second;
}

std::vector<std::string> pages() {
  std::vector<std::string> paths = {"README.md"};
  append_pages(paths, "docs");
  append_pages(paths, "docs/guide");
  return paths;
}

std::string without_comments(const std::string& text) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef& line : lines) line = line.take_front(line.find("//")).rtrim();
  return llvm::join(lines, "\n");
}

void expect_block(const std::string& path, int number, const std::string& made) {
  const std::vector<CodeBlock> blocks = code_blocks(path);
  ASSERT_LT(number, static_cast<int>(blocks.size())) << path;
  const std::string& text = blocks[number].text;
  const auto shown = lines_of(text), lines = lines_of(made);
  if (are_shown(shown, lines)) return;
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update && std::string(update) == "1" && !leaves_out(shown))
    return write_block(path, number, made);
  EXPECT_EQ(llvm::join(shown, "\n"), llvm::join(lines, "\n"))
      << "block " << number + 1 << " of " << path << "; UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace hone
