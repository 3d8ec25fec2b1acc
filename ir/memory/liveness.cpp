// Data flow over the program, in the order in which one thread would run it; threads run a loop
// that is bound to them side by side, and none leaves a value to another. A tensor holds a value
// where a write may have come before and a read may come behind, and nothing between fills it. Each
// statement is summed up first, by the tensors that it reads before it fills them, and by those
// that it fills; then what is read behind it and written before it is known.

#include "ir/memory/liveness.h"

#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/reach.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hone {
namespace {

/// Tensors by their numbers.
using Tensors = llvm::BitVector;

Tensors operator|(Tensors lhs, const Tensors& rhs) { return lhs |= rhs; }
Tensors operator&(Tensors lhs, const Tensors& rhs) { return lhs &= rhs; }
Tensors operator-(Tensors lhs, const Tensors& rhs) { return lhs.reset(rhs); }

/// A statement with shared tensors in it.
struct Summary {
  enum class Kind : uint8_t { leaf, sequence, loop, branch };  ///< loop: whose iterations follow

  Kind kind;
  Tensors touched, written;
  Tensors wanted;  ///< it reads what they hold before it
  Tensors filled;  ///< nothing that they hold before it is there behind it
  Tensors fresh;   ///< of an alloc: nothing has been written yet
  std::vector<Summary> parts = {};
};

class Summaries {
 public:
  Summaries(llvm::ArrayRef<TensorPtr> tensors, const Facts& facts) : facts_(facts) {
    for (const TensorPtr& tensor : tensors) numbers_.insert({tensor.get(), numbers_.size()});
  }

  /// Each two that meet under a condition that differs between threads.
  llvm::ArrayRef<Tensors> divergent() const { return divergent_; }

  Summary of(const Stmt& stmt) {
    const auto mark = facts_.mark();
    around_.push_back(stmt);
    Summary summary = visit(
        stmt, [&](const For& loop) { return of_loop(loop); },
        [&](const Seq& seq) { return of_sequence(seq); },
        [&](const If& branch) { return of_branch(branch); },
        [&](const Let& let) { return of_let(let); },
        [&](const Alloc& alloc) { return of_alloc(alloc); },
        [&](const auto&) { return of_accesses(stmt); });
    around_.pop_back();
    facts_.rewind(mark);
    return summary;
  }

 private:
  Tensors none() const { return Tensors(numbers_.size()); }

  Summary of_loop(const For& loop) {
    const bool runs = proves(loop.extent >= 1, facts_);
    facts_.add_axis(loop.axis, loop.extent);
    const auto kind = is_thread_loop(loop) ? Summary::Kind::sequence : Summary::Kind::loop;
    Summary summary = around(kind, of(loop.body), none());
    if (!runs) summary.filled.reset();
    return summary;
  }

  Summary of_sequence(const Seq& seq) {
    Summary summary{Summary::Kind::sequence, none(), none(), none(), none(), none()};
    for (const Stmt& stmt : seq.stmts) {
      Summary part = of(stmt);
      if (part.touched.none()) continue;
      part.filled |= filled_by(stmt, part);
      summary.wanted |= part.wanted - summary.filled;
      summary.filled |= part.filled;
      summary.touched |= part.touched;
      summary.written |= part.written;
      summary.parts.push_back(std::move(part));
    }
    return summary;
  }

  /// Those that all iterations of the statement's loops fill together, of those it does not read.
  Tensors filled_by(const Stmt& stmt, const Summary& summary) const {
    Tensors filled = none();
    const Tensors candidates = summary.written - summary.wanted - summary.filled;
    if (candidates.none()) return filled;
    Tensors read = none();
    const Accesses accesses = collect_accesses(stmt);
    for (const MemoryAccess& access : accesses)
      if (const auto tensor = number_of(access.tensor); tensor && reads(access)) read.set(*tensor);
    for (const MemoryAccess& access : accesses) {
      const auto tensor = number_of(access.tensor);
      if (!tensor || read.test(*tensor) || filled.test(*tensor) || !candidates.test(*tensor))
        continue;
      if (reaches_all(access, facts_)) filled.set(*tensor);
    }
    return filled;
  }

  Summary of_branch(const If& branch) {
    const Tensors read = tensors_in(branch.condition);
    const bool parts_threads = differs_between_threads(branch.condition, around_);
    facts_.assume(branch.condition);
    Summary summary = around(Summary::Kind::branch, of(branch.body), read);
    summary.filled.reset();
    if (parts_threads && summary.touched.count() > 1) divergent_.push_back(summary.touched);
    return summary;
  }

  Summary of_let(const Let& let) {
    const Tensors read = tensors_in(let.value);
    facts_.define(let.axis, let.value);
    return around(Summary::Kind::sequence, of(let.body), read);
  }

  /// Each time that an alloc is come to, the tensor is another one.
  Summary of_alloc(const Alloc& alloc) {
    Summary summary = around(Summary::Kind::sequence, of(alloc.body), none());
    if (const auto tensor = number_of(alloc.tensor)) summary.fresh.set(*tensor);
    summary.wanted.reset(summary.fresh);
    summary.filled |= summary.fresh;
    return summary;
  }

  Summary of_accesses(const Stmt& stmt) const {
    Summary summary{Summary::Kind::leaf, none(), none(), none(), none(), none()};
    for (const MemoryAccess& access : collect_accesses(stmt)) {
      const auto tensor = number_of(access.tensor);
      if (!tensor) continue;
      summary.touched.set(*tensor);
      if (access.writes) summary.written.set(*tensor);
      if (reads(access)) summary.wanted.set(*tensor);
    }
    return summary;
  }

  /// A statement of one part, which reads tensors first.
  static Summary around(Summary::Kind kind, Summary part, const Tensors& read) {
    Summary summary{kind,        part.touched | read, part.written, part.wanted | read,
                    part.filled, Tensors(read.size())};
    summary.parts.push_back(std::move(part));
    return summary;
  }

  static bool reads(const MemoryAccess& access) {
    return !access.writes || access.update != Update::set;
  }

  Tensors tensors_in(const Expr& expr) const {
    Tensors result = none();
    walk(expr, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part))
        if (const auto tensor = number_of(load->tensor)) result.set(*tensor);
    });
    return result;
  }

  std::optional<unsigned> number_of(const TensorPtr& tensor) const {
    const auto found = numbers_.find(tensor.get());
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  llvm::DenseMap<const TensorNode*, unsigned> numbers_;
  Facts facts_;
  llvm::SmallVector<Stmt, 8> around_;
  llvm::SmallVector<Tensors, 2> divergent_;
};

/// The other way: tensors that may have been written.
class Walk {
 public:
  explicit Walk(llvm::MutableArrayRef<Tensors> apart) : apart_(apart) {}

  /// `live` are the tensors that are read behind the statement, and `set` those that are written
  /// before it. What is both is held there.
  void keep_apart(const Summary& summary, Tensors live, Tensors set) {
    if (summary.kind == Summary::Kind::leaf) return keep_writes_apart(summary, live & set);
    set.reset(summary.fresh);
    if (summary.kind == Summary::Kind::loop) {
      live |= summary.wanted;
      set |= summary.written;
    }
    llvm::SmallVector<Tensors, 8> set_before;
    for (const Summary& part : summary.parts) {
      set_before.push_back(set);
      set |= part.written;
    }
    for (size_t n = summary.parts.size(); n-- > 0;) {
      const Summary& part = summary.parts[n];
      keep_apart(part, live, set_before[n]);
      live = part.wanted | (live - part.filled);
    }
  }

 private:
  /// All of the statement may be one access: what it reads is held, too.
  void keep_writes_apart(const Summary& summary, const Tensors& held) {
    for (const unsigned written : summary.written.set_bits())
      apart_[written] |= held | summary.touched;
  }

  llvm::MutableArrayRef<Tensors> apart_;
};

/// In the order of their allocs, those that are accessed.
llvm::SmallVector<TensorPtr, 4> shared_tensors(const Stmt& body) {
  llvm::SmallVector<TensorPtr, 4> allocated;
  llvm::SmallPtrSet<const TensorNode*, 8> used;
  walk(body, [&](const Stmt& stmt) {
    for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse how) {
      if (tensor->scope != Scope::shared) return;
      if (how != TensorUse::allocates)
        used.insert(tensor.get());
      else
        allocated.push_back(tensor);
    });
  });
  llvm::erase_if(allocated, [&](const TensorPtr& tensor) { return !used.contains(tensor.get()); });
  return allocated;
}

/// The tensors that a statement names.
Tensors named_in(const Stmt& stmt, llvm::ArrayRef<TensorPtr> tensors) {
  Tensors named(tensors.size());
  for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse how) {
    const auto* found = llvm::find(tensors, tensor);
    if (how != TensorUse::allocates && found != tensors.end()) named.set(found - tensors.begin());
  });
  return named;
}

/// Producers fill theirs while other warps are anywhere before the end of the loop. Behind its last
/// turn they have filled all that consumers have waited for.
struct RingsOfProducers {
  Tensors rings, beside;  ///< tensors that are used before that end

  RingsOfProducers(const Stmt& body, llvm::ArrayRef<TensorPtr> tensors)
      : rings(tensors.size()), beside(tensors.size()) {
    const For* loop = loop_with_roles(body);
    if (!loop) return;
    for (const Copy* copy : copies_of_producers(*loop))
      if (const auto* ring = llvm::find(tensors, copy->destination.tensor); ring != tensors.end())
        rings.set(ring - tensors.begin());
    const auto repeating = loops_that_repeat(*find_site(body, loop));
    const Stmt turns = repeating.empty() ? Stmt(loop) : Stmt(repeating.front());
    const StmtNode* last = nullptr;
    walk(turns, [&](const Stmt& stmt) { last = stmt.get(); });
    bool is_behind = false;
    walk(body, [&](const Stmt& stmt) {
      if (!is_behind) beside |= named_in(stmt, tensors);
      is_behind |= stmt.get() == last;
    });
  }
};

}  // namespace

SharedLiveness::SharedLiveness(const Stmt& body, const Facts& facts)
    : tensors_(shared_tensors(body)) {
  const size_t count = tensors_.size();
  apart_.assign(count, Tensors(count));
  if (count < 2) return;
  Summaries summaries(tensors_, facts);
  Walk(apart_).keep_apart(summaries.of(body), Tensors(count), Tensors(count));
  for (const Tensors& together : summaries.divergent())
    for (const unsigned tensor : together.set_bits()) apart_[tensor] |= together;
  const RingsOfProducers producers(body, tensors_);
  for (const unsigned ring : producers.rings.set_bits()) apart_[ring] |= producers.beside;
  for (size_t n = 0; n < count; ++n)
    for (const unsigned other : apart_[n].set_bits()) apart_[other].set(n);
}

}  // namespace hone
