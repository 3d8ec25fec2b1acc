#include "tests/support/ir/code_blocks.h"

#include <fstream>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

std::vector<CodeBlock> code_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<CodeBlock> blocks;
  bool is_inside = false, is_empty = true;
  for (std::string line; std::getline(file, line);) {
    llvm::StringRef language = line;
    if (language.consume_front("```")) {
      is_inside = is_empty = !is_inside;
      if (is_inside) blocks.push_back({language.str(), ""});
    } else if (is_inside) {
      blocks.back().text += (is_empty ? "" : "\n") + line;
      is_empty = false;
    }
  }
  return blocks;
}

std::string without_comments(const std::string& text) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef& line : lines) line = line.take_front(line.find("//")).rtrim();
  return llvm::join(lines, "\n");
}

}  // namespace hone
