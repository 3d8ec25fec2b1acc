// The parts of a page in HTML.
#pragma once

#include "tools/page/page.h"

namespace hone {

/// The section of a rung. `unit` is that of the page's speeds.
Markup rung_section(const RungPage& rung, size_t number, const SpeedChart& chart);

/// A text with its changes, where unchanged lines far from any fold, each with the steps and the
/// axis that it belongs to.
Markup listing_block(const Listing& listing, const std::string& label);

/// Rows of cells under a row of headings.
Markup table(std::string_view style, llvm::ArrayRef<std::string> headings,
             llvm::ArrayRef<std::vector<Markup>> rows);

}  // namespace hone
