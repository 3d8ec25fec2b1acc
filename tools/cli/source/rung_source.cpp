#include "tools/cli/source/rung_source.h"

#include <map>

#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"
#include "runtime/files.h"

namespace hone {
namespace {

constexpr size_t most_bytes = 4 << 20;
/// A piece has no more: longer declarations are tables, of which a part is shown.
constexpr unsigned most_lines = 80;

/// A stretch of a file that may be shown.
struct Place {
  std::string file;
  LineRange lines;

  friend bool operator==(const Place& lhs, const Place& rhs) {
    return lhs.file == rhs.file && lhs.lines == rhs.lines;
  }
};

/// The source of one rung, put together.
class SourceReader {
 public:
  SourceReader(const Ladder& ladder, const Rung& rung, const Schedule& schedule)
      : ladder_(ladder), rung_(rung), schedule_(schedule) {}

  RungSource read() {
    const std::optional<Place> entry = entry_of_rung();
    find_calls(entry);
    if (entry) add(*entry);
    for (const Place& one : std::vector<Place>(called_)) add(one);
    if (source_.pieces.empty() && source_.problem.empty())
      source_.problem = "no place in C++ is known of it";
    return std::move(source_);
  }

 private:
  using Files = std::map<std::string, std::optional<SourceText>>;

  /// Null where the file cannot be read.
  const SourceText* find_file(const std::string& path, Files& files) const {
    const auto [found, is_new] = files.try_emplace(path);
    if (is_new) {
      auto text = ladder_.source ? ladder_.source(path) : std::nullopt;
      if (!text) text = read_small_file(path, most_bytes);
      if (text) found->second.emplace(*text);
    }
    return found->second ? &*found->second : nullptr;
  }

  /// The same, and then there is a problem.
  const SourceText* file(const std::string& path) {
    const SourceText* text = find_file(path, files_);
    if (!text) report(fmt::format("cannot read {}", path));
    return text;
  }

  void report(const std::string& problem) {
    if (source_.problem.empty()) source_.problem = problem;
  }

  /// The stretches around the steps that do not stand in the entry of the rung, in the order of the
  /// steps.
  void find_calls(const std::optional<Place>& rung) {
    for (const TraceEntry& entry : schedule_.trace()) {
      if (!entry.location.file) continue;
      if (rung && rung->file == entry.location.file && rung->lines.contains(entry.location.line))
        continue;
      const SourceText* text = file(entry.location.file);
      if (!text) continue;
      const auto lines = text->stretch_around(entry.location.line, most_lines);
      if (!lines || !has_step(*text, entry.location.file, *lines))
        report(fmt::format("{} has changed since the program was built", entry.location.file));
      else if (const Place place = {entry.location.file, *lines};
               !llvm::is_contained(called_, place))
        called_.push_back(place);
    }
  }

  /// True if the lines still name a step that was called from there.
  bool has_step(const SourceText& text, llvm::StringRef file, const LineRange& lines) const {
    const std::vector<llvm::StringRef> words = text.words(lines);
    return llvm::any_of(schedule_.trace(), [&](const TraceEntry& entry) {
      return entry.location.file && file == entry.location.file &&
             lines.contains(entry.location.line) &&
             llvm::is_contained(words, llvm::StringRef(entry.step.primitive->name));
    });
  }

  /// The call that has the name of the rung, or the function that makes it.
  std::optional<Place> entry_of_rung() {
    const Location& location = rung_.location;
    const SourceText* text = location.file ? file(location.file) : nullptr;
    if (!text || !text->declaration_at(location.line)) return std::nullopt;
    auto lines = text->call_with(rung_.name, location.line);
    if (!lines) lines = text->stretch_around(location.line, most_lines);
    if (!lines) return std::nullopt;
    return Place{location.file, *lines};
  }

  /// The piece, and those that it leads to.
  void add(const Place& place) {
    if (llvm::is_contained(shown_, place)) return;
    shown_.push_back(place);
    source_.pieces.push_back(piece_at(place));
    for (const llvm::StringRef word : file(place.file)->words(place.lines)) {
      const auto next = function_of(word, place.file);
      asked_.clear();
      if (next && leads_to_step(*next)) add(*next);
    }
  }

  SourcePiece piece_at(const Place& place) {
    const SourceText& text = *file(place.file);
    const SourceDeclaration* declaration = text.declaration_at(place.lines.last);
    SourcePiece piece = {short_path(place.file), place.lines, {}, {}, text.text(place.lines), {}};
    if (declaration && declaration->lines == place.lines) {
      piece.name = declaration->name;
      if (declaration->comment == 0) piece.comment = comment_in_headers(place.file, piece.name);
    }
    piece.steps.resize(place.lines.size());
    const auto trace = schedule_.trace();
    for (size_t n = trace.size(); n-- > 0;) {
      const Location& location = trace[n].location;
      if (!location.file || place.file != location.file || !place.lines.contains(location.line))
        continue;
      piece.steps[location.line - place.lines.first] = static_cast<int>(n) + 1;
    }
    return piece;
  }

  std::string comment_in_headers(const std::string& path, llvm::StringRef name) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    for (const llvm::StringRef header : find_file(path, files_)->includes())
      for (const std::string& place : {header.str(), folder + header.str()})
        if (const SourceText* text = find_file(place, headers_))
          for (const SourceDeclaration& one : text->declarations())
            if (one.name == name && one.comment > 0)
              return text->text({one.lines.first, one.lines.first + one.comment - 1});
    return "";
  }

  /// A function of that name that may be shown: of the file, else of another one.
  std::optional<Place> function_of(llvm::StringRef name, const std::string& path) {
    std::optional<Place> result;
    for (const auto& [other, text] : files_)
      for (const SourceDeclaration& one :
           text ? text->declarations() : llvm::ArrayRef<SourceDeclaration>())
        if (one.name == name && one.lines.size() <= most_lines && (!result || other == path))
          result = Place{other, one.lines};
    return result;
  }

  /// True of a function that steps stand in, or that names one that does.
  bool leads_to_step(const Place& place) {
    if (llvm::is_contained(called_, place)) return true;
    if (llvm::is_contained(asked_, place)) return false;
    asked_.push_back(place);
    return llvm::any_of(file(place.file)->words(place.lines), [&](llvm::StringRef word) {
      const auto next = function_of(word, place.file);
      return next && leads_to_step(*next);
    });
  }

  const Ladder& ladder_;
  const Rung& rung_;
  const Schedule& schedule_;
  Files files_, headers_;
  std::vector<Place> called_, shown_, asked_;
  RungSource source_;
};

}  // namespace

RungSource source_of(const Ladder& ladder, const Rung& rung, const Schedule& schedule) {
  return SourceReader(ladder, rung, schedule).read();
}

std::string text_of(const RungSource& source, const std::string& rung) {
  if (source.pieces.empty()) throw RuntimeError("{} has no source: {}", rung, source.problem);
  std::string text;
  for (const SourcePiece& piece : source.pieces)
    text += fmt::format("{}// {}:{}\n{}{}", text.empty() ? "" : "\n", piece.file, piece.lines.first,
                        piece.comment, piece.text);
  if (!source.problem.empty()) text += fmt::format("\n// not all is here: {}\n", source.problem);
  return text;
}

}  // namespace hone
