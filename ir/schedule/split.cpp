// split(axis, factor): one loop becomes two.
//
//   for i in 0..N                for i.0 in 0..ceil(N / f)
//     body(i)             =>       for i.1 in 0..f
//                                    if (i.0*f + i.1 < N)
//                                      body(i.0*f + i.1)
//
// The guard is absent where f is proved to divide N.
//
// With Tail::pad the iterations left over run and change nothing: see pad.h.
//
// With Tail::peel the iterations left over get a loop of their own, and no guard; there is no such
// loop where f is proved to divide N:
//
//                         =>     for i.0 in 0..N / f
//                                  for i.1 in 0..f
//                                    body(i.0*f + i.1)
//                                for i.tail in 0..N % f
//                                  body(N / f * f + i.tail)
//
// A factor over params adds the assumption that it is positive.
//
// split_into(axis, parts) is the same with the number of outer iterations given:
// f = ceil(N / parts), and N / parts with a peeled tail.
//
// Preserves: which iterations of the body run, and their order.

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/core/error.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/pad.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

std::string divisors_of(int64_t extent) {
  llvm::SmallVector<std::string, 8> divisors;
  for (int64_t candidate = 2; candidate < extent && candidate <= 1024; ++candidate)
    if (extent % candidate == 0) divisors.push_back(std::to_string(candidate));
  if (divisors.empty()) return "";
  return join_names(divisors) + (divisors.size() == 1 ? " divides it; " : " divide it; ");
}

[[noreturn]] void refuse_inexact(const Preconditions& check, const Site& site, const Expr& factor,
                                 const char* noun) {
  const For& loop = site.loop();
  const auto extent = as_int(loop.extent);
  std::string message =
      extent && as_int(factor)
          ? fmt::format("{} does not divide the extent {} of {} and the tail is 'exact'", factor,
                        loop.extent, loop.axis->name)
          : fmt::format("{} is not proved to divide the extent {} of {} and the tail is 'exact'",
                        factor, loop.extent, loop.axis->name);
  check.refuse(&loop, std::move(message),
               (extent ? divisors_of(*extent) : "sizes known at launch only prove nothing; ") +
                   fmt::format("{{.tail = Tail::guard}} takes any {}", noun));
}

/// `noun` is what the user gave: a factor, or a number of parts.
void check_factor(const Preconditions& check, const Site& site, const Expr& factor,
                  const char* noun) {
  if (!factor.defined())
    check.refuse(site.statement.get(),
                 fmt::format("the {} is undefined; give the Expr a value first", noun));
  if (factor.type() != DType::index)
    check.refuse(site.statement.get(), fmt::format("the {} {} has type {}, not index", noun, factor,
                                                   name(factor.type()).str()));
  if (as_int(factor).value_or(1) <= 0)
    check.refuse(site.statement.get(),
                 fmt::format("the {} must be positive, got {}", noun, factor));
  walk(factor, [&](const Expr& part) {
    if (llvm::isa<AxisRef, Load>(part))
      check.refuse(site.statement.get(),
                   fmt::format("the {} {} is not made of params and constants", noun, factor));
  });
}

/// The names of the axes that the step makes.
struct SplitAxes {
  AxisPtr outer, inner;
};

SplitAxes make_axes(const For& loop, Names& names) {
  const AxisNode& axis = *loop.axis;
  return {make_axis(names.fresh(axis.name + ".0"), axis.kind, axis.roots),
          make_axis(names.fresh(axis.name + ".1"), axis.kind, axis.roots)};
}

/// The extent 0 belongs to a loop that does nothing; its parts do nothing either.
bool divides(const Expr& factor, const For& loop, const Facts& facts) {
  const int64_t count = as_int(factor).value_or(0);
  return (count > 0 && hone::divides(count, loop.extent, facts)) ||
         is_int(simplify(loop.extent % factor, facts), 0);
}

/// `factor` over the params of `function`, which gets those that are new to it.
Expr adopt(const Preconditions& check, const Site& site, const Expr& factor, const char* noun,
           Function& function) {
  const Names names(function);
  return transform(factor, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    if (!reference) return Expr();
    const std::string& name = reference->param->name;
    const auto* known =
        llvm::find_if(function.params, [&](const ParamPtr& param) { return param->name == name; });
    if (known != function.params.end()) return ParamRef::make(*known);
    if (names.contains(name))
      check.refuse(site.statement.get(),
                   fmt::format("the param {} of the {} has a name that is taken", name, noun));
    function.params.push_back(reference->param);
    return part;
  });
}

/// The iterations outside and inside, and how many of the whole they cover.
struct Shape {
  Expr outer, inner, covered;
};

/// A count that divides the extent gives the same shape whatever the tail is.
Shape shape_of(const Expr& extent, const Expr& count, bool count_is_outer, bool guarded) {
  const Expr other = guarded ? (extent + (count - 1)) / count : extent / count;
  return {count_is_outer ? count : other, count_is_outer ? other : count, extent / count * count};
}

/// A loop without iterations is not kept: the step would return axes that have no loop.
void check_main_loop(const Preconditions& check, const Site& site, const Expr& count,
                     const char* noun, const Shape& shape) {
  const Facts facts = site.facts();
  if (is_int(simplify(shape.outer, facts), 0) || is_int(simplify(shape.inner, facts), 0))
    check.refuse(site.statement.get(),
                 fmt::format("{} is more than the extent {} of {}, so that all iterations would be "
                             "in the peeled loop",
                             count, site.loop().extent, site.loop().axis->name),
                 fmt::format("{{.tail = Tail::guard}} takes any {}", noun));
}

/// A factor that is known at launch only is promised to be positive, which launches check: that the
/// loop runs shows it too, but a division by it need not stay there.
void assume_positive(const Expr& factor, Function& function) {
  const Expr promise = factor > 0;
  if (!as_int(factor) && !proves(promise, facts_of(function.assumptions)))
    function.assumptions.push_back(promise);
}

/// The loops in front of the body may be gone, as conditions in it never hold there.
void check_iterations(const Preconditions& check, const Site& site, const Function& result,
                      const SplitAxes& axes) {
  for (const AxisPtr& axis : {axes.outer, axes.inner})
    if (!find_site(result, axis.get()))
      check.refuse(site.statement.get(),
                   fmt::format("{} would have no iteration that does anything", axis->name));
}

/// The body for so many iterations, of which the last ones may be none of the loop.
Stmt guarded_body(const Preconditions& check, const Site& site, Tail tail, const Expr& iterations) {
  const For& loop = site.loop();
  const Expr inside = AxisRef::make(loop.axis) < loop.extent;
  if (tail == Tail::guard) return If::make(inside, loop.body);
  Facts facts = site.facts_around();
  facts.add_axis(loop.axis, iterations);
  return padded(check, inside, loop.axis, loop.body, facts);
}

Rewrite split_by(const Preconditions& check, const Function& function, const AxisPtr& axis,
                 const Expr& factor, bool count_is_outer, Tail tail) {
  // Preconditions
  // Unrolled parts have constant extents.
  const bool is_constant = factor.defined() && as_int(factor);
  const Site site = is_constant ? check.find_unplaced(axis) : check.find_serial(axis);
  const char* noun = count_is_outer ? "number of parts" : "factor";
  check_factor(check, site, factor, noun);
  Function adopted = function;
  const Expr count = adopt(check, site, factor, noun, adopted);
  assume_positive(count, adopted);
  const For& loop = site.loop();
  const bool exact = divides(count, loop, site.facts());
  if (!exact && tail == Tail::exact) refuse_inexact(check, site, count, noun);
  const bool guarded = !exact && (tail == Tail::guard || tail == Tail::pad);
  const Shape shape = shape_of(loop.extent, count, count_is_outer, guarded);
  check_main_loop(check, site, count, noun, shape);

  // Rewrite
  Names names(adopted);
  const auto [outer, inner] = make_axes(loop, names);
  const Expr index = AxisRef::make(outer) * shape.inner + AxisRef::make(inner);
  Stmt body = guarded ? guarded_body(check, site, tail, shape.outer * shape.inner) : loop.body;
  body = substitute(body, axis.get(), index);
  const Binding& binding = loop.binding;
  Stmt nest = For::make(outer, shape.outer, binding, For::make(inner, shape.inner, binding, body));

  AxisPtr rest;
  if (!exact && tail == Tail::peel) {
    rest = make_axis(names.fresh(axis->name + ".tail"), axis->kind, axis->roots);
    Stmt copy = substitute(loop.body, axis.get(), shape.covered + AxisRef::make(rest));
    copy = with_fresh_names(copy, ".tail", names);
    nest = Seq::make({nest, For::make(rest, loop.extent % count, binding, copy)});
  }
  Function result = rebuild(adopted, &loop, nest);
  check_iterations(check, site, result, {outer, inner});

  // Postcondition: `axis` is gone, and what is bound or vectorised in its loop may still be.
  check_promises(check, function, result, &loop);
  llvm::SmallVector<AxisPtr, 4> axes{outer, inner};
  if (rest && find_site(result, rest.get())) axes.push_back(rest);
  return {std::move(result), axes, nullptr};
}

}  // namespace

Rewrite split(const Function& function, const AxisPtr& axis, const Expr& factor, Tail tail) {
  return split_by({"split", function}, function, axis, factor, false, tail);
}

Rewrite split_into(const Function& function, const AxisPtr& axis, const Expr& parts, Tail tail) {
  return split_by({"split_into", function}, function, axis, parts, true, tail);
}

const Primitive split_primitive = {
    .name = "split",
    .arguments = {argument::axis, argument::factor, argument::split},
    .made = {.axes = 2},
    .apply = [](const Function& f,
                const Step& s) { return split(f, s.axes[0], s.factors[0], s.tail); },
};

const Primitive split_into_primitive = {
    .name = "split_into",
    .arguments = {argument::axis, argument::factor, argument::split},
    .made = {.axes = 2},
    .apply = [](const Function& f,
                const Step& s) { return split_into(f, s.axes[0], s.factors[0], s.tail); },
};

}  // namespace hone
