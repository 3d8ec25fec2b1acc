#include "codegen/pass/vector_registers.h"

#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

using Form = LaneAccess::Form;
using Guards = llvm::SmallVector<Expr, 2>;

/// Visits the statements of the body in order, so that a vector is known before it is used under
/// more conditions.
class LaneRewriter : public Rewriter {
 public:
  LaneRewriter(const Lanes& lanes, const Facts& facts, Names& names)
      : lanes_(lanes), facts_(facts), names_(names) {}

  Expr rewrite(const Expr& expr) override {
    if (const auto* choice = llvm::dyn_cast<Select>(expr)) return rewrite_choice(*choice);
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (binary && is_logical(binary->op)) {
      const Expr lhs = rewrite(binary->lhs);
      const bool is_and = binary->op == BinaryOp::logical_and;
      return Binary::make(binary->op, lhs, under(is_and ? binary->lhs : !binary->lhs, binary->rhs));
    }
    const auto* load = llvm::dyn_cast<Load>(expr);
    if (load && is_vector(load->tensor, load->indices)) return lane_of(read(*load, guards_, {}));
    return rewrite_operands(expr);
  }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      return If::make(rewrite(branch->condition), under(branch->condition, branch->body));
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store) return rewrite_operands(stmt);
    const Expr value = rewrite(store->value);
    if (!is_vector(store->tensor, store->indices)) {
      llvm::SmallVector<Expr, 4> indices;
      for (const Expr& index : store->indices) indices.push_back(rewrite(index));
      return store->with(store->tensor, indices, value);
    }
    return store->with(write(*store).registers, lane(), value);
  }

  llvm::SmallVector<Vector, 4> take_vectors() { return std::move(vectors_); }

 private:
  Expr lane() const { return AxisRef::make(lanes_.axis); }
  Expr lane_of(const Vector& vector) const { return Load::make(vector.registers, lane()); }

  LaneAccess access(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) const {
    return lane_access(*tensor, indices, lanes_, facts_);
  }
  bool is_vector(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) const {
    return tensor->scope != Scope::registers && access(tensor, indices).form == Form::contiguous;
  }

  template <class Part>
  Part under(const Expr& condition, const Part& part) {
    guards_.push_back(condition);
    Part result = rewrite(part);
    guards_.pop_back();
    return result;
  }

  /// select(condition, A[...], 0) is a vector that holds 0 where the condition fails.
  Expr rewrite_choice(const Select& choice) {
    const Expr condition = rewrite(choice.condition);
    const auto* load = llvm::dyn_cast<Load>(choice.if_true);
    const bool is_fill = is_constant(choice.if_false) &&
                         uniform_condition(choice.condition, lanes_, facts_).defined();
    if (load && is_fill && is_vector(load->tensor, load->indices)) {
      Guards guards = guards_;
      guards.push_back(choice.condition);
      return lane_of(read(*load, guards, choice.if_false));
    }
    const Expr if_true = under(choice.condition, choice.if_true);
    return Select::make(condition, if_true, under(!choice.condition, choice.if_false));
  }

  Vector& read(const Load& load, llvm::ArrayRef<Expr> conditions, const Expr& fill) {
    return find(load.tensor, load.indices, conditions, fill, true);
  }

  Vector& write(const Store& store) {
    Vector& vector = find(store.tensor, store.indices, guards_, {}, store.update != Update::set);
    vector.is_written = true;
    return vector;
  }

  /// The vector at this place, which the guards let be there; a new one is read where `reads`.
  Vector& find(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices,
               llvm::ArrayRef<Expr> conditions, const Expr& fill, bool reads) {
    const auto first = access(tensor, indices).first;
    const Guards guards = uniform_guards(conditions, lanes_, facts_);
    for (Vector& vector : vectors_)
      if (vector.tensor == tensor && same_element(vector.first, first) &&
          serves(vector, guards, fill))
        return vector;
    const TensorPtr registers = make_tensor(names_.fresh(tensor->name + ".vec"), tensor->type,
                                            Expr(lanes_.count), Scope::registers);
    vectors_.push_back({tensor, first, guards, fill, registers, reads});
    return vectors_.back();
  }

  static bool serves(const Vector& vector, llvm::ArrayRef<Expr> guards, const Expr& fill) {
    if (fill.defined() || vector.fill.defined())
      return fill.defined() && vector.fill.defined() && equal(fill, vector.fill) &&
             all_equal(vector.guards, guards);
    return holds_all(guards, vector.guards);
  }

  const Lanes& lanes_;
  const Facts& facts_;
  Names& names_;
  Guards guards_;
  llvm::SmallVector<Vector, 4> vectors_;
};

}  // namespace

LaneWork move_to_registers(const Stmt& body, const Lanes& lanes, const Facts& facts, Names& names) {
  LaneRewriter rewriter(lanes, facts, names);
  Stmt work = rewriter.rewrite(body);
  return {std::move(work), rewriter.take_vectors()};
}

}  // namespace hone
