#include "ir/traverse/visit.h"

namespace hone {

void for_each_operand(const Expr& expr, llvm::function_ref<void(const Expr&)> use) {
  visit(
      expr, [](const IntConst&) {}, [](const FloatConst&) {}, [](const AxisRef&) {},
      [](const ParamRef&) {}, [](const ThreadIndex&) {},
      [&](const Load& load) { llvm::for_each(load.indices, use); },
      [&](const Unary& unary) { use(unary.operand); },
      [&](const Binary& binary) {
        use(binary.lhs);
        use(binary.rhs);
      },
      [&](const Select& select) {
        use(select.condition);
        use(select.if_true);
        use(select.if_false);
      },
      [&](const Cast& cast) { use(cast.operand); },
      [&](const Call& call) { llvm::for_each(call.arguments, use); },
      [&](const MakeTuple& tuple) { llvm::for_each(tuple.components, use); },
      [&](const Component& component) { use(component.tuple); },
      [&](const Shuffle& shuffle) {
        use(shuffle.value);
        use(shuffle.offset);
        use(shuffle.lanes);
      },
      [&](const Named& named) { use(named.value); });
}

namespace {

void for_each_operand(const Region& region, llvm::function_ref<void(const Expr&)> use) {
  for (const Range& range : region.ranges) {
    use(range.offset);
    if (!range.is_point()) use(range.extent);
  }
}

}  // namespace

void for_each_operand(const Stmt& stmt, llvm::function_ref<void(const Expr&)> use,
                      llvm::function_ref<void(const Stmt&)> nested) {
  visit(
      stmt,
      [&](const For& loop) {
        use(loop.extent);
        nested(loop.body);
      },
      [&](const Seq& seq) { llvm::for_each(seq.stmts, nested); },
      [&](const If& branch) {
        use(branch.condition);
        nested(branch.body);
      },
      [&](const Let& let) {
        use(let.value);
        nested(let.body);
      },
      [&](const Store& store) {
        llvm::for_each(store.indices, use);
        use(store.value);
      },
      [&](const Alloc& alloc) {
        llvm::for_each(alloc.tensor->shape, use);
        nested(alloc.body);
      },
      [&](const Copy& copy) {
        for_each_operand(copy.destination, use);
        for_each_operand(copy.source, use);
      },
      [&](const Instr& instr) {
        for (const ElementRef& place : instr.places) llvm::for_each(place.indices, use);
        llvm::for_each(instr.values, use);
      });
}

void for_each_conjunct(const Expr& condition, llvm::function_ref<void(const Expr&)> use) {
  const auto* both = llvm::dyn_cast<Binary>(condition);
  if (!both || both->op != BinaryOp::logical_and) return use(condition);
  for_each_conjunct(both->lhs, use);
  for_each_conjunct(both->rhs, use);
}

void walk(const Expr& expr, llvm::function_ref<void(const Expr&)> use) {
  for_each_operand(expr, [&](const Expr& operand) { walk(operand, use); });
  use(expr);
}

void walk(const Stmt& stmt, llvm::function_ref<void(const Stmt&)> use) {
  use(stmt);
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { walk(nested, use); });
}

void walk_exprs(const Stmt& stmt, llvm::function_ref<void(const Expr&)> use) {
  for_each_operand(
      stmt, [&](const Expr& operand) { walk(operand, use); },
      [&](const Stmt& nested) { walk_exprs(nested, use); });
}

namespace {

bool find_path(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it,
               llvm::SmallVectorImpl<Stmt>& path) {
  path.push_back(stmt);
  bool found = is_it(stmt);
  if (!found)
    for_each_operand(
        stmt, [](const Expr&) {},
        [&](const Stmt& nested) { found = found || find_path(nested, is_it, path); });
  if (!found) path.pop_back();
  return found;
}

}  // namespace

llvm::SmallVector<Stmt, 8> path_to(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it) {
  llvm::SmallVector<Stmt, 8> path;
  find_path(stmt, is_it, path);
  return path;
}

bool any_of(const Expr& expr, llvm::function_ref<bool(const Expr&)> is_it) {
  bool found = is_it(expr);
  if (!found)
    for_each_operand(expr, [&](const Expr& part) { found = found || any_of(part, is_it); });
  return found;
}

bool any_of(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> is_it) {
  bool found = is_it(stmt);
  if (!found)
    for_each_operand(
        stmt, [](const Expr&) {},
        [&](const Stmt& nested) { found = found || any_of(nested, is_it); });
  return found;
}

bool any_expr_of(const Stmt& stmt, llvm::function_ref<bool(const Expr&)> is_it) {
  bool found = false;
  for_each_operand(
      stmt, [&](const Expr& operand) { found = found || any_of(operand, is_it); },
      [&](const Stmt& nested) { found = found || any_expr_of(nested, is_it); });
  return found;
}

}  // namespace hone
