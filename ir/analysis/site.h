// The place of a loop in its function.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/core/stmt.h"

namespace hone {

/// A statement, mostly a loop, with those around it, outermost first; it is not among them.
struct Site {
  llvm::SmallVector<Stmt, 8> around;
  Stmt statement;
  llvm::SmallVector<Expr, 2> assumptions;  ///< of the function

  const For& loop() const { return *llvm::cast<For>(statement.get()); }
  /// The loops around, outermost first.
  llvm::SmallVector<const For*, 8> enclosing_loops() const;
  /// Ranges of the axes around, and the guards and assumptions that hold; a loop's own axis
  /// included.
  Facts facts() const;
  Facts facts_around() const;  ///< without its own
};

/// The place of the loop of `axis`; nothing if the function has no such loop.
std::optional<Site> find_site(const Function& function, const AxisNode* axis);

/// The place of `statement` in `stmt`, without assumptions; nothing if it is not there.
std::optional<Site> find_site(const Stmt& stmt, const StmtNode* statement);

/// The loops of a statement, in the order of the text.
llvm::SmallVector<const For*, 8> loops_of(const Stmt& stmt);

/// The first statement that `holds` is true of, in the order of the text; null when there is none.
const StmtNode* find_stmt(const Stmt& stmt, llvm::function_ref<bool(const Stmt&)> holds);

/// `stmt` without the guards that are all of it; `facts` learn that they hold.
Stmt inside_guards(Stmt stmt, Facts& facts);

/// The alloc of `tensor`; null for an argument.
const Alloc* find_alloc(const Stmt& stmt, const TensorPtr& tensor);

/// A tensor that outlives the launches: one per program.
bool is_global_alloc(const Stmt& stmt);

}  // namespace hone
