#include "tests/support/mutants/equivalence.h"

#include "ir/opcodes/opcodes.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

// ---- Properties of a right kernel ---------------------------------------------------------------

/// The waits at the end of a trip, behind all that is done in it.
void add_last_waits(const Stmt& stmt, std::vector<Stmt>& waits) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return add_last_waits(alloc->body, waits);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return add_last_waits(let->body, waits);
  if (const auto* guard = llvm::dyn_cast<If>(stmt); guard && is_wait(stmt))
    return add_last_waits(guard->body, waits);
  if (keeps_time(stmt)) waits.push_back(stmt);
  const auto* seq = llvm::dyn_cast<Seq>(stmt);
  if (!seq || seq->stmts.empty()) return;
  for (const Stmt& part : llvm::reverse(seq->stmts)) {
    add_last_waits(part, waits);
    if (!is_wait(part)) return;
  }
}

bool always(const SeededMistake&, const KernelFunction&) { return true; }

bool ends_a_trip(const SeededMistake& mistake, const KernelFunction& right) {
  std::vector<Stmt> waits;
  walk(right.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) add_last_waits(loop->body, waits);
  });
  return llvm::any_of(waits, [&](const Stmt& wait) { return head(wait) == mistake.place; });
}

/// Behind the end of a tensor, copies bring zeros.
bool fills_zeros(const SeededMistake&, const KernelFunction& right) {
  return any_expr_of(right.body, [](const Expr& expr) { return llvm::isa<Select>(expr); });
}

bool passes_no_wait(const SeededMistake& mistake, const KernelFunction&) {
  return !llvm::StringRef(mistake.place).endswith(passing_waits);
}

bool is_for_other_warps(const SeededMistake& mistake, const KernelFunction&) {
  return llvm::StringRef(mistake.place).contains("thread.x");
}

/// A wait for what is so from the start: by the parity of the phase before the first.
bool lets_first_trips_pass(const SeededMistake& mistake, const KernelFunction&) {
  return llvm::StringRef(mistake.place).contains("+ 1) % 2");
}

bool has_whole_tiles(const SeededMistake&, const KernelFunction& right) {
  return llvm::all_of(right.params, [&](const ParamPtr& param) {
    return llvm::any_of(right.assumptions, [&](const Expr& promise) {
      return to_string(promise) == param->name + " % 8 == 0";
    });
  });
}

/// The warps of a role come to a barrier in each trip.
bool has_barriers_of_roles(const SeededMistake&, const KernelFunction& right) {
  return any_of(right.body, is<op::named_barrier>);
}

// ---- Reasons ------------------------------------------------------------------------------------

struct Reason {
  const char* kind;   ///< of mistakes; null: any
  const char* place;  ///< the beginning of it
  bool (*holds)(const SeededMistake& mistake, const KernelFunction& right);
  const char* text;
};

constexpr Reason reasons[] = {
    // Stronger waits.
    {"one group less pending", "wait_group", always, "it waits for more copies"},
    {"group committed twice", "commit_group", always,
     "an empty group more: waits leave fewer copies pending"},
    {"moved into a loop", "commit_group", always,
     "empty groups behind that of the first trip: waits leave fewer copies pending"},
    {"moved into a loop", "barrier", always, "it stands where it did, and in other trips too"},
    {"moved into a loop", "wait_mbarrier", always,
     "it stands where it did; in other trips the phase is over"},
    {"arrival after copies", "arrive_mbarrier", always, "it comes no earlier"},

    // The same waits.
    {"moved behind its neighbour", "commit_group", always,
     "no copy starts between, and nobody waits: the group is the same"},
    {"moved before its neighbour", "init_mbarrier", always,
     "nobody uses mbarriers between their initialisations"},
    {"the next slot", "init_mbarrier", always, "the loop goes over all slots, in another order"},
    {"the slot before", "init_mbarrier", always, "the loop goes over all slots, in another order"},
    {"arrival of one lane", "arrive_mbarrier", ends_a_trip, "one lane arrives as it is"},

    // Nobody to wait for.
    {"not in the first trip", "wait_mbarrier", lets_first_trips_pass,
     "all slots are empty at first"},
    {"not in the last trip", "commit_group", always, "no wait comes behind it"},
    {"not in the last trip", "barrier", ends_a_trip, "nothing comes behind it that shares a tile"},
    {"not in the last trip", "arrive_mbarrier", ends_a_trip, "nobody fills the slot again"},

    // Other slots, in time.
    {"used or filled last", "if (", passes_no_wait,
     "trips that follow each other have different slots, and no wait lies between"},
    {"used or filled first", "for ", passes_no_wait,
     "trips that follow each other have different slots, and no wait lies between"},
    {"used or filled last", "if (", is_for_other_warps, "the branches are for different warps"},

    // Behind the last trip.
    {"guard of a copy dropped", "if (", fills_zeros, "zeros, in slots that nobody reads"},
    {"guard of a copy weaker", "if (", fills_zeros, "zeros, in slots that nobody reads"},
    {"one trip more", "reduce ", fills_zeros, "a trip over zeros"},
    {"one trip more", "for ", fills_zeros,
     "the threads that fill the slot ahead fill it again when it is its turn"},

    // Sizes.
    {"zeros dropped", "select", has_whole_tiles, "no tile sticks out"},
    {"zeros begin later", "select", has_whole_tiles, "no tile sticks out"},

    // Barriers of a role beside those for its warps.
    {nullptr, "barrier @warp", has_barriers_of_roles,
     "a barrier of all its warps stands before it"},
    {"another named barrier", "barrier @named", has_barriers_of_roles,
     "the same warps come to it, as many times"},
    {"moved before its neighbour", "arrive_mbarrier", has_barriers_of_roles,
     "the barrier before that orders the uses and the arrival"},
    {"a count one less", "init_mbarrier k.0.empty", has_barriers_of_roles,
     "the barrier orders the uses of the lane that is not counted, too"},
    {"wait of one lane", "wait_mbarrier", has_barriers_of_roles,
     "a barrier tells the others before they use the slot"},
    {"moved behind its neighbour", "wait_mbarrier", has_barriers_of_roles,
     "it comes before the barrier, and that before the uses"},
};

}  // namespace

std::optional<std::string> why_equivalent(const SeededMistake& mistake,
                                          const KernelFunction& right) {
  for (const Reason& reason : reasons) {
    const bool is_of_kind = !reason.kind || mistake.kind == reason.kind;
    if (is_of_kind && llvm::StringRef(mistake.place).startswith(reason.place) &&
        reason.holds(mistake, right))
      return reason.text;
  }
  return std::nullopt;
}

}  // namespace hone
