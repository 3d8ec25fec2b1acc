// reduce_at(S, k.0): each iteration of a reduction axis reduces its values to a partial result,
// and combines it with the result at its end.
//
//   S[] = 0                                 alloc S.part: f32[] @global
//   reduce k.0 in 0..G                      S[] = 0
//     reduce k.1 in 0..128                  reduce k.0 in 0..G
//       S[] += x[k.0] * A[k.0*128 + k.1]      S.part[] = 0
//                                     =>      reduce k.1 in 0..128
//                                               S.part[] += A[k.0*128 + k.1]
//                                             S[] += x[k.0] * S.part[]
//
// Spatial loops inside the axis stand in all three nests, the copies under fresh names, at the
// places where the loops run. Guards on their axes stand there, too; those of the reduction stay
// with the value. A factor of the values of a sum that the loops inside do not change multiplies
// the partial result instead, where each iteration is proved to have values, or its own elements to
// exist.
//
// Preserves: which values are combined into an element. They are grouped anew, and a factor is
// distributed over a sum (for floats, the rounding changes).

#include "fmt/format.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/index_value.h"
#include "ir/analysis/products.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/accumulation.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/padding.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Levels = llvm::SmallVector<Level, 8>;

/// The loops and guards inside the loop, outermost first.
Levels levels_inside(const Accumulation& sum, const For& loop) {
  const auto* own = llvm::find_if(sum.levels, [&](const Level& l) { return l.loop == &loop; });
  return Levels(own + 1, sum.levels.end());
}

llvm::SmallVector<const For*, 4> spatial_loops(const Levels& levels) {
  llvm::SmallVector<const For*, 4> loops;
  for (const Level& level : levels)
    if (level.loop && !level.is_reduction()) loops.push_back(level.loop);
  return loops;
}

/// True of an expression whose value differs between the values of a partial result.
bool varies(const Expr& expr, const Levels& inside) {
  return llvm::any_of(inside, [&](const Level& level) {
    return level.is_reduction() && mentions(expr, level.loop->axis.get());
  });
}

/// The facts at the end of an iteration, where the partial results are.
Facts facts_at_end(const Accumulation& sum, const Site& site, const Levels& inside) {
  Facts facts = site.facts();
  for (const Level& level : inside) {
    if (sum.is_of_value(level)) continue;
    if (level.loop) facts.add_axis(level.loop->axis, level.loop->extent);
    if (level.guard.defined()) facts.assume(level.guard);
  }
  return facts;
}

/// True if each iteration is proved to have a value for each element: the first of them.
bool has_values(const Accumulation& sum, const Levels& inside, const Facts& facts) {
  return llvm::all_of(inside, [&](const Level& level) {
    if (!sum.is_of_value(level)) return true;
    if (level.loop) return proves(level.loop->extent >= 1, facts);
    Expr first = level.guard;
    for (const Level& other : inside)
      if (other.is_reduction()) first = substitute(first, other.loop->axis.get(), 0);
    return !reads_tensor(first) && proves(first, facts);
  });
}

// ---- Factors ------------------------------------------------------------------------------------

using Factors = llvm::SmallVector<Expr, 4>;

Expr product_of(llvm::ArrayRef<Expr> factors) {
  Expr product = factors.front();
  for (const Expr& factor : factors.drop_front()) product = product * factor;
  return product;
}

/// True if an index is proved to be one of so many elements.
bool exists(const Expr& index, const Expr& extent, const Facts& facts) {
  return proves(index >= 0, facts) && proves(index < extent, facts);
}

/// True if the element is proved to exist.
bool exists(const Load& load, const Facts& facts) {
  for (const auto& [index, extent] : llvm::zip(load.indices, load.tensor->shape))
    if (!exists(index, extent, facts)) return false;
  return true;
}

/// True if the factor has a value at the end of an iteration without values.
bool has_value_at_end(const Expr& factor, const Facts& facts) {
  if (may_divide_by_zero(factor) || !has_value(factor, facts)) return false;
  return !any_of(factor, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && !exists(*load, facts);
  });
}

/// A partial result is reduced from the value; the factors outside multiply it.
struct FactoredValue {
  Expr value;
  Factors outside;
};

/// `facts` hold at the end of an iteration.
FactoredValue take_factors_out(const Accumulation& sum, const Levels& inside, const Facts& facts) {
  if (sum.update->update != Update::add || is_tuple(sum.value.type())) return {sum.value, {}};
  const bool exist = has_values(sum, inside, facts);
  Factors stay, leave;
  for (const Expr& factor : factors_of(sum.value)) {
    const bool leaves = !varies(factor, inside) && (exist || has_value_at_end(factor, facts));
    (leaves ? leave : stay).push_back(factor);
  }
  if (stay.empty()) return {sum.value, {}};
  return {leave.empty() ? sum.value : product_of(stay), leave};
}

// ---- Checks -------------------------------------------------------------------------------------

/// Each element has one partial result in an iteration.
void check_indices(const Preconditions& check, const Accumulation& sum, const Levels& inside) {
  for (const Expr& index : sum.indices)
    if (varies(index, inside) || reads_tensor(index))
      check.refuse(sum.update,
                   fmt::format("the reduction chooses the element {}, and an iteration has one "
                               "partial result for each element",
                               sum.element_text()),
                   "rfactor has partial results of all elements");
}

/// The nest changes nothing but the tensor.
void check_value(const Preconditions& check, const Accumulation& sum, const Levels& inside) {
  llvm::SmallVector<Expr, 8> read = {sum.value};
  for (const Level& level : inside)
    if (level.guard.defined()) read.push_back(level.guard);
  for (const Expr& expr : read)
    if (reads(expr, sum.update->tensor))
      check.refuse(sum.update,
                   fmt::format("{} reads {}, which changes at the end of an iteration only", expr,
                               sum.update->tensor->name));
}

/// An iteration without values combines the identity with the result.
void check_identity(const Preconditions& check, const Accumulation& sum, const Levels& inside,
                    const Facts& facts) {
  if (!keeps_any_value(*sum.update) && !has_values(sum, inside, facts))
    check.refuse(
        sum.update,
        fmt::format("an iteration may have no values for {}, and the identity, which it "
                    "would combine with it, may change {}",
                    sum.element_text(),
                    sum.update->update == Update::custom ? "a value of another kind" : "a NaN"),
        "choose factors that divide");
}

/// An iteration without values combines its partial result, too: the guards of values do not keep
/// it from elements that there are not.
void check_existence(const Preconditions& check, const Accumulation& sum, const Levels& inside,
                     const Facts& facts) {
  const auto guards_values = [&](const Level& level) {
    return level.guard.defined() && sum.is_of_value(level);
  };
  if (llvm::none_of(inside, guards_values)) return;
  for (unsigned dim = 0; dim < sum.indices.size(); ++dim)
    if (!exists(sum.indices[dim], sum.update->tensor->shape[dim], facts))
      refuse_missing_element(check, sum, dim);
}

// ---- Nests --------------------------------------------------------------------------------------

/// The body of the loop, once for each of its three parts.
class PartialResults {
 public:
  PartialResults(const Accumulation& sum, const Levels& inside, const Function& function)
      : sum_(sum), inside_(inside), names_(function) {
    const TensorNode& tensor = *sum.update->tensor;
    results = make_tensor(names_.fresh(tensor.name + ".part"), tensor.type, tensor.shape);
  }

  Stmt nest(const FactoredValue& factored) {
    const Store& update = *sum_.update;
    const Stmt start = Store::make(results, sum_.indices, Update::set, identity_of(update));
    const Stmt reduce = update.with(results, sum_.indices, factored.value);
    Factors factors = factored.outside;
    factors.push_back(Load::make(results, sum_.indices));
    const Stmt combine = update.with(update.tensor, sum_.indices, product_of(factors));
    return Seq::make(
        {repeated_nest(start, ".start"), whole_nest(reduce), repeated_nest(combine, ".combine")});
  }

  TensorPtr results;

 private:
  Stmt whole_nest(Stmt stmt) const {
    for (const Level& level : llvm::reverse(inside_)) stmt = around(level, stmt);
    return stmt;
  }

  /// The loops that no instruction computes run where they do in the nest of the values.
  Stmt repeated_nest(Stmt stmt, llvm::StringRef suffix) {
    for (const Level& level : llvm::reverse(inside_)) {
      if (sum_.is_of_value(level)) continue;
      const bool is_placed = level.loop && !level.loop->binding.opcode;
      stmt = repeated(level, stmt, suffix, names_, is_placed ? level.loop->binding : Binding());
    }
    return stmt;
  }

  const Accumulation& sum_;
  const Levels& inside_;
  Names names_;
};

/// Loops that run at the same time have partial results of their own.
void check_bound_loops(const Preconditions& check, const Function& result, const Site& site,
                       const TensorPtr& results) {
  for (const For* loop : loops_of(result.body))
    if (loop->binding.is_parallel() && touches(loop->body, results))
      check_independent(check, result, loop->axis.get(), &site.loop(), results);
}

}  // namespace

Rewrite reduce_at(const Function& function, const TensorPtr& tensor, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("reduce_at", function, tensor);
  const Site site = check.find_serial(axis);
  const For& loop = site.loop();
  const Accumulation sum = find_accumulation(check, site, *tensor);
  const Levels inside = levels_inside(sum, loop);
  const Facts facts = facts_at_end(sum, site, inside);
  check_indices(check, sum, inside);
  check_value(check, sum, inside);
  check_elements(check, sum, spatial_loops(inside), facts, loop);
  check_identity(check, sum, inside, facts);
  check_existence(check, sum, inside, facts);

  // Rewrite
  PartialResults partial(sum, inside, function);
  const Stmt nest = partial.nest(take_factors_out(sum, inside, facts));
  const Stmt body = replace(function.body, &loop, loop.with_body(nest));
  Function result = rebuild(function, with_temporary(body, partial.results));

  // Postcondition: what is bound or vectorised in the loop may still be.
  check_bound_loops(check, result, site, partial.results);
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, partial.results};
}

const Primitive reduce_at_primitive = {
    .name = "reduce_at",
    .arguments = {argument::tensor, argument::axis},
    .made = {.tensor = true},
    .apply = [](const Function& f, const Step& s) { return reduce_at(f, s.tensor, s.axes[0]); },
};

}  // namespace hone
