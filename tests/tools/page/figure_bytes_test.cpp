#include "gmock/gmock.h"
#include "tools/draw/figure.h"

namespace hone {
namespace figure_bytes_test {

using testing::HasSubstr;
using testing::Not;

/// Texts of one line, and boxes beside each other, say once where they are.
TEST(FigureBytes, AreFew) {
  Figure figure;
  figure.title = "a row";
  FigurePanel panel("", 2, 3);
  for (int64_t column = 0; column < 3; ++column) panel.at(0, column) = {"5", 1, ""};
  panel.at(1, 0) = {"6", 1, ""};
  panel.at(1, 2) = {"7", 1, ""};
  panel.column_labels = {"a", "", "c"};
  figure.panels = {panel};
  const std::string svg = to_svg(figure);
  EXPECT_THAT(
      svg, HasSubstr(R"(d="M0 16h90v20h-90zM30 16v20M60 16v20M0 36h30v20h-30zM60 36h30v20h-30z")"));
  EXPECT_THAT(svg, HasSubstr(R"(><tspan x="15" y="8">a</tspan><tspan x="75">c</tspan></text>)"));
  EXPECT_THAT(
      svg,
      HasSubstr(
          R"(<tspan x="15" y="26">5</tspan><tspan x="45">5</tspan><tspan x="75">5</tspan><tspan x="15" y="46">6</tspan><tspan x="75">7</tspan></text>)"));
}

/// Labels that are wider than their columns leave out those that they would lie on.
TEST(FigureLabels, LieBesideEachOther) {
  Figure figure;
  FigurePanel panel("", 1, 4);
  for (int64_t column = 0; column < 4; ++column) {
    panel.at(0, column) = {"", 1, ""};
    panel.column_labels.push_back("k.scale=" + std::to_string(column));
  }
  figure.panels = {panel};
  const std::string svg = to_svg(figure);
  EXPECT_THAT(svg, HasSubstr(">k.scale=0</tspan>"));
  EXPECT_THAT(svg, Not(HasSubstr(">k.scale=1</tspan>")));
  EXPECT_THAT(svg, HasSubstr(">k.scale=2</tspan>"));
}

}  // namespace figure_bytes_test
}  // namespace hone
