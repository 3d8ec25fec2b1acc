// Amounts of facts as text.
#pragma once

#include "tools/cli/explain/speed_facts.h"

namespace hone {

/// "3", "0.25", "1.07", "2048", "3.4e+07"
std::string number_text(double value);

/// The same of an amount of a subject.
template <Amount amount>
std::string amount_text(const Subject& subject) {
  return number_text(amount(subject));
}

}  // namespace hone
