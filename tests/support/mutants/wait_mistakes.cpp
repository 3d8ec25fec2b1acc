#include "ir/opcodes/opcodes.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

// ---- Barriers -----------------------------------------------------------------------------------

Stmt dropped(const Instr&) { return nothing(); }

void add_barriers(const Collector& add) {
  add.each(is_barrier, "barrier of warps", [](const Instr& barrier) {
    return is<op::barrier_of_warp>(Stmt(&barrier)) ? Stmt()
                                                   : make_barrier({BarrierScope::Kind::warp});
  });
  add.each(is_barrier, "barrier of the block", [](const Instr& barrier) {
    return is<op::barrier>(Stmt(&barrier)) ? Stmt() : make_barrier();
  });
  const auto of_named = [&](const std::string& kind, auto change) {
    add.each(is<op::named_barrier>, kind, [&](const Instr& barrier) {
      BarrierScope scope = *barrier_scope(Stmt(&barrier));
      change(scope);
      return make_barrier(scope);
    });
  };
  of_named("another named barrier", [](BarrierScope& scope) { ++scope.id; });
  of_named("barrier of a warp more", [](BarrierScope& scope) { scope.threads += 32; });
  of_named("barrier of a warp less", [](BarrierScope& scope) { scope.threads -= 32; });
}

// ---- Groups of work -----------------------------------------------------------------------------

void add_groups(const Collector& add) {
  for (const int64_t by : {1, -1})
    add.each(awaits_groups, by > 0 ? "one more group pending" : "one group less pending",
             [&](const Instr& wait) {
               const int64_t pending = wait.constants[0] + by;
               return pending < 0 ? Stmt() : wait.with_constants(pending);
             });
  add.each(commits, "group committed twice", [](const Instr& commit) {
    return Seq::make({Stmt(&commit), Stmt(&commit)});
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
    describe(head(stmt), stmt);
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
  add.each(is_barrier, "barrier dropped", dropped);
  add.each(awaits_groups, "wait dropped", dropped);
  add.each(commits, "commit dropped", dropped);
  add.each(is<op::fence_engine>, "fence dropped", dropped);
  add_barriers(add);
  add_groups(add);
  add_in_some_trips(mistakes, kernel);
}

}  // namespace hone
