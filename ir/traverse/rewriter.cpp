#include "ir/traverse/rewriter.h"

#include <array>

#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Rewrites each of the parts in its place; true if any of them has changed.
template <class Parts>
bool rewrite_parts(Parts& parts, Rewriter& rewriter) {
  bool has_changed = false;
  for (auto& part : parts) {
    auto rewritten = rewriter.rewrite(part);
    has_changed |= !rewritten.same_as(part);
    part = std::move(rewritten);
  }
  return has_changed;
}

}  // namespace

Expr Rewriter::rewrite_operands(const Expr& expr) {
  const auto changes = [&](auto& parts) { return rewrite_parts(parts, *this); };
  return visit(
      expr,
      [&](const Load& load) {
        auto indices = load.indices;
        return changes(indices) ? Load::make(load.tensor, indices) : expr;
      },
      [&](const Unary& unary) {
        std::array parts = {unary.operand};
        return changes(parts) ? Unary::make(unary.op, parts[0]) : expr;
      },
      [&](const Binary& binary) {
        std::array parts = {binary.lhs, binary.rhs};
        return changes(parts) ? Binary::make(binary.op, parts[0], parts[1]) : expr;
      },
      [&](const Select& select) {
        std::array parts = {select.condition, select.if_true, select.if_false};
        return changes(parts) ? Select::make(parts[0], parts[1], parts[2]) : expr;
      },
      [&](const Cast& cast) {
        std::array parts = {cast.operand};
        return changes(parts) ? Cast::make(cast.type, parts[0]) : expr;
      },
      [&](const Call& call) {
        auto arguments = call.arguments;
        return changes(arguments) ? Call::make(call.intrinsic, arguments) : expr;
      },
      [&](const MakeTuple& tuple) {
        auto components = tuple.components;
        return changes(components) ? MakeTuple::make(components) : expr;
      },
      [&](const Component& component) {
        std::array parts = {component.tuple};
        return changes(parts) ? Component::make(parts[0], component.position) : expr;
      },
      [&](const Shuffle& shuffle) {
        std::array parts = {shuffle.value, shuffle.offset, shuffle.lanes};
        return changes(parts) ? Shuffle::make(shuffle.mode, parts[0], parts[1], parts[2]) : expr;
      },
      [&](const Named& named) {
        std::array parts = {named.value};
        return changes(parts) ? Named::make(named.name, parts[0]) : expr;
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

namespace {

Stmt rewrite_instr(const Instr& instr, Rewriter& rewriter) {
  llvm::SmallVector<ElementRef, 3> places = instr.places;
  llvm::SmallVector<Expr, 2> values = instr.values;
  bool changes = false;
  for (ElementRef& place : places) changes |= rewrite_parts(place.indices, rewriter);
  changes |= rewrite_parts(values, rewriter);
  return changes ? instr.with(places, values) : Stmt(&instr);
}

}  // namespace

Stmt Rewriter::rewrite_operands(const Stmt& stmt) {
  const auto stays = [](const auto& part, const auto& rewritten) {
    return rewritten.same_as(part);
  };
  return visit(
      stmt,
      [&](const For& loop) {
        const Expr extent = rewrite(loop.extent);
        const Stmt body = rewrite(loop.body);
        if (stays(loop.extent, extent) && stays(loop.body, body)) return stmt;
        return For::make(loop.axis, extent, loop.binding, body);
      },
      [&](const Seq& seq) {
        auto stmts = seq.stmts;
        return rewrite_parts(stmts, *this) ? Seq::make(stmts) : stmt;
      },
      [&](const If& branch) {
        const Expr condition = rewrite(branch.condition);
        const Stmt body = rewrite(branch.body);
        if (stays(branch.condition, condition) && stays(branch.body, body)) return stmt;
        return If::make(condition, body);
      },
      [&](const Let& let) {
        const Expr value = rewrite(let.value);
        const Stmt body = rewrite(let.body);
        return stays(let.value, value) && stays(let.body, body) ? stmt
                                                                : Let::make(let.axis, value, body);
      },
      [&](const Store& store) {
        auto indices = store.indices;
        const bool has_moved = rewrite_parts(indices, *this);
        const Expr value = rewrite(store.value);
        return !has_moved && stays(store.value, value) ? stmt
                                                       : store.with(store.tensor, indices, value);
      },
      [&](const Alloc& alloc) {
        const Stmt body = rewrite(alloc.body);
        return stays(alloc.body, body) ? stmt : Alloc::make(alloc.tensor, body);
      },
      [&](const Copy& copy) {
        const Region destination = rewrite_region(copy.destination, *this);
        const Region source = rewrite_region(copy.source, *this);
        if (same(destination, copy.destination) && same(source, copy.source)) return stmt;
        return copy.with_regions(destination, source);
      },
      [&](const Instr& instr) { return rewrite_instr(instr, *this); });
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

Expr without_lets(Expr expr, llvm::ArrayRef<Stmt> around) {
  for (const Stmt& stmt : llvm::reverse(around))
    if (const auto* let = llvm::dyn_cast<Let>(stmt))
      expr = substitute(expr, let->axis.get(), let->value);
  return expr;
}

}  // namespace hone
