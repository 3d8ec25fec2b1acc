#include "ir/schedule/staging/temporaries.h"

#include "fmt/format.h"
#include "ir/algebra/facts.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/core/layout_problem.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

/// Elements of a row without gaps.
Expr row_of(const TensorNode& temporary) {
  Layout dense = temporary.layout;
  dense.row_pitch = {};
  return row_pitch(*with_layout(temporary, dense));
}

}  // namespace

void check_temporary_layout(const Preconditions& check, const Function& function,
                            const StmtNode* culprit, const TensorNode& temporary) {
  const Layout& layout = temporary.layout;
  if (layout.padding != 0 || !layout.swizzles.empty() || layout.has_digits())
    check.refuse(culprit,
                 fmt::format("{} lies in global memory, where a schedule chooses the order of the "
                             "dimensions and the pitch of the rows alone",
                             temporary.name),
                 "Layout::order({1, 0}), Layout().pitch(128); a tile in shared memory takes "
                 "paddings and swizzles");
  if (const auto problem = layout_problem(temporary))
    check.refuse(culprit, fmt::format("the layout of {}: {}", temporary.name, *problem));
  if (!layout.row_pitch.defined()) return;
  const Expr row = row_of(temporary);
  Facts facts = facts_of(function.assumptions);
  if (!proves(layout.row_pitch >= row, facts))
    check.refuse(culprit,
                 fmt::format("a pitch of {} is not proved to hold the rows of {}, of {} elements",
                             layout.row_pitch, temporary.name, row),
                 fmt::format("Layout().pitch(({} + 7) / 8 * 8)", row));
}

}  // namespace hone
