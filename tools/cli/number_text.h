// Amounts as text.
#pragma once

#include <string>

namespace hone {

/// Three digits, and of thousands all: "3", "0.25", "1.07", "2048", "3.4e+07".
std::string number_text(double value);

}  // namespace hone
