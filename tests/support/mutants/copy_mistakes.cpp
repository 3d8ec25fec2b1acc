#include "ir/opcodes/opcodes.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

bool is_fill(const Stmt& stmt) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) return store->tensor->scope == Scope::shared;
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
    return copy->destination.tensor->scope != Scope::global;
  return is<op::copy_async>(stmt) || is<op::copy_bulk>(stmt);
}

/// Fills a tile, or stores one.
bool is_box(const Stmt& stmt) { return box_move(stmt).has_value(); }

bool has_fills_or_waits(const Stmt& stmt) {
  return any_of(stmt, [](const Stmt& part) { return is_fill(part) || keeps_time(part); });
}

/// A limit at another place.
Expr with_bound(const Expr& expr, int64_t by) {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  const bool is_limit = binary && is_comparison(binary->op) && binary->op != BinaryOp::eq &&
                        binary->op != BinaryOp::ne && binary->lhs.type() == DType::index;
  if (!is_limit) return {};
  return Binary::make(binary->op, binary->lhs, binary->rhs + by);
}

/// The bound of the first conjunct.
Expr with_first_bound(const Expr& condition, int64_t by) {
  const auto* both = llvm::dyn_cast<Binary>(condition);
  if (!both || both->op != BinaryOp::logical_and) return with_bound(condition, by);
  const Expr first = with_first_bound(both->lhs, by);
  return first.defined() ? first && both->rhs : Expr();
}

// ---- Guards -------------------------------------------------------------------------------------

void add_guards(const Collector& add) {
  add.each<If>("guard of a copy dropped", [](const If& guard) {
    return has_fills_or_waits(guard.body) ? guard.body : Stmt();
  });
  for (const int64_t by : {1, -1}) {
    add.each<If>(by > 0 ? "guard of a copy weaker" : "guard of a copy stronger",
                 [&](const If& guard) -> Stmt {
                   const Expr condition = with_first_bound(guard.condition, by);
                   if (!condition.defined() || !has_fills_or_waits(guard.body)) return {};
                   return If::make(condition, guard.body);
                 });
    add.each<If>(
        by > 0 ? "a warp more in a role" : "a warp less in a role", [&](const If& guard) -> Stmt {
          const Expr condition = with_first_bound(guard.condition, 32 * by);
          const bool is_role = any_of(
              guard.condition, [](const Expr& part) { return llvm::isa<ThreadIndex>(part); });
          if (!condition.defined() || !is_role || !has_fills_or_waits(guard.body)) return {};
          return If::make(condition, guard.body);
        });
  }
}

void add_zero_fills(const Collector& add) {
  add.exprs("zeros dropped", [](const Expr& expr) {
    const auto* select = llvm::dyn_cast<Select>(expr);
    return select ? select->if_true : Expr();
  });
  for (const int64_t by : {1, -1})
    add.exprs(by > 0 ? "zeros begin later" : "zeros begin earlier", [&](const Expr& expr) -> Expr {
      const auto* select = llvm::dyn_cast<Select>(expr);
      const Expr condition = select ? with_first_bound(select->condition, by) : Expr();
      return condition.defined() ? Select::make(condition, select->if_true, select->if_false)
                                 : Expr();
    });
}

// ---- Elements -----------------------------------------------------------------------------------

/// The element that a fill moves, with another index.
Expr from_elsewhere(const Expr& value, llvm::function_ref<Expr(const Expr&)> change) {
  bool is_changed = false;
  const Expr result = transform(value, [&](const Expr& part) -> Expr {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (!load || load->tensor->scope != Scope::global || load->indices.empty()) return {};
    const Expr index = change(load->indices.front());
    is_changed |= index.defined();
    return index.defined() ? Load::make(load->tensor, {index}) : Expr();
  });
  return is_changed ? result : Expr();
}

/// A fill in a loop takes the elements of another trip.
class SourceMoved : public Mutation {
 public:
  SourceMoved(size_t number, int64_t trips) : Mutation(number), trips_(trips) {}

  using Mutation::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      loops_.push_back(loop->axis);
      Stmt changed = rewrite_operands(stmt);
      loops_.pop_back();
      return changed;
    }
    const Stmt moved = moved_by_trip(stmt);
    if (!moved.defined() || !is_here()) return rewrite_operands(stmt);
    describe(head(stmt));
    return moved;
  }

 private:
  Stmt moved_by_trip(const Stmt& stmt) const {
    if (const auto box = box_move(stmt)) return box_moved_by_trip(*box);
    const Instr* copy = as(stmt, op::copy_async);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!copy && !(store && is_fill(stmt))) return {};
    const Expr value =
        from_elsewhere(copy ? copy->values[0] : store->value,
                       [&](const Expr& index) { return index_moved_by_trip(index); });
    if (!value.defined()) return {};
    if (store) return store->with(store->tensor, store->indices, value);
    return copy->with(copy->places, value);
  }

  /// The first index of the corner that a loop is named in.
  Stmt box_moved_by_trip(const BoxMove& box) const {
    llvm::SmallVector<ElementRef, 3> places = box.instr.places;
    for (ElementRef& place : places)
      for (Expr& index : place.indices) {
        const bool is_corner = place.tensor->scope == Scope::global;
        const Expr moved = is_corner ? index_moved_by_trip(index) : Expr();
        if (!moved.defined()) continue;
        index = moved;
        return box.instr.with(places, box.instr.values);
      }
    return {};
  }

  Expr index_moved_by_trip(const Expr& index) const {
    for (const AxisPtr& axis : loops_)
      if (names(index, axis.get()))
        return substitute(index, axis.get(), AxisRef::make(axis) + trips_);
    return {};
  }

  int64_t trips_;
  llvm::SmallVector<AxisPtr, 4> loops_;
};

void add_elements(const Collector& add) {
  add.stmts("copy dropped", [](const Stmt& stmt) { return is_fill(stmt) ? nothing() : Stmt(); });
  add.each(is<op::copy_async>, "copy twice", [](const Instr& copy) {
    return Seq::make({Stmt(&copy), Stmt(&copy)});
  });
  for (const bool is_half : {true, false})
    add.each(is<op::copy_async>, is_half ? "copy of half the width" : "copy of twice the width",
             [&](const Instr& copy) {
               const int64_t count = is_half ? copy.constants[0] / 2 : copy.constants[0] * 2;
               return count == 0 ? Stmt() : copy.with_constants(count);
             });
  add.each(is<op::copy_async>, "copy from the next element", [](const Instr& copy) {
    const Expr value = from_elsewhere(copy.values[0], [](const Expr& index) { return index + 1; });
    return copy.with(copy.places, value);
  });
  add.each<Store>("sum begins with anything", [](const Store& store) {
    const bool is_start = store.update == Update::set && llvm::isa<FloatConst>(store.value) &&
                          store.tensor->scope == Scope::registers;
    return is_start ? nothing() : Stmt();
  });
}

// ---- Boxes --------------------------------------------------------------------------------------

void add_boxes(const Collector& add) {
  add.each(is_box, "box dropped", [](const Instr&) { return nothing(); });
  add.each(is_box, "box moved twice", [](const Instr& box) {
    return Seq::make({Stmt(&box), Stmt(&box)});
  });
  for (const int64_t swizzle : {0, 64, 128})
    add.each(is_box, "box in another swizzle", [&](const Instr& box) {
      llvm::SmallVector<int64_t, 4> constants = box.constants;
      return std::exchange(constants.back(), swizzle) == swizzle ? Stmt()
                                                                 : box.with_constants(constants);
    });
  for (const size_t dim : {0, 1})
    add.each(is_box, "box of half the extent", [&](const Instr& box) {
      llvm::SmallVector<int64_t, 4> constants = box.constants;
      constants[dim] /= 2;
      return box.with_constants(constants);
    });
}

void add_trips(const Collector& add) {
  for (const int64_t by : {1, -1})
    add.each<For>(by > 0 ? "one trip more" : "one trip less", [&](const For& loop) -> Stmt {
      if (!has_fills_or_waits(loop.body)) return {};
      const auto trips = as_int(loop.extent);
      return For::make(loop.axis, trips ? Expr(*trips + by) : loop.extent + by, loop.binding,
                       loop.body);
    });
}

}  // namespace

void add_copy_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const Collector add(mistakes, kernel, SeededMistake::About::values);
  add_guards(add);
  add_zero_fills(add);
  add_elements(add);
  add_boxes(add);
  for (const int64_t trips : {1, -1})
    add_each<SourceMoved>(mistakes, kernel,
                          trips > 0 ? "copy of the next trip" : "copy of the trip before",
                          SeededMistake::About::values, trips);
  add_trips(add);
}

}  // namespace hone
