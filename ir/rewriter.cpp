#include "ir/rewriter.h"

#include "ir/visit.h"

namespace hone {
namespace {

/// Rewrites each element; true when any changed.
template <class Range, class Rewrite>
bool rewrite_all(const Range& elements, Range& result, Rewrite rewrite) {
  bool changed = false;
  for (const auto& element : elements) {
    result.push_back(rewrite(element));
    changed |= !result.back().same_as(element);
  }
  return changed;
}

}  // namespace

Expr Rewriter::rewrite_operands(const Expr& expr) {
  const auto again = [&](const Expr& operand) { return rewrite(operand); };
  return visit(
      expr,
      [&](const Load& load) {
        llvm::SmallVector<Expr, 4> indices;
        return rewrite_all(load.indices, indices, again) ? Load::make(load.tensor, indices) : expr;
      },
      [&](const Unary& unary) {
        Expr operand = rewrite(unary.operand);
        return operand.same_as(unary.operand) ? expr : Unary::make(unary.op, operand);
      },
      [&](const Binary& binary) {
        Expr lhs = rewrite(binary.lhs), rhs = rewrite(binary.rhs);
        if (lhs.same_as(binary.lhs) && rhs.same_as(binary.rhs)) return expr;
        return Binary::make(binary.op, lhs, rhs);
      },
      [&](const Select& select) {
        Expr condition = rewrite(select.condition);
        Expr if_true = rewrite(select.if_true), if_false = rewrite(select.if_false);
        if (condition.same_as(select.condition) && if_true.same_as(select.if_true) &&
            if_false.same_as(select.if_false))
          return expr;
        return Select::make(condition, if_true, if_false);
      },
      [&](const Cast& cast) {
        Expr operand = rewrite(cast.operand);
        return operand.same_as(cast.operand) ? expr : Cast::make(cast.type, operand);
      },
      [&](const Call& call) {
        llvm::SmallVector<Expr, 3> arguments;
        return rewrite_all(call.arguments, arguments, again) ? Call::make(call.intrinsic, arguments)
                                                             : expr;
      },
      [&](const MakeTuple& tuple) {
        llvm::SmallVector<Expr, 4> components;
        return rewrite_all(tuple.components, components, again) ? MakeTuple::make(components)
                                                                : expr;
      },
      [&](const Component& component) {
        Expr tuple = rewrite(component.tuple);
        return tuple.same_as(component.tuple) ? expr : Component::make(tuple, component.position);
      },
      [&](const Shuffle& shuffle) {
        Expr value = rewrite(shuffle.value), offset = rewrite(shuffle.offset);
        Expr lanes = rewrite(shuffle.lanes);
        if (value.same_as(shuffle.value) && offset.same_as(shuffle.offset) &&
            lanes.same_as(shuffle.lanes))
          return expr;
        return Shuffle::make(shuffle.mode, value, offset, lanes);
      },
      [&](const auto&) { return expr; });
}

namespace {

bool same(const Region& lhs, const Region& rhs) {
  for (auto [left, right] : llvm::zip(lhs.ranges, rhs.ranges))
    if (!left.offset.same_as(right.offset) || !left.extent.same_as(right.extent)) return false;
  return true;
}

Region rewrite_region(const Region& region, Rewriter& rewriter) {
  Region result{region.tensor, {}};
  for (const Range& range : region.ranges)
    result.ranges.push_back({rewriter.rewrite(range.offset),
                             range.is_point() ? Expr() : rewriter.rewrite(range.extent),
                             range.stride});
  return result;
}

}  // namespace

Stmt Rewriter::rewrite_operands(const Stmt& stmt) {
  return visit(
      stmt,
      [&](const For& loop) {
        Expr extent = rewrite(loop.extent);
        Stmt body = rewrite(loop.body);
        if (extent.same_as(loop.extent) && body.same_as(loop.body)) return stmt;
        return For::make(loop.axis, extent, loop.binding, body);
      },
      [&](const Seq& seq) {
        llvm::SmallVector<Stmt, 2> stmts;
        const auto again = [&](const Stmt& nested) { return rewrite(nested); };
        return rewrite_all(seq.stmts, stmts, again) ? Seq::make(stmts) : stmt;
      },
      [&](const If& branch) {
        Expr condition = rewrite(branch.condition);
        Stmt body = rewrite(branch.body);
        if (condition.same_as(branch.condition) && body.same_as(branch.body)) return stmt;
        return If::make(condition, body);
      },
      [&](const Let& let) {
        Expr value = rewrite(let.value);
        Stmt body = rewrite(let.body);
        if (value.same_as(let.value) && body.same_as(let.body)) return stmt;
        return Let::make(let.axis, value, body);
      },
      [&](const Store& store) {
        llvm::SmallVector<Expr, 4> indices;
        const auto again = [&](const Expr& index) { return rewrite(index); };
        const bool moved = rewrite_all(store.indices, indices, again);
        Expr value = rewrite(store.value);
        if (!moved && value.same_as(store.value)) return stmt;
        return store.with(store.tensor, indices, value);
      },
      [&](const Alloc& alloc) {
        Stmt body = rewrite(alloc.body);
        return body.same_as(alloc.body) ? stmt : Alloc::make(alloc.tensor, body);
      },
      [&](const Copy& copy) {
        Region destination = rewrite_region(copy.destination, *this);
        Region source = rewrite_region(copy.source, *this);
        if (same(destination, copy.destination) && same(source, copy.source)) return stmt;
        return copy.with_regions(destination, source);
      },
      [&](const Barrier&) { return stmt; },
      [&](const Arrive& arrive) {
        llvm::SmallVector<Expr, 4> indices;
        const auto again = [&](const Expr& index) { return rewrite(index); };
        const bool moved = rewrite_all(arrive.indices, indices, again);
        Expr count = rewrite(arrive.count);
        if (!moved && count.same_as(arrive.count)) return stmt;
        return Arrive::make(arrive.flag, arrive.counter, indices, count, arrive.published);
      });
}

namespace {

class ExprTransform : public Rewriter {
 public:
  explicit ExprTransform(llvm::function_ref<Expr(const Expr&)> replace) : replace_(replace) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& expr) override {
    Expr rebuilt = rewrite_operands(expr);
    Expr replacement = replace_(rebuilt);
    return replacement.defined() ? replacement : rebuilt;
  }

 private:
  llvm::function_ref<Expr(const Expr&)> replace_;
};

class StmtTransform : public Rewriter {
 public:
  explicit StmtTransform(llvm::function_ref<Stmt(const Stmt&)> replace) : replace_(replace) {}

  Expr rewrite(const Expr& expr) override { return expr; }
  Stmt rewrite(const Stmt& stmt) override {
    Stmt replacement = replace_(stmt);
    return replacement.defined() ? replacement : rewrite_operands(stmt);
  }

 private:
  llvm::function_ref<Stmt(const Stmt&)> replace_;
};

/// The replacement of a reference to `axis`; null for anything else.
auto replacing(const AxisNode* axis, const Expr& value) {
  return [axis, &value](const Expr& expr) {
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    return reference && reference->axis.get() == axis ? value : Expr();
  };
}

}  // namespace

Expr transform(const Expr& expr, llvm::function_ref<Expr(const Expr&)> replace) {
  return ExprTransform(replace).rewrite(expr);
}

Stmt transform_exprs(const Stmt& stmt, llvm::function_ref<Expr(const Expr&)> replace) {
  return ExprTransform(replace).rewrite(stmt);
}

Stmt transform_stmts(const Stmt& stmt, llvm::function_ref<Stmt(const Stmt&)> replace) {
  return StmtTransform(replace).rewrite(stmt);
}

Expr substitute(const Expr& expr, const AxisNode* axis, const Expr& value) {
  return transform(expr, replacing(axis, value));
}

Stmt substitute(const Stmt& stmt, const AxisNode* axis, const Expr& value) {
  return transform_exprs(stmt, replacing(axis, value));
}

Stmt replace(const Stmt& stmt, const StmtNode* from, const Stmt& to) {
  return transform_stmts(stmt, [&](const Stmt& s) { return s.get() == from ? to : Stmt(); });
}

}  // namespace hone
