// Figures for a terminal.
#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/StringRef.h"
#include "tools/draw/figure.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr size_t text_width = 100;

/// A cell that is there and has no text is a dot.
std::string cell_text(const FigureCell& cell) {
  if (!cell.is_there) return "";
  return cell.text.empty() ? "." : cell.text;
}

/// Whole lines; none for no words.
std::string paragraph(const std::string& words) {
  std::string text;
  for (const std::string& line : wrapped(words, text_width)) text += line + "\n";
  return text;
}

size_t longest(const std::vector<std::string>& texts) {
  size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  return width;
}

size_t cell_width_of(const FigurePanel& panel) {
  size_t width = std::max<size_t>(1, longest(panel.column_labels));
  for (const FigureCell& cell : panel.cells) width = std::max(width, cell_text(cell).size());
  return width;
}

/// Panels whose columns stand under each other have cells of one width.
std::vector<size_t> cell_widths_of(const std::vector<FigurePanel>& panels) {
  std::vector<size_t> widths;
  size_t band = 0;
  for (const FigurePanel& panel : panels) {
    widths.push_back(cell_width_of(panel));
    if (!panel.has_columns_above) band = widths.size() - 1;
    const size_t width = std::max(widths[band], widths.back());
    std::fill(widths.begin() + static_cast<std::ptrdiff_t>(band), widths.end(), width);
  }
  return widths;
}

/// The columns of a panel that fit beside each other.
struct Piece {
  int64_t first = 0, end = 0;
};

/// Writes one panel.
class PanelText {
 public:
  PanelText(const FigurePanel& panel, size_t label_width, size_t cell_width)
      : panel_(panel), width_(cell_width), label_width_(label_width) {}

  std::string text() const {
    std::string text = paragraph(panel_.title);
    const std::vector<Piece> pieces = cut();
    for (const Piece& piece : pieces) {
      if (pieces.size() > 1 && panel_.column_labels.empty())
        text += fmt::format("columns {} to {}\n", piece.first, piece.end - 1);
      text += text_of(piece);
    }
    if (!panel_.note.empty()) text += fmt::format("({})\n", panel_.note);
    return text;
  }

 private:
  size_t width_of(Piece piece) const {
    return label_width_ + (piece.end - piece.first) * (width_ + 1);
  }

  /// Pieces of about the same width.
  std::vector<Piece> cut() const {
    const int64_t unit = panel_.column_gap > 0 ? panel_.column_gap : 1;
    const int64_t units = (panel_.columns + unit - 1) / unit;
    int64_t count = 1;
    while (count < units && width_of({0, (units + count - 1) / count * unit}) > text_width) ++count;
    const int64_t most = std::max<int64_t>((units + count - 1) / count * unit, 1);
    std::vector<Piece> pieces;
    for (int64_t first = 0; first < panel_.columns; first += most)
      pieces.push_back({first, std::min(first + most, panel_.columns)});
    return pieces;
  }

  template <class TextOf>
  std::string line(Piece piece, const std::string& label, const TextOf& text_of) const {
    std::string line = fmt::format("{:>{}}", label, label_width_);
    for (int64_t column = piece.first; column < piece.end; ++column)
      line += fmt::format("{}{:>{}}", is_gap(piece, column) ? '|' : ' ', text_of(column), width_);
    return llvm::StringRef(line).rtrim().str() + "\n";
  }

  bool is_gap(Piece piece, int64_t column) const {
    return panel_.column_gap > 0 && column > piece.first && column % panel_.column_gap == 0;
  }

  std::string text_of(Piece piece) const {
    std::string text;
    if (!panel_.column_labels.empty())
      text += line(piece, "", [&](int64_t column) { return panel_.column_labels[column]; });
    for (int64_t row = 0; row < panel_.rows; ++row)
      text += line(piece, panel_.row_labels.empty() ? "" : panel_.row_labels[row],
                   [&](int64_t column) { return cell_text(panel_.at(row, column)); });
    return text;
  }

  const FigurePanel& panel_;
  size_t width_, label_width_;
};

}  // namespace

std::string to_text(const Figure& figure) {
  std::string text = paragraph(figure.title);
  size_t label_width = 0;
  for (const FigurePanel& panel : figure.panels)
    label_width = std::max(label_width, longest(panel.row_labels));
  const std::vector<size_t> widths = cell_widths_of(figure.panels);
  for (size_t number = 0; number < figure.panels.size(); ++number)
    text += (figure.panels[number].title.empty() && number > 0 ? "" : "\n") +
            PanelText(figure.panels[number], label_width, widths[number]).text();
  text += "\n" + paragraph(figure.caption);
  return text;
}

}  // namespace hone
