#include "dsl/index_conditions.h"

#include "dsl/made.h"
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

/// The text of a refusal, where a condition on sizes does not hold: the values for its "{}", and
/// what would help a definition that fulfils it for no sizes.
struct Reason {
  std::string message;
  llvm::SmallVector<Expr, 4> values;
  std::string advice;
};

bool has_axes(const Expr& index) {
  return any_of(index, [](const Expr& part) { return llvm::isa<AxisRef>(part); });
}

/// An index of an access.
struct IndexPlace {
  const TensorNode& tensor;
  llvm::ArrayRef<Expr> indices;
  size_t dim;
  bool may_be_chosen;  ///< a condition would help

  Reason below(const Expr& low) const {
    const std::string no_index = fmt::format("is no index of {}", tensor.name);
    const std::string closer = fmt::format("add {} to the index", simplify(0 - low));
    if (!has_axes(index()))
      return {fmt::format("{}: {} {}", access(), index(), no_index), {}, closer};
    return {fmt::format("{}: {} begins at {{}}, which {}", access(), index(), no_index),
            {simplify(low)},
            may_be_chosen ? chosen(index() >= 0) : closer};
  }

  Reason above(const Expr& end) const {
    const Expr& extent = tensor.shape[dim];
    const std::string fact =
        fmt::format("dimension {} of {} has the extent {{}}", dim, tensor.name);
    const std::string longer = fmt::format("make that {}", simplify(end));
    if (!has_axes(index())) return {fmt::format("{}: {}", access(), fact), {extent}, longer};
    return {fmt::format("{}: {} goes up to {{}}, and {}", access(), index(), fact),
            {simplify(end - 1), extent},
            may_be_chosen ? longer + ", or " + chosen(index() < extent) : longer};
  }

 private:
  const Expr& index() const { return indices[dim]; }

  std::string chosen(const Expr& condition) const {
    return fmt::format("read it under a condition: select({}, {}, ...)", condition, access());
  }

  std::string access() const {
    std::string list;
    for (const Expr& one : indices) list += (list.empty() ? "" : ", ") + to_string(one);
    return fmt::format("{}({})", tensor.name, list);
  }
};

class IndexWalk {
 public:
  explicit IndexWalk(const Definition& definition) : definition_(definition) {
    axes_ = definition.axes;
    for (const ReduceAxis& axis : definition.reduction.axes) axes_.push_back(axis);
  }

  llvm::SmallVector<SizeCheck, 2> run() {
    if (definition_.is_reduction() && is_tuple(definition_.reduction.value.type()))
      look_at_places(definition_.reduction.value);
    access(*definition_.tensor, definition_.indices);
    if (definition_.is_reduction())
      look_at(definition_.reduction);
    else
      look_at(definition_.value);
    return std::move(conditions_);
  }

 private:
  /// The identity and the value that is made of the result are computed also where an axis of the
  /// reduction has no values.
  void look_at(const Reduction& reduction) {
    const DType type = reduction.value.type();
    const Expr reduced = Load::make(make_tensor("reduced", type, {}, Scope::global), {});
    const Expr combined = made([&] { return reduction.combined(reduced); });
    look_at(combined.defined() ? combined : reduction.value);
    axes_ = definition_.axes;
    look_at(reduction.identity);
    const Expr finished = made([&] { return reduction.finished(reduced); });
    if (finished.defined()) look_at(finished);
  }

  /// The place that a value comes from, in an i32 that is reduced along with it, as argmax does.
  void look_at_places(const Expr& reduced) {
    walk(reduced, [&](const Expr& part) {
      const auto* place = llvm::dyn_cast<Cast>(part);
      if (!place || place->type != i32 || place->operand.type() != DType::index) return;
      const auto ends = ends_of(place->operand);
      if (!ends) return;
      const Expr& end = ends->end;
      require(end <= places_in_an_i32, end > places_in_an_i32, [&]() -> Reason {
        return {fmt::format("{} is up to {{}}, and an i32 holds {} at most", part,
                            places_in_an_i32 - 1),
                {simplify(end - 1)},
                "have an i64 in its place"};
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
      if (indices[dim].type() != DType::index || goes_over(indices[dim], tensor.shape[dim]))
        continue;
      const auto ends = ends_of(indices[dim]);
      if (!ends) continue;
      const Expr& extent = tensor.shape[dim];
      const IndexPlace place = {tensor, indices, dim, may_be_chosen(tensor, *ends, extent)};
      require(ends->low >= 0, ends->low < 0, [&] { return place.below(ends->low); });
      require(ends->end <= extent, ends->end > extent, [&] { return place.above(ends->end); });
    }
  }

  /// A condition helps where a tensor is read by an index that some values of the axes have inside.
  bool may_be_chosen(const TensorNode& tensor, const Ends& ends, const Expr& extent) const {
    const Facts facts = not_empty();
    return &tensor != definition_.tensor.get() && !proves(ends.end <= 0, facts) &&
           !proves(ends.low >= extent, facts);
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

  /// All axes have values.
  Facts not_empty() const {
    Facts facts;
    for (const Axis& axis : axes_) facts.assume(axis.extent() > 0);
    return facts;
  }

  /// Refuses a condition that holds for no sizes; `misfits` is its opposite.
  void require(const Expr& fits, const Expr& misfits, llvm::function_ref<Reason()> reason) {
    if (is_always_empty()) return;
    const Facts facts = not_empty();
    const Expr condition = simplify(fits, facts);
    if (is_int(condition, 1) || proves(condition, facts)) return;
    const auto [message, values, advice] = reason();
    if (is_int(condition, 0) || proves(misfits, facts)) {
      llvm::SmallVector<std::string, 4> texts;
      for (const Expr& value : values) texts.push_back(to_string(value));
      throw DefinitionError(fmt::format("{}; {}", filled(message, texts), advice));
    }
    conditions_.push_back({or_empty(condition), message, values});
  }

  bool is_always_empty() const {
    return llvm::any_of(axes_,
                        [](const Axis& axis) { return as_int(axis.extent()).value_or(1) <= 0; });
  }

  /// Also true where an axis has no values.
  Expr or_empty(const Expr& condition) const {
    Expr exempt;
    for (const Axis& axis : axes_) {
      const Expr is_empty = axis.extent() <= 0;
      if (!proves(condition, facts_of(is_empty)))
        exempt = exempt.defined() ? exempt || is_empty : is_empty;
    }
    return simplify(exempt.defined() ? exempt || condition : condition);
  }

  const Definition& definition_;
  llvm::SmallVector<Axis, 4> axes_;
  llvm::SmallVector<SizeCheck, 2> conditions_;
};

}  // namespace

llvm::SmallVector<SizeCheck, 2> index_conditions(const Definition& definition) {
  return IndexWalk(definition).run();
}

}  // namespace hone
