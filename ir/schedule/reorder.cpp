// reorder({k, j}): nested loops in another order. Guards between them move inwards; loops that the
// new order puts inside a reduction are distributed over the initialisation that stood beside it.
//
//   for i in 0..M                     for i in 0..M
//     for j in 0..N                     for j.init in 0..N
//       C[i, j] = 0             =>        C[i, j.init] = 0
//       reduce k in 0..K                reduce k in 0..K
//         C[i, j] += a(i, j, k)           for j in 0..N
//                                           C[i, j] += a(i, j, k)
//
// Preserves: which iterations run. Two iterations that change places touch different elements, or
// both combine into an element with the same operator (for floats, the rounding changes).

#include "fmt/format.h"
#include "ir/analysis/families.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/chain.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

using Loops = llvm::SmallVector<const For*, 8>;

/// The chain's loops with the named ones in the given order, in the places that they hold now.
Loops permuted(const Chain& chain, llvm::ArrayRef<AxisPtr> axes) {
  Loops order = chain.loops;
  const AxisPtr* next = axes.begin();
  for (const For*& slot : order) {
    if (!llvm::is_contained(axes, slot->axis)) continue;
    const auto* found =
        llvm::find_if(chain.loops, [&](const For* loop) { return loop->axis == *next; });
    slot = *found;
    ++next;
  }
  return order;
}

/// True if all of `some` are among `after`, in the order that they have in `before`.
bool keeps_order(llvm::ArrayRef<const For*> some, llvm::ArrayRef<const For*> before,
                 llvm::ArrayRef<const For*> after) {
  const auto order_in = [&](llvm::ArrayRef<const For*> loops) {
    Loops result;
    for (const For* loop : loops)
      if (llvm::is_contained(some, loop)) result.push_back(loop);
    return result;
  };
  return order_in(before) == order_in(after);
}

/// The accesses of a part of the chain, seen from outside the loops that `depth` leaves inside it.
Accesses accesses_of(const Stmt& stmt, llvm::ArrayRef<Expr> guards,
                     llvm::ArrayRef<const For*> inside) {
  Accesses accesses = collect_accesses(stmt);
  for (MemoryAccess& access : accesses) access.guards.append(guards.begin(), guards.end());
  for (MemoryAccess& access : accesses)
    for (const For* loop : inside) access.inner.push_back({loop->axis, loop->extent});
  return accesses;
}

struct Hazard {
  MemoryAccess first, second;
  const For* loop;
};

/// Two accesses whose order the permutation would change although they may touch one element.
/// `loops` enclose both before it, and `shared`, outermost in the new order, after it: statements
/// inside those are distributed.
std::optional<Hazard> find_hazard(const Accesses& first, const Accesses& second,
                                  llvm::ArrayRef<const For*> loops,
                                  llvm::ArrayRef<const For*> shared, const Facts& facts) {
  const auto found = find_harm(first, second, [&](const auto& lhs, const auto& rhs) {
    return !conflict(lhs, rhs) || commute(lhs, rhs) ||
           keeps_order(unseparated(loops, lhs, rhs, facts), loops, shared);
  });
  if (!found) return std::nullopt;
  const MemoryAccess &lhs = first[found->first], &rhs = second[found->second];
  return Hazard{lhs, rhs, unseparated(loops, lhs, rhs, facts).front()};
}

[[noreturn]] void refuse_hazard(const Preconditions& check, const Hazard& hazard) {
  const std::string first = hazard.first.text(), second = hazard.second.text();
  const std::string pair = first == second ? first : first + " and " + second;
  check.refuse(hazard.loop,
               fmt::format("iterations of {} that touch one element of {} would change places ({})",
                           hazard.loop->axis->name, hazard.first.tensor->name, pair),
               "only a reduction with one of the operators +=, *=, min=, max=, and=, or=, or with "
               "one declared associative, may be done in another order");
}

bool encloses(const Chain& chain, const For* loop, const Neighbour& neighbour) {
  return llvm::is_contained(llvm::ArrayRef<const For*>(chain.loops).take_front(neighbour.depth),
                            loop);
}

/// The level of the new order at which the neighbour stands: before the first loop that did not
/// enclose it.
size_t level_of(const Chain& chain, llvm::ArrayRef<const For*> order, const Neighbour& neighbour) {
  return llvm::find_if(order, [&](const For* loop) { return !encloses(chain, loop, neighbour); }) -
         order.begin();
}

/// Guards move inwards, and neighbours stand under them in nests of their own.
void check_guards(const Preconditions& check, const Chain& chain) {
  const Accesses accesses = collect_accesses(Stmt(chain.loops.front()));
  for (const Expr& guard : chain.guards)
    if (const MemoryAccess* change = find_change(guard, accesses))
      check.refuse(
          change->statement.get(),
          fmt::format("the guard {} stands between the loops, and {} changes what it reads", guard,
                      change->text()));
}

void check_neighbour(const Preconditions& check, const Chain& chain, const Neighbour& neighbour,
                     llvm::ArrayRef<const For*> order, const Facts& facts) {
  const llvm::ArrayRef<const For*> loops = chain.loops;
  const size_t level = level_of(chain, order, neighbour);
  const auto around = loops.take_front(neighbour.depth);
  for (const Neighbour& other : chain.neighbours) {
    const size_t common = std::min(neighbour.depth, other.depth);
    const Accesses here = accesses_of(neighbour.stmt, neighbour.guards, around.drop_front(common));
    const Accesses there =
        accesses_of(other.stmt, other.guards, loops.slice(common, other.depth - common));
    const auto shared = &other == &neighbour
                            ? order
                            : order.take_front(std::min(level, level_of(chain, order, other)));
    if (const auto hazard = find_hazard(here, there, loops.take_front(common), shared, facts))
      refuse_hazard(check, *hazard);
  }
  const Accesses beside = accesses_of(neighbour.stmt, neighbour.guards, {});
  const Accesses inside = accesses_of(chain.body, chain.guards, loops.drop_front(neighbour.depth));
  if (const auto hazard = find_hazard(beside, inside, around, order.take_front(level), facts))
    refuse_hazard(check, *hazard);
}

void check_order(const Preconditions& check, const Chain& chain, llvm::ArrayRef<const For*> order,
                 const Facts& facts) {
  check_guards(check, chain);
  const Accesses body = accesses_of(chain.body, chain.guards, {});
  if (const auto hazard = find_hazard(body, body, chain.loops, order, facts))
    refuse_hazard(check, *hazard);
  for (const Neighbour& neighbour : chain.neighbours)
    check_neighbour(check, chain, neighbour, order, facts);
}

/// A grid has no loop around it, and threads of a block are not split over blocks.
void check_bindings(const Preconditions& check, llvm::ArrayRef<const For*> order) {
  const auto is_block = [](const For* loop) { return loop->binding.kind == Binding::Kind::block; };
  const auto* first_other = llvm::find_if_not(order, is_block);
  const auto* late = std::find_if(first_other, order.end(), is_block);
  if (late != order.end())
    check.refuse(
        *late,
        fmt::format("{} would enclose {}, which is bound to {}", (*first_other)->axis->name,
                    (*late)->axis->name, to_string((*late)->binding)),
        "loops bound to blocks stay outermost");
}

/// Builds the chain anew, from the loop at `level` of the new order inwards.
class Rebuilder {
 public:
  Rebuilder(const Chain& chain, llvm::ArrayRef<const For*> order, Names names)
      : chain_(chain), order_(order), names_(std::move(names)) {}

  Stmt build(size_t level) {
    if (level == order_.size()) return guarded(chain_.guards, chain_.body);
    const Stmt inside = order_[level]->with_body(build(level + 1));
    llvm::SmallVector<Stmt, 4> stmts;
    append_neighbours(stmts, level, true);
    stmts.push_back(inside);
    append_neighbours(stmts, level, false);
    return Seq::make(stmts);
  }

 private:
  /// Those of an outer statement come first before the chain, and last after it.
  void append_neighbours(llvm::SmallVectorImpl<Stmt>& stmts, size_t level, bool before) {
    llvm::SmallVector<const Neighbour*, 4> placed;
    for (const Neighbour& neighbour : chain_.neighbours)
      if (neighbour.before == before && place(neighbour) == level) placed.push_back(&neighbour);
    if (!before)
      llvm::stable_sort(placed, [](auto* lhs, auto* rhs) { return lhs->nesting > rhs->nesting; });
    for (const Neighbour* neighbour : placed) stmts.push_back(distributed(*neighbour));
  }

  size_t place(const Neighbour& neighbour) const { return level_of(chain_, order_, neighbour); }

  /// The neighbour in a nest of its own, of those loops that the new order keeps inside.
  Stmt distributed(const Neighbour& neighbour) {
    Stmt nest = guarded(neighbour.guards, neighbour.stmt);
    for (const For* loop : llvm::reverse(order_.drop_front(place(neighbour))))
      if (encloses(chain_, loop, neighbour)) nest = own_loop(*loop, nest, neighbour.before);
    return nest;
  }

  /// The loop once more, around `body` alone.
  Stmt own_loop(const For& loop, const Stmt& body, bool before) {
    const std::string name = names_.fresh(loop.axis->name + (before ? ".init" : ".post"));
    const AxisPtr axis = make_axis(name, loop.axis->kind, loop.axis->roots);
    return For::make(axis, loop.extent, loop.binding,
                     substitute(body, loop.axis.get(), AxisRef::make(axis)));
  }

  const Chain& chain_;
  llvm::ArrayRef<const For*> order_;
  Names names_;
};

/// The bound loops of the chain, and those that neighbours got for themselves.
Loops moved_bound_loops(const Function& before, const Function& after, const Chain& chain) {
  const auto has_axis_of = [](const For* loop) {
    return [loop](const For* other) { return other->axis == loop->axis; };
  };
  const auto old_loops = loops_of(before.body);
  Loops bound = loops_of(after.body);
  llvm::erase_if(bound, [&](const For* loop) {
    return !loop->binding.is_parallel() || (llvm::any_of(old_loops, has_axis_of(loop)) &&
                                            llvm::none_of(chain.loops, has_axis_of(loop)));
  });
  return bound;
}

void check_axes(const Preconditions& check, llvm::ArrayRef<AxisPtr> axes) {
  if (axes.empty()) check.refuse(nullptr, "no axes are given");
  for (size_t n = 0; n < axes.size(); ++n)
    if (llvm::is_contained(axes.drop_front(n + 1), axes[n]))
      check.refuse(check.find(axes[n]).statement.get(),
                   fmt::format("{} is given twice", axes[n]->name));
}

}  // namespace

Rewrite reorder(const Function& function, llvm::ArrayRef<AxisPtr> axes) {
  // Preconditions
  const Preconditions check("reorder", function);
  check_axes(check, axes);
  const Chain chain = find_chain(check, axes);
  const Loops order = permuted(chain, axes);
  const llvm::SmallVector<AxisPtr, 4> result(axes.begin(), axes.end());
  if (order == chain.loops) return {function, result, nullptr};
  check_bindings(check, order);
  check_order(check, chain, order, check.find(chain.loops.front()->axis).facts());

  // Rewrite
  const Stmt nest = Rebuilder(chain, order, Names(function)).build(0);

  // Postcondition: each loop of the chain stands once, in the new order. Updates that commute may
  // still not run at the same time.
  Function reordered = rebuild(function, chain.loops.front(), nest);
  for (const For* bound : moved_bound_loops(function, reordered, chain))
    check_independent(check, reordered, bound->axis.get(), chain.loops.front());
  check_promises(check, function, reordered, chain.loops.front());
  return {std::move(reordered), result, nullptr};
}

const Primitive reorder_primitive = {
    .name = "reorder",
    .arguments = {argument::axes},
    .apply = [](const Function& f, const Step& s) { return reorder(f, s.axes); },
};

}  // namespace hone
