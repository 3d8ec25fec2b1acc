// Facts that statements add for the statements in them, and that are forgotten behind them.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/traverse/rewriter.h"

namespace hone {

/// Facts that are added while it lives are forgotten with it.
class FactsScope {
 public:
  explicit FactsScope(Facts& facts) : facts_(facts), mark_(facts.mark()) {}
  /// Also adds what `stmt` says about the statements in it: the extent of its loop, its condition,
  /// the value of its axis.
  FactsScope(Facts& facts, const Stmt& stmt);
  FactsScope(const FactsScope&) = delete;
  FactsScope& operator=(const FactsScope&) = delete;
  ~FactsScope() { facts_.rewind(mark_); }

 private:
  Facts& facts_;
  Facts::Mark mark_;
};

/// Rewrites statements with the facts that hold around them; expressions stay as they are.
class FactsRewriter : public Rewriter {
 public:
  explicit FactsRewriter(Facts facts) : facts(std::move(facts)) {}

  Expr rewrite(const Expr& expr) override { return expr; }
  Stmt rewrite(const Stmt& stmt) override { return rewrite_inside(stmt); }

 protected:
  /// As rewrite_operands, with what `stmt` says about the statements in it.
  Stmt rewrite_inside(const Stmt& stmt);

  Facts facts;
};

}  // namespace hone
