#include <algorithm>

#include "tools/page/html.h"

namespace hone {
namespace {

/// Unchanged lines beside a change that stay in sight, and the least that are worth folding.
constexpr size_t context = 3, least_fold = 6;

/// A line without a number, between kernels, or of a schedule.
bool has_number(const ListingLine& line) { return line.number > 0; }

std::string counter_of(unsigned number) { return fmt::format("counter-set:n {}", number); }

/// A line: its change, and the text. The style sheet counts the lines; `number` is given where it
/// is not the next one.
Markup line_markup(const ListingLine& line, unsigned number) {
  const bool is_plain = line.change == ' ' && !has_number(line);
  return element(
      line.change == '+'   ? "ins"
      : line.change == '-' ? "del"
                           : "i",
      {{"class", is_plain ? "gap" : ""}, {"style", number == 0 ? "" : counter_of(number)}},
      (line.text.empty() ? " " : line.text) + "\n");
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
  return element("pre", element("code", markup));
}

/// True of lines that stand as they are, one behind the other, in the text that theirs is compared
/// with, and whose numbers are in order.
bool is_stretch_of_base(llvm::ArrayRef<ListingLine> lines) {
  for (size_t n = 1; n < lines.size(); ++n) {
    const unsigned next = has_number(lines[0]) ? lines[n - 1].number + 1 : 0;
    if (lines[n].before != lines[n - 1].before + 1 || lines[n].number != next) return false;
  }
  return lines[0].before > 0;
}

/// Such lines, for the script: the number of those before them in the other text, how many they
/// are, and the number of the first.
std::string stretch_text(llvm::ArrayRef<ListingLine> lines) {
  return fmt::format("{} {} {}", lines[0].before - 1, lines.size(), lines[0].number);
}

Markup fold(llvm::ArrayRef<ListingLine> lines, const PagePlace& place) {
  const Markup title = element("summary", fmt::format("{} unchanged lines", lines.size()));
  if (place.base.empty() || !is_stretch_of_base(lines))
    return element("details", {{"class", "fold"}}, title + lines_markup(lines));
  return element(
      "details", {{"class", "fold"}, {"data-at", stretch_text(lines)}},
      title + element("a", {{"href", "#" + place.base_anchor}}, "as in " + place.base_name));
}

Owners owners_of(const Listing& listing) {
  Owners owners;
  for (const ListingLine& line : listing)
    if (line.change != '-') owners.add(line.step, line.axis);
  return owners;
}

Markup row_of(const ListingLine& line) {
  llvm::SmallVector<llvm::StringRef> cells;
  llvm::StringRef(line.text).split(cells, '\t');
  Markup markup;
  for (const llvm::StringRef cell : cells) markup += element("td", cell.str());
  return element("tr", markup);
}

/// Rows, of which several that stand in the other table in the same order are one.
Markup rows_of(llvm::ArrayRef<ListingLine> lines, const PagePlace& place) {
  Markup rows;
  for (size_t start = 0, end; start < lines.size(); start = end) {
    end = start + 1;
    while (end < lines.size() && is_stretch_of_base(lines.slice(start, end + 1 - start))) ++end;
    const auto part = lines.slice(start, end - start);
    const std::string hint = fmt::format("{} as in {}", part.size(), place.base_name);
    rows += part.size() < 2 ? row_of(part[0])
                            : element("tr", {{"data-at", stretch_text(part)}}, element("td", hint));
  }
  return rows;
}

}  // namespace

void Owners::add(int step, const std::string& axis) {
  std::string now = step < 0 ? "-" : fmt::format("{}", step);
  if (!axis.empty()) now += "/" + axis;
  if (now == last_) {
    ++again_;
    return;
  }
  text_ += repeated() + (text_.empty() ? "" : " ") + now;
  last_ = now;
  again_ = 0;
}

Markup listing_block(const Listing& listing, const PagePlace& place) {
  const std::vector<bool> far = far_lines(listing);
  const llvm::ArrayRef<ListingLine> lines = listing;
  Markup blocks;
  for (size_t start = 0, end; start < lines.size(); start = end) {
    end = start + 1;
    while (end < lines.size() && far[end] == far[start]) ++end;
    const auto part = lines.slice(start, end - start);
    blocks += far[start] && part.size() >= least_fold ? fold(part, place) : lines_markup(part);
  }
  return element("div",
                 {{"class", "listing"},
                  {"id", place.id},
                  {"data-of", place.base},
                  {"data-o", owners_of(listing).text()}},
                 blocks);
}

Markup table_of(const Listing& lines, std::string_view style, llvm::ArrayRef<std::string> headings,
                const PagePlace& place) {
  Markup head;
  for (const std::string& heading : headings) head += element("th", heading);
  return element(
      "div", {{"class", "scroll"}},
      element("table",
              {{"class", std::string(style)},
               {"id", place.id},
               {"data-of", place.base},
               {"data-o", owners_of(lines).text()}},
              element("thead", element("tr", head)) + element("tbody", rows_of(lines, place))));
}

}  // namespace hone
