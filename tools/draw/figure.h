// A drawing as data: grids of cells, arrows between them, and the numbers that it shows. It is
// written as SVG for a page, and as text for a terminal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hone {

struct FigureCell {
  std::string text;  ///< a few characters
  int group = -1;    ///< cells of one colour; -1: none
  std::string tip;   ///< a sentence
  /// A number that the cell stands for, as the address that a lane asks for; -1: none.
  int64_t value = -1;
  bool is_there = true;  ///< an absent cell leaves its place empty
};

/// A grid. Its note tells what it leaves out.
struct FigurePanel {
  std::string title;
  int64_t rows = 0, columns = 0;
  std::vector<FigureCell> cells;           ///< row by row
  std::vector<std::string> row_labels;     ///< one per row, or none
  std::vector<std::string> column_labels;  ///< one per column, or none
  int64_t column_gap = 0;                  ///< a gap after so many columns; 0: none
  int64_t row_gap = 0;                     ///< pixels between rows, for arrows
  std::string note;                        ///< "the first 32 of 64 rows"
  bool is_beside = false;                  ///< right of the panel before it, not below
  bool has_columns_above = false;          ///< those of the panel above, which it stands under
  bool merges = false;                     ///< neighbours that say the same are drawn as one

  FigurePanel() = default;
  /// Of cells that are not there.
  FigurePanel(std::string title, int64_t rows, int64_t columns);

  FigureCell& at(int64_t row, int64_t column) { return cells[row * columns + column]; }
  const FigureCell& at(int64_t row, int64_t column) const { return cells[row * columns + column]; }
};

struct FigurePlace {
  size_t panel = 0;
  int64_t row = 0, column = 0;

  bool operator==(const FigurePlace&) const = default;
};

struct FigureArrow {
  FigurePlace from, to;
  std::string text = {};
};

struct FigureKey {
  int group = -1;
  std::string text;
};

struct Figure {
  std::string kind;     ///< "lanes"
  std::string kernel;   ///< of the rung; empty where the figure is about no kernel
  std::string subject;  ///< the tensor, and the kind of its accesses: "A, global load"
  std::string title;    ///< a line
  std::string caption;  ///< a paragraph
  std::vector<FigurePanel> panels;
  std::vector<FigureArrow> arrows;
  std::vector<FigureKey> legend;
  std::map<std::string, double> facts;  ///< "sectors": 4; the numbers that the picture shows
  /// The accesses that it shows, by their numbers in the kernel: their places in what
  /// `hone counters --json` lists.
  std::vector<int> accesses;
};

/// Two figures of one kind as one: their panels beside each other, under their names.
Figure before_and_after(const Figure& before, const std::string& before_name, const Figure& after,
                        const std::string& after_name);

/// Self-contained, well-formed SVG 1.1 with a title and a description. Colours are CSS variables,
/// --hone-ink, --hone-faint and --hone-0 to --hone-7, with defaults for light and dark.
std::string to_svg(const Figure& figure);

/// Lines of at most 100 columns, in ASCII; the last one ends with a newline.
std::string to_text(const Figure& figure);

/// The colours of a figure: groups share them in turn.
inline constexpr int figure_colours = 8;

}  // namespace hone
