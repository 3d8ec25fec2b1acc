#include "ir/schedule/legality/vectors.h"

#include "ir/memory/copy_vectors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

/// The fingerprints of the facts around each statement.
using Places = llvm::SmallDenseMap<const StmtNode*, uint64_t, 32>;

Places places_in(const Function& function) {
  Places places;
  Facts facts = facts_of(function.assumptions);
  walk_with_facts(function.body, facts, [&](const Stmt& stmt, const Facts& around) {
    places[stmt.get()] = around.fingerprint();
  });
  return places;
}

bool is_vector(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  return (loop && loop->binding.kind == Binding::Kind::vectorize) || (copy && copy->vector > 1);
}

}  // namespace

std::optional<BrokenVector> find_broken_vector(const Function& before, const Function& result) {
  if (!find_stmt(result.body, is_vector)) return std::nullopt;
  const auto old = before.may_alias == result.may_alias ? places_in(before) : Places();
  Facts facts = facts_of(result.assumptions);
  std::optional<BrokenVector> broken;
  walk_with_facts(result.body, facts, [&](const Stmt& stmt, const Facts& around) {
    const auto place = old.find(stmt.get());
    if (broken || (place != old.end() && place->second == around.fingerprint())) return;
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
