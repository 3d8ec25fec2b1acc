// A text of C++, taken apart as far as it takes to cut out a function or a call: no compiler is
// needed, and no text is refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Lines of a file, from 1 on, both ends included.
struct LineRange {
  unsigned first = 0, last = 0;

  unsigned size() const { return last - first + 1; }
  bool contains(unsigned line) const { return first <= line && line <= last; }
  friend bool operator==(const LineRange& lhs, const LineRange& rhs) {
    return lhs.first == rhs.first && lhs.last == rhs.last;
  }
};

/// A declaration of a file or of a namespace: a function, most often.
struct SourceDeclaration {
  std::string name;      ///< empty where none is found
  LineRange lines;       ///< with the comment directly above
  unsigned comment = 0;  ///< the number of lines of that
};

class SourceText {
 public:
  explicit SourceText(std::string text);

  /// In the order of the file.
  llvm::ArrayRef<SourceDeclaration> declarations() const { return declarations_; }
  /// Null where the line is in none.
  const SourceDeclaration* declaration_at(unsigned line) const;
  /// The largest stretch around a line that has at most so many lines: its declaration, or what
  /// brackets enclose in it; at least the line. Nothing where the text has no such line.
  std::optional<LineRange> stretch_around(unsigned line, unsigned most_lines) const;
  /// The lines of the call, or of the list in braces, that has the string `literal` among its
  /// arguments, in the declaration around `line`: of several the nearest.
  std::optional<LineRange> call_with(llvm::StringRef literal, unsigned line) const;
  /// Names and keywords outside of comments and strings, in order.
  std::vector<llvm::StringRef> words(const LineRange& lines) const;
  /// The files that it includes in quotes, as they are spelled.
  std::vector<llvm::StringRef> includes() const;
  /// The lines, each with an end, moved to the left as far as they go.
  std::string text(const LineRange& lines) const;

 private:
  /// Brackets around a position, the innermost first: lines from the opening to the closing one.
  std::vector<LineRange> brackets_around(size_t position) const;
  unsigned line_of(size_t position) const;
  llvm::StringRef code(const LineRange& lines) const;
  llvm::StringRef raw_line(unsigned line) const;
  bool is_comment(unsigned line) const;
  void find_declarations();
  void declare(size_t from, size_t to);

  std::string text_;
  std::string code_;            ///< blanks for comments, texts of strings, and preprocessor lines
  std::vector<size_t> starts_;  ///< of lines, and the end of the text
  std::vector<SourceDeclaration> declarations_;
};

}  // namespace hone
