// The facts about a rung's speed that explanations are made of: a table.
#pragma once

#include "tools/cli/explain/subject.h"

namespace hone {

using Amount = double (*)(const Subject&);

struct Fact {
  const char* what;  ///< a plural
  const char* unit;  ///< behind the amounts
  Amount amount;
  std::string (*text)(const Subject&);  ///< of the amount
  /// The cost that this is a part of, as speed_costs.h has it; null: of nothing.
  Amount cost;
  /// A factor of the cost; null for the fact that owns the cost: what changes of it and is owed to
  /// none of its factors.
  Amount factor;
  /// The reason that the amount is another one than before; empty if there is none to tell.
  std::string (*reason)(const Subject& before, const Subject& after);
  double nothing = 0;  ///< the amount that is not worth a word
  /// A change without one is the owner's; of a rung alone there is nothing to say.
  bool needs_reason = false;
  /// Behind the amount where there was none before; null for no more than that.
  std::string (*when_new)(const Subject&) = nullptr;
  bool is_work = false;        ///< an amount per result that says what a rung does
  Amount whole = nullptr;      ///< behind the unit: what the amount is of; null for nothing
  double least_change = 1.05;  ///< a factor; smaller ones are not worth a word, or not sure
};

/// Behind the amount.
std::string unit_text(const Fact& fact, const Subject& subject);

llvm::ArrayRef<Fact> speed_facts();

/// The cost of all facts together, if all multiprocessors were at work.
double busy_cost(const Subject& subject);
/// The same with those that are.
double total_cost(const Subject& subject);

}  // namespace hone
