#include "tools/page/page_drawings.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// Kinds of others are not made where a rung has so many.
constexpr size_t enough = 3;
/// Those that say most first; the iteration space is that of the problem.
constexpr FigureKind kinds_in_order[] = {
    FigureKind::pipeline, FigureKind::banks, FigureKind::lanes,     FigureKind::threads,
    FigureKind::spread,   FigureKind::walk,  FigureKind::reduction, FigureKind::halo};
constexpr std::string_view style_start = "<style>", style_end = "</style>\n";

/// The text without what stands between the two marks, marks included.
std::string without(const std::string& text, std::string_view start, std::string_view end) {
  std::string rest;
  size_t position = 0;
  while (true) {
    const size_t from = text.find(start, position), to = text.find(end, from);
    if (from == std::string::npos || to == std::string::npos) return rest + text.substr(position);
    rest += text.substr(position, from - position);
    position = to + end.size();
  }
}

/// Shorter elements take no more room than a reference.
constexpr size_t least_shared = 60;

/// True of a line that is a path, or a text, and nothing else.
bool is_element(llvm::StringRef line) {
  const std::string_view text = line;
  if (text.size() < least_shared) return false;
  if (text.starts_with("<path ")) return text.find('<', 1) == text.npos && text.ends_with("/>");
  const std::string_view end = "</text>";
  return text.starts_with("<text ") && text.find(end) == text.size() - end.size();
}

double fact(const Figure& figure, const char* name) {
  const auto found = figure.facts.find(name);
  return found == figure.facts.end() ? 0 : found->second;
}

/// Small numbers come first.
int rank_of(const Figure& figure) {
  const bool is_comparison = figure.panels.size() > 4;  // of two rungs, side by side
  const bool has_conflicts = fact(figure, "wavefronts") > fact(figure, "ideal_wavefronts");
  if (figure.kind == "pipeline") return -1;
  if (figure.kind == "banks" && (is_comparison || has_conflicts)) return 0;
  if (figure.kind == "lanes") return 1;
  return figure.kind == "banks" ? 3 : 2;
}

}  // namespace

PageDrawing page_drawing(const Figure& figure) {
  Figure plain = figure;
  for (FigurePanel& panel : plain.panels)
    for (FigureCell& cell : panel.cells) cell.tip.clear();
  return {figure.title, without(to_svg(plain), "<desc>", "</desc>\n")};
}

std::vector<PageDrawing> drawings_of(const RungRef& rung, const DrawingOptions& options,
                                     std::shared_ptr<BankFigures> banks) {
  Drawings drawings(rung, options, std::move(banks));
  std::vector<Figure> figures;
  for (const FigureKind kind : kinds_in_order)
    if (figures.size() < enough)
      for (Figure& figure : drawings.of(kind)) figures.push_back(std::move(figure));
  std::stable_sort(figures.begin(), figures.end(), [](const Figure& lhs, const Figure& rhs) {
    return rank_of(lhs) < rank_of(rhs);
  });
  std::vector<PageDrawing> result;
  result.reserve(figures.size());
  for (const Figure& figure : figures) result.push_back(page_drawing(figure));
  return result;
}

std::vector<size_t> fit_drawings(std::vector<std::vector<PageDrawing>>& rungs, size_t most_bytes) {
  std::vector<size_t> lost(rungs.size());
  std::vector<std::vector<PageDrawing>> kept(rungs.size());
  std::set<std::string> known;
  size_t bytes = 0, longest = 0;
  for (const auto& drawings : rungs) longest = std::max(longest, drawings.size());
  const size_t most_of_one = rungs.empty() ? 0 : 4 * most_bytes / rungs.size();
  SharedPictures pictures;
  for (size_t n = 0; n < longest; ++n)
    for (size_t rung = 0; rung < rungs.size(); ++rung) {
      if (n >= rungs[rung].size() || known.count(rungs[rung][n].svg)) continue;
      PageDrawing& drawing = rungs[rung][n];
      SharedPictures with_this = pictures;
      const size_t size = with_this.add(drawing.svg).size();
      if (size > most_of_one || bytes + size > most_bytes) {
        ++lost[rung];
        continue;
      }
      bytes += size;
      pictures = std::move(with_this);
      known.insert(drawing.svg);
      kept[rung].push_back(std::move(drawing));
    }
  rungs = std::move(kept);
  return lost;
}

std::string style_in(const std::string& svg) {
  const size_t from = svg.find(style_start), to = svg.find(style_end);
  if (from == std::string::npos || to == std::string::npos) return "";
  return svg.substr(from + style_start.size(), to - from - style_start.size());
}

std::string without_style(const std::string& svg) { return without(svg, style_start, style_end); }

std::string shared_style(const std::string& style) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(style).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line.consume_front(".hone-figure ");
    if (!line.empty()) result += line.str() + "\n";
  }
  return result;
}

std::string SharedPictures::add(const std::string& svg) {
  std::string result;
  const std::string plain = without_style(svg);
  llvm::StringRef rest = plain;
  while (!rest.empty()) {
    const auto [line, others] = rest.split('\n');
    result += is_element(line) ? shared(line.str()) : line.str();
    if (line.size() < rest.size()) result += '\n';
    rest = others;
  }
  return result;
}

std::string SharedPictures::shared(const std::string& element) {
  const auto [found, is_new] = ids_.try_emplace(element, ids_.size());
  if (!is_new) return fmt::format("<use href=\"#p{}\"/>", found->second);
  const size_t name = element.find(' ');
  return fmt::format("{} id=\"p{}\"{}", element.substr(0, name), found->second,
                     element.substr(name));
}

}  // namespace hone
