#include "tools/draw/figure.h"

#include <algorithm>

#include "fmt/format.h"

namespace hone {

FigurePanel::FigurePanel(std::string title, int64_t rows, int64_t columns)
    : title(std::move(title)), rows(rows), columns(columns) {
  FigureCell absent;
  absent.is_there = false;
  cells.assign(rows * columns, absent);
}

namespace {

/// The place of a panel among those of both figures, which take turns.
FigureArrow moved(FigureArrow arrow, size_t side) {
  arrow.from.panel = 2 * arrow.from.panel + side;
  arrow.to.panel = 2 * arrow.to.panel + side;
  return arrow;
}

constexpr int64_t widest_row = 72;  ///< of panels beside each other

FigurePanel panel_of(const Figure& figure, size_t number) {
  return number < figure.panels.size() ? figure.panels[number] : FigurePanel("", 0, 0);
}

}  // namespace

Figure before_and_after(const Figure& before, const std::string& before_name, const Figure& after,
                        const std::string& after_name) {
  Figure both = after;
  both.title = fmt::format("{} in {}, {} in {}", before.title, before_name,
                           after.title.substr(after.title.rfind(": ") + 2), after_name);
  both.caption = fmt::format("First {}, then {}. {}", before_name, after_name, after.caption);
  both.panels.clear();
  both.arrows.clear();
  for (size_t panel = 0; panel < std::max(before.panels.size(), after.panels.size()); ++panel) {
    const FigurePanel first = panel_of(before, panel), second = panel_of(after, panel);
    both.panels.push_back(first);
    both.panels.push_back(second);
    both.panels[2 * panel].title = before_name + ": " + first.title;
    both.panels[2 * panel + 1].title = after_name + ": " + second.title;
    both.panels[2 * panel].is_beside = false;
    both.panels[2 * panel + 1].is_beside = first.columns + second.columns <= widest_row;
  }
  for (const FigureArrow& arrow : before.arrows) both.arrows.push_back(moved(arrow, 0));
  for (const FigureArrow& arrow : after.arrows) both.arrows.push_back(moved(arrow, 1));
  if (before.legend.size() > after.legend.size()) both.legend = before.legend;
  for (const auto& [name, value] : before.facts) both.facts["before_" + name] = value;
  return both;
}

}  // namespace hone
