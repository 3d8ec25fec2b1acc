// copy A.shared[0 .. +32, 0 .. +32] <- A[i.0*32 .. +32, k.0*32 .. +32]        256 threads, f32
//
//   =>  copy A.shared[...] <- A[...] @vector(4)
//
// A copy that promises no width gets the widest one that is proved for both of its sides, where
// each of the threads that share it still has a vector to move. Only copies from and to global
// memory: how arguments are aligned the CUDA compiler does not know. Between shared memory and
// registers, where it sees everything, it makes vectors by itself.

#include "ir/algebra/facts_rewriter.h"
#include "ir/copies/copies.h"
#include "ir/memory/copy_vectors.h"
#include "ir/threads/thread_space.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// The bytes of one access, the widest first.
constexpr int64_t access_bytes[] = {16, 8, 4, 2};

constexpr int64_t least_async_bytes = 4;

/// The number of elements that the copy moves; nothing if that is not constant.
std::optional<int64_t> count_elements(const Copy& copy) {
  int64_t count = 1;
  for (const Expr& extent : copy.destination.extents()) {
    const auto known = as_int(extent);
    if (!known || __builtin_mul_overflow(count, *known, &count)) return std::nullopt;
  }
  return count;
}

class Widener : public FactsRewriter {
 public:
  Widener(const Stmt& nest, const Facts& facts, bool may_alias)
      : FactsRewriter(facts), space_(nest), may_alias_(may_alias) {}

  using FactsRewriter::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy ? widened(stmt, *copy) : rewrite_inside(stmt);
  }

 private:
  Stmt widened(const Stmt& stmt, const Copy& copy) const {
    const bool is_left_open = copy.vector == 0 && !copy.moves_boxes() &&
                              is_in(copy, Scope::global) &&
                              (is_in(copy, Scope::shared) || is_in(copy, Scope::registers));
    const auto elements = count_elements(copy), threads = count_threads(copy);
    if (!is_left_open || !elements || !threads) return stmt;
    for (const int64_t bytes : access_bytes) {
      const int64_t width = bytes / size_of(copy.source.tensor->type);
      if (width < 2 || (copy.is_async() && bytes < least_async_bytes)) break;
      if (*elements / width < *threads) continue;
      const Stmt wide =
          Copy::make(copy.destination, copy.source, {copy.fill, width, copy.execution});
      if (is_legal(*llvm::cast<Copy>(wide))) return wide;
    }
    return stmt;
  }

  bool is_legal(const Copy& copy) const {
    return !vector_problem(copy, facts, may_alias_) && has_vectors_on_both_sides(copy, facts);
  }

  /// Those that make the copy; nothing where that is not constant.
  std::optional<int64_t> count_threads(const Copy& copy) const {
    int64_t count = 1;
    for (const ThreadGroup& group : space_.groups_of(space_.digits_in(Stmt(&copy)))) {
      if (!as_int(group.count)) return std::nullopt;
      count *= *as_int(group.count);
    }
    return count;
  }

  const ThreadSpace space_;
  bool may_alias_;
};

}  // namespace

Stmt with_wide_copies(const Stmt& nest, const Facts& facts, bool may_alias) {
  return Widener(nest, facts, may_alias).rewrite(nest);
}

}  // namespace hone
