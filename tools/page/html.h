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

/// The meanings of the counters, and of the guide's words.
Markup words(const LadderPage& page);

/// Nothing for an empty text.
Markup paragraph(const std::string& text);

/// A picture, which can be scrolled.
Markup figure(const PageDrawing& drawing);

/// A text with its changes, where unchanged lines far from any fold, each with the steps and the
/// axis that it belongs to.
Markup listing_block(const Listing& listing, const std::string& label);

/// Rows of cells under a row of headings.
Markup table(std::string_view style, llvm::ArrayRef<std::string> headings,
             llvm::ArrayRef<std::vector<Markup>> rows);

}  // namespace hone
