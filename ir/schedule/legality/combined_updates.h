// Checks of the updates that the iterations of a reduction loop make together.
#pragma once

#include "ir/analysis/shared_updates.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses at a statement of the function, or where the step has another culprit, there.
struct Refusal {
  const Preconditions& check;
  const StmtNode* culprit = nullptr;

  [[noreturn]] void operator()(const StmtNode* statement, const std::string& message,
                               const std::string& note) const {
    check.refuse(culprit ? culprit : statement, message, note);
  }
};

/// "combine(sequential, unrolled)"
std::string method_of(const Binding& binding);

/// Refuses updates that iterations of the loop at `site` cannot combine as the binding says.
void check_updates(const Refusal& refusal, const Site& site, const Accesses& updates,
                   const Binding& binding);

}  // namespace hone
