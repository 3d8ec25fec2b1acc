#include "ir/schedule/legality/vectors.h"

#include "ir/analysis/copy_vectors.h"
#include "ir/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

/// How many conditions hold around each statement.
using Counts = llvm::SmallDenseMap<const StmtNode*, size_t, 32>;

Counts guard_counts(const Function& function) {
  Counts counts;
  Facts facts = facts_of(function.assumptions);
  walk_with_facts(function.body, facts, [&](const Stmt& stmt, const Facts& around) {
    counts[stmt.get()] = around.conditions().size();
  });
  return counts;
}

bool is_vector(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  return (loop && loop->binding.kind == Binding::Kind::vectorize) || (copy && copy->vector > 1);
}

}  // namespace

std::optional<BrokenVector> find_broken_vector(const Function& before, const Function& result) {
  if (!find_stmt(result.body, is_vector)) return std::nullopt;
  const auto guards_before = before.may_alias == result.may_alias ? guard_counts(before) : Counts();
  Facts facts = facts_of(result.assumptions);
  std::optional<BrokenVector> broken;
  walk_with_facts(result.body, facts, [&](const Stmt& stmt, const Facts& around) {
    const auto old = guards_before.find(stmt.get());
    if (broken || (old != guards_before.end() && around.conditions().size() >= old->second)) return;
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && loop->binding.kind == Binding::Kind::vectorize)
      if (const auto found = vector_problem(*loop, around, result.may_alias))
        broken = {stmt, found->message, found->note};
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && copy->vector > 1)
      if (const auto found = vector_problem(*copy, around, result.may_alias))
        broken = {stmt, found->message, found->note};
  });
  return broken;
}

void check_vectors(const Preconditions& check, const Function& before, const Function& result,
                   const StmtNode* culprit) {
  if (const auto broken = find_broken_vector(before, result))
    check.refuse(culprit ? culprit : broken->stmt.get(), broken->message, broken->note);
}

}  // namespace hone
