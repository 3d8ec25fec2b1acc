#include "ir/memory/vectors.h"

#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/divisibility.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Form = LaneAccess::Form;

/// An access of one iteration, and how all lanes make it.
struct Judged {
  MemoryAccess access;
  LaneAccess lanes;
  llvm::SmallVector<Expr, 2> guards;  ///< those that all lanes share
  bool is_predicated = false;         ///< under a condition that differs between lanes

  bool in_memory() const { return access.tensor->scope != Scope::registers; }
  bool is_vector() const { return in_memory() && lanes.form == Form::contiguous; }
  std::string text() const { return access.text(); }
};

constexpr int64_t word_bytes = 4;  ///< of a register

bool is_vector_width(int64_t bytes) {
  return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

bool differ(const Expr& lhs, const Expr& rhs) {
  return (Polynomial::of(lhs) - Polynomial::of(rhs)).constant().value_or(0) != 0;
}

/// True if `expr` reads one of `tensors`.
bool reads_any(const Expr& expr, llvm::ArrayRef<const TensorNode*> tensors) {
  return any_of(expr, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && llvm::is_contained(tensors, load->tensor.get());
  });
}

class Judge {
 public:
  Judge(const For& loop, const Facts& facts, bool may_alias)
      : loop_(loop), stmt_(&loop), facts_(facts), may_alias_(may_alias) {}

  std::optional<VectorProblem> run() {
    using Check = bool (Judge::*)();
    for (const Check check :
         {&Judge::has_lanes, &Judge::is_straight, &Judge::has_widths, &Judge::is_uniform,
          &Judge::lies_side_by_side, &Judge::is_independent, &Judge::has_a_vector})
      if (!(this->*check)()) return problem_;
    return std::nullopt;
  }

 private:
  const std::string& v() const { return loop_.axis->name; }

  bool fail(const Stmt& statement, std::string message, std::string note = "") {
    problem_ = {statement, std::move(message), std::move(note)};
    return false;
  }

  bool has_lanes() {
    if (loop_.is_reduction())
      return fail(
          stmt_,
          fmt::format("{} is a reduction axis: its iterations update the same elements", v()),
          "cache what it reads in registers, and vectorize that copy");
    const auto count = as_int(loop_.extent);
    if (!count)
      return fail(stmt_, fmt::format("the extent {} of {} is not a constant", loop_.extent, v()),
                  fmt::format("split {} by 4 and vectorize the inner loop", v()));
    if (*count < 2)
      return fail(stmt_, fmt::format("the extent of {} is {}, and a vector has 2 elements or more",
                                     v(), *count));
    lanes_ = {loop_.axis, *count};
    return true;
  }

  /// Stores and conditions, and lets of what they use.
  bool is_straight() {
    bool straight = true;
    walk(loop_.body, [&](const Stmt& stmt) {
      if (!straight || llvm::isa<Seq, If, Let, Store>(stmt)) return;
      straight = fail(stmt, fmt::format("{} stands inside {}, and a vector loop holds single "
                                        "statements",
                                        describe(stmt), v()));
    });
    return straight;
  }

  static std::string describe(const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt))
      return fmt::format("the loop {}", loop->axis->name);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return fmt::format("the alloc of {}", alloc->tensor->name);
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      return fmt::format("the copy to {}", copy->destination.tensor->name);
    return "a barrier";
  }

  /// Elements side by side are as many bytes as a vector access moves.
  bool has_widths() {
    for (MemoryAccess& access : collect_accesses(loop_.body))
      judged_.push_back(judge(std::move(access)));
    for (const Judged& judged : judged_) {
      const TensorNode& tensor = *judged.access.tensor;
      const int64_t bytes = lanes_.count * size_of(tensor.type);
      const bool is_vector = judged.lanes.form == Form::contiguous ||
                             (judged.lanes.form == Form::other && !may_be_strided(judged));
      if (judged.in_memory() && is_vector && !is_vector_width(bytes))
        return fail(judged.access.statement,
                    fmt::format("{} elements of {} are {} bytes, and a vector access moves 2, 4, 8 "
                                "or 16",
                                lanes_.count, tensor.name, bytes));
    }
    return true;
  }

  /// No vector depends on a condition that differs between lanes. Elements that such a condition
  /// picks may also be read without it: then the vector is there already.
  bool is_uniform() {
    for (const Judged& judged : judged_) {
      if (!judged.is_predicated || !judged.is_vector()) continue;
      const bool is_read_anyway = llvm::any_of(judged_, [&](const Judged& other) {
        return !other.is_predicated && other.access.tensor == judged.access.tensor &&
               !judged.access.writes && same_element(other.lanes.first, judged.lanes.first) &&
               holds_all(judged.guards, other.guards);
      });
      if (!is_read_anyway)
        return fail(judged.access.statement,
                    fmt::format("{} would be predicated: {} is not the same in all {} iterations "
                                "of {}",
                                judged.text(), dependent_guard(judged.access), lanes_.count, v()),
                    size_note(dependent_guard(judged.access)));
    }
    return true;
  }

  Judged judge(MemoryAccess access) const {
    Judged judged;
    judged.guards = uniform_guards(access.guards, lanes_, facts_);
    judged.is_predicated = judged.guards.size() != access.guards.size();
    judged.lanes = lane_access(*access.tensor, access.indices, lanes_, facts_);
    judged.access = std::move(access);
    return judged;
  }

  /// Sizes are what callers can promise something about.
  std::string size_note(const Expr& condition) const {
    Expr size;
    walk(condition, [&](const Expr& part) {
      if (llvm::isa<ParamRef>(part) && !divides(lanes_.count, part, facts_)) size = part;
    });
    if (!size.defined()) return "";
    return fmt::format(
        "sizes that {0} divides need no such condition; assume({1} % {0} == 0) "
        "promises one",
        lanes_.count, size);
  }

  Expr dependent_guard(const MemoryAccess& access) const {
    return *llvm::find_if(access.guards, [&](const Expr& guard) {
      return !uniform_condition(guard, lanes_, facts_).defined();
    });
  }

  bool lies_side_by_side() {
    for (const Judged& judged : judged_) {
      const MemoryAccess& access = judged.access;
      if (access.writes && judged.lanes.form == Form::invariant)
        return fail(access.statement, fmt::format("{} is the same element in all {} iterations of "
                                                  "{}, and each of them writes it",
                                                  judged.text(), lanes_.count, v()));
      if (!judged.in_memory()) continue;
      if (judged.lanes.form == Form::other && !may_be_strided(judged))
        return fail(access.statement, judged.lanes.reason, judged.lanes.note);
    }
    return true;
  }

  /// The side in shared memory of a plain move, as of a tile that is transposed on its way.
  bool may_be_strided(const Judged& judged) const {
    const auto* store = llvm::dyn_cast<Store>(judged.access.statement);
    if (!store || judged.access.tensor->scope != Scope::shared || !is_plain_move(*store))
      return false;
    const Load& load = moved_load(*store);
    return judged.access.tensor == (judged.access.writes ? store->tensor : load.tensor);
  }

  // Vectors are read before the lanes run, and written after them.

  bool is_independent() {
    for (const Judged& write : judged_) {
      if (!write.access.writes) continue;
      for (const Judged& other : judged_)
        if (&other != &write && !is_independent(write, other)) return false;
    }
    return reads_before_writes();
  }

  bool is_independent(const Judged& write, const Judged& other) {
    if (!write.in_memory() || !other.in_memory()) return true;
    if (write.access.tensor != other.access.tensor) return !overlap(write, other);
    if (are_apart(write, other)) return true;
    const bool same = write.lanes.form == Form::contiguous &&
                      other.lanes.form == Form::contiguous &&
                      same_element(write.lanes.first, other.lanes.first);
    if (!same)
      return fail(write.access.statement,
                  fmt::format("{} and {} may be one element in different iterations of {}",
                              write.text(), other.text(), v()));
    if (all_equal(write.guards, other.guards)) return true;
    return fail(write.access.statement,
                fmt::format("{} is accessed twice, under different conditions", write.text()));
  }

  /// True if the accesses are to different rows, or to different vectors of a row.
  bool are_apart(const Judged& lhs, const Judged& rhs) const {
    const bool vectors = lhs.lanes.form == Form::contiguous && rhs.lanes.form == Form::contiguous;
    for (size_t dim = 0; dim < lhs.lanes.first.size(); ++dim) {
      const bool is_fixed = !mentions(lhs.access.indices[dim], lanes_.axis.get()) &&
                            !mentions(rhs.access.indices[dim], lanes_.axis.get());
      if ((is_fixed || vectors) && differ(lhs.lanes.first[dim], rhs.lanes.first[dim])) return true;
    }
    return false;
  }

  /// Different arguments overlap only where aliases are allowed. Vectors are aligned, so that two
  /// of one width are the same or apart: a single statement may read one and write the other.
  bool overlap(const Judged& write, const Judged& other) {
    const auto is_global = [](const Judged& judged) {
      return judged.access.tensor->scope == Scope::global;
    };
    if (!may_alias_ || !is_global(write) || !is_global(other)) return false;
    const bool alike = write.access.statement.same_as(other.access.statement) &&
                       other.lanes.form == Form::contiguous &&
                       size_of(write.access.tensor->type) == size_of(other.access.tensor->type);
    return !alike && !fail(write.access.statement,
                           fmt::format("{} and {} may overlap (may_alias), and the vectors of {} "
                                       "are read before one is written",
                                       write.text(), other.text(), v()));
  }

  /// The places and conditions of vectors do not depend on registers that the loop writes.
  bool reads_before_writes() {
    llvm::SmallVector<const TensorNode*, 4> written;
    for (const Judged& judged : judged_)
      if (judged.access.writes) written.push_back(judged.access.tensor.get());
    for (const Judged& judged : judged_) {
      if (!judged.is_vector()) continue;
      const auto changes = [&](const Expr& expr) { return reads_any(expr, written); };
      if (llvm::any_of(judged.lanes.first, changes) || llvm::any_of(judged.guards, changes))
        return fail(judged.access.statement,
                    fmt::format("where {} lies depends on what the iterations of {} write",
                                judged.text(), v()));
    }
    return true;
  }

  /// Narrow elements of registers that move to others as they are, a word at a time.
  bool moves_a_word() const {
    const auto* store = llvm::dyn_cast<Store>(loop_.body);
    return store && is_plain_move(*store) && llvm::isa<Load>(store->value) &&
           llvm::all_of(judged_, [&](const Judged& judged) {
             const int64_t bytes = size_of(judged.access.tensor->type);
             return judged.lanes.form == Form::contiguous && bytes < word_bytes &&
                    bytes * lanes_.count == word_bytes;
           });
  }

  bool has_a_vector() {
    if (llvm::any_of(judged_, [](const Judged& judged) { return judged.is_vector(); })) return true;
    if (moves_a_word()) return true;
    for (const Judged& judged : judged_)
      if (judged.in_memory() && judged.lanes.form == Form::other)
        return fail(judged.access.statement, judged.lanes.reason, judged.lanes.note);
    return fail(stmt_, fmt::format("no access in {} moves a vector to or from memory", v()),
                fmt::format("unroll({}) runs its iterations side by side", v()));
  }

  const For& loop_;
  Stmt stmt_;
  const Facts& facts_;
  bool may_alias_;
  Lanes lanes_;
  llvm::SmallVector<Judged, 8> judged_;
  VectorProblem problem_;
};

}  // namespace

std::optional<VectorProblem> vector_problem(const For& loop, const Facts& facts, bool may_alias) {
  return Judge(loop, facts, may_alias).run();
}

Lanes lanes_of(const For& loop) { return {loop.axis, *as_int(loop.extent)}; }

bool is_plain_move(const Store& store) {
  if (store.update != Update::set) return false;
  Expr value = store.value;
  if (const auto* choice = llvm::dyn_cast<Select>(value)) {
    if (!is_constant(choice->if_false)) return false;
    value = choice->if_true;
  }
  const auto* load = llvm::dyn_cast<Load>(value);
  return load && load->tensor != store.tensor;
}

const Load& moved_load(const Store& store) {
  assert(is_plain_move(store) && "only a plain move moves one element");
  const auto* choice = llvm::dyn_cast<Select>(store.value);
  return *llvm::cast<Load>(choice ? choice->if_true : store.value);
}

llvm::SmallVector<Expr, 2> uniform_guards(llvm::ArrayRef<Expr> guards, const Lanes& lanes,
                                          const Facts& facts) {
  llvm::SmallVector<Expr, 2> result;
  for (const Expr& guard : guards) {
    const Expr uniform = uniform_condition(guard, lanes, facts);
    if (uniform.defined()) result.push_back(uniform);
  }
  return result;
}

bool holds_all(llvm::ArrayRef<Expr> held, llvm::ArrayRef<Expr> guards) {
  return llvm::all_of(guards, [&](const Expr& guard) {
    return llvm::any_of(held, [&](const Expr& other) { return equal(guard, other); });
  });
}

bool same_element(llvm::ArrayRef<Expr> lhs, llvm::ArrayRef<Expr> rhs) {
  for (auto [left, right] : llvm::zip(lhs, rhs))
    if (!(Polynomial::of(left) == Polynomial::of(right))) return false;
  return true;
}

}  // namespace hone
