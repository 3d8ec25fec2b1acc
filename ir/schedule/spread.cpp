// spread({i, j}, instruction): the lanes of a warp, or of a warpgroup, have the iterations as the
// instruction has spread the elements of its result.
//
//   for i in 0..16                        for i_half in 0..2
//     for j in 0..8                =>       for lane_i in 0..8 @lane(4)
//       C.reg[i, j] = 0                       for lane_j in 0..4 @lane
//                                               for element in 0..2
//                                                 C.reg[i_half*8 + lane_i, lane_j*2 + element] = 0
//
// So do the loops before and after a product, which set its sums and take them. An axis becomes a
// loop for each digit of the numbers of lanes and of their values, and those over warps are put
// outside of the others. Names keep what follows a point in that of the axis, i.init, but for
// ".post": lane_i.init.
//
// Indices that take an axis apart cut digits: an element of C[i / 4, i % 4, j] is that of
// lane_i / 4 and lane_i % 4, which have loops of their own.
//
// Preserves: which iterations run. They touch different elements, so that their order does not
// matter.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/core/error.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/instructions.h"
#include "ir/schedule/legality/dimensions.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_nest.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Digits = llvm::SmallVector<SpreadDigit, 4>;  ///< of one axis, the slowest first

bool is_of_lanes(const SpreadDigit& digit) { return digit.of == SpreadDigit::Of::lane; }

/// The elements of its result: of the first operand in registers. Null where each thread computes
/// the instruction by itself.
const FragmentSpread* find_result(const Opcode& opcode) {
  const auto is_in_registers = [](const FragmentSpread& spread) {
    return spread.scope == Scope::registers;
  };
  const auto* found = llvm::find_if(opcode.rules.spreads, is_in_registers);
  return is_of_lanes(opcode) && found != opcode.rules.spreads.end() ? found : nullptr;
}

const Opcode& find_opcode(const Preconditions& check, llvm::StringRef word) {
  const Opcode& opcode = find_instruction(check, word, find_result);
  if (!find_result(opcode))
    check.refuse(nullptr,
                 fmt::format("{} spreads nothing over lanes: each thread computes it by itself",
                             opcode.word()));
  return opcode;
}

Digits digits_along(const FragmentSpread& spread, size_t dim) {
  Digits digits;
  for (const SpreadDigit& digit : spread.digits)
    if (digit.dim == static_cast<int>(dim)) digits.push_back(digit);
  llvm::sort(digits, [](const auto& lhs, const auto& rhs) { return lhs.factor > rhs.factor; });
  return digits;
}

int64_t elements_of(const Digits& digits) {
  int64_t product = 1;
  for (const SpreadDigit& digit : digits) product *= digit.count;
  return product;
}

/// "16 x 8"
template <class Sizes>
std::string times(const Sizes& sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

/// The loops of the axes, which stand in one another.
llvm::SmallVector<const For*, 4> loops_to_spread(const Preconditions& check,
                                                 llvm::ArrayRef<AxisPtr> axes) {
  llvm::SmallVector<const For*, 4> loops;
  for (const AxisPtr& axis : axes) {
    const Site site = check.find_unplaced(axis);
    if (axis->kind == AxisKind::reduction)
      check.refuse(&site.loop(), fmt::format("{} is a reduction axis, and lanes share the elements "
                                             "of spatial axes",
                                             axis->name));
    if (!loops.empty() && !llvm::is_contained(site.enclosing_loops(), loops.back()))
      check.refuse(&site.loop(), fmt::format("{} does not stand inside {}", axis->name,
                                             loops.back()->axis->name));
    loops.push_back(&site.loop());
  }
  return loops;
}

/// The elements of all lanes along each dimension.
llvm::SmallVector<int64_t, 4> all_elements(const FragmentSpread& spread) {
  llvm::SmallVector<int64_t, 4> elements;
  for (size_t dim = 0; dim < spread.rank(); ++dim)
    elements.push_back(elements_of(digits_along(spread, dim)));
  return elements;
}

bool has_one_iteration(const For* loop) { return as_int(loop->extent) == 1; }

/// The digits of each axis; several of them may share a dimension of the instruction. An axis of
/// one iteration has none. Nothing where the extents are not those of the result.
std::optional<llvm::SmallVector<Digits, 4>> digits_over(const FragmentSpread& result,
                                                        llvm::ArrayRef<const For*> loops) {
  llvm::SmallVector<Expr, 4> extents;
  for (const For* loop : loops)
    if (!has_one_iteration(loop)) extents.push_back(loop->extent);
  if (extents.size() < result.rank()) return std::nullopt;
  const auto spread = result.over(extents);
  if (!spread) return std::nullopt;
  llvm::SmallVector<Digits, 4> digits;
  size_t dim = 0;
  for (const For* loop : loops) {
    digits.push_back(has_one_iteration(loop) ? Digits() : digits_along(*spread, dim++));
    if (as_int(loop->extent) != elements_of(digits.back())) return std::nullopt;
  }
  return digits;
}

llvm::SmallVector<Digits, 4> digits_of(const Preconditions& check, const Opcode& opcode,
                                       llvm::ArrayRef<const For*> loops) {
  const std::string wanted = times(all_elements(*find_result(opcode)));
  if (loops.empty())
    check.refuse(nullptr, "no axes are given",
                 fmt::format("{} spreads {} elements: one axis for each dimension, in this order",
                             opcode.word(), wanted));
  if (auto digits = digits_over(*find_result(opcode), loops)) return *digits;
  llvm::SmallVector<Expr, 4> extents;
  for (const For* loop : loops) extents.push_back(loop->extent);
  check.refuse(
      loops.front(),
      fmt::format("{} spreads {} elements, and the loops have {}", opcode.word(), wanted,
                  times(extents)),
      "one axis for each dimension, in this order; split or tile makes loops of these extents");
}

/// Digits that are cut where an index in `body` takes the axis apart: axis / n, axis % n.
Digits cut_by_indices(Digits digits, const AxisNode* axis, const Stmt& body) {
  const auto cut_at = [&](int64_t place) {
    for (size_t n = 0; n < digits.size(); ++n) {
      SpreadDigit& digit = digits[n];
      const int64_t run = place / digit.factor;
      if (run <= 1 || run >= digit.count || place % digit.factor != 0 || digit.count % run != 0)
        continue;
      SpreadDigit low = digit;
      low.count = static_cast<int>(run);
      digit.divisor *= low.count;
      digit.factor *= low.count;
      digit.count /= low.count;
      digits.insert(digits.begin() + n + 1, low);
      return;
    }
  };
  walk_exprs(body, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    if (!binary || (binary->op != BinaryOp::div && binary->op != BinaryOp::mod)) return;
    const auto place = as_int(binary->rhs);
    if (place && mentions(binary->lhs, axis)) cut_at(*place);
  });
  return digits;
}

/// The elements of the instruction's dimension from an iteration of the digit to the next one.
/// `factor` is those of the axis, which may have a part of the dimension.
int64_t stride_in(const FragmentSpread& result, const SpreadDigit& digit) {
  const auto element =
      is_of_lanes(digit) ? result.element(digit.divisor, 0) : result.element(0, digit.divisor);
  return *std::ranges::max_element(element);
}

/// "row.init": a loop over lanes is lane_row.init, and one over the values that lie side by side is
/// element.init.
std::string name_of(const SpreadDigit& digit, int64_t stride, llvm::StringRef axis) {
  axis.consume_back(".post");
  const std::string of_axis = axis.split('.').first.str(), end = axis.substr(of_axis.size()).str();
  if (is_of_lanes(digit))
    return fmt::format("{}_{}{}", digit.divisor < warp_size ? "lane" : "warp", of_axis, end);
  if (stride == 1) return "element" + end;
  if (digit.count == 2) return of_axis + "_half" + end;
  return (stride == 8 ? "octet" : of_axis + "_part") + end;
}

/// A loop over a digit, in the place of an axis.
struct DigitLoop {
  AxisPtr axis;
  SpreadDigit digit;
};
using DigitLoops = llvm::SmallVector<DigitLoop, 8>;

DigitLoops make_loops(const For& loop, const Digits& digits, const FragmentSpread& result,
                      Names& names) {
  DigitLoops loops;
  for (const SpreadDigit& digit : digits) {
    const std::string name = name_of(digit, stride_in(result, digit), loop.axis->name);
    loops.push_back({make_axis(names.fresh(name), loop.axis->kind, loop.axis->roots), digit});
  }
  return loops;
}

/// The nest of the digits in the place of the loop.
Function with_digits(const Function& function, const For& loop, const DigitLoops& loops) {
  Expr index = 0;
  for (const DigitLoop& made : loops)
    index = index * int64_t{made.digit.count} + AxisRef::make(made.axis);
  Stmt nest = substitute(loop.body, loop.axis.get(), index);
  for (const DigitLoop& made : llvm::reverse(loops))
    nest = For::make(made.axis, int64_t{made.digit.count},
                     is_of_lanes(made.digit) ? Binding() : loop.binding, nest);
  return rebuild(function, &loop, nest);
}

/// The axes of the loops over lanes, or over warps, the slowest first.
llvm::SmallVector<AxisPtr, 4> axes_of(const Binding& unit, DigitLoops loops) {
  llvm::erase_if(loops, [&](const DigitLoop& loop) {
    return !is_of_lanes(loop.digit) || lane_binding(loop.digit).digit.unit != unit.digit.unit;
  });
  llvm::stable_sort(loops, [](const DigitLoop& lhs, const DigitLoop& rhs) {
    return lhs.digit.divisor > rhs.digit.divisor;
  });
  llvm::SmallVector<AxisPtr, 4> axes;
  for (const DigitLoop& loop : loops) axes.push_back(loop.axis);
  return axes;
}

/// All axes, those over warps first.
llvm::SmallVector<AxisPtr, 4> in_order(const DigitLoops& loops) {
  llvm::SmallVector<AxisPtr, 4> order = axes_of(warp, loops);
  for (const DigitLoop& loop : loops)
    if (!llvm::is_contained(order, loop.axis)) order.push_back(loop.axis);
  return order;
}

Rewrite spread_digits(const Function& function, llvm::ArrayRef<AxisPtr> axes,
                      llvm::ArrayRef<Digits> digits, const FragmentSpread& of_instruction) {
  Rewrite result = {function, {}, nullptr};
  DigitLoops made;
  Names names(function);
  for (size_t n = 0; n < axes.size(); ++n) {
    const Site site = *find_site(result.function, axes[n].get());
    const DigitLoops loops =
        make_loops(site.loop(), cut_by_indices(digits[n], axes[n].get(), site.loop().body),
                   of_instruction, names);
    result.function = with_digits(result.function, site.loop(), loops);
    llvm::append_range(made, loops);
  }
  result = reorder(result.function, in_order(made));
  for (const Binding& unit : {warp, lane}) {
    const auto bound = axes_of(unit, made);
    if (!bound.empty()) result.function = bind(result.function, bound, unit).function;
  }
  return result;
}

}  // namespace

Rewrite spread(const Function& function, llvm::ArrayRef<AxisPtr> axes,
               llvm::StringRef instruction) {
  // Preconditions
  const Preconditions check("spread", function);
  const Opcode& opcode = find_opcode(check, instruction);
  const auto digits = digits_of(check, opcode, loops_to_spread(check, axes));

  // Rewrite
  try {
    return spread_digits(function, axes, digits, *find_result(opcode));
  } catch (ScheduleError& error) {
    error.during("spread");
    throw;
  }
}

const Primitive spread_primitive = {
    .name = "spread",
    .arguments = {argument::axes, argument::name, argument::names},
    .made = {.axes = Made::all},
    .apply = [](const Function& f, const Step& s) { return spread(f, s.axes, s.name); },
};

}  // namespace hone
