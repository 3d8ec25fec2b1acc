#include "ir/analysis/in_place.h"

#include "fmt/format.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/enumeration.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Problem = std::optional<std::string>;

bool has_parallel_loop(const Stmt& stmt) {
  return any_of(stmt, [&](const Stmt& nested) {
    const auto* loop = llvm::dyn_cast<For>(nested);
    return loop && loop->binding.is_parallel();
  });
}

bool same_elements(const Region& lhs, const Region& rhs) {
  return std::equal(lhs.ranges.begin(), lhs.ranges.end(), rhs.ranges.begin(), rhs.ranges.end(),
                    [](const Range& left, const Range& right) {
                      const bool alike = left.is_point() == right.is_point() &&
                                         left.stride == right.stride &&
                                         equal(left.offset, right.offset);
                      return alike && (left.is_point() || equal(left.extent, right.extent));
                    });
}

/// Follows the order in which a function reads one tensor and writes another.
class Order {
 public:
  Order(TensorPtr read, TensorPtr written, llvm::ArrayRef<Expr> assumptions)
      : read_(std::move(read)), written_(std::move(written)), facts_(facts_of(assumptions)) {}

  Problem problem(const Stmt& stmt) {
    const FactsScope inside(facts_, stmt);
    return visit(
        stmt, [&](const For& loop) { return problem_of(loop); },
        [&](const Seq& seq) { return problem_of(seq); },
        [&](const If& branch) { return problem(branch.body); },
        [&](const Let& let) { return problem(let.body); },
        [&](const Alloc& alloc) { return problem(alloc.body); },
        [&](const Copy& copy) { return problem_of(copy); }, [](const auto&) { return Problem(); });
  }

 private:
  Problem problem_of(const For& loop) {
    if (const Problem result = between_iterations(loop)) return result;
    ++loops_;
    const Problem result = problem(loop.body);
    --loops_;
    return result;
  }

  /// Different iterations must touch different elements.
  Problem between_iterations(const For& loop) {
    const For* loops[] = {&loop};
    const Accesses accesses = collect_accesses(loop.body);
    for (const MemoryAccess& write : accesses) {
      if (!write.writes || write.tensor != written_) continue;
      for (const MemoryAccess& read : accesses) {
        if (!reads(read) || unseparated(loops, write, read, facts_).empty() ||
            enumeration_separates(loop.axis, loop.extent, write, read))
          continue;
        return fmt::format("{} is written by one iteration of {}, and another one reads {}",
                           write.text(), loop.axis->name, read.text());
      }
    }
    return std::nullopt;
  }

  /// A later part may not read what an earlier one has written. Outside of loops, parts are kernels
  /// that follow each other; inside, loops of threads do not.
  Problem problem_of(const Seq& seq) {
    std::optional<MemoryAccess> written, read;
    bool is_spread = false;
    for (const Stmt& part : seq.stmts) {
      const auto now_read = first_in(part, false), now_written = first_in(part, true);
      if (written && now_read)
        return fmt::format("{} is written before {} is read", written->text(), now_read->text());
      is_spread |= (now_read || now_written) && has_parallel_loop(part);
      if (read && now_written && loops_ > 0 && is_spread)
        return fmt::format("{} may be read by one thread after another one has written {}",
                           read->text(), now_written->text());
      if (const Problem result = problem(part)) return result;
      if (!read) read = now_read;
      if (!written) written = now_written;
    }
    return std::nullopt;
  }

  /// All threads of a block move a shared tile together.
  Problem problem_of(const Copy& copy) const {
    const Region &target = copy.destination, &source = copy.source;
    const bool is_read = source.tensor == read_, is_written = target.tensor == written_;
    const bool is_shared =
        source.tensor->scope == Scope::shared || target.tensor->scope == Scope::shared;
    if (is_shared && (is_read || is_written))
      return fmt::format("{} is {} shared memory by several threads",
                         (is_read ? read_ : written_)->name,
                         is_read ? "read into" : "written from");
    if (!is_read || !is_written || same_elements(target, source)) return std::nullopt;
    return fmt::format("other elements of {} are read where {} is written", read_->name,
                       written_->name);
  }

  bool reads(const MemoryAccess& access) const { return !access.writes && access.tensor == read_; }

  std::optional<MemoryAccess> first_in(const Stmt& stmt, bool writes) const {
    for (const MemoryAccess& access : collect_accesses(stmt))
      if (writes ? access.writes && access.tensor == written_ : reads(access)) return access;
    return std::nullopt;
  }

  TensorPtr read_, written_;
  Facts facts_;
  int loops_ = 0;  ///< around
};

}  // namespace

std::optional<std::string> in_place_problem(const Function& function, const TensorPtr& lhs,
                                            const TensorPtr& rhs) {
  const bool is_left_written = writes(function.body, lhs);
  if (is_left_written && writes(function.body, rhs)) return "both are written";
  const auto& [written, read] = is_left_written ? std::pair(lhs, rhs) : std::pair(rhs, lhs);
  return Order(read, written, function.assumptions).problem(function.body);
}

}  // namespace hone
