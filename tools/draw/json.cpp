#include "tools/draw/json.h"

#include <cmath>

namespace hone {
namespace {

namespace json = llvm::json;

json::Object to_json(const FigureCell& cell, int64_t row, int64_t column) {
  json::Object object{{"row", row}, {"column", column}, {"text", cell.text}};
  if (cell.group >= 0) object["group"] = cell.group;
  if (cell.value >= 0) object["value"] = cell.value;
  if (!cell.tip.empty()) object["tip"] = cell.tip;
  return object;
}

json::Object to_json(const FigurePanel& panel) {
  json::Array cells;
  for (int64_t row = 0; row < panel.rows; ++row)
    for (int64_t column = 0; column < panel.columns; ++column)
      if (panel.at(row, column).is_there)
        cells.push_back(to_json(panel.at(row, column), row, column));
  return json::Object{{"title", panel.title},
                      {"rows", panel.rows},
                      {"columns", panel.columns},
                      {"row_labels", json::Array(panel.row_labels)},
                      {"column_labels", json::Array(panel.column_labels)},
                      {"note", panel.note},
                      {"cells", std::move(cells)}};
}

json::Object to_json(const FigurePlace& place) {
  return json::Object{
      {"panel", static_cast<int64_t>(place.panel)}, {"row", place.row}, {"column", place.column}};
}

json::Value number(double value) {
  if (value == std::floor(value)) return static_cast<int64_t>(value);
  return value;
}

}  // namespace

json::Object to_json(const Figure& figure) {
  json::Array panels, arrows, legend;
  for (const FigurePanel& panel : figure.panels) panels.push_back(to_json(panel));
  for (const FigureArrow& arrow : figure.arrows)
    arrows.push_back(json::Object{
        {"from", to_json(arrow.from)}, {"to", to_json(arrow.to)}, {"text", arrow.text}});
  for (const FigureKey& key : figure.legend)
    legend.push_back(json::Object{{"group", key.group}, {"text", key.text}});
  json::Object facts;
  for (const auto& [name, value] : figure.facts) facts[name] = number(value);
  return json::Object{{"kind", figure.kind},
                      {"kernel", figure.kernel},
                      {"subject", figure.subject},
                      {"title", figure.title},
                      {"caption", figure.caption},
                      {"facts", std::move(facts)},
                      {"accesses", json::Array(figure.accesses)},
                      {"panels", std::move(panels)},
                      {"arrows", std::move(arrows)},
                      {"legend", std::move(legend)}};
}

}  // namespace hone
