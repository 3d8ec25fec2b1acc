#include "tools/cli/number_text.h"

#include "fmt/format.h"

namespace hone {

std::string number_text(double value) {
  const bool is_whole = value >= 1000 && value < 1e6;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace hone
