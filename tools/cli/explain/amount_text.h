// Amounts of a subject as text.
#pragma once

#include "tools/cli/explain/speed_facts.h"
#include "tools/cli/number_text.h"

namespace hone {

/// As number_text() has it.
template <Amount amount>
std::string amount_text(const Subject& subject) {
  return number_text(amount(subject));
}

}  // namespace hone
