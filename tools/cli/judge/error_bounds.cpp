#include "tools/cli/judge/error_bounds.h"

#include <cmath>
#include <limits>

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/interpret/interpreter.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"
#include "tools/cli/judge/bounded_forms.h"
#include "tools/cli/judge/error_formulas.h"

namespace hone {
namespace {

/// A component of a value, or the value where it is no tuple.
Expr part_of(const Expr& value, unsigned position) {
  return is_tuple(value.type()) ? Component::make(value, position) : value;
}

/// A value in f64, and for each component its error and what it is a multiple of.
struct Bounded {
  Expr value;
  llvm::SmallVector<ErrorOf, 4> parts;

  FloatWithError number() const { return {value, parts.front()}; }
};

Bounded bounded(const FloatWithError& number) { return {number.value, {number.error}}; }

/// Statements in the order in which they are written, and tensors that the rest of them has.
class Block {
 public:
  void add(const Stmt& stmt) { items_.push_back({nullptr, stmt}); }
  void add(const TensorPtr& tensor) { items_.push_back({tensor, Stmt()}); }

  Stmt statement() const {
    llvm::SmallVector<Stmt, 8> rest;  // from the last one on
    for (const auto& [tensor, stmt] : llvm::reverse(items_)) {
      if (!tensor) {
        rest.push_back(stmt);
        continue;
      }
      std::reverse(rest.begin(), rest.end());
      const Stmt body = Seq::make(rest);
      rest.assign(1, Alloc::make(tensor, body));
    }
    std::reverse(rest.begin(), rest.end());
    return rest.size() == 1 ? rest.front() : Seq::make(rest);
  }

 private:
  std::vector<std::pair<TensorPtr, Stmt>> items_;
};

class BoundWriter {
 public:
  BoundWriter(const Function& function, const Sizes& sizes, const InputFacts& inputs)
      : function_(function), inputs_(inputs), forms_(function.body, sizes, inputs) {}

  BoundedProgram run() {
    BoundedProgram result{function_, {}, forms_.longest_sum()};
    result.function.arguments.clear();
    result.function.history.clear();
    for (const TensorPtr& tensor : function_.arguments) {
      const BoundedTensor& form = forms_.add(tensor);
      for_each_form(form,
                    [&](const TensorPtr& part) { result.function.arguments.push_back(part); });
    }
    result.function.body = write(function_.body);
    for (const TensorPtr& tensor : function_.arguments)
      result.tensors.emplace(tensor->name, forms_.of(tensor));
    return result;
  }

 private:
  // ---- Statements -------------------------------------------------------------------------------

  Stmt write(const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return loop->with_body(write(loop->body));
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
      llvm::SmallVector<Stmt, 4> stmts;
      for (const Stmt& nested : seq->stmts) stmts.push_back(write(nested));
      return Seq::make(stmts);
    }
    if (const auto* branch = llvm::dyn_cast<If>(stmt))
      return If::make(wide(branch->condition), write(branch->body));
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
      const BoundedTensor form = forms_.add(alloc->tensor);
      Stmt body = write(alloc->body);
      for_each_form(form, [&](const TensorPtr& part) { body = Alloc::make(part, body); });
      return body;
    }
    return in_block([&] { write_store(*llvm::cast<Store>(stmt)); });
  }

  Stmt in_block(llvm::function_ref<void()> write_all) {
    Block outer = std::move(block_);
    block_ = Block();
    write_all();
    const Stmt result = block_.statement();
    block_ = std::move(outer);
    return result;
  }

  void set(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices, const Expr& value,
           Update update = Update::set) {
    block_.add(Store::make(tensor, indices, update, value));
  }

  void write_store(const Store& store) {
    llvm::SmallVector<Expr, 4> indices;
    for (const Expr& index : store.indices) indices.push_back(wide(index));
    BoundedTensor& form = forms_.of(store.tensor);
    if (!has_floats(store.tensor->type))
      return set(form.values, indices, wide(combined_value(store)));
    if (store.update == Update::add && form.is_sum())
      return add(form, indices, evaluate(store.value).number(), store.tensor);
    const Expr value = combined_value(store);
    const bool is_own = any_of(value, [&](const Expr& part) { return reads(part, store.tensor); });
    const bool is_exact = store.update == Update::min || store.update == Update::max;
    if (is_own && !is_exact) form.granule = 0;
    write_value(form, indices, evaluate(value), forms_.sums_to_come(store.tensor) > 0);
  }

  static bool reads(const Expr& part, const TensorPtr& tensor) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && load->tensor == tensor;
  }

  static Expr combined_value(const Store& store) {
    return store.update == Update::set
               ? store.value
               : combined(store, Load::make(store.tensor, store.indices), store.value);
  }

  void write_value(BoundedTensor& form, llvm::ArrayRef<Expr> indices, const Bounded& value,
                   bool starts_sum) {
    set(form.values, indices, value.value);
    for (unsigned n = 0; n < form.errors.size(); ++n) {
      if (!form.errors[n]) continue;
      set(form.errors[n], indices, value.parts[n].bound);
      form.granule = std::min(form.granule, value.parts[n].granule);
    }
    if (!form.is_sum()) return;
    const Expr start = starts_sum ? magnitude(value.value) : number(0);
    set(form.magnitude, indices, start);
    set(form.largest, indices, start);
  }

  void add(BoundedTensor& form, llvm::ArrayRef<Expr> indices, const FloatWithError& term,
           const TensorPtr& tensor) {
    set(form.values, indices, term.value, Update::add);
    if (!term.error.is_exact()) set(form.errors[0], indices, term.error.bound, Update::add);
    set(form.magnitude, indices, magnitude(term.value), Update::add);
    set(form.largest, indices, magnitude(Load::make(form.values, indices)), Update::max);
    form.granule = std::min(form.granule, term.error.granule);
    --forms_.sums_to_come(tensor);
  }

  // ---- Values -----------------------------------------------------------------------------------

  /// A variable of the block that is being written.
  TensorPtr variable(DType type) {
    TensorPtr tensor =
        make_tensor(fmt::format("value.{}", variables_++), type, {}, Scope::registers);
    block_.add(tensor);
    return tensor;
  }

  /// The value, which is computed once.
  Expr named(const Expr& value) {
    if (llvm::isa<FloatConst>(value)) return value;
    if (const auto* load = llvm::dyn_cast<Load>(value);
        load && load->indices.empty() && load->tensor->scope == Scope::registers)
      return value;
    const TensorPtr tensor = variable(value.type());
    set(tensor, {}, value);
    return Load::make(tensor, {});
  }

  FloatWithError named(const FloatWithError& number) {
    return {named(number.value), {named(number.error.bound), number.error.granule}};
  }

  /// The expression with the values of wide tensors; integers of f32 are made of what it holds.
  Expr wide(const Expr& expr) {
    return visit(
        expr, [&](const FloatConst& n) { return number(n.value); },
        [&](const Load& n) { return Load::make(forms_.of(n.tensor).values, wide(n.indices)); },
        [&](const Unary& n) { return Unary::make(n.op, wide(n.operand)); },
        [&](const Binary& n) { return Binary::make(n.op, wide(n.lhs), wide(n.rhs)); },
        [&](const Select& n) {
          return Select::make(wide(n.condition), wide(n.if_true), wide(n.if_false));
        },
        [&](const Cast& n) {
          const Expr operand = wide(n.operand);
          const bool is_cut = n.operand.type() == f32 && !is_float(n.type);
          return cast(wide_type(n.type), is_cut ? cast(f32, operand) : operand);
        },
        [&](const Call& n) { return Call::make(n.intrinsic, wide(n.arguments)); },
        [&](const MakeTuple& n) { return MakeTuple::make(wide(n.components)); },
        [&](const Component& n) { return Component::make(wide(n.tuple), n.position); },
        [&](const Named& n) { return wide(n.value); }, [&](const auto&) { return expr; });
  }
  llvm::SmallVector<Expr, 4> wide(llvm::ArrayRef<Expr> exprs) {
    llvm::SmallVector<Expr, 4> result;
    for (const Expr& expr : exprs) result.push_back(wide(expr));
    return result;
  }

  Bounded evaluate(const Expr& expr) {
    if (!has_floats(expr.type())) return {wide(expr), {ErrorOf::integer()}};
    if (const auto* named = llvm::dyn_cast<Named>(expr)) return evaluate(named->value);
    if (const auto* load = llvm::dyn_cast<Load>(expr)) return evaluate(*load);
    if (const auto* select = llvm::dyn_cast<Select>(expr)) return evaluate(*select);
    if (const auto* tuple = llvm::dyn_cast<MakeTuple>(expr)) return evaluate(*tuple);
    if (const auto* part = llvm::dyn_cast<Component>(expr)) {
      const Bounded tuple = evaluate(part->tuple);
      return {named(part_of(tuple.value, part->position)), {tuple.parts[part->position]}};
    }
    return bounded(named(evaluate_number(expr)));
  }

  FloatWithError evaluate_number(const Expr& expr) {
    const auto operand = [&](const Expr& e) { return evaluate(e).number(); };
    if (const auto* constant = llvm::dyn_cast<FloatConst>(expr)) return exact(constant->value);
    if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return negated(operand(unary->operand));
    if (const auto* binary = llvm::dyn_cast<Binary>(expr)) {
      const FloatWithError lhs = operand(binary->lhs);
      return result_of(binary->op, expr.type(), lhs, operand(binary->rhs),
                       [&](const Expr& value) { return named(value); });
    }
    if (const auto* cast = llvm::dyn_cast<Cast>(expr)) {
      const FloatWithError from = operand(cast->operand);
      return rounded(expr.type(), {named(hone::cast(f64, from.value)), from.error});
    }
    const auto& call = *llvm::cast<Call>(expr);
    llvm::SmallVector<FloatWithError, 3> arguments;
    for (const Expr& argument : call.arguments) arguments.push_back(operand(argument));
    return result_of(call.intrinsic, expr.type(), arguments,
                     [&](const Expr& value) { return named(value); });
  }

  Bounded evaluate(const Load& load) {
    const BoundedTensor& from = forms_.of(load.tensor);
    const auto indices = wide(load.indices);
    Bounded result{named(Load::make(from.values, indices)), {}};
    for (const TensorPtr& error : from.errors) {
      Expr bound = error ? Load::make(error, indices) : number(0);
      if (error && from.is_sum())
        bound = bound + error_of_sum(load.type, from, Load::make(from.magnitude, indices),
                                     Load::make(from.largest, indices), inputs_.are_random);
      result.parts.push_back({named(bound), from.granule});
    }
    return result;
  }

  Bounded evaluate(const MakeTuple& tuple) {
    Bounded result;
    llvm::SmallVector<Expr, 4> components;
    for (const Expr& component : tuple.components) {
      const Bounded part = evaluate(component);
      components.push_back(part.value);
      result.parts.push_back(part.parts.front());
    }
    result.value = MakeTuple::make(components);
    return result;
  }

  // ---- Choices ----------------------------------------------------------------------------------

  /// One side of a choice, in variables.
  struct Side {
    TensorPtr value;
    llvm::SmallVector<TensorPtr, 4> errors;
    llvm::SmallVector<double, 4> granules;

    Expr part(unsigned n) const { return part_of(Load::make(value, {}), n); }
    Expr error(unsigned n) const { return Load::make(errors[n], {}); }
  };

  Side evaluate_where(const Expr& condition, const Expr& expr) {
    Side side{variable(wide_type(expr.type())), {}, {}};
    for (unsigned n = 0; n < component_count(expr.type()); ++n)
      side.errors.push_back(variable(f64));
    block_.add(If::make(condition, in_block([&] {
                          const Bounded result = evaluate(expr);
                          set(side.value, {}, result.value);
                          for (unsigned n = 0; n < side.errors.size(); ++n) {
                            set(side.errors[n], {}, result.parts[n].bound);
                            side.granules.push_back(result.parts[n].granule);
                          }
                        })));
    return side;
  }

  /// Where rounding may decide for the other side, the two are apart by as much.
  Bounded evaluate(const Select& select) {
    const Expr taken = named(wide(select.condition)), open = uncertain(select.condition);
    const bool is_sure = !open.defined();
    const Side yes = evaluate_where(is_sure ? taken : taken || open, select.if_true);
    const Side no = evaluate_where(is_sure ? !taken : !taken || open, select.if_false);
    Bounded result{named(Select::make(taken, Load::make(yes.value, {}), Load::make(no.value, {}))),
                   {}};
    for (unsigned n = 0; n < yes.errors.size(); ++n) {
      Expr bound = Select::make(taken, yes.error(n), no.error(n));
      if (!is_sure && is_float(yes.part(n).type()))
        bound = Select::make(
            open, max(yes.error(n), no.error(n)) + magnitude(yes.part(n) - no.part(n)), bound);
      result.parts.push_back({named(bound), std::min(yes.granules[n], no.granules[n])});
    }
    return result;
  }

  /// True where the expression's value may be off by rounding.
  bool may_be_off(const Expr& expr) const {
    return any_of(expr, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      const bool is_computed = llvm::isa<Binary, Call>(part) && is_float(part.type());
      return is_computed ||
             (load && llvm::any_of(forms_.of(load->tensor).errors,
                                   [](const TensorPtr& error) { return error != nullptr; }));
    });
  }

  /// The condition under which rounding may decide otherwise; undefined where it never does.
  Expr uncertain(const Expr& condition) {
    if (!may_be_off(condition)) return {};
    if (const auto* unary = llvm::dyn_cast<Unary>(condition)) return uncertain(unary->operand);
    const auto* binary = llvm::dyn_cast<Binary>(condition);
    if (!binary) return {};
    if (is_logical(binary->op)) return uncertain_side(*binary);
    const bool is_decided = equal(binary->lhs, binary->rhs);  // x != x, of a NaN alone
    if (!is_comparison(binary->op) || !is_float(binary->lhs.type()) || is_decided) return {};
    const FloatWithError lhs = evaluate(binary->lhs).number(), rhs = evaluate(binary->rhs).number();
    const Expr error = named(lhs.error.bound + rhs.error.bound);
    return named(error > number(0) && magnitude(lhs.value - rhs.value) <= error);
  }

  /// The second operand is looked at where the first one does not decide.
  Expr uncertain_side(const Binary& logical) {
    const Expr first = uncertain(logical.lhs), lhs = named(wide(logical.lhs));
    const TensorPtr second = variable(boolean);
    set(second, {}, false);
    block_.add(If::make(logical.op == BinaryOp::logical_and ? lhs : !lhs, in_block([&] {
                          const Expr open = uncertain(logical.rhs);
                          set(second, {}, open.defined() ? open : Expr(false));
                        })));
    return first.defined() ? first || Load::make(second, {}) : Load::make(second, {});
  }

  const Function& function_;
  const InputFacts& inputs_;
  BoundedForms forms_;
  Block block_;
  int variables_ = 0;
};

}  // namespace

BoundedProgram with_error_bounds(const Function& function, const Sizes& sizes,
                                 const InputFacts& inputs) {
  return BoundWriter(function, sizes, inputs).run();
}

}  // namespace hone
