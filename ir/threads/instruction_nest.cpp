#include "ir/threads/instruction_nest.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/meaning.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_copy.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

const char* name_of(Scope scope) {
  switch (scope) {
    case Scope::global:
      return "global memory";
    case Scope::shared:
      return "shared memory";
    case Scope::registers:
      return "registers";
  }
  llvm_unreachable("unknown scope");
}

/// The first difference of a nest from the meaning; it ends the comparison.
struct Difference {
  std::string problem, way_out;
};

template <class... Args>
[[noreturn]] void differ(std::string way_out, fmt::format_string<Args...> text, Args&&... args) {
  throw Difference{fmt::format(text, std::forward<Args>(args)...), std::move(way_out)};
}

/// The loads of an expression, in the order of the text.
llvm::SmallVector<const Load*, 3> loads_of(const Expr& expr) {
  llvm::SmallVector<const Load*, 3> loads;
  walk(expr, [&](const Expr& part) {
    if (const auto* load = llvm::dyn_cast<Load>(part)) loads.push_back(load);
  });
  return loads;
}

class Matcher {
 public:
  Matcher(const For& nest, const Opcode& opcode)
      : nest_(nest), opcode_(opcode), word_(opcode.word()), meaning_(meaning_of(opcode)) {
    places_.resize(meaning_.arguments.size());
  }

  const Expr& guard() const { return guard_; }

  Stmt run() {
    Stmt wanted = meaning_.body, found(&nest_);
    while (const auto* loop = llvm::dyn_cast<For>(wanted)) {
      match_loop(*loop, found);
      wanted = loop->body;
      found = llvm::cast<For>(found.get())->body;
    }
    match_store(*llvm::cast<Store>(wanted.get()), found);
    return Instr::make(opcode_, places_);
  }

 private:
  void match_loop(const For& wanted, const Stmt& found) {
    const auto* loop = llvm::dyn_cast<For>(found);
    if (!loop)
      differ("reorder the loops of the instruction to the inside, one in the other",
             "{} has {} of {} at this place, and the nest has {}", word_, kind_of(wanted),
             wanted.extent, description(found));
    const bool is_free =
        loop == &nest_ || loop->binding.is_serial() || loop->binding.is_unrolled_in_full();
    if (!is_free)
      differ("", "{} has the binding @{}, and the inner loops of {} are serial or unrolled in full",
             loop->axis->name, to_string(loop->binding), word_);
    if (loop->is_reduction() != wanted.is_reduction())
      differ("the loops of the nest stand in the order of the instruction's",
             "{} is {}, where {} has {}", loop->axis->name, kind_of(*loop), word_, kind_of(wanted));
    if (!equal(loop->extent, wanted.extent))
      differ(fmt::format("split({}, {}), and reorder", loop->axis->name, wanted.extent),
             "{} has {} iterations, where {} has {}", loop->axis->name, loop->extent, word_,
             wanted.extent);
    axes_.push_back({wanted.axis.get(), loop->axis});
  }

  static const char* kind_of(const For& loop) {
    return loop.is_reduction() ? "a reduction" : "a spatial loop";
  }

  /// Guards of the statement are kept in `guard_`: they go away where tiles take the place of its
  /// tensors.
  void match_store(const Store& wanted, Stmt found) {
    while (const auto* guard = llvm::dyn_cast<If>(found)) {
      guard_ = guard->condition;
      found = guard->body;
    }
    const auto* store = llvm::dyn_cast<Store>(found);
    if (!store)
      differ("", "{} computes one statement, and the nest has {}", word_, description(found));
    const auto theirs = loads_of(wanted.value);
    const Expr value = in_order(without_fills(store->value), theirs);
    const auto ours = loads_of(value);
    const bool is_same_update = store->update == wanted.update && ours.size() == theirs.size();
    if (is_same_update) {
      match_type(*wanted.tensor, *store->tensor);
      for (const auto& [load, own] : llvm::zip(theirs, ours))
        match_type(*load->tensor, *own->tensor);
    }
    if (!is_same_update || !equal(wanted.value, with_loads(value, ours, theirs)))
      differ("", "{} computes {}, and the nest computes {}", word_, Stmt(&wanted), found);
    match_place(wanted.tensor, wanted.indices, store->tensor, store->indices);
    for (const auto& [load, own] : llvm::zip(theirs, ours))
      match_place(load->tensor, load->indices, own->tensor, own->indices);
  }

  static std::string description(const Stmt& stmt) {
    if (llvm::isa<Seq>(stmt)) return "several statements";
    if (llvm::isa<Copy>(stmt)) return "a copy";
    if (llvm::isa<If>(stmt)) return "a guard";
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return "a loop more, " + loop->axis->name;
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) return "a let, " + let->axis->name;
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return "a tile, " + alloc->tensor->name;
    return "one statement";
  }

  void match_type(const TensorNode& argument, const TensorNode& tensor) const {
    if (tensor.type != argument.type)
      differ("", "{} is {}, where {} takes {}", tensor.name, name(tensor.type).str(), word_,
             name(argument.type).str());
  }

  /// A product with its factors in the order of the instruction's, by the axes of their elements.
  Expr in_order(const Expr& value, llvm::ArrayRef<const Load*> theirs) const {
    const auto* product = llvm::dyn_cast<Binary>(value);
    if (!product || product->op != BinaryOp::mul || theirs.size() != 2) return value;
    const auto is_of = [&](const Expr& factor, const Load& wanted) {
      return llvm::all_of(wanted.indices, [&](const Expr& index) {
        return mentions(factor, own_axis(index).get());
      });
    };
    const bool is_turned = !is_of(product->lhs, *theirs[0]) && is_of(product->lhs, *theirs[1]) &&
                           is_of(product->rhs, *theirs[0]);
    return is_turned ? product->rhs * product->lhs : value;
  }

  /// Elements that are zero where they do not exist are these elements.
  Expr without_fills(const Expr& value) {
    return transform(value, [&](const Expr& part) -> Expr {
      const auto* choice = llvm::dyn_cast<Select>(part);
      if (!choice || !is_zero(choice->if_false) || loads_of(choice->if_true).empty()) return {};
      guard_ = choice->condition;
      return without_fills(choice->if_true);
    });
  }

  /// The value with `theirs` in the place of its loads, one by one.
  static Expr with_loads(const Expr& value, llvm::ArrayRef<const Load*> ours,
                         llvm::ArrayRef<const Load*> theirs) {
    return transform(value, [&](const Expr& part) -> Expr {
      const auto* at = llvm::find_if(ours, [&](const Load* load) { return load == part.get(); });
      return at != ours.end() ? Expr(theirs[at - ours.begin()]) : Expr();
    });
  }

  void match_place(const TensorPtr& argument, llvm::ArrayRef<Expr> wanted, const TensorPtr& tensor,
                   llvm::ArrayRef<Expr> indices) {
    const size_t number = llvm::find(meaning_.arguments, argument) - meaning_.arguments.begin();
    if (indices.size() < wanted.size())
      differ("", "{} has {} dimension{}, where {} takes {}", tensor->name, indices.size(),
             indices.size() == 1 ? "" : "s", word_, wanted.size());
    places_[number] = {tensor, {}};
    const size_t more = indices.size() - wanted.size();
    for (size_t dim = 0; dim < indices.size(); ++dim)
      places_[number].indices.push_back(
          first_index(tensor, indices[dim], dim < more ? nullptr : &own_axis(wanted[dim - more])));
  }

  /// The axis of the nest for an index of the meaning, which is one axis.
  const AxisPtr& own_axis(const Expr& index) const {
    const AxisNode* axis = llvm::cast<AxisRef>(index.get())->axis.get();
    return llvm::find_if(axes_, [&](const auto& pair) { return pair.first == axis; })->second;
  }

  /// The index without `axis`, which has to be one of its terms, and the only axis of the nest.
  Expr first_index(const TensorPtr& tensor, const Expr& index, const AxisPtr* axis) const {
    Polynomial rest = Polynomial::of(index);
    if (axis) {
      const auto linear = rest.linear_in(axis->get());
      if (!linear || linear->coefficient.constant() != 1)
        differ("the last dimensions of the tensor stand in the order of the instruction's",
               "the index {} of {} is not {} plus an offset, as {} takes it", index, tensor->name,
               (*axis)->name, word_);
      rest = linear->rest;
    }
    for (const auto& [wanted, own] : axes_)
      if (rest.mentions(own.get()))
        differ("the last dimensions of the tensor stand in the order of the instruction's",
               "the index {} of {} depends on {}, which {} has in another dimension or not at all",
               index, tensor->name, own->name, word_);
    return simplify(rest.to_expr());
  }

  const For& nest_;
  const Opcode& opcode_;
  const std::string word_;
  const Function meaning_;
  llvm::SmallVector<std::pair<const AxisNode*, AxisPtr>, 3> axes_;
  llvm::SmallVector<ElementRef, 3> places_;
  Expr guard_;  ///< a condition of the statement, or of an element
};

/// The digit as messages have it: "lane / 4", "value % 2".
std::string name_of(const SpreadDigit& digit, const FragmentSpread& spread) {
  const bool is_lane = digit.of == SpreadDigit::Of::lane;
  std::string text = is_lane ? "lane" : "value";
  if (digit.divisor > 1) text += fmt::format(" / {}", digit.divisor);
  if (static_cast<int64_t>(digit.divisor) * digit.count < (is_lane ? warp_size : spread.values()))
    text += fmt::format(" % {}", digit.count);
  return text;
}

/// Loops over the digits of a spread, which touch the elements of the place.
Stmt touches(const ElementRef& place, const FragmentSpread& spread) {
  llvm::SmallVector<Expr, 4> indices = place.indices;
  const size_t more = indices.size() - spread.rank();
  llvm::SmallVector<AxisPtr, 6> axes;
  for (const SpreadDigit& digit : spread.digits) {
    axes.push_back(make_axis(name_of(digit, spread), AxisKind::spatial));
    Expr& index = indices[more + digit.dim];
    index = simplify(index + AxisRef::make(axes.back()) * digit.factor);
  }
  const Expr value = Load::make(place.tensor, indices);
  Stmt body = Store::make(place.tensor, indices, Update::set, value);
  for (const auto& [digit, axis] : llvm::zip(spread.digits, axes))
    body = For::make(axis, digit.count,
                     digit.of == SpreadDigit::Of::lane ? lane_binding(digit) : Binding(), body);
  return body;
}

Stmt touches(const Instr& instr) {
  llvm::SmallVector<Stmt, 3> all;
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
    if (place.tensor->scope == Scope::registers) all.push_back(touches(place, spread));
  return Seq::make(all);
}

using MakeAxis = llvm::function_ref<AxisPtr(llvm::StringRef)>;

Stmt with_nests(const Stmt& stmt, MakeAxis axis,
                llvm::function_ref<Stmt(const Instr&)> replacement) {
  return transform_stmts(stmt, [&](const Stmt& part) -> Stmt {
    if (!opcode_with_lanes(part)) return {};
    if (const auto* copy = llvm::dyn_cast<Copy>(part))
      return with_nests(nest_of(*copy, *copy->execution.opcode, axis), axis, replacement);
    if (const auto* instr = llvm::dyn_cast<Instr>(part)) return replacement(*instr);
    const auto& nest = *llvm::cast<For>(part.get());
    const Stmt instr = match_instruction(nest, *nest.binding.opcode).instr;
    return instr.defined() ? replacement(*llvm::cast<Instr>(instr.get())) : part;
  });
}

/// Rows of eight are a period of the swizzle; a tile begins with one.
constexpr int64_t rows_of_swizzle = 8;

/// The demand that a tile does not meet, if there is one: its layout is that of the spread, and the
/// place starts at a row of the swizzle, or at a panel.
std::optional<std::string> tile_problem(const ElementRef& place, const FragmentSpread& spread) {
  const TensorNode& tensor = *place.tensor;
  const int64_t columns = spread.columns(tensor.type);
  Layout wanted = spread.layout(tensor.type);
  for (size_t dim = spread.rank(); dim < tensor.rank(); ++dim) wanted = with_slowest_dim(wanted);
  const bool has_panels = !wanted.digits.empty();
  const bool has_rows = tensor.layout.digits == wanted.digits &&
                        tensor.layout.swizzles == wanted.swizzles && tensor.layout.padding == 0 &&
                        (has_panels ? is_int(tensor.shape[tensor.rank() - 2], spread.tile.front())
                                    : is_int(tensor.shape.back(), columns));
  if (!has_rows)
    return fmt::format("{} of {} elements of {} in a swizzle of {} bytes",
                       has_panels ? "panels" : "rows", columns, tensor.name, spread.swizzle);
  const auto is_multiple = [](const Expr& index, int64_t of) {
    return is_int(simplify(index % of), 0);
  };
  const Expr& row = place.indices[place.indices.size() - 2];
  if (!is_multiple(place.indices.back(), columns) || !is_multiple(row, rows_of_swizzle))
    return fmt::format("{} from a multiple of {} rows and {} columns on", tensor.name,
                       rows_of_swizzle, columns);
  const int64_t alignment = rows_of_swizzle * spread.swizzle;
  if (tensor.alignment == 0 || tensor.alignment % alignment != 0)
    return fmt::format("{} at a multiple of {} bytes", tensor.name, alignment);
  return std::nullopt;
}

AxisPtr nameless(llvm::StringRef) { return make_variable(); }

}  // namespace

InstructionMatch match_instruction(const For& nest, const Opcode& opcode) {
  try {
    Matcher matcher(nest, opcode);
    const Stmt instr = matcher.run();
    return {instr, "", "", matcher.guard()};
  } catch (const Difference& difference) {
    return {Stmt(), difference.problem, difference.way_out, Expr()};
  }
}

InstructionMatch match_exactly(const For& nest) {
  const InstructionMatch match = match_instruction(nest, *nest.binding.opcode);
  if (!match.instr.defined()) return match;
  const auto& instr = *llvm::cast<Instr>(match.instr.get());
  const std::string word = instr.opcode.word();
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
    if (place.tensor->scope != spread.scope)
      return {Stmt(),
              fmt::format("{} takes {} from {}, and it is in {}", word, place.tensor->name,
                          name_of(spread.scope), name_of(place.tensor->scope)),
              spread.scope == Scope::registers
                  ? fmt::format("cache_registers({}, an axis around {})", place.tensor->name,
                                nest.axis->name)
                  : fmt::format("cache_shared({}, an axis around {})", place.tensor->name,
                                nest.axis->name),
              Expr()};
  for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
    if (const auto problem = spread.is_tile() ? tile_problem(place, spread) : std::nullopt)
      return {Stmt(), fmt::format("{} takes {}", word, *problem),
              "Layout().swizzle_bytes lays a tile out so, and align places it", Expr()};
  if (match.guard.defined())
    return {Stmt(),
            fmt::format("{} has no guard, and its nest is computed where {}", word, match.guard),
            "tiles that are split with Tail::pad are filled with zeros, and need none", Expr()};
  return match;
}

Stmt with_instructions(const Stmt& stmt, Names& names) {
  const auto axis = [&](llvm::StringRef word) {
    return make_axis(names.fresh(word), AxisKind::spatial);
  };
  return with_nests(stmt, axis, [](const Instr& instr) { return Stmt(&instr); });
}

Stmt with_lanes_of_instructions(const Stmt& stmt) {
  return with_nests(stmt, nameless, [](const Instr& instr) { return touches(instr); });
}

llvm::SmallVector<const FragmentSpread*, 2> spreads_of(const TensorPtr& tensor, const Stmt& stmt) {
  llvm::SmallVector<const FragmentSpread*, 2> found;
  with_nests(stmt, nameless, [&](const Instr& instr) {
    for (const auto& [place, spread] : llvm::zip(instr.places, instr.opcode.rules.spreads))
      if (place.tensor == tensor) found.push_back(&spread);
    return Stmt(&instr);
  });
  return found;
}

Binding lane_binding(const SpreadDigit& digit) {
  const ThreadUnit unit = digit.divisor < warp_size ? ThreadUnit::lane : ThreadUnit::warp;
  return {.kind = Binding::Kind::thread, .digit = {unit, digit.divisor, digit.count}};
}

Binding lanes_of(const Opcode& opcode) {
  const bool is_of_warp = opcode.rules.threads == warp_size;
  return {.kind = Binding::Kind::thread,
          .digit = {is_of_warp ? ThreadUnit::lane : ThreadUnit::thread, 1, opcode.rules.threads}};
}

bool is_of_lanes(const Opcode& opcode) { return opcode.rules.threads > 1; }

const Opcode* opcode_with_lanes(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return loop->binding.opcode;
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return copy->execution.opcode;
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && !instr->opcode.rules.spreads.empty() ? &instr->opcode : nullptr;
}

}  // namespace hone
