#include <optional>

#include "examples/exercises/checker.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

namespace hone {
namespace {

using llvm::StringRef;

/// A line of a compiler's log, "path:3:14: error: text".
struct Diagnostic {
  StringRef path, line, text;
};

std::optional<Diagnostic> error_of(StringRef line) {
  for (const StringRef kind : {": error: ", ": fatal error: "}) {
    const auto [place, text] = line.split(kind);
    if (text.empty()) continue;
    const StringRef without_column = place.rsplit(':').first;
    const auto [path, number] = without_column.rsplit(':');
    return Diagnostic{path, number, text};
  }
  return std::nullopt;
}

bool is_answer(StringRef path, StringRef answer) {
  return llvm::sys::path::filename(path) == llvm::sys::path::filename(answer);
}

/// The number of the last line of the answer that the log names before an error elsewhere:
/// "path:12:5:   required from here".
StringRef line_that_leads_there(llvm::ArrayRef<StringRef> before, StringRef answer) {
  for (const StringRef line : llvm::reverse(before)) {
    const size_t at = line.find(llvm::sys::path::filename(answer).str() + ":");
    if (at == StringRef::npos) continue;
    const StringRef number = line.drop_front(at).split(':').second;
    return number.take_while([](char c) { return c >= '0' && c <= '9'; });
  }
  return "";
}

/// Sentences for the mistakes that are made most.
std::string advice_on(StringRef text) {
  if (text.contains("blockIdx") || text.contains("threadIdx"))
    return "the indices of the grid are `block.x` and `thread.x`, which axes are bound to\n";
  if (text.contains("not declared") || text.contains("undeclared identifier"))
    return "axes and tensors of the program are looked up: `s.axis(\"i\")`, `s.tensor(\"A\")`\n";
  if (text.contains("structured binding") || text.contains("decomposes into"))
    return "`split` returns two axes, `tile` two for each axis that it splits\n";
  return "";
}

std::string text_of(const Diagnostic& error, StringRef answer, StringRef line) {
  return fmt::format("{}:{}: {}\n{}", answer.str(), line.str(), error.text.str(),
                     advice_on(error.text));
}

}  // namespace

std::string compile_error_text(const std::string& log, const std::string& path,
                               const std::string& wanted) {
  llvm::SmallVector<StringRef> lines;
  StringRef(log).split(lines, '\n');
  for (size_t n = 0; n < lines.size(); ++n) {
    const auto error = error_of(lines[n]);
    if (!error) continue;
    if (is_answer(error->path, path)) return text_of(*error, path, error->line);
    const StringRef line =
        line_that_leads_there(llvm::ArrayRef<StringRef>(lines).take_front(n), path);
    if (!line.empty() && llvm::sys::path::filename(error->path) != "main.cpp")
      return text_of(*error, path, line);
    return fmt::format("the answer has to define `{}`\n", wanted);
  }
  return StringRef(log).take_front(2000).str() + "\n";
}

}  // namespace hone
