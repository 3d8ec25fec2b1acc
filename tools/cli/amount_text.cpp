#include "tools/cli/amount_text.h"

#include <cmath>

namespace hone {

std::string number_text(double value) {
  const bool is_whole = std::abs(value) >= 100 || value == std::floor(value);
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace hone
