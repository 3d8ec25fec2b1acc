// A nest of loops against the meaning of an instruction.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/text/meaning.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_nest.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The first difference of a nest from the meaning; it ends the comparison.
struct Difference {
  std::string problem, way_out;
};

template <class... Args>
[[noreturn]] void differ(std::string way_out, fmt::format_string<Args...> text, Args&&... args) {
  throw Difference{fmt::format(text, std::forward<Args>(args)...), std::move(way_out)};
}

using Loads = llvm::SmallVector<const Load*, 3>;

void add_loads(const Expr& expr, Loads& loads) {
  if (const auto* load = llvm::dyn_cast<Load>(expr)) return loads.push_back(load);
  for_each_operand(expr, [&](const Expr& part) { add_loads(part, loads); });
}

/// The loads of an expression, in the order of the text, but for those in their indices.
Loads loads_of(const Expr& expr) {
  Loads loads;
  add_loads(expr, loads);
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
    facts_.add_axis(loop->axis, loop->extent);
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
    const Expr value = in_order(without_fills(without_names(store->value)), theirs);
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
    ElementRef& place = places_[number];
    place.tensor = tensor;
    const auto all_dims = dims_of(wanted, indices);
    check_has_none_between(*tensor, all_dims);
    for (const Dims& dims : all_dims)
      if (dims.count == 1)
        place.indices.push_back(first_index(tensor, indices[dims.first], dims.axis));
      else
        take_digits(place, indices.slice(dims.first, dims.count), *dims.axis);
  }

  /// Dimensions of a tensor, whose indices are digits of an axis, or one; null: left alone.
  struct Dims {
    size_t first, count = 1;
    const AxisPtr* axis = nullptr;
  };

  /// The dimensions for those of the argument, from the last on, and the others.
  llvm::SmallVector<Dims, 4> dims_of(llvm::ArrayRef<Expr> wanted,
                                     llvm::ArrayRef<Expr> indices) const {
    llvm::SmallVector<Dims, 4> result;
    size_t left = indices.size(), dim = wanted.size();
    while (left > 0) {
      Dims& dims = result.emplace_back(Dims{--left});
      if (dim == 0 || (left >= dim && is_left_alone(indices[left]))) continue;
      dims.axis = &own_axis(wanted[--dim]);
      while (left > dim && is_digit(indices[left], **dims.axis) &&
             mentions(indices[left - 1], dims.axis->get()))
        dims = {--left, dims.count + 1, dims.axis};
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

  bool is_left_alone(const Expr& index) const {
    return llvm::none_of(axes_,
                         [&](const auto& pair) { return mentions(index, pair.second.get()); });
  }

  /// A tile has its rows one behind the other.
  void check_has_none_between(const TensorNode& tensor, llvm::ArrayRef<Dims> all_dims) const {
    bool is_inside = false;
    for (const Dims& dims : all_dims) {
      is_inside |= dims.axis != nullptr;
      const Expr& extent = tensor.shape[dims.first];
      if (is_inside && !dims.axis && tensor.scope != Scope::global && !is_int(extent, 1))
        differ("a tile that holds these elements alone",
               "{} has {} elements in dimension {}, behind one that {} takes", tensor.name, extent,
               dims.first, word_);
    }
  }

  /// True if the index depends on the axis by a quotient or a remainder.
  static bool is_digit(const Expr& index, const AxisNode& axis) {
    return mentions(index, &axis) && !Polynomial::of(index).linear_in(&axis);
  }

  /// The next indices of a place are digits of the axis, the fastest last. In a tile, the elements
  /// of the axis then have to lie one behind the other.
  void take_digits(ElementRef& place, llvm::ArrayRef<Expr> indices, const AxisPtr& axis) const {
    const size_t first = place.indices.size();
    place.indices.append(indices.size(), 0);
    int64_t stride = 1;
    for (size_t n = indices.size(); n-- > 0;) {
      const int64_t count = n == 0 ? 0 : digit_count(indices[n], axis, stride);
      place.indices[first + n] = without_digit(place, indices[n], axis, stride, count);
      if (n == 0) return;
      check_is_whole(place, first + n, axis, count);
      stride *= count;
    }
  }

  /// The index without its digit of the axis: axis / stride % count, or all that is left.
  Expr without_digit(const ElementRef& place, const Expr& index, const AxisPtr& axis,
                     int64_t stride, int64_t count) const {
    const Expr rest = substitute(index, axis.get(), 0), number = AxisRef::make(axis);
    const bool is_digit = count == 0 ? is_sum(index, rest, number / stride)
                                     : is_sum(index, rest, number / stride % count) ||
                                           is_sum(index, rest, number % (stride * count) / stride);
    if (!is_digit)
      differ("fuse the loops over its parts to one",
             "the index {} of {} is no digit of {} plus an offset, as {} takes it", index,
             place.tensor->name, axis->name, word_);
    return first_index(place.tensor, rest, nullptr);
  }

  void check_is_whole(const ElementRef& place, size_t dim, const AxisPtr& axis,
                      int64_t count) const {
    const Expr& extent = place.tensor->shape[dim];
    if (place.tensor->scope != Scope::global && !is_int(extent, count))
      differ("a tile that holds these elements alone",
             "{} has {} elements in dimension {}, of which {} takes {} before the next of {}",
             place.tensor->name, extent, dim, word_, count, axis->name);
  }

  /// The values of the digit of the axis that an index has, from `stride` on, in the spelling
  /// axis % n, axis / stride % n or axis % (stride*n) / stride.
  static int64_t digit_count(const Expr& index, const AxisPtr& axis, int64_t stride) {
    int64_t count = 1;
    walk(index, [&](const Expr& part) {
      const auto* remainder = llvm::dyn_cast<Binary>(part);
      if (!remainder || remainder->op != BinaryOp::mod || !mentions(part, axis.get())) return;
      const auto divisor = as_int(remainder->rhs);
      const bool is_of_axis = llvm::isa<AxisRef>(remainder->lhs);
      if (divisor && *divisor > 1)
        count = std::max<int64_t>(is_of_axis ? *divisor / stride : *divisor, 1);
    });
    return count;
  }

  bool is_sum(const Expr& index, const Expr& rest, const Expr& digit) const {
    return is_int(simplify(index - rest - digit, facts_), 0);
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
  Facts facts_;  ///< the extents of the nest's axes
  llvm::SmallVector<ElementRef, 3> places_;
  Expr guard_;  ///< a condition of the statement, or of an element
};

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

}  // namespace hone
