// unroll(axis), unroll(axis, count): the generated loop is unrolled, in full or `count` times.
//
//   for k in 0..8         =>     for k in 0..8 @unroll
//     body                         body
//
// Preserves: everything; generated code carries `#pragma unroll`.

#include "fmt/format.h"
#include "ir/printer.h"
#include "ir/schedule/primitives.h"
#include "ir/schedule/rebuild.h"
#include "ir/schedule/site.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// More statements than this from one loop nest make compile times grow faster than the text.
constexpr int64_t statement_budget = 16384;

int64_t copies(const For& loop) {
  if (loop.binding.kind != Binding::Kind::unroll) return 1;
  return loop.binding.count != 0 ? loop.binding.count : as_int(loop.extent).value_or(1);
}

/// Stores in `stmt`, each counted as often as the unrolled loops around it repeat it.
int64_t unrolled_statements(const Stmt& stmt) {
  if (llvm::isa<Store, Copy>(stmt)) return 1;
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

Rewrite unroll(const Function& function, const AxisPtr& axis, int64_t count) {
  // Preconditions
  const Preconditions check("unroll", function);
  const Site site = check.find_serial(axis);
  const For& loop = site.loop();
  if (count < 0)
    check.refuse(&loop, fmt::format("the count must be positive, got {}", count),
                 "0, or no count, unrolls in full");
  const auto extent = as_int(loop.extent);
  if (count == 0 && !extent)
    check.refuse(
        &loop,
        fmt::format("{} has the extent {}, which is known at launch only", axis->name, loop.extent),
        "give a count, or split off a constant number of iterations");
  const int64_t trips = std::min(count != 0 ? count : *extent, statement_budget + 1);
  const int64_t statements = std::min(unrolled_statements(loop.body), statement_budget + 1) * trips;
  if (statements > statement_budget / enclosing_copies(site))
    check.refuse(&loop,
                 fmt::format("unrolling {} would make more than {} statements", axis->name,
                             statement_budget),
                 "unroll a part of it, or fewer of the loops around it");

  // Rewrite
  const Binding binding{Binding::Kind::unroll, 0, count};
  const Stmt unrolled = For::make(loop.axis, loop.extent, binding, loop.body);
  return {rebuild(function, &loop, unrolled), {axis}, nullptr};
}

}  // namespace hone
