#include "ir/schedule/legality/budget.h"

#include "ir/threads/instruction_nest.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Compile times grow as the square of the statements: of these, gcc takes half a minute.
constexpr int64_t statement_budget = 4096;

int64_t copies(const For& loop) {
  if (loop.binding.kind != Binding::Kind::unroll) return 1;
  return loop.binding.count != 0 ? loop.binding.count : as_int(loop.extent).value_or(1);
}

/// Stores in `stmt`, each counted as often as the unrolled loops around it repeat it.
int64_t unrolled_statements(const Stmt& stmt) {
  if (llvm::isa<Store, Copy>(stmt) || opcode_with_lanes(stmt)) return 1;
  int64_t sum = 0;
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) {
        sum = std::min(sum + unrolled_statements(nested), statement_budget + 1);
      });
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return sum;
  return std::min(copies(*loop), statement_budget + 1) * sum;
}

/// All unrolled loops around `site` repeat what is in it.
int64_t enclosing_copies(const Site& site) {
  int64_t product = 1;
  for (const For* loop : site.enclosing_loops())
    product = std::min(product * copies(*loop), statement_budget + 1);
  return product;
}

}  // namespace

void check_budget(const Preconditions& check, const Site& site, int64_t trips,
                  const StmtNode* culprit) {
  const For& loop = site.loop();
  const int64_t statements = std::min(unrolled_statements(loop.body), statement_budget + 1) *
                             std::min(trips, statement_budget + 1);
  if (statements > statement_budget / enclosing_copies(site))
    check.refuse(culprit ? culprit : &loop,
                 fmt::format("unrolling {} would make more than {} statements", loop.axis->name,
                             statement_budget),
                 "unroll a part of it, or fewer of the loops around it");
}

}  // namespace hone
