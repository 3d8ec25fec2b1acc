// fission(axis): each statement of the body gets a loop of its own.
//
//   for i in 0..N          =>     for i.0 in 0..N
//     first(i)                      first(i.0)
//     second(i)                   for i.1 in 0..N
//                                   second(i.1)
//
// Preserves: which iterations run. No element that two of the statements touch, one of them writing
// it, is touched in different iterations.

#include "fmt/format.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/families.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// True if a later iteration may do the first before an earlier one does the second.
bool may_change_places(const For& loop, const MemoryAccess& first, const MemoryAccess& second,
                       const Facts& facts) {
  const For* loops[] = {&loop};
  return conflict(first, second) && !commute(first, second) &&
         !unseparated(loops, first, second, facts).empty();
}

/// True if the above is true of an access of a statement and one of a later statement, as far as
/// families tell.
bool may_change_places(const For& loop, llvm::ArrayRef<Accesses> parts, const Facts& facts) {
  AccessFamilies earlier;
  for (const Accesses& part : parts) {
    for (size_t family = 0; family < earlier.size(); ++family)
      for (const MemoryAccess& access : part)
        if (may_change_places(loop, earlier.whole(family), access, facts)) return true;
    for (const MemoryAccess& access : part) earlier.add(access);
  }
  return false;
}

void check_pair(const Preconditions& check, const For& loop, const Accesses& earlier,
                const Accesses& later, const Facts& facts) {
  for (const MemoryAccess& lhs : earlier)
    for (const MemoryAccess& rhs : later)
      if (may_change_places(loop, lhs, rhs, facts))
        check.refuse(rhs.statement.get(),
                     fmt::format("an iteration of {} may touch {} while an earlier one touches {}",
                                 loop.axis->name, rhs.text(), lhs.text()),
                     "the second loop would run after all iterations of the first");
}

void check_parts(const Preconditions& check, const Site& site, llvm::ArrayRef<Stmt> stmts) {
  const For& loop = site.loop();
  const Facts facts = site.facts();
  std::vector<Accesses> parts;
  for (const Stmt& stmt : stmts) parts.push_back(collect_accesses(stmt));
  if (!may_change_places(loop, parts, facts)) return;
  for (size_t n = 0; n < parts.size(); ++n)
    for (size_t later = n + 1; later < parts.size(); ++later)
      check_pair(check, loop, parts[n], parts[later], facts);
}

/// Each statement evaluates the guards around them all once more.
void check_guards(const Preconditions& check, const Stmt& body) {
  const Accesses accesses = collect_accesses(body);
  Stmt stmt = body;
  while (const auto* branch = llvm::dyn_cast<If>(stmt)) {
    if (const MemoryAccess* change = find_change(branch->condition, accesses))
      check.refuse(change->statement.get(),
                   fmt::format("the guard {} holds for several statements, and {} changes what it "
                               "reads",
                               branch->condition, change->text()));
    stmt = branch->body;
  }
}

/// The statements of the body, each under the guards that stand around them all.
llvm::SmallVector<Stmt, 4> guarded_parts(const Stmt& body) {
  if (const auto* seq = llvm::dyn_cast<Seq>(body)) return {seq->stmts.begin(), seq->stmts.end()};
  const auto* branch = llvm::dyn_cast<If>(body);
  if (!branch) return {body};
  llvm::SmallVector<Stmt, 4> parts = guarded_parts(branch->body);
  for (Stmt& part : parts) part = If::make(branch->condition, part);
  return parts;
}

}  // namespace

Rewrite fission(const Function& function, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("fission", function);
  const Site site = check.find_serial(axis);
  const For& loop = site.loop();
  const auto parts = guarded_parts(loop.body);
  if (parts.size() < 2)
    check.refuse(&loop, fmt::format("the body of {} is a single statement", axis->name),
                 "fission takes a loop over several statements");
  check_guards(check, loop.body);
  check_parts(check, site, parts);

  // Rewrite
  Names names(function);
  llvm::SmallVector<AxisPtr, 4> axes;
  llvm::SmallVector<Stmt, 4> loops;
  for (size_t n = 0; n < parts.size(); ++n) {
    const std::string name = names.fresh(fmt::format("{}.{}", axis->name, n));
    axes.push_back(make_axis(name, axis->kind, axis->roots));
    const Stmt body = substitute(parts[n], axis.get(), AxisRef::make(axes.back()));
    loops.push_back(For::make(axes.back(), loop.extent, {}, body));
  }

  // Postcondition: `axis` is gone, and what is bound or vectorised in its loop may still be.
  Function result = rebuild(function, &loop, Seq::make(loops));
  check_promises(check, function, result, &loop);
  return {std::move(result), axes, nullptr};
}

const Primitive fission_primitive = {
    .name = "fission",
    .arguments = {argument::axis},
    .apply = [](const Function& f, const Step& s) { return fission(f, s.axes[0]); },
};

}  // namespace hone
