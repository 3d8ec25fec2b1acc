// The parts of a page in HTML.
#pragma once

#include "tools/page/page.h"

namespace hone {

/// The things that pages have around their content.
struct PageFrame {
  std::string name, title, version;
  std::string style;                                       ///< behind the one of all pages
  std::string part;                                        ///< "rung": the noun of `parts`
  std::vector<std::pair<std::string, std::string>> parts;  ///< anchors and names
  std::string hint;                                        ///< a sentence beside the keys
  std::string footer;
};

/// One file of HTML, which needs nothing else, and is XML too. Each part of the content is a
/// section of the class rung.
std::string html_page(const PageFrame& frame, const Markup& content);

/// The problem, the plan, and the speeds of all rungs.
Markup opening(const LadderPage& page);

/// The section of a rung, by its number.
Markup rung_section(const LadderPage& page, size_t number);

/// The text, in which the first use of each word of the glossary leads to its entry.
Markup linked(const std::string& text);

/// Links to the primitives that are new in a schedule.
Markup primitive_links(const Listing& schedule);

/// The meanings of the counters, and of the words and the primitives that the page uses.
Markup words(const LadderPage& page);

/// Nothing for an empty text.
Markup paragraph(const std::string& text);

/// A picture as SharedPictures writes it, which can be scrolled.
Markup figure(const PageDrawing& drawing);

/// The place of a text, or of a table, among those of the page.
struct PagePlace {
  std::string id;                      ///< of the element; empty: nothing refers to it
  std::string base;                    ///< id of the one that it is compared with; empty: none
  std::string base_name, base_anchor;  ///< of the rung of that one
};

/// A text with its changes, where unchanged lines far from any fold: the script copies them from
/// the text that this one is compared with. Each line belongs to a step and an axis.
Markup listing_block(const Listing& listing, const PagePlace& place);

/// The steps and the axes of lines, or of rows, as an attribute that the script reads: "3/i" for a
/// step and an axis, "3" for a step alone, "-" for neither, "=4" for those of the line before, four
/// times.
class Owners {
 public:
  void add(int step, const std::string& axis);
  std::string text() const { return text_ + repeated(); }

 private:
  std::string repeated() const { return again_ == 0 ? "" : fmt::format(" ={}", again_); }

  std::string text_, last_;
  int again_ = 0;
};

/// Bars of the rungs' speeds, with links to the rungs.
Markup chart_bars(const SpeedChart& chart);

/// Rows of cells under a row of headings.
Markup table(std::string_view style, llvm::ArrayRef<std::string> headings,
             llvm::ArrayRef<std::vector<Markup>> rows);

/// The same of lines, whose cells tabs part. The script copies stretches of lines that have not
/// changed from the table that it is compared with.
Markup table_of(const Listing& lines, std::string_view style, llvm::ArrayRef<std::string> headings,
                const PagePlace& place);

}  // namespace hone
