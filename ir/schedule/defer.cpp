// defer(k, {q}): a loop behind another one in the body of a third runs during the next iteration of
// that one, iteration by iteration of the other.
//
//   for t in 0..T                          alloc R: f32[4, 8] @registers
//     alloc R: f32[4, 8] @registers        for t in 0..T
//     reduce k in 0..n                       reduce k in 0..n @peel(4)
//       sums(t, k)                             sums(t, k)
//     R = f(sums)                     =>       for q in 0..4
//     for q in 0..4                              if (t >= 1 && k == q)
//       C[t, q] = R[q]                             C[t - 1, q] = R[q]
//                                            R = f(sums)
//                                          for t.last in 0..T
//                                            if (t.last + 1 >= T)
//                                              for q in 0..4
//                                                C[t.last, q] = R[q]
//
// Stores of a result so stand among the work on the next one. The tiles that q reads are there for
// all t. Nested loops q take the iterations of k in their order.
//
// Preserves: values. Nothing else in the body of t touches what q writes, or changes what it reads
// before k has ended.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The loops of a step, and what stands around them in the body of `turn`.
struct Deferral {
  const For& turn;
  const For& into;
  llvm::SmallVector<const For*, 2> loops;  ///< that are deferred, outermost first
  Site into_site, site;                    ///< of the outermost
  llvm::SmallVector<Expr, 2> guards;       ///< around it, in the body

  const For& first() const { return *loops.front(); }
  const std::string& name() const { return first().axis->name; }
};

/// The place of the loop in the list of statements around another one.
size_t place_in(const Site& site, const For& loop) {
  return llvm::find_if(site.around, [&](const Stmt& s) { return s.get() == &loop; }) -
         site.around.begin();
}

/// The statements around, inside of the loop.
llvm::ArrayRef<Stmt> inside(const Site& site, const For& loop) {
  return llvm::ArrayRef<Stmt>(site.around).drop_front(place_in(site, loop) + 1);
}

const For& turn_of(const Preconditions& check, const Site& into, const Site& site) {
  const auto loops = into.enclosing_loops(), others = site.enclosing_loops();
  if (loops.empty() || others.empty() || loops.back() != others.back() ||
      !loops.back()->binding.is_serial())
    check.refuse(site.statement.get(),
                 fmt::format("{} and {} do not stand in the body of one serial loop",
                             into.loop().axis->name, site.loop().axis->name));
  const auto inside = loops_of(loops.back()->body);
  if (llvm::find(inside, &into.loop()) >= llvm::find(inside, &site.loop()))
    check.refuse(site.statement.get(), fmt::format("{} does not come behind {}",
                                                   site.loop().axis->name, into.loop().axis->name));
  return *loops.back();
}

/// Lets would have other values in another iteration.
void check_lets(const Preconditions& check, llvm::ArrayRef<Stmt> around) {
  for (const Stmt& stmt : around)
    if (const auto* let = llvm::dyn_cast<Let>(stmt))
      check.refuse(stmt.get(),
                   fmt::format("{} has a value of its own in each iteration", let->axis->name));
}

/// The conditions around a statement.
llvm::SmallVector<Expr, 2> guards_of(llvm::ArrayRef<Stmt> around) {
  llvm::SmallVector<Expr, 2> guards;
  for (const Stmt& stmt : around)
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) guards.push_back(branch->condition);
  return guards;
}

Deferral find_deferral(const Preconditions& check, const AxisPtr& into,
                       llvm::ArrayRef<AxisPtr> axes) {
  const Site into_site = check.find(into);
  if (axes.empty())
    check.refuse(into_site.statement.get(), fmt::format("no loop is to run in {}", into->name),
                 "name one behind it: s.defer(k, {q})");
  const Site site = check.find(axes.front());
  const For& turn = turn_of(check, into_site, site);
  check_lets(check, inside(site, turn));
  Deferral result{turn, into_site.loop(), {}, into_site, site, guards_of(inside(site, turn))};
  for (const AxisPtr& axis : axes) {
    const Site one = check.find(axis);
    if (!result.loops.empty() &&
        (one.enclosing_loops().empty() || one.enclosing_loops().back() != result.loops.back()))
      check.refuse(one.statement.get(), fmt::format("{} does not stand in {}", axis->name,
                                                    result.loops.back()->axis->name));
    result.loops.push_back(&one.loop());
  }
  return result;
}

/// The iterations of the deferred loops, each of which has one of `into`.
int64_t count_iterations(const Preconditions& check, const Deferral& deferral) {
  int64_t iterations = 1;
  for (const For* loop : deferral.loops) {
    const auto extent = as_int(loop->extent);
    if (!extent || loop->binding.is_parallel())
      check.refuse(loop, fmt::format("{} has no constant number of iterations, one after the other",
                                     loop->axis->name));
    iterations *= *extent;
  }
  const Expr& extent = deferral.into.extent;
  if (!proves(extent >= iterations, deferral.into_site.facts()))
    check.refuse(&deferral.into,
                 fmt::format("{} has {} iterations, which may be fewer than {}",
                             deferral.into.axis->name, extent, iterations),
                 as_int(extent) ? "" : fmt::format("assume({} >= {})", extent, iterations));
  if (!attr::peel.is_for(deferral.into.binding))
    check.refuse(&deferral.into,
                 fmt::format("{} has no first iterations to set apart", deferral.into.axis->name));
  return iterations;
}

/// True if x <= y, or x < y, leaves y at least as far above x in the iteration before.
bool held_before(const Expr& guard, const AxisPtr& turn, const Facts& facts) {
  const auto* comparison = llvm::dyn_cast<Binary>(guard);
  if (!comparison || (comparison->op != BinaryOp::lt && comparison->op != BinaryOp::le))
    return false;
  const Polynomial now = Polynomial::of(comparison->rhs) - Polynomial::of(comparison->lhs);
  const Expr before = AxisRef::make(turn) - 1;
  const auto earlier = [&](const Expr& side) {
    return Polynomial::of(substitute(side, turn.get(), before));
  };
  return proves_non_negative(earlier(comparison->rhs) - earlier(comparison->lhs) - now, facts);
}

/// The deferred loops run in the turns of `into`. The turns in which both run are the first ones.
void check_guards(const Preconditions& check, const Deferral& deferral) {
  Facts facts = deferral.site.facts();
  const AxisPtr& turn = deferral.turn.axis;
  if (!all_equal(deferral.guards, guards_of(inside(deferral.into_site, deferral.turn))))
    check.refuse(deferral.site.statement.get(),
                 fmt::format("{} and {} stand under different conditions", deferral.into.axis->name,
                             deferral.name()));
  facts.assume(AxisRef::make(turn) >= 1);
  for (const Expr& condition : deferral.guards)
    for_each_conjunct(condition, [&](const Expr& guard) {
      if (!reads_tensor(guard) && held_before(guard, turn, facts)) return;
      check.refuse(deferral.site.statement.get(),
                   fmt::format("{} may hold in an iteration of {}, and not in the one before",
                               guard, turn->name));
    });
}

/// The tensors that the deferred loops touch and the body of the turn allocates.
llvm::SmallVector<TensorPtr, 2> carried_tensors(const Deferral& deferral) {
  llvm::SmallVector<TensorPtr, 2> carried;
  for (const Stmt& stmt : inside(deferral.site, deferral.turn)) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && touches(deferral.site.statement, alloc->tensor)) carried.push_back(alloc->tensor);
  }
  return carried;
}

Stmt without_allocs(const Stmt& stmt, llvm::ArrayRef<TensorPtr> tensors) {
  return transform_stmts(stmt, [&](const Stmt& part) -> Stmt {
    const auto* alloc = llvm::dyn_cast<Alloc>(part);
    if (!alloc || !llvm::is_contained(tensors, alloc->tensor)) return {};
    return without_allocs(alloc->body, tensors);
  });
}

/// The deferred loops have their tensors for themselves, but for those that are filled between
/// `into` and them.
void check_accesses(const Preconditions& check, const Deferral& deferral) {
  const Accesses own = collect_accesses(deferral.site.statement);
  const auto stands_in = [](const Stmt& stmt, const StmtNode* part) {
    return find_stmt(stmt, [&](const Stmt& other) { return other.get() == part; }) != nullptr;
  };
  bool may_fill = false;
  const Stmt body = without_allocs(deferral.turn.body, carried_tensors(deferral));
  for (const MemoryAccess& access : collect_accesses(body)) {
    const StmtNode* statement = access.statement.get();
    const bool is_own = stands_in(deferral.site.statement, statement);
    const bool is_in_other = stands_in(deferral.into_site.statement, statement);
    may_fill = (may_fill || is_in_other) && !is_own;
    if (is_own) continue;
    const bool is_fill = may_fill && !is_in_other;
    for (const MemoryAccess& mine : own) {
      if (!conflict(access, mine) || (is_fill && !mine.writes)) continue;
      check.refuse(statement,
                   fmt::format("{} is touched here, and {} {} it in the next iteration "
                               "of {}",
                               access.tensor->name, deferral.name(),
                               mine.writes ? "writes" : "reads", deferral.turn.axis->name));
    }
  }
}

/// The deferred loops of the turn before, in the iterations of `into`.
Stmt in_next_turn(const Deferral& deferral) {
  Expr number = 0;
  for (const For* loop : deferral.loops) number = number * loop->extent + AxisRef::make(loop->axis);
  const Expr turn = AxisRef::make(deferral.turn.axis);
  const For& last = *deferral.loops.back();
  const Stmt body = substitute(last.body, deferral.turn.axis.get(), turn - 1);
  const Expr is_its_own = turn >= 1 && AxisRef::make(deferral.into.axis) == number;
  const Stmt guarded = last.with_body(If::make(is_its_own, body));
  return &last == &deferral.first() ? guarded : replace(deferral.site.statement, &last, guarded);
}

/// Those of the last turn.
Stmt behind_last_turn(const Deferral& deferral, Names& names) {
  const AxisPtr& turn = deferral.turn.axis;
  const AxisPtr last = make_axis(names.fresh(turn->name + ".last"), AxisKind::spatial, turn->roots);
  const Expr current = AxisRef::make(last);
  Expr goes_on = current + 1 < deferral.turn.extent;
  for (const Expr& guard : deferral.guards)
    goes_on = goes_on && substitute(guard, turn.get(), current + 1);
  const Stmt copy = with_fresh_names(deferral.site.statement, ".last", names);
  Stmt body = If::make(!goes_on, substitute(copy, turn.get(), current));
  for (const Expr& guard : llvm::reverse(deferral.guards))
    body = If::make(substitute(guard, turn.get(), current), body);
  return For::make(last, deferral.turn.extent, {}, body);
}

}  // namespace

Rewrite defer(const Function& function, const AxisPtr& into, llvm::ArrayRef<AxisPtr> axes) {
  // Preconditions
  const Preconditions check("defer", function);
  const Deferral deferral = find_deferral(check, into, axes);
  const int64_t iterations = count_iterations(check, deferral);
  check_guards(check, deferral);
  check_accesses(check, deferral);

  // Rewrite
  Names names(function);
  const auto carried = carried_tensors(deferral);
  const int64_t peeled = std::max(iterations, deferral.into.binding.attributes.number(attr::peel));
  const Stmt longer =
      For::make(into, deferral.into.extent, deferral.into.binding.with(attr::peel, peeled),
                Seq::make({deferral.into.body, in_next_turn(deferral)}));
  Stmt body = replace(deferral.turn.body, deferral.site.statement.get(), Seq::make({}));
  body = without_allocs(replace(body, &deferral.into, longer), carried);
  Stmt turns = Seq::make({deferral.turn.with_body(body), behind_last_turn(deferral, names)});
  for (const TensorPtr& tensor : llvm::reverse(carried)) turns = Alloc::make(tensor, turns);
  Function result = rebuild(function, &deferral.turn, turns);

  // Postcondition
  check_promises(check, function, result, deferral.site.statement.get());
  return {std::move(result), {}, nullptr};
}

const Primitive defer_primitive = {
    .name = "defer",
    .arguments = {argument::outer_axis, argument::inner_axes},
    .apply =
        [](const Function& f, const Step& s) {
          return defer(f, s.axes[0], llvm::ArrayRef<AxisPtr>(s.axes).drop_front());
        },
};

}  // namespace hone
