// merge(first, second): two loops that follow each other become one.
//
//   for i in 0..N                for i in 0..N
//     first(i)                     first(i)
//   for j in 0..N         =>       second(i)
//     second(j)
//
// A tensor that is allocated between the two is allocated around them both.
//
// Preserves: which iterations run. No element that both touch, one of them writing it, is touched
// in different iterations.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/families.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// `stmt` with `merged` in the place of the loop that it starts with, allocs aside; nothing where
/// it starts with something else.
std::optional<Stmt> with_first_loop(const Stmt& stmt, const For& loop, const Stmt& merged) {
  if (stmt.get() == &loop) return merged;
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
    const auto body = with_first_loop(alloc->body, loop, merged);
    return body ? std::optional(Alloc::make(alloc->tensor, *body)) : std::nullopt;
  }
  const auto* seq = llvm::dyn_cast<Seq>(stmt);
  if (!seq) return std::nullopt;
  const auto front = with_first_loop(seq->stmts.front(), loop, merged);
  if (!front) return std::nullopt;
  llvm::SmallVector<Stmt, 4> stmts(seq->stmts.begin(), seq->stmts.end());
  stmts.front() = *front;
  return Seq::make(stmts);
}

/// The sequence that has the loop as one of its statements, but not as the last.
const Seq* sequence_of(const Function& function, const For& loop) {
  const StmtNode* found = find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    return seq && llvm::any_of(llvm::ArrayRef<Stmt>(seq->stmts).drop_back(),
                               [&](const Stmt& part) { return part.get() == &loop; });
  });
  return found ? llvm::cast<Seq>(found) : nullptr;
}

/// The sequence with the two loops merged; nothing where the second does not follow the first.
std::optional<Stmt> with_loops_merged(const Seq& seq, const For& first, const For& second,
                                      const Stmt& merged) {
  llvm::SmallVector<Stmt, 4> stmts(seq.stmts.begin(), seq.stmts.end());
  auto* place = llvm::find_if(stmts, [&](const Stmt& part) { return part.get() == &first; });
  const auto next = with_first_loop(*std::next(place), second, merged);
  if (!next) return std::nullopt;
  *std::next(place) = *next;
  stmts.erase(place);
  return Seq::make(stmts);
}

/// The accesses of the second loop's body, with the axis of the first.
Accesses renamed(Accesses accesses, const AxisPtr& from, const Expr& to) {
  for (MemoryAccess& access : accesses) {
    for (Expr& index : access.indices) index = substitute(index, from.get(), to);
    for (Expr& guard : access.guards) guard = substitute(guard, from.get(), to);
    for (auto& [axis, extent] : access.inner) extent = substitute(extent, from.get(), to);
  }
  return accesses;
}

llvm::StringRef noun(const For& loop) {
  return loop.is_reduction() ? "a reduction axis" : "a spatial axis";
}

void check_alike(const Preconditions& check, const For& first, const For& second) {
  const std::string &left = first.axis->name, &right = second.axis->name;
  if (first.is_reduction() != second.is_reduction())
    check.refuse(
        &second,
        fmt::format("{} is {} and {} is {}", left, noun(first).str(), right, noun(second).str()),
        "only axes of one kind merge");
  if (!(Polynomial::of(first.extent) - Polynomial::of(second.extent)).is_zero())
    check.refuse(
        &second,
        fmt::format("{} has the extent {} and {} has {}", left, first.extent, right, second.extent),
        "loops of as many iterations merge; split the longer one, with a peeled tail");
}

void check_order(const Preconditions& check, const Site& site, const For& second) {
  const For& first = site.loop();
  const Facts facts = site.facts();
  const For* loops[] = {&first};
  const Accesses earlier = collect_accesses(first.body);
  const Accesses later =
      renamed(collect_accesses(second.body), second.axis, AxisRef::make(first.axis));
  const auto harm = find_harm(earlier, later, [&](const auto& lhs, const auto& rhs) {
    return !conflict(lhs, rhs) || commute(lhs, rhs) || unseparated(loops, lhs, rhs, facts).empty();
  });
  if (!harm) return;
  const auto& [lhs, rhs] = std::pair(earlier[harm->first], later[harm->second]);
  check.refuse(rhs.statement.get(),
               fmt::format("an iteration of {} may touch {} while a later one of {} touches {}",
                           second.axis->name, rhs.text(), first.axis->name, lhs.text()),
               fmt::format("{} runs after all iterations of {}, and would run between them",
                           second.axis->name, first.axis->name));
}

}  // namespace

Rewrite merge(const Function& function, const AxisPtr& first, const AxisPtr& second) {
  // Preconditions
  const Preconditions check("merge", function);
  const Site site = check.find_serial(first);
  const Site other = check.find_serial(second);
  const For &earlier = site.loop(), &later = other.loop();
  const Seq* seq = sequence_of(function, earlier);
  const Expr index = AxisRef::make(first);
  const Stmt merged =
      earlier.with_body(Seq::make({earlier.body, substitute(later.body, second.get(), index)}));
  const auto rewritten = seq ? with_loops_merged(*seq, earlier, later, merged) : std::nullopt;
  if (!rewritten)
    check.refuse(&later, fmt::format("{} does not follow {} directly", second->name, first->name),
                 "merge takes two loops with nothing but allocs between them, the first one first");
  check_alike(check, earlier, later);
  check_order(check, site, later);

  // Postcondition: `second` is gone, and what is bound or vectorised in its loop may still be.
  Function result = rebuild(function, seq, *rewritten);
  check_promises(check, function, result, &later);
  return {std::move(result), {first}, nullptr};
}

const Primitive merge_primitive = {
    .name = "merge",
    .arguments = {argument::two_axes},
    .apply = [](const Function& f, const Step& s) { return merge(f, s.axes[0], s.axes[1]); },
};

}  // namespace hone
