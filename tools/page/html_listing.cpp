#include <algorithm>

#include "llvm/ADT/StringMap.h"
#include "tools/page/html.h"

namespace hone {
namespace {

/// Unchanged lines beside a change that stay in sight, and the least that are worth folding.
constexpr size_t context = 3, least_fold = 6;

std::string style_of(const ListingLine& line) {
  return line.change == '+' ? "add" : line.change == '-' ? "del" : "";
}

/// A line without a number, between kernels, or of a schedule.
bool has_number(const ListingLine& line) { return line.number > 0; }

/// A line: its change, and the text. Data of elements: s is the step, x the axis. The style sheet
/// counts the lines; `number` is given where it is not the next one.
Markup line_markup(const ListingLine& line, unsigned number) {
  const std::string text = line.text.empty() ? " " : line.text;
  const bool is_plain = line.change == ' ' && !has_number(line);
  return element("span",
                 {{"class", is_plain ? "gap" : style_of(line)},
                  {"style", number == 0 ? "" : fmt::format("counter-set:n {}", number)},
                  {"data-s", line.step < 0 ? "" : fmt::format("{}", line.step)},
                  {"data-x", line.axis}},
                 text + "\n");
}

/// True of the lines that no change is near.
std::vector<bool> far_lines(const Listing& listing) {
  std::vector<bool> far(listing.size(), has_changes(listing));
  for (size_t n = 0; n < listing.size(); ++n)
    if (listing[n].change != ' ')
      std::fill(far.begin() + static_cast<ptrdiff_t>(n - std::min(n, context)),
                far.begin() + static_cast<ptrdiff_t>(std::min(n + context + 1, far.size())), false);
  return far;
}

Markup lines_markup(llvm::ArrayRef<ListingLine> lines) {
  Markup markup;
  unsigned last = 0;
  for (const ListingLine& line : lines) {
    markup += line_markup(line, line.number == last + 1 ? 0 : line.number);
    if (has_number(line)) last = line.number;
  }
  return element("code", markup);
}

Markup fold(llvm::ArrayRef<ListingLine> lines) {
  return element("details", {{"class", "fold"}},
                 element("summary", fmt::format("{} unchanged lines", lines.size())) +
                     element("pre", lines_markup(lines)));
}

}  // namespace

Markup listing_block(const Listing& listing, const std::string& label) {
  const std::vector<bool> far = far_lines(listing);
  const llvm::ArrayRef<ListingLine> lines = listing;
  Markup blocks;
  for (size_t start = 0, end; start < lines.size(); start = end) {
    end = start + 1;
    while (end < lines.size() && far[end] == far[start]) ++end;
    const auto part = lines.slice(start, end - start);
    blocks +=
        far[start] && part.size() >= least_fold ? fold(part) : element("pre", lines_markup(part));
  }
  return element(
      "div", {{"class", "listing"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}},
      blocks);
}

}  // namespace hone
