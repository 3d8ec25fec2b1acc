#include <algorithm>
#include <set>

#include "ir/opcodes/opcodes.h"
#include "tests/support/mutants/changes.h"

namespace hone {
namespace {

using Stmts = llvm::SmallVector<Stmt, 4>;

/// The waits that come before the statement, of which there is one.
int64_t waits_before(llvm::ArrayRef<Stmt> stmts, const Stmt& stmt) {
  const auto* end = llvm::find_if(stmts, [&](const Stmt& other) { return other.same_as(stmt); });
  return std::count_if(stmts.begin(), end, is_wait);
}

// ---- Among neighbours ---------------------------------------------------------------------------

/// A statement of a sequence takes another place in it.
class Moved : public Mutation {
 public:
  /// Moves statement number `n`; returns false where the kind of move is not about it.
  using Move = bool (*)(Stmts& stmts, size_t n);
  Moved(size_t number, Move move) : Mutation(number), move_(move) {}

  using Mutation::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* seq = llvm::dyn_cast<Seq>(stmt);
    for (size_t n = 0; seq && n < seq->stmts.size(); ++n) {
      Stmts moved(seq->stmts.begin(), seq->stmts.end());
      if (!move_(moved, n) || !is_here()) continue;
      const bool passes_waits =
          waits_before(seq->stmts, seq->stmts[n]) != waits_before(moved, seq->stmts[n]);
      describe(head(seq->stmts[n]) + (passes_waits ? passing_waits : ""), seq->stmts[n]);
      return Seq::make(moved);
    }
    return rewrite_operands(stmt);
  }

 private:
  Move move_;
};

bool move_earlier(Stmts& stmts, size_t n) {
  if (n == 0 || !is_wait(stmts[n])) return false;
  std::swap(stmts[n - 1], stmts[n]);
  return true;
}

bool move_later(Stmts& stmts, size_t n) {
  if (n + 1 == stmts.size() || !is_wait(stmts[n])) return false;
  std::swap(stmts[n], stmts[n + 1]);
  return true;
}

std::set<std::string> tensors_of(const Stmt& stmt) {
  std::set<std::string> names;
  walk(stmt, [&](const Stmt& part) {
    if (const auto* store = llvm::dyn_cast<Store>(part)) names.insert(store->tensor->name);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(part)) names.insert(alloc->tensor->name);
    if (const auto* copy = llvm::dyn_cast<Copy>(part))
      names.insert({copy->destination.tensor->name, copy->source.tensor->name});
    if (const auto* instr = llvm::dyn_cast<Instr>(part))
      for (const ElementRef& place : instr->places)
        if (place.tensor->scope != Scope::global) names.insert(place.tensor->name);
  });
  walk_exprs(stmt, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (load && load->tensor->scope != Scope::global) names.insert(load->tensor->name);
  });
  return names;
}

/// True if the statement passes a wait among these, or one that has to do with its tensors: in
/// another case it is no mistake.
bool passes_any(const Stmt& moved, llvm::ArrayRef<Stmt> others) {
  const std::set<std::string> mine = tensors_of(moved);
  return llvm::any_of(others, [&](const Stmt& other) {
    return is_wait(other) || llvm::any_of(tensors_of(other), [&](const std::string& name) {
             return mine.count(name) != 0;
           });
  });
}

/// Consume, then copy: the refill of a ring after the use, and the use before the refill.
bool move_to_front(Stmts& stmts, size_t n) {
  if (n == 0 || is_wait(stmts[n])) return false;
  if (!passes_any(stmts[n], llvm::ArrayRef<Stmt>(stmts).take_front(n))) return false;
  std::rotate(stmts.begin(), stmts.begin() + static_cast<std::ptrdiff_t>(n),
              stmts.begin() + static_cast<std::ptrdiff_t>(n) + 1);
  return true;
}

bool move_to_end(Stmts& stmts, size_t n) {
  if (n + 1 >= stmts.size() || is_wait(stmts[n])) return false;
  if (!passes_any(stmts[n], llvm::ArrayRef<Stmt>(stmts).drop_front(n + 1))) return false;
  std::rotate(stmts.begin() + static_cast<std::ptrdiff_t>(n),
              stmts.begin() + static_cast<std::ptrdiff_t>(n) + 1, stmts.end());
  return true;
}

bool swap_with_next(Stmts& stmts, size_t n) {
  if (n + 1 == stmts.size() || is_wait(stmts[n]) || is_wait(stmts[n + 1])) return false;
  if (!passes_any(stmts[n], stmts[n + 1])) return false;
  std::swap(stmts[n], stmts[n + 1]);
  return true;
}

// ---- Out of loops, and into them ----------------------------------------------------------------

/// The waits of a loop that no other loop in it holds.
Stmts waits_in(const Stmt& body) {
  Stmts waits;
  const std::function<void(const Stmt&)> visit_all = [&](const Stmt& stmt) {
    if (llvm::isa<For>(stmt)) return;
    if (is_wait(stmt))
      waits.push_back(stmt);
    else
      for_each_operand(
          stmt, [](const Expr&) {}, visit_all);
  };
  visit_all(body);
  return waits;
}

/// A wait stands before its loop or behind it, for the first trip or the last.
class OutOfLoop : public Mutation {
 public:
  OutOfLoop(size_t number, bool before) : Mutation(number), before_(before) {}

  using Mutation::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    for (const Stmt& wait : loop ? waits_in(loop->body) : Stmts()) {
      if (!is_here()) continue;
      describe(head(wait), wait);
      const Stmt rest = loop->with_body(replace(loop->body, wait.get(), nothing()));
      const Stmt alone = substitute(wait, loop->axis.get(), before_ ? Expr(0) : loop->extent - 1);
      return before_ ? Seq::make({alone, rest}) : Seq::make({rest, alone});
    }
    return rewrite_operands(stmt);
  }

 private:
  bool before_;
};

/// A wait beside a loop stands in each of its trips.
bool move_into_next(Stmts& stmts, size_t n) {
  const auto* loop = n + 1 < stmts.size() ? llvm::dyn_cast<For>(stmts[n + 1]) : nullptr;
  if (!loop || !is_wait(stmts[n])) return false;
  stmts[n + 1] = loop->with_body(Seq::make({stmts[n], loop->body}));
  stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(n));
  return true;
}

bool move_into_last(Stmts& stmts, size_t n) {
  const auto* loop = n > 0 ? llvm::dyn_cast<For>(stmts[n - 1]) : nullptr;
  if (!loop || !is_wait(stmts[n])) return false;
  stmts[n - 1] = loop->with_body(Seq::make({loop->body, stmts[n]}));
  stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(n));
  return true;
}

}  // namespace

void add_moves(std::vector<SeededMistake>& mistakes, const KernelFunction& kernel) {
  using About = SeededMistake::About;
  const std::pair<const char*, Moved::Move> of_waits[] = {
      {"moved before its neighbour", move_earlier},
      {"moved behind its neighbour", move_later},
      {"moved into a loop", move_into_next},
      {"moved into a loop", move_into_last}};
  for (const auto& [kind, move] : of_waits)
    add_each<Moved>(mistakes, kernel, kind, About::order, move);
  add_each<OutOfLoop>(mistakes, kernel, "moved before its loop", About::order, true);
  add_each<OutOfLoop>(mistakes, kernel, "moved behind its loop", About::order, false);
  const std::pair<const char*, Moved::Move> of_others[] = {{"used or filled first", move_to_front},
                                                           {"used or filled last", move_to_end},
                                                           {"neighbours swapped", swap_with_next}};
  for (const auto& [kind, move] : of_others)
    add_each<Moved>(mistakes, kernel, kind, About::values, move);
}

}  // namespace hone
