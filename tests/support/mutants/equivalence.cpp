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

/// The warps of a role come to a barrier in each trip; those that wait for products do not.
bool has_barriers_of_roles(const SeededMistake&, const KernelFunction& right) {
  return any_of(right.body, is<op::named_barrier>) && !any_of(right.body, is<op::commit_wgmma>);
}

// ---- Properties of kernels of tensor cores ------------------------------------------------------

bool has_boxes(const KernelFunction& kernel) {
  return any_of(kernel.body, [](const Stmt& stmt) { return box_move(stmt).has_value(); });
}

bool asks_engine(const SeededMistake&, const KernelFunction& right) { return has_boxes(right); }

/// Of warps that only ask the engine, and of these one thread does.
bool is_for_one_thread(const SeededMistake& mistake, const KernelFunction& right) {
  return has_boxes(right) && llvm::StringRef(mistake.place).contains("<= thread.x");
}

bool has_groups_of_products(const SeededMistake&, const KernelFunction& right) {
  return any_of(right.body, is<op::commit_wgmma>);
}

/// A step waits for all of its products.
bool ends_steps(const SeededMistake&, const KernelFunction& right) {
  return any_of(right.body, [](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && loop->is_reduction() && any_of(loop->body, [](const Stmt& part) {
             const Instr* wait = as(part, op::wait_wgmma);
             return wait && wait->constants[0] == 0;
           });
  });
}

/// Rows of tiles have padding behind them.
bool has_padding(const SeededMistake&, const KernelFunction& right) {
  return any_of(right.body, [](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->name == "A.shared" && is_int(alloc->tensor->shape.back(), 40);
  });
}

bool has_fragments(const SeededMistake&, const KernelFunction& right) {
  return any_of(right.body, [](const Stmt& stmt) {
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    return instr && !instr->opcode.rules.spreads.empty() && instr->opcode.rules.threads == 32;
  });
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
    {"group committed twice", "commit_", always,
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

constexpr Reason reasons_of_tensor_cores[] = {
    // Waits that others make unnecessary.
    {"wait dropped", "wait_wgmma 0", ends_steps, "each step has waited for its products"},
    {"wait dropped", "wait_stores 0", has_groups_of_products,
     "stores are waited for before a tile is filled again, and behind each turn, too"},
    {"one group less pending", "wait_wgmma", always, "it waits for more products"},
    {"moved into a loop", "wait_", always, "it stands where it did, and in other trips too"},
    {"moved into a loop", "fence_engine", always, "it stands where it did, and in other trips too"},
    {"not in the first trip", "wait_wgmma", has_groups_of_products, "no product goes on yet"},
    {"not in the first trip", "wait_stores", has_groups_of_products, "no store goes on yet"},
    {"not in the first trip", "barrier", has_groups_of_products, "no tile is in use yet"},
    {"not in the last trip", "wait_wgmma", has_groups_of_products,
     "the wait behind the loop ends the last products"},

    {"not in the first trip", "fence_engine", has_groups_of_products, "nothing is stored yet"},
    {"not in the first trip", "commit_stores", has_groups_of_products, "nothing is stored yet"},
    {"in every other trip", "barrier", has_groups_of_products,
     "needed from the second tile with results on: there are two"},
    {"not in the last trip", "commit_stores", has_groups_of_products,
     "stores behind the loop are of the same group"},
    {"moved before its neighbour", "wait_mbarrier k.0.full", has_groups_of_products,
     "it waits earlier"},
    {"moved before its neighbour", "wait_wgmma", passes_no_wait, "it waits earlier"},
    {"moved before its neighbour", "wait_stores", passes_no_wait, "it waits earlier"},
    {"moved behind its neighbour", "commit_wgmma", passes_no_wait,
     "no product starts between, and nobody waits: the group is the same"},
    {"used or filled first", "if (i.0_j.0.0 >= 1)", has_groups_of_products,
     "the results of the tile before are there"},

    {"another named barrier", "barrier @named", has_groups_of_products,
     "the same warps come to it, as many times"},

    // The copy engine.
    {"arrival of one lane", "arrive_mbarrier k.0.empty", asks_engine, "one lane arrives as it is"},
    {"wait of one lane", "wait_mbarrier k.0.empty", asks_engine, "one lane asks the engine"},
    {"wait of one lane", "wait_mbarrier k.0.full", has_groups_of_products,
     "a product starts when all lanes of its warp have come"},
    {"moved behind its neighbour", "expect_bytes", always,
     "the phase does not end before it, whenever bytes come"},
    {"used or filled last", "copy_bulk", always, "boxes come in any order"},
    {"neighbours swapped", "copy_bulk", always, "boxes come in any order"},
    {"guard of a copy dropped", "if (", is_for_one_thread, "one thread asks the engine"},
    {"guard of a copy weaker", "if (", is_for_one_thread, "one thread asks the engine"},
    {"a warp more in a role", "if (", is_for_one_thread, "one thread asks the engine"},

    // Fragments.
    {"not in the first trip", "wait_mbarrier", has_fragments, "the condition is that around it"},
    {"used or filled first", "if (k.1.0 + 1 < 2)", has_fragments,
     "fragments of two products lie in different registers"},
    {"used or filled first", "for i.1.1.0", has_fragments,
     "fragments of two products lie in different registers"},
    {"neighbours swapped", "if (k.1.0 == 1)", has_fragments,
     "fragments of both operands are loaded"},
    {"product or load twice", "ldmatrix", always, "the same values, once more"},
    {"product or load twice", "stmatrix", always, "the same values, once more"},
    {"rings that overlap", "alloc B.shared", has_padding, "in the padding behind the last row"},
    {"one trip more", "reduce ", has_fragments, "a trip over zeros"},
    {"one trip more", "for i.0_j.0.0.last", has_groups_of_products,
     "behind the last tile nothing is stored"},
};

/// The statement that one changes places with; none where it stays.
Stmt passed_by(const SeededMistake& mistake, const KernelFunction& right) {
  const bool is_earlier = mistake.kind == "moved before its neighbour";
  if (!is_earlier && mistake.kind != "moved behind its neighbour") return {};
  Stmt passed;
  walk(right.body, [&](const Stmt& stmt) {
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    for (size_t n = 0; seq && n < seq->stmts.size(); ++n)
      if (seq->stmts[n].same_as(mistake.stmt)) passed = seq->stmts[is_earlier ? n - 1 : n + 1];
  });
  return passed;
}

}  // namespace

bool weakens_any(const SeededMistake& mistake, const KernelFunction& right,
                 llvm::ArrayRef<Stmt> stmts) {
  if (mistake.about != SeededMistake::About::order || !mistake.stmt.defined()) return false;
  const Stmt passed = passed_by(mistake, right);
  return llvm::any_of(stmts, [&](const Stmt& stmt) {
    return stmt.same_as(mistake.stmt) || (passed.defined() && stmt.same_as(passed));
  });
}

std::optional<std::string> why_equivalent(const SeededMistake& mistake,
                                          const KernelFunction& right) {
  for (const auto& table : {llvm::ArrayRef(reasons), llvm::ArrayRef(reasons_of_tensor_cores)})
    for (const Reason& reason : table) {
      const bool is_of_kind = !reason.kind || mistake.kind == reason.kind;
      if (is_of_kind && llvm::StringRef(mistake.place).startswith(reason.place) &&
          reason.holds(mistake, right))
        return reason.text;
    }
  return std::nullopt;
}

}  // namespace hone
