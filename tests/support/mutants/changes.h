// One change at the places of a kernel, one after the other.
#pragma once

#include "ir/traverse/visit.h"
#include "tests/support/codegen/mutation.h"
#include "tests/support/mutants/seeded_mistakes.h"

namespace hone {

/// The statement with a mistake; null where the mistake is not about it.
using StmtChange = llvm::function_ref<Stmt(const Stmt&)>;
using ExprChange = llvm::function_ref<Expr(const Expr&)>;

class StmtMistake : public Mutation {
 public:
  StmtMistake(size_t number, StmtChange change) : Mutation(number), change_(change) {}

  using Mutation::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    const Stmt changed = change_(stmt);
    if (!changed.defined() || !is_here()) return rewrite_operands(stmt);
    describe(head(stmt), stmt);
    return changed;
  }

 private:
  StmtChange change_;
};

class ExprMistake : public Mutation {
 public:
  ExprMistake(size_t number, ExprChange change) : Mutation(number), change_(change) {}

  using Mutation::rewrite;
  Expr rewrite(const Expr& expr) override {
    const Expr changed = change_(expr);
    if (!changed.defined() || !is_here()) return rewrite_operands(expr);
    describe(to_string(expr));
    return changed;
  }

 private:
  ExprChange change_;
};

/// One mistake for each place that `change` is about.
template <class Kind, class... Change>
void add_each(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel,
              const std::string& kind, SeededMistake::About about, const Change&... change) {
  std::vector<Mutant> mutants;
  append_mutants<Kind>(mutants, kernel, change...);
  for (Mutant& mutant : mutants)
    mistakes.push_back(
        {kind, std::move(mutant.mistake), about, std::move(mutant.kernel), mutant.place});
}

/// The mistakes of a generator, which are about one kernel.
class Collector {
 public:
  Collector(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel,
            SeededMistake::About about)
      : mistakes_(mistakes), kernel_(kernel), about_(about) {}

  void stmts(const std::string& kind, StmtChange change) const {
    add_each<StmtMistake>(mistakes_, kernel_, kind, about_, change);
  }
  /// Of one kind of statements: `change` takes the node.
  template <class Node, class Change>
  void each(const std::string& kind, const Change& change) const {
    stmts(kind, [&](const Stmt& stmt) -> Stmt {
      const auto* node = llvm::dyn_cast<Node>(stmt);
      return node ? change(*node) : Stmt();
    });
  }
  /// Of one kind of instructions.
  template <class Change>
  void each(bool (*is_it)(const Stmt&), const std::string& kind, const Change& change) const {
    stmts(kind, [&](const Stmt& stmt) -> Stmt {
      return is_it(stmt) ? change(*llvm::cast<Instr>(stmt)) : Stmt();
    });
  }
  void exprs(const std::string& kind, ExprChange change) const {
    add_each<ExprMistake>(mistakes_, kernel_, kind, about_, change);
  }

 private:
  std::vector<SeededMistake>& mistakes_;
  const KernelFunction& kernel_;
  SeededMistake::About about_;
};

/// True of what ends a group of work, and of what waits for groups.
bool commits(const Stmt& stmt);
bool awaits_groups(const Stmt& stmt);
/// True of statements by which threads wait for each other or for copies, or let others go on.
bool keeps_time(const Stmt& stmt);
/// The same, and an `if` around one of them: that of a lane.
bool is_wait(const Stmt& stmt);
/// True if the expression names the axis.
bool names(const Expr& expr, const AxisNode* axis);

}  // namespace hone
