// rfactor(S, k.0): the iterations of a reduction axis add up in partial results of their own, in a
// nest before, and the nest of S adds up those.
//
//   S[] = 0                              alloc S.rf: f32[G] @global
//   reduce k.0 in 0..G                   for k.0 in 0..G
//     reduce k.1 in 0..256                 S.rf[k.0] = 0
//       if (k.0*256 + k.1 < N)             reduce k.1 in 0..256
//         S[] += A[k.0*256 + k.1]    =>      if (k.0*256 + k.1 < N)
//                                              S.rf[k.0] += A[k.0*256 + k.1]
//                                        S[] = 0
//                                        reduce k.0.S in 0..G
//                                          S[] += S.rf[k.0.S]
//
// An element that the reduction chooses, as that of a histogram, is any: all have partial results.
// Spatial loops stand in both nests, the copies in the new one under fresh names and unbound, and
// so do the guards on their axes; those of the reduction stay with the value.
//
// Preserves: which values are combined into an element. They are grouped anew (for floats, the
// rounding changes), which is why the operator must be associative. Nothing that the value reads
// changes in the nest.

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/accumulation.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// The facts around the partial results.
Facts facts_around(const Accumulation& sum, const Site& site) {
  Facts facts = facts_of(site.assumptions);
  for (const Level& level : sum.levels) {
    if (sum.is_of_value(level)) continue;
    if (level.loop) facts.add_axis(level.loop->axis, level.loop->extent);
    if (level.guard.defined()) facts.assume(level.guard);
  }
  return facts;
}

/// The new nest runs before the old one.
void check_values(const Preconditions& check, const Accumulation& sum) {
  llvm::SmallVector<Expr, 8> read(sum.indices.begin(), sum.indices.end());
  read.push_back(sum.value);
  for (const Level& level : sum.levels)
    if (level.guard.defined()) read.push_back(level.guard);
  const Accesses accesses = collect_accesses(sum.root);
  for (const Expr& expr : read)
    if (const MemoryAccess* change = find_change(expr, accesses))
      check.refuse(change->statement.get(),
                   fmt::format("{} changes what {} reads, which a nest before would read first",
                               change->text(), expr),
                   "fission separates statements");
}

/// Both nests of a factored accumulation.
class Factored {
 public:
  Factored(const Accumulation& sum, const For& loop, const Function& function)
      : sum_(sum), loop_(loop), names_(function) {
    const TensorNode& tensor = *sum.update->tensor;
    llvm::SmallVector<Expr, 4> shape = {loop.extent};
    shape.append(tensor.shape.begin(), tensor.shape.end());
    results = make_tensor(names_.fresh(tensor.name + ".rf"), tensor.type, shape);
    partial = make_axis(loop.axis->name, AxisKind::spatial, loop.axis->roots);
    total = make_axis(names_.fresh(loop.axis->name + "." + tensor.name), AxisKind::reduction,
                      loop.axis->roots);
  }

  /// The nest of partial results.
  Stmt partial_nest() {
    Stmt nest = sum_.update->with(results, place(partial, sum_.indices), sum_.value);
    for (const Level& level : llvm::reverse(sum_.levels))
      if (sum_.is_of_value(level) && level.loop != &loop_) nest = around(level, nest);
    const Stmt start = for_each_element(results->name, [&](llvm::ArrayRef<Expr> element) {
      return Store::make(results, place(partial, element), Update::set, identity_of(*sum_.update));
    });
    nest = Seq::make({start, nest});
    for (const Level& level : llvm::reverse(sum_.levels))
      if (!sum_.is_of_value(level)) nest = repeated(level, nest, ".rf", names_);
    return For::make(partial, loop_.extent, {},
                     substitute(nest, loop_.axis.get(), AxisRef::make(partial)));
  }

  /// The nest that the outermost loop of the reduction becomes.
  Stmt total_nest() {
    const TensorPtr& tensor = sum_.update->tensor;
    Stmt nest = for_each_element(tensor->name, [&](llvm::ArrayRef<Expr> element) {
      return sum_.update->with(tensor, element, Load::make(results, place(total, element)));
    });
    for (const Level& level : llvm::reverse(sum_.levels)) {
      if (!level.is_inside) continue;
      if (level.loop == &loop_)
        nest = For::make(total, loop_.extent, {}, nest);
      else if (!sum_.is_of_value(level))
        nest = around(level, nest);
    }
    return nest;
  }

  TensorPtr results;
  AxisPtr partial, total;

 private:
  static llvm::SmallVector<Expr, 4> place(const AxisPtr& axis, llvm::ArrayRef<Expr> element) {
    llvm::SmallVector<Expr, 4> indices = {AxisRef::make(axis)};
    indices.append(element.begin(), element.end());
    return indices;
  }

  /// The statement that `make` makes of the element; where the reduction chooses it, of each that
  /// there is, under loops named after `name`.
  Stmt for_each_element(llvm::StringRef name, llvm::function_ref<Stmt(llvm::ArrayRef<Expr>)> make) {
    llvm::SmallVector<Expr, 4> element = sum_.indices;
    llvm::SmallVector<std::pair<AxisPtr, Expr>, 2> loops;
    for (size_t dim = 0; dim < element.size(); ++dim) {
      if (!sum_.varies(element[dim])) continue;
      const std::string axis = names_.fresh(fmt::format("{}.{}", name.str(), dim));
      loops.push_back({make_axis(axis, AxisKind::spatial), sum_.update->tensor->shape[dim]});
      element[dim] = AxisRef::make(loops.back().first);
    }
    Stmt nest = make(element);
    for (const auto& [axis, extent] : llvm::reverse(loops))
      nest = For::make(axis, extent, {}, nest);
    return nest;
  }

  const Accumulation& sum_;
  const For& loop_;
  Names names_;
};

/// The statement that the nest of partial results stands before: the nest, or one right before it
/// that does no more than initialise the tensor.
Stmt start_of(const Stmt& body, const Accumulation& sum) {
  const auto is_root = [&](const Stmt& stmt) { return stmt.same_as(sum.root); };
  const StmtNode* around = find_stmt(body, [&](const Stmt& stmt) {
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    return seq && llvm::any_of(seq->stmts, is_root);
  });
  if (!around) return sum.root;
  const auto& stmts = llvm::cast<Seq>(around)->stmts;
  const Stmt* start = llvm::find_if(stmts, is_root);
  const auto initialises = [&](const Stmt& stmt) {
    return llvm::all_of(collect_accesses(stmt), [&](const MemoryAccess& access) {
      return access.tensor == sum.update->tensor;
    });
  };
  while (start != stmts.begin() && initialises(start[-1])) --start;
  return *start;
}

}  // namespace

Rewrite rfactor(const Function& function, const TensorPtr& tensor, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("rfactor", function, tensor);
  const Site site = check.find_serial(axis);
  const For& loop = site.loop();
  const Accumulation sum = find_accumulation(check, site, *tensor);
  check_elements(check, sum, sum.spatial_loops(), facts_around(sum, site), loop);
  check_values(check, sum);

  // Rewrite
  Factored factored(sum, loop, function);
  const Stmt partial = factored.partial_nest();
  const Stmt total = replace(sum.root, sum.outermost, factored.total_nest());
  const Stmt start = start_of(function.body, sum);
  const bool is_first = start.same_as(sum.root);
  Stmt body = replace(function.body, start.get(), Seq::make({partial, is_first ? total : start}));
  if (!is_first) body = replace(body, sum.root.get(), total);
  Function result = rebuild(function, with_temporary(body, factored.results));

  // Postcondition: `axis` is gone, and what is bound or vectorised in the old nest may still be.
  for (const For* repeated : sum.spatial_loops())
    if (repeated->binding.is_parallel())
      check_independent(check, result, repeated->axis.get(), sum.outermost, tensor);
  check_promises(check, function, result, sum.outermost);
  return {std::move(result), {factored.partial, factored.total}, factored.results};
}

const Primitive rfactor_primitive = {
    .name = "rfactor",
    .arguments = {argument::tensor, argument::axis, argument::names},
    .made = {.axes = 2, .tensor = true},
    .apply = [](const Function& f, const Step& s) { return rfactor(f, s.tensor, s.axes[0]); },
};

}  // namespace hone
