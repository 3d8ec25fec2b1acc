#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

// ---- Barriers -----------------------------------------------------------------------------------

Stmt with_scope(BarrierScope scope) { return Barrier::make(scope); }

void add_barriers(const Collector& add) {
  add.each<Barrier>("barrier of warps", [](const Barrier& barrier) {
    return barrier.scope.kind == BarrierScope::Kind::warp ? Stmt()
                                                          : with_scope({BarrierScope::Kind::warp});
  });
  add.each<Barrier>("barrier of the block", [](const Barrier& barrier) {
    return barrier.scope.kind == BarrierScope::Kind::block ? Stmt() : with_scope({});
  });
  const auto of_named = [&](const std::string& kind, auto change) {
    add.each<Barrier>(kind, [&](const Barrier& barrier) -> Stmt {
      BarrierScope scope = barrier.scope;
      if (scope.kind != BarrierScope::Kind::named) return {};
      change(scope);
      return with_scope(scope);
    });
  };
  of_named("another named barrier", [](BarrierScope& scope) { ++scope.id; });
  of_named("barrier of a warp more", [](BarrierScope& scope) { scope.threads += 32; });
  of_named("barrier of a warp less", [](BarrierScope& scope) { scope.threads -= 32; });
}

// ---- Groups of copies ---------------------------------------------------------------------------

void add_groups(const Collector& add) {
  for (const int64_t by : {1, -1})
    add.each<WaitGroup>(by > 0 ? "one more group pending" : "one group less pending",
                        [&](const WaitGroup& wait) -> Stmt {
                          const int64_t pending = wait.pending + by;
                          return pending < 0 ? Stmt() : WaitGroup::make(pending);
                        });
  add.each<CommitGroup>("group committed twice", [](const CommitGroup&) {
    return Seq::make({CommitGroup::make(), CommitGroup::make()});
  });
}

// ---- In some trips ------------------------------------------------------------------------------

/// A statement that keeps time, under a condition on the innermost loop around it.
class InSomeTrips : public Mutation {
 public:
  using Condition = Expr (*)(const Expr& axis, const Expr& extent);
  InSomeTrips(size_t number, Condition condition) : Mutation(number), condition_(condition) {}

  using Mutation::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      const For* outer = std::exchange(loop_, loop);
      Stmt changed = rewrite_operands(stmt);
      loop_ = outer;
      return changed;
    }
    if (!loop_ || !keeps_time(stmt) || !is_here()) return rewrite_operands(stmt);
    describe(head(stmt));
    return If::make(condition_(AxisRef::make(loop_->axis), loop_->extent), stmt);
  }

 private:
  Condition condition_;
  const For* loop_ = nullptr;
};

void add_in_some_trips(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const std::pair<const char*, InSomeTrips::Condition> kinds[] = {
      {"in the first trip alone", [](const Expr& k, const Expr&) { return k == 0; }},
      {"not in the first trip", [](const Expr& k, const Expr&) { return k > 0; }},
      {"not in the last trip", [](const Expr& k, const Expr& extent) { return k + 1 < extent; }},
      {"in every other trip", [](const Expr& k, const Expr&) { return k % 2 == 0; }},
  };
  for (const auto& [kind, condition] : kinds)
    add_each<InSomeTrips>(mistakes, kernel, kind, SeededMistake::About::order, condition);
}

}  // namespace

void add_wait_mistakes(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  const Collector add(mistakes, kernel, SeededMistake::About::order);
  add.each<Barrier>("barrier dropped", [](const Barrier&) { return nothing(); });
  add.each<WaitGroup>("wait dropped", [](const WaitGroup&) { return nothing(); });
  add.each<CommitGroup>("commit dropped", [](const CommitGroup&) { return nothing(); });
  add_barriers(add);
  add_groups(add);
  add_in_some_trips(mistakes, kernel);
}

}  // namespace hone
