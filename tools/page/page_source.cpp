#include "tools/page/page_source.h"

#include "fmt/format.h"

namespace hone {
namespace {

void add_plain(const std::string& text, Listing& listing) {
  for (ListingLine& line : plain_listing(text)) {
    line.number = 0;
    listing.push_back(std::move(line));
  }
}

/// True of a line of nothing but a string: of the title, the question and the idea of a rung, which
/// the page has.
bool is_string(llvm::StringRef line) {
  line = line.trim();
  line.consume_front("{");
  line.consume_back(",");
  line.consume_back("}");
  return line.size() > 1 && line.front() == '"' && line.back() == '"';
}

/// `file`: of the piece before.
void add_piece(const SourcePiece& piece, const std::string& file, Listing& listing) {
  if (!listing.empty()) listing.emplace_back();
  add_plain((piece.file == file ? "" : "// " + piece.file + "\n") + piece.comment, listing);
  Listing lines = plain_listing(piece.text);
  for (size_t n = 0; n < lines.size(); ++n) {
    lines[n].number = piece.lines.first + static_cast<unsigned>(n);
    if (piece.steps[n] > 0) lines[n].step = piece.steps[n];
  }
  if (piece.name.empty())
    llvm::erase_if(lines, [](const ListingLine& line) { return is_string(line.text); });
  listing.insert(listing.end(), lines.begin(), lines.end());
}

}  // namespace

PageSource PageSources::add(const RungSource& source, const std::string& rung,
                            const std::string& anchor) {
  PageSource result;
  result.problem = source.problem;
  std::string file;
  for (const SourcePiece& piece : source.pieces) {
    const std::string name = piece.name.empty()
                                 ? fmt::format("line {} of {}", piece.lines.first, piece.file)
                                 : piece.name;
    const auto [found, is_new] =
        shown_.try_emplace({piece.file, piece.lines.first}, ShownFunction{name, rung, anchor});
    if (!is_new) {
      result.shown.push_back(found->second);
      continue;
    }
    add_piece(piece, file, result.listing);
    file = piece.file;
  }
  return result;
}

}  // namespace hone
