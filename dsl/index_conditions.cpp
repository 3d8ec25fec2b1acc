#include "dsl/index_conditions.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The least value of an index, and what all are below.
struct Ends {
  Expr low, end;
};

/// An index that leads out of its tensor, for messages.
struct IndexPlace {
  const TensorNode& tensor;
  llvm::ArrayRef<Expr> indices;
  size_t dim;
  bool may_be_chosen;  ///< read, by an index that is not always outside

  std::string below(const Expr& low) const {
    return fmt::format("{} begins at {}, which is no index of {}; {}", indices[dim], simplify(low),
                       tensor.name,
                       may_be_chosen ? chosen(indices[dim] >= 0)
                                     : fmt::format("add {} to the index", simplify(0 - low)));
  }

  std::string above(const Expr& end) const {
    return fmt::format("{} goes up to {}, and dimension {} of {} has the extent {}; make that {}{}",
                       indices[dim], simplify(end - 1), dim, tensor.name, tensor.shape[dim],
                       simplify(end),
                       may_be_chosen ? ", or " + chosen(indices[dim] < tensor.shape[dim]) : "");
  }

  std::string chosen(const Expr& condition) const {
    return fmt::format("read {} under a condition: select({}, {}({}), ...)", tensor.name, condition,
                       tensor.name, list());
  }

  std::string list() const {
    std::string text;
    for (const Expr& index : indices) text += (text.empty() ? "" : ", ") + to_string(index);
    return text;
  }
};

class IndexWalk {
 public:
  explicit IndexWalk(const Definition& definition) : definition_(definition) {
    axes_ = definition.axes;
    for (const ReduceAxis& axis : definition.reduction.axes) axes_.push_back(axis);
  }

  llvm::SmallVector<Expr, 2> run() {
    if (definition_.is_reduction() && is_tuple(definition_.reduction.value.type()))
      look_at_places(definition_.reduction.value);
    access(*definition_.tensor, definition_.indices);
    look_at(definition_.is_reduction() ? definition_.reduction.value : definition_.value);
    return std::move(conditions_);
  }

 private:
  /// The place that a value comes from, in an i32 that is reduced along with it, as argmax does.
  void look_at_places(const Expr& reduced) {
    walk(reduced, [&](const Expr& part) {
      const auto* place = llvm::dyn_cast<Cast>(part);
      if (!place || place->type != i32 || place->operand.type() != DType::index) return;
      const auto ends = ends_of(place->operand);
      if (!ends) return;
      require(ends->end <= places_in_an_i32, ends->end > places_in_an_i32, [&] {
        return fmt::format("{} is up to {}, and an i32 holds {} at most; have an i64 in its place",
                           part, simplify(ends->end - 1), places_in_an_i32 - 1);
      });
    });
  }

  /// Indices that are evaluated whatever the conditions in the expression say.
  void look_at(const Expr& expr) {
    if (const auto* select = llvm::dyn_cast<Select>(expr)) return look_at(select->condition);
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (binary && is_logical(binary->op)) return look_at(binary->lhs);
    if (const auto* load = llvm::dyn_cast<Load>(expr)) access(*load->tensor, load->indices);
    for_each_operand(expr, [&](const Expr& operand) { look_at(operand); });
  }

  void access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
    for (size_t dim = 0; dim < std::min<size_t>(indices.size(), tensor.rank()); ++dim) {
      if (goes_over(indices[dim], tensor.shape[dim])) continue;
      const auto ends = ends_of(indices[dim]);
      if (!ends) continue;
      const Expr& extent = tensor.shape[dim];
      const bool may_be_chosen =
          &tensor != definition_.tensor.get() &&
          any_of(indices[dim], [](const Expr& part) { return llvm::isa<AxisRef>(part); });
      const IndexPlace place = {tensor, indices, dim, may_be_chosen};
      require(ends->low >= 0, ends->low < 0, [&] { return place.below(ends->low); });
      require(ends->end <= extent, ends->end > extent, [&] { return place.above(ends->end); });
    }
  }

  /// An axis with as many values as the dimension.
  bool goes_over(const Expr& index, const Expr& dimension) const {
    const auto* reference = llvm::dyn_cast<AxisRef>(index);
    return reference && llvm::any_of(axes_, [&](const Axis& axis) {
             return axis.node() == reference->axis && equal(axis.extent(), dimension);
           });
  }

  /// Nothing of an index that is made of anything but axes, each times a number or sizes, and
  /// sizes.
  std::optional<Ends> ends_of(const Expr& index) const {
    Polynomial rest = Polynomial::of(index), low, high;
    for (const Axis& axis : axes_) {
      const auto linear = rest.linear_in(axis.node().get());
      if (!linear) return std::nullopt;
      const Polynomial& factor = linear->coefficient;
      const bool is_negative = factor.constant().value_or(0) < 0;
      if (!is_negative && !is_sum_of_sizes(factor)) return std::nullopt;
      (is_negative ? low : high) += Polynomial::of(axis.extent() - 1) * factor;
      rest = linear->rest;
    }
    if (!is_of_sizes(rest)) return std::nullopt;
    return Ends{(rest + low).to_expr(), (rest + high + 1).to_expr()};
  }

  static bool is_of_sizes(const Polynomial& polynomial) {
    return llvm::all_of(polynomial.terms(), [](const Polynomial::Term& term) {
      return llvm::all_of(term.atoms, [](const Expr& atom) { return llvm::isa<ParamRef>(atom); });
    });
  }

  /// Nothing is subtracted, and no size is negative.
  static bool is_sum_of_sizes(const Polynomial& polynomial) {
    return is_of_sizes(polynomial) &&
           llvm::all_of(polynomial.terms(),
                        [](const Polynomial::Term& term) { return term.coefficient >= 0; });
  }

  /// Of all axes.
  Facts not_empty() const {
    Facts facts;
    for (const Axis& axis : axes_) facts.assume(axis.extent() > 0);
    return facts;
  }

  /// Refuses a condition that holds for no sizes; `misfits` is its opposite.
  void require(const Expr& fits, const Expr& misfits, llvm::function_ref<std::string()> problem) {
    const Facts facts = not_empty();
    const Expr condition = simplify(fits, facts);
    if (is_int(condition, 1) || proves(condition, facts)) return;
    if (is_int(condition, 0) || proves(misfits, facts))
      throw DefinitionError(fmt::format("{}: {}", definition_.text(), problem()));
    Expr exempt;
    for (const Axis& axis : axes_) {
      const Expr is_empty = axis.extent() <= 0;
      if (!proves(condition, facts_of(is_empty)))
        exempt = exempt.defined() ? exempt || is_empty : is_empty;
    }
    conditions_.push_back(simplify(exempt.defined() ? exempt || condition : condition));
  }

  const Definition& definition_;
  llvm::SmallVector<Axis, 4> axes_;
  llvm::SmallVector<Expr, 2> conditions_;
};

}  // namespace

llvm::SmallVector<Expr, 2> index_conditions(const Definition& definition) {
  return IndexWalk(definition).run();
}

}  // namespace hone
